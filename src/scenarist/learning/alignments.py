"""Alignments -> a table of abstract word <-> concrete phrase (Bisk et al. 2019, section 5 and Table 3).

Each stretch of concrete words that was told from one abstract word is cut at punctuation; its phrases of up to ``longest``
words that begin and end with a content word and hold an admissible word are counted with the abstract word. Rows are
sorted by pointwise mutual information, discounted for rare pairs (Pantel and Ravichandran 2004), so that one lucky pair does not
lead the list; ``discount=False`` gives the plain PMI of the paper. Every row knows the pairs it was counted in.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import scenarist.errors as errors
from scenarist.learning.blanks import STOP
from scenarist.noun import Noun
from scenarist.story import Alignment, Pair

SCHEMA = 1
MARKS = frozenset(". , ; : ! ? ( ) - / ' \" #UNK#".split())


class WordPhrase(NamedTuple):
    """An abstract word, a concrete phrase, and where it was found."""

    word: str
    phrase: tuple[str, ...]
    pair: str
    start: int


def phrases(words: Sequence[str], admissible: Collection[str], longest: int = 3) -> Iterator[tuple[int, int]]:
    """Ranges of the phrases inside a stretch of words.

    >>> words = "hold a grater over it".split()
    >>> [" ".join(words[a:b]) for a, b in phrases(words, {"grater", "hold"})]
    ['hold', 'hold a grater', 'grater']
    """
    for start in range(len(words)):
        for stop in range(start + 1, min(len(words), start + longest) + 1):
            part = words[start:stop]
            if MARKS.intersection(part):
                break
            if part[0] in STOP or part[-1] in STOP:
                continue
            if any(word in admissible for word in part):
                yield start, stop


def links(alignment: Alignment, admissible: Collection[str], longest: int = 3) -> Iterator[WordPhrase]:
    """The links of one aligned pair; phrases that repeat the abstract word say nothing and are left out."""
    for place, start, stop in alignment.spans():
        if place < 0:
            continue
        word = alignment.pair.abstract[place]
        if word in STOP or word in MARKS:
            continue
        for first, last in phrases(alignment.pair.concrete[start:stop], admissible, longest):
            phrase = alignment.pair.concrete[start + first : start + last]
            if word not in phrase:
                yield WordPhrase(word, phrase, alignment.pair.id, start + first)


class PhraseEntry(Noun, frozen=True):
    """A row of the table."""

    word: str
    phrase: str
    count: int
    pmi: float
    """Natural log, discounted where the table is."""
    plain: float | None = None
    """Natural-log PMI without the discount, as in the paper; None in tables that do not know it."""
    found: tuple[tuple[str, int], ...] = ()
    """(pair, place) of the first occurrences: the sentences behind the row."""


def strength(entry: PhraseEntry, plain: bool) -> float:
    """What rows are sorted by: discounted PMI, or plain."""
    return entry.pmi if not plain or entry.plain is None else entry.plain


class PhraseTable:
    """Abstract word <-> concrete phrase, both ways."""

    def __init__(self, entries: Iterable[PhraseEntry], by: str = "") -> None:
        self.entries = tuple(entries)
        self.by = by
        self._words: dict[str, list[PhraseEntry]] = defaultdict(list)
        for entry in self.entries:
            self._words[entry.word].append(entry)

    def concrete(self, word: str, limit: int = 10, plain: bool = False) -> list[PhraseEntry]:
        """What an abstract word stands for, strongest first; ``plain`` sorts by the PMI of the paper."""
        return sorted(self._words.get(word, []), key=lambda entry: (-strength(entry, plain), entry.phrase))[:limit]

    def abstract(self, phrase: str, limit: int = 10, plain: bool = False) -> list[PhraseEntry]:
        """The abstract words behind a concrete phrase; any phrase that holds these words counts (as in Table 3)."""
        wanted = f" {phrase} "
        best: dict[str, PhraseEntry] = {}
        for entry in self.entries:
            known = best.get(entry.word)
            if wanted in f" {entry.phrase} " and (known is None or strength(entry, plain) > strength(known, plain)):
                best[entry.word] = entry
        return sorted(best.values(), key=lambda entry: (-strength(entry, plain), entry.word))[:limit]

    def save(self, path: Path) -> None:
        """Words, phrases and counts as JSON, one row a line."""
        from scenarist.noun import to_json
        from scenarist.store import home as store

        head = json.dumps({"schema": SCHEMA, "by": self.by, "rows": len(self.entries)}).encode()
        store.write_whole(path, [head + b"\n", *(to_json(entry) + b"\n" for entry in self.entries)])

    @classmethod
    def load(cls, path: Path) -> PhraseTable:
        """A table as saved."""
        from scenarist.noun import read_jsonl

        if not path.is_file():
            raise errors.Missing(
                f"There is no table of alignments at {path}. Make one with: python -m training.kidscook.alignments"
            )
        with path.open("rb") as file:
            head = json.loads(file.readline())
            if head.get("schema") != SCHEMA:
                raise errors.BadInput(f"{path}: expected schema {SCHEMA}, got {head.get('schema')}. Make it again.")
            return cls(read_jsonl(file, PhraseEntry, str(path)), head.get("by", ""))


def tabulate(
    alignments: Iterable[Alignment], admissible: Collection[str], least: int = 3, longest: int = 3, discount: bool = True,
    kept: int = 5, by: str = "",
) -> PhraseTable:  # fmt: skip
    """Count, rate and sort."""
    return table_of(
        (link for alignment in alignments for link in links(alignment, admissible, longest)), least, discount, kept, by
    )


def table_of(
    links: Iterable[WordPhrase], least: int = 3, discount: bool = True, kept: int = 5, by: str = ""
) -> PhraseTable:
    """A table from links, from wherever they come."""
    together: Counter[tuple[str, tuple[str, ...]]] = Counter()
    words: Counter[str] = Counter()
    said: Counter[tuple[str, ...]] = Counter()
    where: dict[tuple[str, tuple[str, ...]], list[tuple[str, int]]] = defaultdict(list)
    for link in links:
        key = (link.word, link.phrase)
        together[key] += 1
        words[link.word] += 1
        said[link.phrase] += 1
        if len(where[key]) < kept:
            where[key].append((link.pair, link.start))
    total = together.total()
    entries = []
    for (word, phrase), count in together.items():
        if count < least:
            continue
        plain = pmi = math.log(count * total / (words[word] * said[phrase]))
        if discount:
            low = min(words[word], said[phrase])
            pmi *= count / (count + 1) * low / (low + 1)
        entries.append(
            PhraseEntry(word, " ".join(phrase), count, round(pmi, 4), round(plain, 4), tuple(where[(word, phrase)]))
        )
    return PhraseTable(sorted(entries, key=lambda entry: (-entry.pmi, entry.word, entry.phrase)), by)


def by_threshold(
    pair: Pair, weights: Sequence[Sequence[float]], admissible: Collection[str], least: float = 0.5, longest: int = 3
) -> Iterator[WordPhrase]:
    """Links from attention: word j to every abstract word with weight >= ``least``. ``weights[j][i]`` is over the abstract.

    Attention needs a threshold, gives no stretch of its own and may link a word to several or to none: what hard
    alignment buys. Neighbouring words that pass for one abstract word make a stretch.
    """
    for index, word in enumerate(pair.abstract):
        if word in STOP or word in MARKS:
            continue
        start = None
        for place in range(len(pair.concrete) + 1):
            passes = place < len(pair.concrete) and weights[place][index] >= least
            if passes and start is None:
                start = place
            elif not passes and start is not None:
                for first, last in phrases(pair.concrete[start:place], admissible, longest):
                    phrase = pair.concrete[start + first : start + last]
                    if word not in phrase:
                        yield WordPhrase(word, phrase, pair.id, start + first)
                start = None


class Shape(NamedTuple):
    """How alignments look over a corpus."""

    span: float
    """Mean words in a stretch (Bisk et al. 2019: 6.18 fixed, 16.61 parameterised)."""
    used: float
    """Mean share of abstract words that tell something."""
    degenerate: float
    """Share of pairs in which one abstract word (or none) tells four fifths of the text or more."""
    agreement: float | None
    """Share of hand-linked words that point where the hand does."""
    linked: int
    """Words linked by hand."""


def shape(alignments: Sequence[Alignment], hand: Mapping[str, Mapping[int, Collection[int]]] | None = None) -> Shape:
    """Spans, degeneracy and agreement with a hand alignment (pair -> word -> abstract words that are right)."""
    stretches = words = 0
    used: list[float] = []
    single = right = linked = 0
    for alignment in alignments:
        spans = alignment.spans()
        stretches += len(spans)
        words += len(alignment.path)
        used.append(len({at for at in alignment.path if at >= 0}) / len(alignment.pair.abstract))
        single += max(Counter(alignment.path).values()) >= 0.8 * len(alignment.path)
        for place, good in (hand or {}).get(alignment.pair.id, {}).items():
            linked += 1
            right += alignment.path[place] in good
    if not alignments:
        raise errors.BadInput("there is no alignment to measure.")
    return Shape(
        words / stretches, sum(used) / len(used), single / len(alignments), right / linked if linked else None, linked
    )


def read_hand(path: Path) -> dict[str, dict[int, frozenset[int]]]:
    """A hand alignment as token indices: ``{"pair": {"7": [2, 3]}}``; no text is in it."""
    held = json.loads(path.read_text())
    return {
        pair: {int(place): frozenset(good) for place, good in links_.items()} for pair, links_ in held["pairs"].items()
    }
