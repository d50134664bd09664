"""Pair without blanks -> Pair with blanks: the rule behind the released tags of KidsCook.

Bisk et al. (2019), section 2.2, made exact by reading the released files: a concrete word is eligible if it is on the whitelist
and does not occur in the abstract; candidates are maximal runs of eligible words; of the distinct runs those with most
words come first, then the later in the alphabet; the first ``most`` are blanked, wherever they occur. The rule works for any
parallel corpus of abstract and concrete text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

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
