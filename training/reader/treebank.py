"""Files of the corpora -> Block, a run of sentences with every label the reader learns.

Universal Dependencies English EWT and GUM (trees, tags, lemmas, sentence ends; GUM also the entity type of each mention
head) and LitBank (entity types, realis events). The genres of GUM whose texts are licensed for non-commercial use only
(its LICENSE.md: essay, fiction, letter, podcast, wikiHow) are left out unless asked for, so that anyone may use the weights.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

NON_COMMERCIAL = frozenset({"essay", "fiction", "letter", "podcast", "whow"})

LITBANK_TYPES = {
    "PER": "person", "LOC": "place", "FAC": "place", "GPE": "place", "ORG": "organization", "VEH": "object",
}  # fmt: skip

MISSING = ""
NONE = "O"


@dataclass(slots=True)
class Word:
    form: str
    lemma: str = MISSING
    upos: str = MISSING
    xpos: str = MISSING
    head: int = -1
    """index in the sentence; a root is its own head; -1: no tree"""
    dep: str = MISSING
    space: bool = True
    etype: str = MISSING
    realis: str = MISSING


@dataclass(slots=True)
class Block:
    """A paragraph, or a piece of a long one."""

    name: str
    sentences: list[list[Word]] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(len(sentence) for sentence in self.sentences)


def conllu(path: Path) -> Iterator[tuple[str, bool, list[Word]]]:
    """-> (document name, starts a paragraph, words) for each sentence."""
    document, paragraph = "", True
    words: list[Word] = []
    entities: list[str] = []
    no_space_after: dict[int, bool] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if not line:
                if words:
                    _mark_types(words, entities)
                    yield document, paragraph, words
                words, entities, no_space_after, paragraph = [], [], {}, False
            elif line.startswith("# newdoc"):
                document, paragraph = line.split("=", 1)[1].strip(), True
            elif line.startswith("# newpar"):
                paragraph = True
            elif not line.startswith("#"):
                cells = line.split("\t")
                if "-" in cells[0]:
                    first, last = map(int, cells[0].split("-"))
                    for number in range(first, last):
                        no_space_after[number] = True
                    no_space_after[last] = "SpaceAfter=No" in cells[9]
                    continue
                if "." in cells[0]:
                    continue
                number = int(cells[0])
                head = int(cells[6])
                space = not no_space_after.get(number, "SpaceAfter=No" in cells[9])
                words.append(
                    Word(cells[1], cells[2], cells[3], cells[4], head - 1 if head else number - 1, cells[7], space)
                )
                found = re.search(r"(?:^|\|)Entity=([^|]*)", cells[9])
                entities.append(found[1] if found else "")


def _mark_types(words: list[Word], entities: list[str]) -> None:
    """GUM's bracketed `Entity=` column -> the type on the head word of each mention, `O` elsewhere."""
    if not any(entities):
        return
    open_: dict[str, list[tuple[int, str]]] = {}
    for place, text in enumerate(entities):
        for bracket in re.finditer(r"\(([^()]*)\)?|([^()]+)\)", text):
            if bracket[1] is not None:
                parts = bracket[1].split("-")
                name, kind = parts[0], parts[1]
                if bracket[0].endswith(")"):
                    _set_type(words, place, place, kind)
                else:
                    open_.setdefault(name, []).append((place, kind))
            else:
                name = bracket[2].split("-")[0]
                if open_.get(name):
                    start, kind = open_[name].pop()
                    _set_type(words, start, place, kind)
    for word in words:
        word.etype = word.etype or NONE


def _set_type(words: list[Word], start: int, stop: int, kind: str) -> None:
    for place in range(start, stop + 1):
        head = words[place].head
        if not start <= head <= stop or head == place:
            words[place].etype = words[place].etype or kind
            return


def genre(document: str) -> str:
    """`GUM_fiction_beast` -> `fiction`; `weblog-...` -> `weblog`."""
    parts = re.split("[_-]", document)
    return parts[1] if parts[0] == "GUM" else parts[0]


def treebank(path: Path, non_commercial: bool = True, longest: int = 160) -> Iterator[Block]:
    """-> Blocks: paragraphs cut after `longest` words, at a sentence end."""
    block = Block("")
    for document, paragraph, words in conllu(path):
        if not non_commercial and document.startswith("GUM_") and genre(document) in NON_COMMERCIAL:
            continue
        if block.sentences and (paragraph or document != block.name or block.size > longest):
            yield block
            block = Block("")
        block.name = document
        block.sentences.append(words)
    if block.sentences:
        yield block


def litbank_rows(path: Path) -> list[list[list[str]]]:
    """A LitBank TSV -> sentences of rows of cells."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        text = lines.read()
    return [
        [line.split("\t") for line in part.split("\n") if line.strip()] for part in text.split("\n\n") if part.strip()
    ]


def litbank(folder: Path, dev: bool) -> Iterator[Block]:
    """LitBank's entities and events -> Blocks without trees; dev is every tenth text by its hash."""
    for path in sorted((folder / "events" / "tsv").glob("*.tsv.gz")):
        events = litbank_rows(path)
        if litbank_is_dev(events) != dev:
            continue
        kinds = litbank_rows(folder / "entities" / "tsv" / path.name)
        block = Block(path.name.removesuffix("_brat.tsv.gz"))
        for rows, cells in zip(events, kinds, strict=True):
            words = [Word(row[0], space=True, realis="E" if row[1] == "EVENT" else NONE) for row in rows]
            _spaces(words)
            _litbank_types(words, cells)
            block.sentences.append(words)
            if block.size > 160:
                yield block
                block = Block(block.name)
        if block.sentences:
            yield block


def litbank_is_dev(sentences: list[list[list[str]]]) -> bool:
    """The rule of the house: sha1 of the text, modulo 10, is 1. The text is the tokens joined by spaces."""
    text = " ".join(row[0] for rows in sentences for row in rows)
    return int(hashlib.sha1(text.encode("utf-8")).hexdigest(), 16) % 10 == 1


def _spaces(words: list[Word]) -> None:
    """LitBank has no raw text: write the usual spacing."""
    quote = False
    for left, right in itertools.pairwise(words):
        if right.form in {".", ",", ";", ":", "?", "!", ")", "]", "''", "”", "’", "n't", "%"} or right.form.startswith(
            ("'s", "'ll", "'re", "'ve", "'d", "'m", "’s")
        ):
            left.space = False
        if left.form in {"(", "[", "``", "“", "‘"}:
            left.space = False
        if left.form == '"':
            quote = not quote
            left.space = not quote
        if right.form == '"' and quote:
            left.space = False


def _litbank_types(words: list[Word], cells: list[list[str]]) -> None:
    """Nested BIO columns -> type of the last word of a name's first noun run (a head by rule, no tree here)."""
    for column in range(1, 5):
        place = 0
        while place < len(words):
            tag = cells[place][column] if column < len(cells[place]) else NONE
            if not tag.startswith("B-"):
                place += 1
                continue
            stop = place + 1
            while stop < len(words) and column < len(cells[stop]) and cells[stop][column].startswith("I-"):
                stop += 1
            kind = LITBANK_TYPES[tag[2:].split("_")[0]]
            head = stop - 1
            for cut in range(place + 1, stop):
                if words[cut].form.lower() in {
                    "of",
                    "in",
                    "who",
                    "which",
                    "that",
                    ",",
                    "from",
                    "with",
                    "at",
                    "on",
                    "and",
                    "to",
                    "for",
                    "by",
                }:
                    head = cut - 1
                    break
            if stop - place <= 8:
                words[head].etype = kind
            place = stop
