from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenarist.cli.corpus import app
from scenarist.corpora import at_hand as listing
from scenarist.corpora import checking, manifest
from scenarist.corpora.stats import describe
from scenarist.registry import make

run = CliRunner().invoke


def test_stats_of_stories_and_others(samples: Path) -> None:
    stats = describe(make("corpus", "inscript", split="all"))
    assert stats.yields == "Story"
    assert (stats.count("documents"), stats.count("sentences"), stats.count("tokens")) == (2, 3, 14)
    assert (stats.count("entities"), stats.count("mentions"), stats.count("events")) == (3, 5, 2)
    chains = describe(make("corpus", "nyt-chains", split="all"))
    assert dict(chains.counts) == {"chains": 3, "chains of two or more": 1, "events": 4, "documents": 2}
    pairs = describe(make("corpus", "kidscook"))
    assert (pairs.count("blanks"), pairs.count("words in blanks"), pairs.count("abstracts")) == (4, 5, 2)
    assert describe(make("corpus", "proscript", split="test")).count("event types") == 4
    assert describe(make("corpus", "storycloze-2016", split="test")).count("with answer") == 0
    assert describe(make("corpus", "cmcnc")).count("choices") == 3
    assert describe(make("corpus", "toy", kind="documents")).count("segments") == 36
    assert describe(make("corpus", "toy"), limit=2).count("documents") == 2


def test_digest_does_not_mind_packing(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "x.tsv").write_bytes(b"one\n")
    (tmp_path / "b" / "x.tsv.gz").write_bytes(gzip.compress(b"one\n"))
    assert checking.digest(tmp_path / "a") == checking.digest(tmp_path / "b")
    (tmp_path / "b" / "x.tsv.gz").write_bytes(gzip.compress(b"two\n"))
    assert checking.digest(tmp_path / "a") != checking.digest(tmp_path / "b")


def test_unknown_checksum_is_a_warning(samples: Path) -> None:
    report = manifest.check("cmcnc")
    assert (report.state, report.code) == ("warning", 0)
    assert any("unknown checksum" in warning for warning in report.warnings)
    assert [(one.split, one.state, one.count, one.expected) for one in report.splits] == [("dev", "differs", 1, 71)]


def test_broken_corpus_fails(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(samples / "mcnc", tmp_path / "mcnc")
    (tmp_path / "mcnc" / "cmcnc_dev.txt").write_text("a|b|c\nHOLDOUT_SEP\n", encoding="utf-8")
    monkeypatch.setenv("SCENARIST_DATA", str(tmp_path))
    report = manifest.check("cmcnc")
    assert (report.state, report.code) == ("bad", 1)
    result = run(app, ["check", "cmcnc"])
    assert result.exit_code == 1
    assert "is the file truncated" in " ".join(result.stdout.split())


def test_missing_corpus(data_root: Path) -> None:
    report = manifest.check("gum")
    assert (report.state, report.code) == ("missing", 3)
    assert run(app, ["check", "gum"]).exit_code == 3


def test_what_is_carried_is_always_there(data_root: Path) -> None:
    assert manifest.check("toy").state == "ok"
    assert [row.name for row in listing.overview() if row.splits] == ["toy", "library", "toy-scripts", "probes"]


def test_command_line(samples: Path) -> None:
    rows = json.loads(run(app, ["list", "--json"]).stdout)
    assert {row["name"]: row.get("splits", []) for row in rows}["litbank"] == ["test"]
    assert "mcscript" in run(app, ["list", "--quiet"]).stdout.split()
    assert "at hand" in run(app, ["list"]).stdout
    shown = " ".join(run(app, ["info", "descript"]).stdout.split())
    assert "Wanzare, Zarcone, Thater and Pinkal (2016)" in shown
    assert "+ esds" in shown
    assert json.loads(run(app, ["info", "gum", "--json"]).stdout)["folder"] == "treebanks"
    stats = json.loads(run(app, ["stats", "kidscook", "--split", "dev", "--json"]).stdout)
    assert stats["counts"]["pairs"] == 2
    assert "blanks" in run(app, ["stats", "kidscook"]).stdout
    (report,) = json.loads(run(app, ["check", "kidscook", "--json"]).stdout)
    assert report["state"] == "warning"


@pytest.mark.data("cmcnc", "storycloze-2016")
def test_known_release_is_ok() -> None:
    for name in ("cmcnc", "storycloze-2016"):
        report = manifest.check(name)
        assert (report.state, report.warnings) == ("ok", ())
        assert report.files[0].state == "known"
