"""Filling by beam-marginal: with all fillings kept it is the exact posterior; with one it is greedy."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from scenarist.bench.sit import Answers, items_of, sit  # noqa: E402
from scenarist.errors import BadInput  # noqa: E402
from scenarist.exams.wordcloze import WordCloze  # noqa: E402
from scenarist.models.words.batches import PairRow, QueryPlace  # noqa: E402
from scenarist.models.words.beam_marginal import BeamMarginal, sketch  # noqa: E402
from scenarist.question import WordGap  # noqa: E402
from scenarist.registry import make  # noqa: E402
from scenarist.story import Pair  # noqa: E402

pytestmark = pytest.mark.neural
PAIRS = [
    Pair(
        "a", tuple("boil the rice".split()), tuple("fill a big pot and add rice to the pot".split()), ((2, 4), (9, 10))
    ),
    Pair(
        "b", tuple("fry the egg".split()), tuple("heat a pan and crack the egg into a pan".split()), ((2, 3), (9, 10))
    ),
]


@pytest.fixture(scope="module")
def inner() -> object:
    recipe = {"epochs": 6, "size": 8, "rate": 1e-2}
    return make("model", "lstm-lm", device="cpu", shape={"hidden": 16}, recipe=recipe).fit(PAIRS * 8)


def wrapped(inner: object, **settings: object) -> BeamMarginal:
    model = BeamMarginal(model="lstm-lm", **settings)  # type: ignore[arg-type]
    model.inner = inner  # type: ignore[assignment]
    model.network_, model.vocabulary_ = inner, inner.vocabulary_  # type: ignore[attr-defined]
    return model


def test_all_fillings_kept_give_the_exact_posterior(inner: object) -> None:
    question = WordGap(
        PAIRS[1].abstract, ("heat", "a", "pan", "and", "crack", "the", "egg", "into", "a"), 1, 9, blanks=((2, 3),)
    )
    names = inner.admissible("").words  # type: ignore[attr-defined]
    total: dict[str, float] = dict.fromkeys(names, 0.0)
    for fill in names:
        words = ("heat", "a", fill, "and", "crack", "the", "egg", "into", "a")
        row = PairRow(question.abstract, words, ((2, 3), (9, 10)))
        told = [QueryPlace(0, at, at) for at in range(3, 9)]
        table, spoken = inner.read_places([row], [QueryPlace(0, 2, 2), QueryPlace(0, 9, 9)], told, "")  # type: ignore[attr-defined]
        weight = float(table[0, names.index(fill)]) + float(spoken.sum())
        for word, level in zip(names, table[1, :-1].tolist(), strict=True):
            total[word] += math.exp(weight + level)
    # the share of #UNK# in the second blank is part of the whole
    exact = {word: value / sum(total.values()) for word, value in total.items()}
    line = wrapped(inner, width=len(names)).table([question])[0].exp()
    found = {word: float(value / line[:-1].sum()) for word, value in zip(names, line[:-1], strict=True)}
    assert all(found[word] == pytest.approx(exact[word], abs=1e-4) for word in names)
    assert float(line.sum()) == pytest.approx(1.0, abs=1e-4)


def test_what_is_fed_into_earlier_blanks_is_not_looked_at(inner: object) -> None:
    model = wrapped(inner, width=3)
    one, other = (
        WordGap(PAIRS[0].abstract, ("fill", "a", *fill, "and", "add"), 1, 6, blanks=((2, 4),))
        for fill in (("big", "pot"), ("rice", "rice"))
    )
    assert sketch(one) == sketch(other)
    assert torch.equal(model.table([one]), model.table([other]))


def test_one_filling_is_greedy(inner: object, tmp_path: object) -> None:
    from scenarist.store.results import Results

    exam = WordCloze(mode="greedy", whitelist="")
    items = items_of(exam, PAIRS)
    found = []
    for number, model in enumerate((inner, wrapped(inner, width=1))):
        with Results(tmp_path / "r.sqlite") as store:  # type: ignore[operator]
            _, done = sit(Answers(lambda model=model: model, store, {"run": number}), exam, items)  # type: ignore[misc, return-value]
        found.append({name: one.best for name, one in done.items()})
    assert found[0] == found[1]


def test_without_trust_the_answered_words_of_a_blank_are_summed_out(inner: object) -> None:
    """Exactly, where all words are kept; and a trust between mixes the two."""
    names = inner.admissible("").words  # type: ignore[attr-defined]
    question = WordGap(
        PAIRS[0].abstract, ("fill", "a", "rice"), 1, 2
    )  # a blank of two words, the first answered with "rice"
    rows = [PairRow(question.abstract, ("fill", "a", name), ((2, 4),)) for name in names]
    first, _ = inner.read_places([PairRow(question.abstract, ("fill", "a"), ((2, 4),))], [QueryPlace(0, 2, 2)], [], "")  # type: ignore[attr-defined]
    then, _ = inner.read_places(rows, [QueryPlace(at, 3, 2) for at in range(len(names))], [], "")  # type: ignore[attr-defined]
    exact = first[0, :-1].softmax(0) @ then.exp()
    told = then[names.index("rice")].exp()
    width = len(names)
    assert torch.allclose(wrapped(inner, width=width, trust=0.0).table([question])[0].exp(), exact, atol=1e-5)
    assert torch.allclose(wrapped(inner, width=width, trust=1.0).table([question])[0].exp(), told, atol=1e-5)
    assert torch.allclose(
        wrapped(inner, width=width, trust=0.3).table([question])[0].exp(), 0.3 * told + 0.7 * exact, atol=1e-5
    )


def test_unlikely_fillings_are_given_up(inner: object) -> None:
    question = WordGap(
        PAIRS[1].abstract, ("heat", "a", "pan", "and", "crack", "the", "egg", "into", "a"), 1, 9, blanks=((2, 3),)
    )
    whole, cut = wrapped(inner, width=6), wrapped(inner, width=6, least=0.2)
    some, fewer = (model.table([question]) for model in (whole, cut))
    kept, left = whole._kept[sketch(question)], cut._kept[sketch(question)]
    likely = [text for text, level in zip(kept.texts, kept.weights.exp().tolist(), strict=True) if level >= 0.2]
    assert 0 < len(left.texts) < len(kept.texts) and set(likely) >= set(left.texts)
    assert float(left.weights.exp().sum()) == pytest.approx(1.0, abs=1e-5)
    assert float((some.exp() - fewer.exp()).abs().sum()) < 2 * (1 - 0.2 * len(left.texts))


def test_settings_are_checked() -> None:
    for settings in ({"width": 0}, {"evidence": -1.0}, {"trust": 1.5}, {"least": 1.0}):
        with pytest.raises(BadInput, match="beam-marginal"):
            BeamMarginal(model="lstm-lm", **settings)  # type: ignore[arg-type]
