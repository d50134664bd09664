"""Kinds of fills, loops, and the whole tables on a few pairs where corpus and weights are there."""

from __future__ import annotations

import pytest

from scenarist.story import Pair

PAIR = Pair(
    "p",
    ("mix", "it"),
    tuple("use a big bowl and stir with a spoon and a fork".split()),
    ((2, 3), (5, 6), (8, 9), (11, 12)),
)


def test_kinds_and_loops() -> None:
    pytest.importorskip("torch")
    from scenarist.bench.analyses.kidscook_fills import count, kind, loops
    from scenarist.bench.fill_texts import FilledText

    good = FilledText(0, {2: "large", 5: "stir", 8: "spoon", 11: "knife"})
    stuck = FilledText(0, {2: "spoon", 5: "spoon", 8: "spoon", 11: "spoon"})
    assert [kind((a,), (b,)) for a, b in (("big", "big"), ("big", "large"), ("fork", "pan"))] == ["good", "near", "bad"]
    assert not loops(PAIR, good)
    assert loops(PAIR, stuck)
    found = count([PAIR, PAIR], [good, stuck])
    assert (found.blanks, found.right, found.alike, found.loops) == (8, 3, 1, 1)


@pytest.mark.data
@pytest.mark.neural
@pytest.mark.parametrize("name", ["kidscook_fills", "kidscook_decoding", "kidscook_alignment"])
def test_tables_run_on_a_few_pairs(name: str) -> None:
    pytest.importorskip("torch")
    import importlib

    module = importlib.import_module(f"scenarist.bench.analyses.{name}")
    if name == "kidscook_alignment":
        module.SEEDS = (1,)
    made = module.table(split="dev", seed=13, limit=6)
    rows = {row["model"]: row for row in made["rows"]}
    assert "transducer" in rows
    for row in rows.values():
        for cell in row["scores"].values():
            assert cell["value"] >= 0
    assert made["signature"].startswith(name.replace("_", "-"))
