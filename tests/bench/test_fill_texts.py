"""Filling blanks: the ways agree where they must."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from scenarist.bench.fill_texts import fill, gap  # noqa: E402
from scenarist.errors import BadInput  # noqa: E402
from scenarist.exams.wordcloze import WordCloze  # noqa: E402
from scenarist.registry import make  # noqa: E402
from scenarist.story import Pair  # noqa: E402

pytestmark = pytest.mark.neural
PAIRS = [
    Pair(
        "a",
        tuple("boil the rice".split()),
        tuple("fill a big pot with water and add the rice".split()),
        ((2, 4), (5, 6)),
    ),
    Pair("b", tuple("fry the egg".split()), tuple("heat some oil in a pan and crack the egg".split()), ((5, 6),)),
]


@pytest.fixture(scope="module")
def model() -> object:
    recipe = {"epochs": 12, "marginal": 6, "size": 8, "rate": 1e-2}
    return make("model", "transducer", device="cpu", shape={"hidden": 24}, recipe=recipe).fit(PAIRS * 8)


def test_ways_of_filling(model: object) -> None:
    greedy = [some[0] for some in fill(model, PAIRS, "greedy", whitelist="")]  # type: ignore[arg-type]
    beam = [some[0] for some in fill(model, PAIRS, "beam", width=6, whitelist="")]  # type: ignore[arg-type]
    for one, other in zip(greedy, beam, strict=True):
        assert other.logp >= one.logp - 1e-4
    cold = [some[0] for some in fill(model, PAIRS, "best-of-samples", temperature=1e-4, whitelist="")]  # type: ignore[arg-type]
    assert [one.words for one in cold] == [one.words for one in greedy]
    drawn = fill(model, PAIRS, "samples", width=5, temperature=1.0, whitelist="")  # type: ignore[arg-type]
    assert [len(some) for some in drawn] == [5, 5]
    assert greedy[0].text(PAIRS[0])[0] == "fill"
    with pytest.raises(BadInput, match="way"):
        fill(model, PAIRS, "best")  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", ["clean", "as-published"])
def test_questions_are_those_of_the_exam(preset: str) -> None:
    exam = WordCloze(preset=preset)
    for item in exam.set(PAIRS[:1]):
        blank, offset = (int(part) for part in item.id.rpartition(":")[2].split("."))
        place = PAIRS[0].blanks[blank][0] + offset
        assert gap(PAIRS[0], blank, place, {}, "kidscook", exam.feed) == item.question
