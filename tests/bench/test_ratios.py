"""Ratios of counts: the same figure by either way to give the counts, drawn by the usual seed."""

from __future__ import annotations

from scenarist.bench.ratios import Tally, ratio, ratio_of_marks
from scenarist.question import Mark

COUNTS = [Tally(number % 4, 3 + number % 3, (f"s{number}",)) for number in range(40)]
MARKS = [
    Mark(str(number), (("part", float(tally.part)), ("whole", float(tally.whole))), groups=tally.sources)
    for number, tally in enumerate(COUNTS)
]


def test_counts_and_marks_give_the_same_figure_by_the_usual_seed() -> None:
    figure = ratio(COUNTS, proportion=False)
    assert figure == ratio_of_marks(MARKS, proportion=False) == ratio(COUNTS, proportion=False, seed=13)
    assert figure == ratio_of_marks(MARKS, proportion=False, seed=13)
    other = ratio_of_marks(MARKS, proportion=False, seed=14)
    assert other.value == figure.value and (other.low, other.high) != (figure.low, figure.high)


def test_one_source_has_no_interval_and_two_have_one() -> None:
    same = [tally._replace(sources=("s0",)) for tally in COUNTS]
    assert ratio(same).low is None and ratio(same).groups == 1
    both = [tally._replace(sources=(f"s{number % 2}",)) for number, tally in enumerate(COUNTS)]
    assert ratio(both).low is not None and ratio(both).groups == 2
    assert ratio(both).n == sum(tally.whole for tally in COUNTS)
