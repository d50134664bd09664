"""What a model stops or tunes on is handed over by the bench, from the table or from the dev part of what it learns from; the signature says so."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

pytest.importorskip("torch")

from scenarist.bench import spec
from scenarist.bench.run_table import Ways, run_table
from scenarist.models.words import in_domain
from scenarist.registry import make
from scenarist.store.results import Results

pytestmark = pytest.mark.neural
TABLE = """
name = "held"
title = "A word model learns from toy pairs"
seeds = [1]
{held}
[[condition]]
name = "oracle"
corpus = "toy"
corpus_settings = {{ kind = "pairs" }}
exam = "wordcloze"
settings = {{ whitelist = "" }}
metrics = ["match"]
train = [{{ corpus = "toy", split = "train" }}]
train_settings = {{ kind = "pairs" }}

[[row]]
model = "lstm-lm"
settings = {{ shape = {{ hidden = 4 }}, recipe = {{ epochs = 1 }} }}

[[row]]
model = "frequency"
"""
NAMED = """
[[held]]
corpus = "toy"
split = "train"
settings = { kind = "pairs" }
"""


@pytest.mark.parametrize(("held", "split"), [("", "dev"), (NAMED, "train")])
def test_the_bench_hands_over_what_is_held(
    held: str, split: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "held.toml"
    path.write_text(TABLE.format(held=held), encoding="utf-8")
    seen: list[int] = []
    train = in_domain.train_with_patience

    def watched(network: object, rows: object, held: list[object], *given: object) -> object:
        seen.append(len(held))
        return train(network, rows, held, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(in_domain, "train_with_patience", watched)
    with Results(tmp_path / "results.sqlite") as store:
        sheet = run_table(spec.load(str(path)), store, Ways(limit=3))
    assert seen == [len(list(make("corpus", "toy", split=split, kind="pairs")))]
    learned, counted = (done.cells["match/oracle"].score.signature for done in sheet.rows)
    assert f"|train:toy|held:toy={split}|" in learned
    assert "held:" not in counted  # it does not ask for any


def test_a_corpus_that_does_not_exist_is_named(tmp_path: Path) -> None:
    path = tmp_path / "held.toml"
    path.write_text(TABLE.format(held='[[held]]\ncorpus = "toi"\n'), encoding="utf-8")
    with Results(tmp_path / "results.sqlite") as store, pytest.raises(Exception, match="toi"):
        run_table(spec.load(str(path)), store, Ways(limit=1))


def test_a_held_part_has_a_corpus() -> None:
    with pytest.raises(msgspec.ValidationError, match="corpus"):
        msgspec.convert({"split": "dev"}, spec.Held)
