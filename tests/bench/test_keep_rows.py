"""Rows run anew take the place of the old ones; the others stay."""

from __future__ import annotations

from typing import Any

import pytest

from training.keep_rows import together


def sheet(**values: float) -> dict[str, Any]:
    rows = [
        {"model": name, "role": "ours", "scores": {"match/oracle": {"value": value}}} for name, value in values.items()
    ]
    return {
        "table": "kidscook",
        "split": "dev",
        "signature": "",
        "rows": rows,
        "tests": [{"row": name, "p": 1.0} for name in values],
    }


def test_other_rows_stay_and_the_order_is_the_tables() -> None:
    made = together(sheet(b=0.1, c=0.2), sheet(c=0.3, a=0.4), ["a", "b", "c"])
    assert [(row["model"], row["scores"]["match/oracle"]["value"]) for row in made["rows"]] == [
        ("a", 0.4),
        ("b", 0.1),
        ("c", 0.3),
    ]
    assert sorted(test["row"] for test in made["tests"]) == ["a", "b", "c"]


def test_rows_of_another_split_are_refused() -> None:
    with pytest.raises(SystemExit, match="expected rows of kidscook on dev"):
        together(sheet(a=0.1), {**sheet(a=0.2), "split": "test"}, ["a"])
