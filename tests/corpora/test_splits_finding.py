from __future__ import annotations

import gzip
import os
from hashlib import sha1
from pathlib import Path

import pytest

from scenarist.corpora import manifest, splits
from scenarist.corpora import search_path as finding
from scenarist.errors import BadInput, Missing
from scenarist.registry import names


def test_the_rule_of_the_house() -> None:
    texts = [f"Story number {number}." for number in range(2000)]
    dev = [text for text in texts if splits.is_dev(text)]
    assert dev == [text for text in texts if int(sha1(text.encode("utf-8")).hexdigest(), 16) % 10 == 1]
    assert 140 < len(dev) < 260
    assert all(splits.keeps("train", text) != splits.keeps("dev", text) for text in texts)
    assert all(splits.keeps("all", text) and splits.keeps("test", text) for text in texts)


@pytest.mark.parametrize(("day", "dev"), [("25", False), ("26", True), ("27", True), ("28", True), ("29", False)])
def test_nyt_days(day: str, dev: bool) -> None:
    assert splits.keeps_day("dev", f"NYT_ENG_199407{day}.0001") is dev
    assert splits.keeps_day("train", f"NYT_ENG_199407{day}.0001") is not dev


def test_unknown_split_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"no split 'tset'\. Did you mean 'test'"):
        splits.named("tset")


def test_search_path_of_several_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    (one / "kidscook").mkdir(parents=True)
    (two / "kidscook").mkdir(parents=True)
    (one / "kidscook" / "vocab.txt").write_text("a\n", encoding="utf-8")
    (two / "kidscook" / "vocab.txt").write_text("b\n", encoding="utf-8")
    (two / "kidscook" / "tests.template.tsv.gz").write_bytes(gzip.compress(b""))
    monkeypatch.setenv("SCENARIST_DATA", os.pathsep.join([str(one), str(tmp_path / "nowhere"), str(two)]))
    assert finding.locate("kidscook", "vocab.txt") == one / "kidscook" / "vocab.txt"
    assert finding.locate("kidscook", "tests.template.tsv") == two / "kidscook" / "tests.template.tsv.gz"
    (two / "cmcnc_test_final.txt").write_text("", encoding="utf-8")
    (two / "test.jsonl").write_text("", encoding="utf-8")
    assert finding.locate("cmcnc", "cmcnc_test_final.txt") == two / "cmcnc_test_final.txt"  # its name says whose it is
    assert finding.locate("proscript", "test.jsonl") is None
    monkeypatch.setenv("SCENARIST_DATA", str(two / "kidscook"))  # the folder of the corpus itself
    assert finding.locate("kidscook", "vocab.txt") == two / "kidscook" / "vocab.txt"


def test_missing_says_what_where_and_what_next(data_root: Path) -> None:
    with pytest.raises(Missing) as caught:
        finding.require("mcscript", "train.jsonl")
    message = str(caught.value)
    for part in (
        "MCScript 2.0",
        "train.jsonl",
        "Obtain it",
        str(data_root / "mcscript"),
        "scenarist corpus check mcscript",
    ):
        assert part in message
    assert caught.value.code == 3


def test_missing_without_a_search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCENARIST_DATA", raising=False)
    with pytest.raises(Missing, match="set SCENARIST_DATA=FOLDER"):
        finding.require("gum", "en_gum-ud-dev.conllu")


def test_every_corpus_is_in_the_manifest_and_the_index() -> None:
    listed = {entry.name for entry in manifest.entries()}
    indexed = {name for name in names("corpus") if not name.endswith(":")}
    assert indexed <= listed
    house = [  # HOUSE.md, "Corpus names"
        "kidscook",
        "storycloze-2016",
        "storycloze-2018",
        "rocstories",
        "mcscript",
        "inscript",
        "descript",
        "proscript",
        "nyt-chains",
        "mcnc",
        "cmcnc",
        "bennett",
        "ewt",
        "gum",
        "ontogum",
        "litbank",
        "novels",
        "short-fiction",
        "fairytales",
        "gigaword",
        "spinn3r",
        "toy",
    ]
    assert set(house) <= indexed
    for entry in manifest.entries():
        assert entry.citation, entry.name
        assert entry.licence, entry.name
        assert entry.obtain, entry.name


def test_manifest_typo() -> None:
    with pytest.raises(BadInput, match="Did you mean 'inscript'"):
        manifest.entry("inscrpt")
