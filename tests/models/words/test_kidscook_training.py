"""Training the in-domain word models: an interrupted run goes on, the clock is obeyed and named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scenarist.models.words import in_domain  # noqa: E402
from scenarist.models.words.base import rows_of  # noqa: E402
from scenarist.models.words.batches import PairRow, Vocabulary, batch  # noqa: E402
from scenarist.models.words.in_domain import STOPPED, Recipe, train_with_patience  # noqa: E402
from scenarist.models.words.recurrent import NetworkShape  # noqa: E402
from scenarist.models.words.seq2seq import LstmLm  # noqa: E402
from scenarist.networks import checkpoint as word_checkpoint  # noqa: E402
from scenarist.registry import make  # noqa: E402
from scenarist.story import Pair  # noqa: E402
from training.kidscook import train  # noqa: E402
from training.kidscook.settings import grouped  # noqa: E402

pytestmark = pytest.mark.neural
PAIRS = [
    Pair("a", tuple("boil the rice".split()), tuple("fill a pot with water and add the rice".split()), ((2, 3),)),
    Pair("b", tuple("fry the egg".split()), tuple("heat some oil in a pan".split()), ((5, 6),)),
] * 8
ROWS = rows_of(PAIRS)
WORDS = Vocabulary.count(ROWS)
SMALL = ["--device", "cpu", "--jobs", "1", "--set", "hidden=8", "epochs=2", "size=8", "marginal=1"]


class Toy:
    """Pairs in place of a part of the corpus, without word lists."""

    def __init__(self, split: str, limit: int | None) -> None:
        self.pairs = PAIRS[:limit]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)


@pytest.fixture
def learned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was trained, in order; the corpus is a toy."""
    seen: list[str] = []
    learn = in_domain.InDomain.learn

    def watched(self: in_domain.InDomain, *given: Any) -> None:
        seen.append(f"{self.name}-{self.seed}")
        learn(self, *given)

    monkeypatch.setattr(in_domain.InDomain, "learn", watched)
    monkeypatch.setattr(train, "Part", Toy)
    monkeypatch.setattr(train, "measured", lambda model, dev: {"top5/oracle": 0.5})
    return seen


