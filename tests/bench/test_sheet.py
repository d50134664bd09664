"""A row as run, in its JSON: what was recorded, left out, refused or noted stands there, and nothing else."""

from __future__ import annotations

from scenarist.bench.sheet import Done, figure_row
from scenarist.bench.spec import Row


def test_a_plain_row_says_nothing_beside_its_figures() -> None:
    assert figure_row(Done(Row("random")), "dev").more == {}


def test_a_recorded_row_names_its_command() -> None:
    row = Row("random", recorded="scenarist bench toy --record")
    assert figure_row(Done(row, recorded=True), "dev").more == {
        "recorded": True,
        "made_by": "scenarist bench toy --record",
    }
    assert figure_row(Done(row), "dev").more == {}  # asked live


def test_what_else_is_known_of_a_row_stands_beside_it() -> None:
    done = Done(
        Row("random", note="Drawn."), problem="no file", left_out="seed 3: no weights", unread={"all": {"refused": 1, "n": 9}}
    )  # fmt: skip
    assert figure_row(done, "dev").more == {
        "note": "Drawn.", "problem": "no file", "unread": {"all": {"refused": 1, "n": 9}}, "left_out": "seed 3: no weights",
    }  # fmt: skip
    assert figure_row(done, "dev", "another").model == "another"
