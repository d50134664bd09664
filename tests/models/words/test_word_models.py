"""Word models behind the contract: answers, ratings, checkpoints, bad input. Small toy pairs, seconds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scenarist.errors import BadInput, Missing  # noqa: E402
from scenarist.models.words.base import capped  # noqa: E402
from scenarist.models.words.in_domain import InDomain  # noqa: E402
from scenarist.networks import checkpoint as word_checkpoint  # noqa: E402
from scenarist.question import Choice, WordGap  # noqa: E402
from scenarist.registry import find, make  # noqa: E402
from scenarist.story import Pair  # noqa: E402

pytestmark = pytest.mark.neural
NAMES = ["lstm-lm", "seq2seq", "seq2seq-attention", "transducer", "transducer-param"]
PAIRS = [
    Pair("a", tuple("boil the rice".split()), tuple("fill a pot with water and add the rice".split()), ((2, 3),)),
    Pair("b", tuple("fry the egg".split()), tuple("heat some oil in a pan and crack the egg".split()), ((5, 6),)),
] * 8
GAP = WordGap(("fry", "the", "egg"), tuple("heat some oil in a".split()), blank=5)


def model(name: str, **settings: object) -> InDomain:
    recipe = {"epochs": 3, "marginal": 2, "size": 8}
    made: InDomain = make("model", name, device="cpu", shape={"hidden": 16}, recipe=recipe, **settings)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_fit_answer_rate_save_and_load(name: str, tmp_path: Path) -> None:
    trained = model(name).fit(PAIRS)
    prediction = trained.answer(GAP)
    assert len(prediction.guesses) == 10
    levels = [guess.logp for guess in prediction.guesses]
    assert levels == sorted(levels, reverse=True)
    logp, rank = trained.rate_many([GAP], [prediction.guesses[3].answer])[0]
    assert logp == pytest.approx(levels[3], abs=1e-4)
    assert rank == pytest.approx(4.0)
    trained.save(tmp_path / "one.safetensors")
    again = make("model", name, weights=str(tmp_path / "one.safetensors"), device="cpu")
    assert again.learns == "nothing"
    other = again.answer(GAP)
    assert [g.answer for g in other.guesses][:3] == [g.answer for g in prediction.guesses][:3]
    assert other.guesses[0].logp == pytest.approx(levels[0], abs=0.05)  # a byte a weight


def test_batches_and_single_questions_agree() -> None:
    trained = model("transducer").fit(PAIRS)
    shorter = WordGap(GAP.abstract, GAP.prefix[:2], blank=2)
    other = WordGap(("boil", "the", "rice"), ("fill", "a"), left=2, blank=2)
    together = trained.answer_many([GAP, other, shorter])
    for question, one in zip([GAP, other, shorter], together, strict=True):
        alone = trained.answer(question)
        assert [g.answer for g in alone.guesses] == [g.answer for g in one.guesses]
        assert [g.logp for g in alone.guesses] == pytest.approx([g.logp for g in one.guesses], abs=1e-4)


def test_an_unknown_word_is_rated_as_unknown_and_never_said() -> None:
    trained = model("lstm-lm").fit(PAIRS)
    (rated,) = trained.rate_many([GAP], ["yuzu"])
    (unknown,) = trained.rate_many([GAP], ["#UNK#"])
    assert rated == unknown
    line = capped(torch.tensor([-3.0, -2.0, -0.5]))
    assert int(line.argmax()) == 1
    assert float(line[2]) < -2.0


def test_training_is_repeatable() -> None:
    one, two = (model("seq2seq", seed=4).fit(PAIRS).answer(GAP) for _ in range(2))
    assert one == two
    assert model("seq2seq", seed=5).fit(PAIRS).answer(GAP) != one


def test_bad_input_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no pair"):
        model("lstm-lm").fit([])
    with pytest.raises(BadInput, match="'e'"):
        model("lstm-lm").fit([Pair("e", (), ("stir",))])
    with pytest.raises(BadInput, match="emptyy"):
        make("model", "lstm-lm", emptyy=1)
    with pytest.raises(BadInput, match="layer"):
        make("model", "lstm-lm", shape={"layer": "relu"})
    with pytest.raises(BadInput, match="course"):
        make("model", "transducer", recipe={"course": "code"})
    with pytest.raises(BadInput, match="'best'"):
        make("model", "transducer", slots="best")
    with pytest.raises(BadInput, match="without a list"):
        model("lstm-lm").fit(PAIRS).answer(WordGap(GAP.abstract, GAP.prefix, blank=5, whitelist="kidscook"))
    with pytest.raises(BadInput, match="word gaps"):
        model("lstm-lm").fit(PAIRS).answer(Choice(("a",), ("b", "c")))
    with pytest.raises(Missing, match="scenarist get"):
        make("model", "lstm-lm", weights=str(tmp_path / "none.safetensors")).fit(())
    (tmp_path / "pickle.safetensors").write_bytes(b"\x80\x04 not one")
    with pytest.raises(BadInput, match="never pickles"):
        make("model", "lstm-lm", weights=str(tmp_path / "pickle.safetensors")).fit(())


def test_a_checkpoint_of_another_kind_or_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "one.safetensors"
    model("lstm-lm").fit(PAIRS).save(path)
    with pytest.raises(BadInput, match=r"'seq2seq'.*'lstm-lm'"):
        make("model", "seq2seq", weights=str(path)).fit(())
    monkeypatch.setattr(word_checkpoint, "FORMAT", 2)
    with pytest.raises(BadInput, match="format 2, got '1'"):
        word_checkpoint.load(path, "lstm-lm")


def test_an_abstract_longer_than_its_text_is_learned_from() -> None:
    long = Pair("l", tuple("wash and peel and cut and fry the potatoes".split()), ("fry", "them"), ((0, 1),))
    trained = model("transducer").fit([*PAIRS, long])
    assert trained.answer(WordGap(long.abstract, (), blank=0)).guesses


class Kitchen:
    """A corpus that brings its word lists."""

    def __iter__(self) -> Iterator[Pair]:
        return iter(PAIRS)

    def vocabulary(self) -> tuple[str, ...]:
        return ("#UNK#", "<PAD>", "<S>", "</S>", *"boil fry the egg rice a pot pan with water oil in heat yuzu".split())

    def whitelist(self) -> tuple[str, ...]:
        return ("pot", "pan", "water", "oil", "wok")

    def vectors(self) -> npt.NDArray[np.float32]:
        return np.arange(len(self.vocabulary()) * 3, dtype=np.float32).reshape(-1, 3)


def test_a_corpus_brings_its_vocabulary_its_list_and_its_vectors() -> None:
    trained = model("transducer").fit(Kitchen(), held=PAIRS[:2])
    assert trained.vocabulary_ is not None
    assert trained.vocabulary_.words == Kitchen().vocabulary()
    assert torch.equal(trained.network_.embed.weight, torch.from_numpy(Kitchen().vectors()))  # frozen
    question = WordGap(GAP.abstract, GAP.prefix, blank=5, whitelist="kidscook")
    assert {guess.answer for guess in trained.answer(question).guesses} <= {"pot", "pan", "water", "oil", "#UNK#"}


@pytest.mark.parametrize(
    "name", ["lstm-lm", "transducer", "transducer-param", "word-head", "infill-head", "pretrained-transducer"]
)
def test_every_seeded_model_names_its_seed(name: str) -> None:
    from inspect import signature

    assert "seed" in signature(find("model", name)).parameters  # the bench gives a seed only to models that name it
    assert make("model", name, seed=3).seed == 3