def test_an_interrupted_run_goes_on(
    learned: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["lstm-lm", "transducer", "--seeds", "1", "2", "--out", str(tmp_path), *SMALL]
    save = in_domain.InDomain.save

    def stop(self: in_domain.InDomain, path: Path) -> None:
        if path.name == "transducer-1.safetensors":
            raise KeyboardInterrupt
        save(self, path)

    with monkeypatch.context() as context:
        context.setattr(in_domain.InDomain, "save", stop)
        with pytest.raises(SystemExit) as ended:
            train.main(call)
    assert ended.value.code == 130
    assert "goes on with what is missing" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["lstm-lm-1.safetensors"]
    learned.clear()
    train.main(call)
    assert learned == ["transducer-1", "lstm-lm-2", "transducer-2"]
    said = capsys.readouterr().out
    assert "lstm-lm-1.safetensors: made already" in said
    assert '"top5/oracle": 0.5' in said.split("2 of 4")[0]  # its measures are said again


def test_networks_are_trained_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In processes of their own, so the corpus is a real folder; what they made is what one process makes."""
    (tmp_path / "data" / "kidscook").mkdir(parents=True)
    for split in ("train", "valid"):
        lines = (
            "fry the egg\theat some oil in a pan\t1 1 0 1 1 0\nboil the rice\tfill a pot with water\t1 1 0 1 0\n" * 8
        )
        (tmp_path / "data" / "kidscook" / f"{split}.template.tsv").write_text(lines, encoding="utf-8")
    words = [
        *"#UNK# <PAD> <S> </S>".split(),
        *"fry the egg heat some oil in a pan boil rice fill pot with water".split(),
    ]
    (tmp_path / "data" / "kidscook" / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    np.save(tmp_path / "data" / "kidscook" / "infer_glove.npy", np.ones((len(words), 6), dtype=np.float32))
    (tmp_path / "data" / "kidscook" / "approved.5.txt").write_text("oil\npan\npot\nwater\n", encoding="utf-8")
    monkeypatch.setenv("SCENARIST_DATA", str(tmp_path / "data"))
    call = ["lstm-lm", "seq2seq", "--seeds", "1", "2", *SMALL]
    train.main([*call, "--out", str(tmp_path / "two"), "--jobs", "2"])
    said = capfd.readouterr().out
    assert [line for line in said.splitlines() if line.startswith(("1 of 4", "4 of 4"))]
    assert "   seq2seq-2: epoch 2" in said  # each line says whose it is
    train.main([*call, "--out", str(tmp_path / "one")])
    made = sorted(path.name for path in (tmp_path / "two").iterdir())
    assert made == ["lstm-lm-1.safetensors", "lstm-lm-2.safetensors", "seq2seq-1.safetensors", "seq2seq-2.safetensors"]
    for name in made:
        ours, theirs = (word_checkpoint.load(tmp_path / way / name, name[:-14]).state for way in ("one", "two"))
        assert all(torch.allclose(ours[key].float(), theirs[key].float(), atol=1e-4) for key in ours)
    monkeypatch.setenv("SCENARIST_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(SystemExit, match="scenarist corpus check kidscook"):
        train.main([*call, "--out", str(tmp_path / "none"), "--jobs", "2"])


def test_what_was_made_otherwise_is_made_again(learned: list[str], tmp_path: Path) -> None:
    call = ["seq2seq", "--out", str(tmp_path), *SMALL]
    train.main(call)
    train.main([*call, "both=true"])
    assert learned == ["seq2seq-1"] * 2
    train.main([*call, "both=true"])
    assert len(learned) == 2
    train.main(["--again", *call, "both=true"])
    assert len(learned) == 3
    train.main(["--variant", "both", *call, "both=true"])
    assert len(learned) == 4
    again = make("model", "seq2seq", weights=str(tmp_path / "seq2seq-both-1.safetensors")).fit(())
    assert again.network_.shape.both


def test_a_file_that_was_not_measured_is_measured(
    learned: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ["lstm-lm", "--out", str(tmp_path), *SMALL]
    with monkeypatch.context() as context:
        context.setattr(train, "measured", lambda model, dev: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            train.main(call)
    train.main(call)
    assert learned == ["lstm-lm-1"]
    assert word_checkpoint.note(tmp_path / "lstm-lm-1.safetensors")["scores"] == {"top5/oracle": 0.5}


def test_the_clock_is_obeyed_and_does_not_count_as_made(
    learned: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["lstm-lm", "--out", str(tmp_path), *SMALL]
    train.main(["--seconds", "0.001", *call])
    note = word_checkpoint.note(tmp_path / "lstm-lm-1.safetensors")
    assert (note["stopped"], note["epochs"]) == (True, 1)
    assert f"{STOPPED} after 1 of 2 epochs" in capsys.readouterr().out
    train.main(call)
    assert learned == ["lstm-lm-1"] * 2
    assert not word_checkpoint.note(tmp_path / "lstm-lm-1.safetensors")["stopped"]


@pytest.mark.parametrize("wrong", ["emission=mlp", "dropout"])
def test_a_setting_that_is_no_json_is_named(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        train.main(["lstm-lm", "--set", wrong])
    assert ended.value.code == 2
    assert "expected NAME=VALUE" in capsys.readouterr().err


def test_settings_go_to_the_network_or_to_its_training() -> None:
    typed = {"dropout": 0.2, "epochs": 3, "both": True, "emission": "mlp"}
    groups = {"shape": {"dropout": 0.2, "both": True}, "recipe": {"epochs": 3}, "emission": "mlp"}
    assert grouped("transducer", typed) == groups


def test_what_is_measured_is_what_the_exam_says(tmp_path: Path) -> None:
    """The figures of a training run are those of `wordcloze` and its metrics: a model that knows the texts by heart has all of them."""
    model = make(
        "model",
        "seq2seq",
        device="cpu",
        shape={"hidden": 32, "dropout": 0.0},
        recipe={"epochs": 40, "rate": 1e-2, "size": 8},
    )
    figures = train.measured(model.fit(PAIRS, held=PAIRS[:2]), PAIRS[:2])
    assert figures["match/oracle"] == figures["match/greedy"] == figures["top5/oracle"] == figures["top5/greedy"] == 1.0
    assert 0 < figures["surprisal/oracle"] < 0.5
    assert set(figures) == {"match/oracle", "top5/oracle", "surprisal/oracle", "match/greedy", "top5/greedy"}


def test_a_note_leaves_the_tensors_as_they_are(tmp_path: Path) -> None:
    model = make("model", "lstm-lm", shape={"hidden": 8}, recipe={"epochs": 1}, device="cpu").fit(PAIRS)
    path = tmp_path / "one.safetensors"
    model.save(path)
    before = word_checkpoint.load(path, "lstm-lm")
    word_checkpoint.add_note(path, {"why": "a test"})
    after = word_checkpoint.load(path, "lstm-lm")
    assert before[:3] == after[:3]
    assert all(torch.equal(before.state[name], after.state[name]) for name in before.state)
    assert word_checkpoint.note(path) == {"why": "a test"}
    assert word_checkpoint.note(tmp_path / "none.safetensors") == {}


def test_told_places_are_those_of_the_words_and_the_end() -> None:
    part = batch([PairRow(("fry",), ("fry", "it")), PairRow(("fry", "egg"), ("fry", "the", "egg"))], WORDS)
    told, sizes = part.targets(WORDS.end)
    keep = torch.arange(told.shape[1]) < sizes[:, None]
    assert told.flatten()[part.told].tolist() == told[keep].tolist()


def test_the_best_epoch_is_kept() -> None:
    """Texts that are not like train: from some epoch on the held-out loss rises."""
    held = [PairRow(row.abstract, row.concrete[::-1]) for row in ROWS[:2]] * 4

    def run(epochs: int) -> tuple[LstmLm, list[str]]:
        torch.manual_seed(1)
        network, lines = LstmLm(WORDS, NetworkShape(hidden=16, dropout=0.0, width=8)), list[str]()
        train_with_patience(network, ROWS, held, Recipe(epochs=epochs, patience=3, size=4, rate=2e-2), lines.append)
        return network, lines

    network, lines = run(40)
    losses = [float(line.split()[3]) for line in lines]
    assert 4 < len(losses) < 40
    assert losses.index(min(losses)) == len(losses) - 4
    kept, _ = run(losses.index(min(losses)) + 1)
    assert all(torch.equal(one, two) for one, two in zip(network.parameters(), kept.parameters(), strict=True))


def test_what_is_held_decides_when_to_stop() -> None:
    """The same pairs with other pairs held out end after another number of epochs; without any, a tenth of the pairs is held out."""
    recipe = {"rate": 2e-2, "patience": 3, "epochs": 40, "size": 4}
    ends = []
    for held in (PAIRS[:2], [Pair("r", pair.abstract, pair.concrete[::-1], ()) for pair in PAIRS[:2]], None):
        model = make("model", "lstm-lm", device="cpu", shape={"hidden": 16, "dropout": 0.0, "width": 8}, recipe=recipe)
        lines: list[str] = []
        model.log = lines.append
        model.fit(PAIRS, held=held)
        ends.append(len(lines))
    assert ends[1] < ends[0]
    assert ends[2] > 1


def test_every_in_domain_model_has_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_checkpoint, "find", Path)
    for name in ("lstm-lm", "seq2seq", "seq2seq-attention", "transducer", "transducer-param"):
        assert (
            str(make("model", name, weights="kidscook", variant="both", seed=2).path()) == f"{name}-both-2.safetensors"
        )
