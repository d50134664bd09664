"""Fiction -> fiction.npz.xz: the sentences of novels, short works and fairy tales as word ids, for skip-thoughts. Runs on a CPU (minutes).

python -m training.storycloze.fiction out/storycloze
"""

from __future__ import annotations

import lzma
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from scenarist.corpora.fiction import Fairytales, Novels, ShortFiction
from scenarist.models.endings.base import words
from scenarist.models.endings.skip_thoughts import FIRST, LONGEST, UNKNOWN, told

VOCABULARY = 20_000
FRONT = 100
"""Sentences at both ends of a work that are left out: titles, contents, licences."""
SHARE = 6_000
"""Sentences of one work at most, so that none is heard too often."""


def works() -> Iterator[list[list[str]]]:
    """The works as sentences of words; a sentence is cut behind its first words, not left out, so that neighbours stay neighbours."""
    for story in chain(ShortFiction("train"), Novels("train"), Fairytales("train")):
        front = 0 if story.sentences else FRONT
        sentences = told(story)
        kept = sentences[front : max(front, len(sentences) - front)][:SHARE]
        found = [part[:LONGEST] for sentence in kept if (part := words(sentence))]
        if len(found) > 20:
            yield found


def main(out: Path) -> None:
    """Write fiction.npz.xz: ids, sentence lengths, sentences a work, and the words."""
    numbers: dict[str, int] = {}  # words as they come; the frequent ones get their final ids below
    counts: Counter[int] = Counter()
    ids, lengths, sizes = [], [], []
    for work in works():
        flat = np.array(
            [numbers.setdefault(word, len(numbers)) for sentence in work for word in sentence], dtype=np.int32
        )
        counts.update(flat.tolist())
        ids.append(flat)
        lengths += map(len, work)
        sizes.append(len(work))
    spelled = list(numbers)
    frequent = [at for at, _ in counts.most_common(VOCABULARY)]
    final = np.full(len(spelled), UNKNOWN, dtype=np.uint16)
    final[frequent] = np.arange(FIRST, FIRST + len(frequent))
    out.mkdir(parents=True, exist_ok=True)
    every = final[np.concatenate(ids)]
    with lzma.open(out / "fiction.npz.xz", "wb", preset=6) as file:
        np.savez(
            file,
            low=(every & 255).astype(np.uint8),
            high=(every >> 8).astype(np.uint8),
            lengths=np.array(lengths, dtype=np.uint8),
            works=np.array(sizes, dtype=np.int32),
            vocabulary=np.frombuffer("\n".join(spelled[at] for at in frequent).encode(), dtype=np.uint8),
        )
    known = float((every != UNKNOWN).mean())
    print(f"{len(sizes)} works, {len(lengths)} sentences, {len(every)} words, {known:.1%} of them known, in {out}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/storycloze"))
