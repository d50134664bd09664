"""Pair without blanks -> Pair with blanks: the rule behind the released tags of KidsCook.

Bisk et al. (2019), section 2.2, made exact by reading the released files: a concrete word is eligible if it is on the whitelist
and does not occur in the abstract; candidates are maximal runs of eligible words; of the distinct runs those with most
words come first, then the later in the alphabet; the first ``most`` are blanked, wherever they occur. The rule works for any
parallel corpus of abstract and concrete text.

Pairs -> the words that may be blanked: what only the concrete side says (Bisk et al. 2019, section 2.2).

A word qualifies that stands mostly on the concrete side, at least five times, and is no stop word and no number; units of
measure stay. How much is mostly, the paper does not say: ``mainly`` is the least share of a word's occurrences that must be
concrete, each side counted relative to its length where ``relative`` is set.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from scenarist.story import Pair


def eligible_runs(
    abstract: Sequence[str], concrete: Sequence[str], whitelist: Collection[str]
) -> tuple[tuple[int, int], ...]:
    """Maximal runs of whitelisted words that the abstract does not hold.

    >>> eligible_runs(["mix", "eggs"], ["use", "a", "wire", "whisk", "on", "eggs"], {"wire", "whisk", "eggs"})
    ((2, 4),)
    """
    said = set(abstract)
    runs: list[tuple[int, int]] = []
    start = None
    for place, word in enumerate([*concrete, ""]):
        open_ = place < len(concrete) and word in whitelist and word not in said
        if open_ and start is None:
            start = place
        elif not open_ and start is not None:
            runs.append((start, place))
            start = None
    return tuple(runs)


def choose(
    abstract: Sequence[str], concrete: Sequence[str], whitelist: Collection[str], most: int = 5
) -> tuple[tuple[int, int], ...]:
    """The blanks of a text, as ranges of its words.

    >>> text = "take a knife and cut on the cutting board".split()
    >>> choose(["chop"], text, {"knife", "cut", "cutting", "board"}, most=2)
    ((2, 3), (7, 9))
    """
    runs = eligible_runs(abstract, concrete, whitelist)
    strings = {tuple(concrete[start:stop]) for start, stop in runs}
    kept = set(sorted(strings, key=lambda words: (len(words), " ".join(words)), reverse=True)[:most])
    return tuple((start, stop) for start, stop in runs if tuple(concrete[start:stop]) in kept)


def blanked(pairs: Iterable[Pair], whitelist: Collection[str], most: int = 5) -> Iterator[Pair]:
    """Pairs with blanks by the rule; those without a candidate are left out."""
    words = frozenset(whitelist)
    for pair in pairs:
        blanks = choose(pair.abstract, pair.concrete, words, most)
        if blanks:
            yield msgspec.structs.replace(pair, blanks=blanks)


STOP = frozenset(
    """a about above after again all also am an and another any anything are aren't around as at back be because been
    before being below between both but by came can can't cannot could did do does doesn't doing don't done down
    during each else enough etc even every everything few first for from further get gets go going got had has
    have having he her here him his how i i'm if in into is isn't it it's its itself just keep like make many may
    me more most much must my need next no nor not nothing now of off on once one ones only onto or other others
    our out over own put same second see set she should since so some someone something start still such take than
    that that's the their them then there these they third this those three through to together too top toward
    towards two under until up upon us use used using very was we well were what when where which while who why
    will with within without won't would you you'll you're your yourself n't 's 'll 're 've 'd 'm""".split()
)
NUMBER = re.compile(r".*\d.*|[^\w]+|_+")
NUMBER_WORDS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred".split()
)
UNITS = frozenset(
    """cup cups minute minutes second seconds hour hours inch inches teaspoon teaspoons tablespoon tablespoons pound pounds ounce
    ounces gram grams degrees pint quart gallon liter half quarter dozen pinch dash""".split()
)


class Counts(NamedTuple):
    """How often each word occurs on either side."""

    abstract: Counter[str]
    concrete: Counter[str]


def count(pairs: Iterable[Pair], distinct: bool = True) -> Counts:
    """Words of both sides; an abstract that several tellings share counts once where ``distinct``."""
    abstract: Counter[str] = Counter()
    concrete: Counter[str] = Counter()
    seen: set[tuple[str, ...]] = set()
    for pair in pairs:
        concrete.update(pair.concrete)
        if not distinct or pair.abstract not in seen:
            seen.add(pair.abstract)
            abstract.update(pair.abstract)
    return Counts(abstract, concrete)


def share(word: str, counts: Counts, relative: bool) -> float:
    """The share of a word's occurrences that are concrete, 0 to 1."""
    there, here = float(counts.concrete[word]), float(counts.abstract[word])
    if relative:
        there, here = there / max(1, counts.concrete.total()), here / max(1, counts.abstract.total())
    return there / (there + here) if there + here else 0.0


def whitelist(
    pairs: Iterable[Pair] | Counts,
    mainly: float = 0.86,
    least: int = 5,
    relative: bool = False,
    stop: frozenset[str] = STOP,
) -> tuple[str, ...]:
    """The admissible words, most frequent first.

    >>> text = "use a whisk to whisk the eggs"
    >>> pair = Pair("p", tuple("mix the eggs".split()), tuple(text.split()))
    >>> whitelist([pair] * 3, least=5)
    ('whisk',)
    """
    counts = pairs if isinstance(pairs, Counts) else count(pairs)
    kept = []
    for word, number in counts.concrete.items():
        plain = word in UNITS or not (word in stop or word in NUMBER_WORDS or NUMBER.fullmatch(word) or word == "#UNK#")
        if number >= least and plain and share(word, counts, relative) >= mainly:
            kept.append(word)
    return tuple(sorted(kept, key=lambda word: (-counts.concrete[word], word)))


class Compared(NamedTuple):
    """A list against the released one."""

    ours: int
    released: int
    shared: int

    @property
    def f1(self) -> float:
        """Balance of precision and recall."""
        return 2 * self.shared / (self.ours + self.released) if self.ours + self.released else 0.0


def compare(ours: Iterable[str], released: Iterable[str]) -> Compared:
    """How much of a released list a rule finds again."""
    left, right = set(ours), set(released)
    return Compared(len(left), len(right), len(left & right))
