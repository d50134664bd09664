"""Training the in-domain word models: an interrupted run goes on, the clock is obeyed and named, the course of the paper's code."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scenarist.errors import BadInput  # noqa: E402
from scenarist.models.words import in_domain  # noqa: E402
from scenarist.models.words.base import rows_of  # noqa: E402
from scenarist.models.words.batches import Row, Vocabulary, batch, set_batches  # noqa: E402
from scenarist.models.words.recurrent import LstmLm, Shape  # noqa: E402
from scenarist.models.words.training import STOPPED, Recipe  # noqa: E402
from scenarist.models.words.training import train as fit  # noqa: E402
from scenarist.networks import checkpoint as word_checkpoint  # noqa: E402
from scenarist.registry import make  # noqa: E402
from scenarist.story import Pair  # noqa: E402
from training.kidscook import train  # noqa: E402

pytestmark = pytest.mark.neural
PAIRS = [
    Pair("a", tuple("boil the rice".split()), tuple("fill a pot with water and add the rice".split()), ((2, 3),)),
    Pair("b", tuple("fry the egg".split()), tuple("heat some oil in a pan".split()), ((5, 6),)),
] * 8
ROWS = rows_of(PAIRS)
WORDS = Vocabulary.count(ROWS)
SMALL = ["--device", "cpu", "--jobs", "1", "--set", 'vectors=""', "hidden=8", "epochs=2", "size=8", "marginal=1"]


@pytest.fixture
def learned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was trained, in order; the corpus is a toy."""
    seen: list[str] = []
    learn = in_domain.InDomain.learn

    def watched(self: in_domain.InDomain, rows: list[Row]) -> None:
        seen.append(f"{self.name}-{self.seed}")
        learn(self, rows)

    monkeypatch.setattr(in_domain.InDomain, "learn", watched)
    monkeypatch.setattr(train, "KidsCook", lambda split: PAIRS)
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
    assert make("model", "seq2seq", weights=str(tmp_path / "seq2seq-both-1.safetensors")).fit(()).network_.shape.both


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


@pytest.mark.parametrize("wrong", ["layer=relu", "dropout"])
def test_a_setting_that_is_no_json_is_named(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        train.main(["lstm-lm", "--set", wrong])
    assert ended.value.code == 2
    assert "expected NAME=VALUE" in capsys.readouterr().err


def test_the_settings_of_the_paper_s_code() -> None:
    assert train.settings_of("lstm-lm", "code", {"epochs": 3}) == {**train.CODE, "epochs": 3}
    assert train.settings_of("transducer-param", "code", {})["start"] == "free"
    assert train.settings_of("lstm-lm", "code-best", {}) == {**train.CODE, "course": "code-best"}
    assert "emission" not in train.settings_of("transducer", "words", {})
    assert train.settings_of("transducer", "words-mlp", {})["emission"] == "mlp"
    assert train.settings_of("transducer", "both", {"both": True}) == {"both": True}


def test_a_note_leaves_the_tensors_as_they_are(tmp_path: Path) -> None:
    model = make("model", "lstm-lm", vectors="", hidden=8, epochs=1, device="cpu").fit(PAIRS)
    path = tmp_path / "one.safetensors"
    model.save(path)
    before = word_checkpoint.load(path, "lstm-lm")
    word_checkpoint.add_note(path, {"why": "a test"})
    after = word_checkpoint.load(path, "lstm-lm")
    assert before[:3] == after[:3]
    assert all(torch.equal(before.state[name], after.state[name]) for name in before.state)
    assert word_checkpoint.note(path) == {"why": "a test"}
    assert word_checkpoint.note(tmp_path / "none.safetensors") == {}


def test_batches_of_the_code_are_whole_and_count_their_padding() -> None:
    parts = set_batches([*ROWS, Row(("fry",), ("fry", "it"))], WORDS, 4, cut=None)
    assert len(parts) == 4  # seventeen rows: the longest is left over
    first = parts[0]
    assert first.positions.tolist() == [4] * 4
    assert first.sizes.tolist() == [6] * 4
    assert first.words[0].tolist()[2:] == [WORDS.unknown] * 4
    assert len(first.told) == 4 * 7


def test_told_places_are_those_of_the_words_and_the_end() -> None:
    part = batch([Row(("fry",), ("fry", "it")), Row(("fry", "egg"), ("fry", "the", "egg"))], WORDS)
    told, sizes = part.targets(WORDS.end)
    keep = torch.arange(told.shape[1]) < sizes[:, None]
    assert told.flatten()[part.told].tolist() == told[keep].tolist()


@pytest.mark.parametrize("course", ["ours", "code", "code-best"])
def test_which_epoch_is_kept(course: str) -> None:
    """Texts that are not like train: from some epoch on the held-out loss rises."""
    held = [Row(row.abstract, row.concrete[::-1]) for row in ROWS[:2]] * 4

    def run(epochs: int) -> tuple[LstmLm, list[str]]:
        torch.manual_seed(1)
        network, lines = LstmLm(WORDS, Shape(hidden=16, dropout=0.0, width=8)), list[str]()
        fit(network, ROWS, held, Recipe(epochs=epochs, patience=3, size=4, rate=2e-2, course=course), lines.append)
        return network, lines

    network, lines = run(40)
    losses = [float(line.split()[3]) for line in lines]
    assert 4 < len(losses) < 40
    if course == "ours":
        assert losses.index(min(losses)) == len(losses) - 4
    kept, _ = run(len(losses) if course == "code" else losses.index(min(losses)) + 1)
    assert all(torch.equal(one, two) for one, two in zip(network.parameters(), kept.parameters(), strict=True))


@pytest.mark.parametrize("name", ["lstm-lm", "seq2seq-attention", "transducer", "transducer-param"])
def test_a_network_of_the_code_is_learned_and_read_again(name: str, tmp_path: Path) -> None:
    walk = {"emission": "mlp", "start": "free", "shift": 0.5} if name.startswith("transducer") else {}
    recipe = {"epochs": 3, "marginal": 1, "size": 8, "course": "code"}
    model = make(
        "model", name, vectors="", hidden=16, dropped="words", layer="relu", device="cpu", **walk, **recipe
    ).fit(PAIRS)
    layer = model.network_.emission.out if walk else model.network_.head.out
    assert layer.in_features == 100  # as wide as the vectors
    model.save(tmp_path / "one.safetensors")
    again = make("model", name, weights=str(tmp_path / "one.safetensors"), device="cpu").fit(())
    part = batch(ROWS[:2], WORDS)
    with torch.no_grad():
        assert float(again.network_.loss(part)) == pytest.approx(float(model.network_.loss(part)), rel=0.02)


def test_unknown_courses_and_layers_are_named() -> None:
    with pytest.raises(BadInput, match="course"):
        fit(LstmLm(WORDS, Shape(hidden=4)), ROWS, ROWS, Recipe(course="theirs"))
    with pytest.raises(BadInput, match="'gelu'"):
        LstmLm(WORDS, Shape(layer="gelu"))


def test_every_in_domain_model_has_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_checkpoint, "find", Path)
    for name in ("lstm-lm", "seq2seq", "seq2seq-attention", "transducer", "transducer-param"):
        assert (
            str(make("model", name, weights="kidscook", variant="both", seed=2).path()) == f"{name}-both-2.safetensors"
        )
