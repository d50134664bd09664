"""The table `scripts`: what counts as covered, what its metrics say of themselves, and its rows on a few events of DeScript."""

from __future__ import annotations

import numpy as np
import pytest

from scenarist.bench.analyses import scripts as analysis
from scenarist.bench.analyses.scripts import (
    EdgeF1,
    GoldEvent,
    Sequence_,
    Share,
    covered_marks,
    edge_marks,
    order_marks,
)
from scenarist.learning.library.pair_orders import StepOrder
from scenarist.learning.library.step_edges import line_edges
from scenarist.learning.library.wordings import Clause
from scenarist.question import Mark


class Told:
    """A script of three events, each told by its own verb."""

    before = np.array([[0.5, 0.9, 0.5], [0.1, 0.5, 0.7], [0.5, 0.3, 0.5]])
    verbs = ("fill", "wash", "dry")

    def events_of(self, clauses: tuple[Clause, ...]) -> list[int | None]:
        return [next((n for n, verb in enumerate(self.verbs) if verb in clause.words), None) for clause in clauses]


def clauses(*texts: str) -> tuple[Clause, ...]:
    return tuple(Clause.of(text) for text in texts)


def rights(marks: list[Mark]) -> list[float]:
    return [dict(mark.counts)["right"] for mark in marks]


def test_an_event_is_covered_where_half_of_its_descriptions_tell_one_event() -> None:
    events = [
        GoldEvent("taking a bath", "whole", clauses("fill the tub", "fill it")),
        GoldEvent("taking a bath", "half", clauses("wash yourself", "scrub the back")),
        GoldEvent(
            "taking a bath", "split", clauses("fill the tub", "dry off", "sing")
        ),  # two events, one description each
        GoldEvent("taking a bath", "none", clauses("sing a song", "hum")),
        GoldEvent("going to work", "no script", clauses("fill the tub", "fill it")),
    ]
    marks = covered_marks(events, {"taking a bath": Told()})  # type: ignore[dict-item]
    assert rights(marks) == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert [mark.item for mark in marks][:2] == ["taking a bath/whole", "taking a bath/half"]


def test_pairs_are_right_half_right_or_wrong_by_the_scripts_order() -> None:
    told = [
        Sequence_("a", "taking a bath", clauses("fill the tub", "wash yourself", "sing", "dry off")),
        Sequence_("b", "taking a bath", clauses("wash yourself", "fill the tub", "wash again")),
        Sequence_("c", "going to work", clauses("fill the tub", "dry off")),
    ]
    order, recognised = order_marks(told, {"taking a bath": Told()})  # type: ignore[dict-item]
    assert rights(order) == [1 + 0.5 + 1, 0 + 1, 0]  # the pair of equal events counts nothing
    assert [dict(mark.counts)["n"] for mark in order] == [3.0, 2.0, 0.0]
    assert rights(recognised) == [3.0, 3.0, 0.0]


def test_edges_of_a_line_with_the_goal_as_its_last_event() -> None:
    """Steps 0, 1, 2 and the goal 3: the line 1, 0, 2, goal has two of the three gold edges."""
    order = StepOrder("s", "x", clauses("a", "b", "c"), frozenset({(1, 0), (0, 3), (2, 3)}))
    ahead = np.array([[0.0, -2.0, 1.0], [2.0, 0.0, 1.0], [-1.0, -1.0, 0.0]])
    (edges,), (pairs,) = edge_marks([order], [(ahead, line_edges(ahead))])
    assert dict(edges.counts) == {"right": 2.0, "given": 3.0, "sought": 3.0}
    assert dict(pairs.counts) == {"right": 1.0, "n": 1.0}  # the gold order decides only that 1 comes before 0


def test_metrics_say_what_they_count() -> None:
    assert Share("covered").settings() == {"enough": 0.5}
    assert Share("order").settings() == {"open": 0.5}
    assert Share("recognised").settings() == Share("pairs").settings() == {}
    assert EdgeF1("order_f1").settings() == {"edges": "gold_edges", "start": "left-out", "average": "micro"}
    totals = {name: np.asarray(value) for name, value in {"right": 2.0, "given": 3.0, "sought": 5.0}.items()}
    assert float(EdgeF1("order_f1").combine(totals)) == 0.5


@pytest.mark.data("descript", "proscript")
def test_written_scripts_cover_what_other_scripts_do_not() -> None:
    found = analysis.table(only=["another-script", "written"], limit=40)
    other, written = (row.scores for row in found.rows)
    assert [row.role for row in found.rows] == ["baseline", "ours"]
    assert written["covered/descript"].value > other["covered/descript"].value
    assert written["recognised/descript"].value > other["recognised/descript"].value
    assert "order_f1/proscript" in written and "order_f1/proscript" not in other
    on_descript, on_proscript = (written[name].signature for name in ("covered/descript", "order_f1/proscript"))
    assert "|data:descript#" in on_descript and "|data:proscript#" in on_proscript
    assert all(f"|model:{row.model}|" in figure.signature for row in found.rows for figure in row.scores.values())
