"""Networks and training with settings of the paper's code (experiments/kidscook): what is dropped, padded, kept, saved and read again."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from experiments.kidscook import models  # noqa: E402
from experiments.kidscook.training import train_as_released, whole_batches  # noqa: E402
from scenarist.errors import BadInput  # noqa: E402
from scenarist.models.words.base import rows_of  # noqa: E402
from scenarist.models.words.batches import PairRow, Vocabulary, batch  # noqa: E402
from scenarist.models.words.in_domain import Recipe  # noqa: E402
from scenarist.models.words.recurrent import NetworkShape  # noqa: E402
from scenarist.models.words.seq2seq import LstmLm  # noqa: E402
from scenarist.registry import load, make  # noqa: E402
from scenarist.story import Pair  # noqa: E402
from training.kidscook.settings import grouped  # noqa: E402

pytestmark = pytest.mark.neural
PAIRS = [
    Pair("a", tuple("boil the rice".split()), tuple("fill a pot with water and add the rice".split()), ((2, 3),)),
    Pair("b", tuple("fry the egg".split()), tuple("heat some oil in a pan".split()), ((5, 6),)),
] * 8
ROWS = rows_of(PAIRS)
WORDS = Vocabulary.count(ROWS)


def test_batches_are_whole_and_count_their_padding() -> None:
    parts = whole_batches([*ROWS, PairRow(("fry",), ("fry", "it"))], WORDS, 4, cut=None)
    assert len(parts) == 4  # seventeen rows: the longest is left over
    first = parts[0]
    assert first.positions.tolist() == [4] * 4
    assert first.sizes.tolist() == [6] * 4
    assert first.words[0].tolist()[2:] == [WORDS.unknown] * 4
    assert len(first.told) == 4 * 7


@pytest.mark.parametrize("best", [False, True])
def test_which_epoch_is_kept(best: bool) -> None:
    """Texts that are not like train: from some epoch on the held-out loss rises."""
    held = [PairRow(row.abstract, row.concrete[::-1]) for row in ROWS[:2]] * 4

    def run(epochs: int) -> tuple[LstmLm, list[str]]:
        torch.manual_seed(1)
        network, lines = LstmLm(WORDS, NetworkShape(hidden=16, dropout=0.0, width=8)), list[str]()
        train_as_released(network, ROWS, held, Recipe(epochs=epochs, patience=3, size=4, rate=2e-2), lines.append, best)
        return network, lines

    network, lines = run(40)
    losses = [float(line.split()[3]) for line in lines]
    assert 4 < len(losses) < 40
    kept, _ = run(losses.index(min(losses)) + 1 if best else len(losses))
    assert all(torch.equal(one, two) for one, two in zip(network.parameters(), kept.parameters(), strict=True))


@pytest.mark.parametrize("dropped", ["all", "words"])
def test_dropout_may_fall_on_the_hidden_layer_of_the_words_alone(dropped: str) -> None:
    part = batch(ROWS, WORDS)
    recipe = {"epochs": 1, "size": 8}
    model = models.TransducerAsReleased(code={"dropped": dropped}, shape={"hidden": 12}, recipe=recipe, device="cpu")
    network = model.fit(PAIRS).network_.train()
    assert torch.equal(network.both(part)[1], network.both(part)[1]) is (dropped == "words")
    assert network.loss(part).item() != network.loss(part).item()


@pytest.mark.parametrize("frozen", [True, False])
def test_given_vectors_are_frozen_or_trained(frozen: bool) -> None:
    vectors = torch.randn(len(WORDS), 6)
    model = models.LstmLanguageModelAsReleased(code={"frozen": frozen}, recipe={"epochs": 1, "size": 8}, device="cpu")
    network = model.train(models.ReleasedLstm(WORDS, NetworkShape(hidden=8), vectors), ROWS, ROWS[:2])
    assert torch.equal(network.embed.weight, vectors) is frozen


@pytest.mark.parametrize("variant", models.VARIANTS)
@pytest.mark.parametrize("name", ["lstm-lm", "seq2seq-attention", "transducer", "transducer-param"])
def test_a_network_is_learned_and_read_again(name: str, variant: str, tmp_path: Path) -> None:
    kind = load(models.TARGETS[name])
    recipe = {"epochs": 3, "marginal": 1, "size": 8}
    model = kind(variant=variant, shape={"hidden": 16}, recipe=recipe, device="cpu").fit(PAIRS)
    layer = model.network_.emission if name.startswith("transducer") else model.network_.head
    if variant.startswith("code"):
        assert layer.out.in_features == 100  # as wide as the vectors
    if name.startswith("transducer"):
        assert model.network_.free is (variant != "paper") is not model.network_.printed
        assert type(layer).__name__ == ("ProductEmission" if variant == "words" else "MlpEmission")
    model.save(tmp_path / "one.safetensors")
    again = kind(variant=variant, weights=str(tmp_path / "one.safetensors"), device="cpu").fit(())
    part = batch(ROWS[:2], WORDS)
    with torch.no_grad():
        assert float(again.network_.loss(part)) == pytest.approx(float(model.network_.loss(part)), rel=0.02)


def test_a_network_of_the_code_does_not_fit_the_package_s_own(tmp_path: Path) -> None:
    model = load(models.TARGETS["lstm-lm"])(variant="code", shape={"hidden": 16}, recipe={"epochs": 1}, device="cpu")
    model.fit(PAIRS).save(tmp_path / "one.safetensors")
    with pytest.raises(BadInput, match="do not fit the network lstm-lm"):
        make("model", "lstm-lm", weights=str(tmp_path / "one.safetensors")).fit(())


def test_switches_come_from_the_variant_and_may_be_moved() -> None:
    kind = models.TARGETS["transducer"]
    assert grouped(kind, {"layer": "relu", "dropout": 0.3, "epochs": 2}) == {
        "code": {"layer": "relu"}, "shape": {"dropout": 0.3}, "recipe": {"epochs": 2}
    }  # fmt: skip
    model = make("model", kind, variant="code-best", code={"emission": "product"})
    assert model.code == {**models.VARIANTS["code-best"], "emission": "product"}
    assert model.kind() == {
        "transitions": "fixed", "emission": "product", "start": "free", "shift": 0.5, "printed": False,
        "layer": "relu",
    }  # fmt: skip
    assert models.Seq2seqAsReleased(variant="mine").code == models.OURS
    with pytest.raises(BadInput, match="'gelu'"):
        models.TransducerAsReleased(code={"layer": "gelu"})
    with pytest.raises(BadInput, match="Did you mean 'frozen'"):
        models.TransducerAsReleased(code={"froze": False})
