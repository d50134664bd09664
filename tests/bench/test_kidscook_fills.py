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
@pytest.mark.parametrize(
    "table, module, row",
    [
        ("kidscook-fills", "scenarist.bench.analyses.kidscook_fills", "transducer-summed"),
        ("kidscook-alignment", "scenarist.bench.analyses.kidscook_alignment", "transducer-summed"),
        ("kidscook-decoding", "experiments.kidscook.decoding", "transducer-summed"),
        ("kidscook-agreement", "experiments.kidscook.agreement", "seq2seq-attention-heaviest-content"),
        ("kidscook-alignment-code", "experiments.kidscook.alignment", "transducer-code"),
    ],
)
def test_tables_run_on_a_few_pairs(table: str, module: str, row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    import importlib

    monkeypatch.setattr("scenarist.bench.analyses.kidscook_alignment.SEEDS", (1,))
    made = importlib.import_module(module).table(split="dev", seed=13, limit=6)
    rows = {each.model: each for each in made.rows}
    if "has no weights" in str(rows[row].more.get("problem", "")):
        pytest.skip(f"{table}: {row}'s weights are not carried; they are trained first (docs/reference/weights.md)")
    assert rows[row].scores, rows[row]
    for each in rows.values():
        for cell in each.scores.values():
            assert cell.value >= 0
    assert made.signature.startswith(f"{table}|")


class Rated:
    """A model that gives every word of a blank the same chance."""

    def rate_many(self, questions: list[object], keys: list[object]) -> list[tuple[float | None, int]]:
        return [(-1.5, 1)] * len(questions)


def test_surprisal_is_a_mean_over_words_and_transitions_cost_more(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    import math

    from scenarist.bench.analyses import kidscook_alignment

    pairs = [PAIR, Pair("q", ("mix", "it", "well"), PAIR.concrete, ((4, 6), (8, 9)))]
    monkeypatch.setattr(kidscook_alignment, "KidsCook", lambda split: pairs)
    plain, more = kidscook_alignment.surprisal(Rated(), "dev", None).values()
    assert plain.value == pytest.approx(1.5) and plain.n == 7 and plain.groups == 2
    assert more.value == pytest.approx(
        1.5 + math.log(2) * (7 + 6) / 7
    )  # ln 2 for each word, and for each of six blanks


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("stir", "stirring", True), ("stirs", "stir", True), ("chop", "chopped", True), ("slow", "slowly", True), ("pan", "pans", True),
        ("pan", "pancake", False), ("can", "canola", False), ("the", "them", False), ("oil", "onion", False), ("pot", "potatoes", False),
    ],
)  # fmt: skip
def test_forms_of_a_word_are_alike_and_longer_words_are_not(one: str, other: str, same: bool) -> None:
    pytest.importorskip("torch")
    from scenarist.bench.analyses.kidscook_fills import alike

    assert alike(one, other) is same and alike(other, one) is same
