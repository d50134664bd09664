"""Archives of public-domain fiction -> Blocks without labels, for a teacher to label.

Novels whose LitBank excerpt is in our dev or test part are left out: nothing carried was trained on them, not even unlabelled.
"""

from __future__ import annotations

import csv
import io
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from spacy.language import Language

from training.reader.treebank import Block, Word

END = re.compile(
    r"""(?<![A-Z])(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bCapt)(?<!\bProf)(?<!\bGen)(?<!\bCol)[.!?]+["'”’)\]]*\s+(?=["'“‘(\[]?[A-Z])"""
)


def texts(archive: Path, allowed: set[str] | None) -> Iterator[str]:
    """The texts of an archive; `allowed` holds the file stems that may be used, None for all."""
    with tarfile.open(archive) as tar:
        for member in sorted(tar.getmembers(), key=lambda one: one.name):
            opened = tar.extractfile(member) if member.isfile() else None
            if opened is None or (allowed is not None and Path(member.name).stem not in allowed):
                continue
            text = opened.read().decode("utf-8", "replace")
            if member.name.endswith(".txt"):
                yield text
            elif member.name.endswith("-story.csv"):
                rows = csv.DictReader(io.StringIO(text))
                yield "\n\n".join(row.get("text") or "" for row in rows)


def paragraphs(text: str) -> Iterator[str]:
    """Blank lines part paragraphs; headings, lists and licence notes are passed over."""
    for part in re.split(r"\n\s*\n", text.replace("\r", "")):
        line = re.sub(r"\s+", " ", part.replace("_", "")).strip()
        words = line.split(" ")
        if (
            4 <= len(words) <= 220
            and line[-1] in ".!?\"'”’"
            and "Gutenberg" not in line
            and sum(w.isupper() for w in words) < len(words) / 3
        ):
            yield line


def blocks(nlp: Language, archives: Iterable[tuple[Path, set[str] | None]], words: int, seed: int) -> list[Block]:
    """A seeded sample of paragraphs of about `words` words, cut into sentences by rule and words by our tokenizer."""
    random = Random(seed)
    found = [line for archive, allowed in archives for text in texts(archive, allowed) for line in paragraphs(text)]
    random.shuffle(found)
    sample: list[Block] = []
    size = 0
    for line in found:
        block = Block("silver")
        start = 0
        for stop in [match.end() for match in END.finditer(line)] + [len(line)]:
            sentence = [
                Word(token.text, space=bool(token.whitespace_)) for token in nlp.make_doc(line[start:stop].strip())
            ]
            if sentence:
                sentence[-1].space = True
                block.sentences.append(sentence)
            start = stop
        if block.sentences and max(map(len, block.sentences)) <= 90:
            sample.append(block)
            size += block.size
        if size >= words:
            break
    return sample
