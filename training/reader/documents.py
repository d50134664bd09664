"""OntoGUM and LitBank -> Documents for the pair network, parsed by our own parser on their words."""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from scenarist.reading.parser.parse import CutText, Parsed, Parser
from training.reader.coreference import Document, document
from training.reader.treebank import NON_COMMERCIAL, genre, litbank_is_dev

Clusters = list[list[tuple[int, int]]]
MARK = re.compile(r"\((\d+)\)|\((\d+)|(\d+)\)")


def conll(path: Path) -> tuple[list[str], Clusters]:
    """A CoNLL coreference file, short (OntoGUM) or long (LitBank) -> words and clusters of spans."""
    words: list[str] = []
    open_: dict[str, list[int]] = defaultdict(list)
    clusters: dict[str, list[tuple[int, int]]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            cells = line.rstrip("\n").split("\t")
            place = len(words)
            words.append((cells[1] if len(cells) < 6 else cells[3]) or "|")  # GUM_news_iodine has an empty token
            for found in MARK.finditer(cells[-1]):
                if found[1]:
                    clusters[found[1]].append((place, place + 1))
                elif found[2]:
                    open_[found[2]].append(place)
                elif open_[found[3]]:
                    clusters[found[3]].append((open_[found[3]].pop(), place + 1))
    return words, [sorted(set(spans)) for spans in clusters.values()]


def parse(parser: Parser, words: list[str]) -> Parsed:
    """Given words, our own sentence ends."""
    spans, at = [], 0
    for word in words:
        spans.append((at, at + len(word)))
        at += len(word) + 1
    return next(parser.label([CutText(" ".join(words), spans, parser.splitter(words))]))


def ontogum(parser: Parser, folder: Path, non_commercial: bool) -> Iterator[Document]:
    for path in sorted(folder.glob("*.conll.gz")):
        name = path.name.split(".")[0]
        if non_commercial or genre(name) not in NON_COMMERCIAL:
            words, clusters = conll(path)
            read = parse(parser, words)
            yield document(name, read.story, read.kinds, clusters, parser.vectors, closed=True)


def litbank(parser: Parser, folder: Path, dev: bool) -> Iterator[Document]:
    for path in sorted((folder / "coref" / "conll").glob("*.conll.gz")):
        words, clusters = conll(path)
        if litbank_is_dev([[[word] for word in words]]) == dev:
            read = parse(parser, words)
            yield document(path.name.split(".")[0], read.story, read.kinds, clusters, parser.vectors, closed=False)
