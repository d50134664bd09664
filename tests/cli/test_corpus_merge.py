"""`scenarist corpus merge DIR`: gold files, the share merged automatically, the decisions that are left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarist.cli.main import run
from scenarist.formats import brat, webanno
from scenarist.formats.plain import with_tokens
from scenarist.registry import make
from scenarist.story import Label, Segment, Story

TEXT = "We mixed flour and eggs. The cake went into the oven. It rained outside. Then I ran a bath."
CAKE, BATH = "baking a cake", "taking a bath"


def marked(*marks: tuple[str, str]) -> Story:
    spans = [(label, TEXT.index(words), TEXT.index(words) + len(words)) for label, words in marks]
    return with_tokens(Story("day", TEXT, segments=tuple(Segment(a, z, (Label(label),)) for label, a, z in spans)))


ANN = marked((CAKE, "We mixed flour and eggs. The cake went into the oven."), (BATH, "Then I ran a bath."))
BOB = marked((CAKE, "The cake went into the oven. It rained outside."))


@pytest.mark.parametrize("format", [webanno, brat])
def test_merge_writes_gold_and_decisions(format, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ending = ".tsv" if format is webanno else ".txt"
    for person, story in (("ann", ANN), ("bob", BOB)):
        format.write(tmp_path / "in" / person / f"day{ending}", story)
    assert run(["corpus", "merge", str(tmp_path / "in"), "-o", str(tmp_path / "gold"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["annotations"], said["merged"], said["decisions"], said["documents"]) == (3, 2, 1, 1)
    assert said["share"] == pytest.approx(2 / 3)
    (gold,) = make("corpus", f"webanno:{tmp_path}/gold/webanno")
    assert [gold.of(one) for one in gold.segments] == [
        "We mixed flour and eggs. The cake went into the oven. It rained outside."
    ]
    (line,) = (tmp_path / "gold" / "decisions.jsonl").read_text().splitlines()
    assert json.loads(line)["offers"][0]["label"] == BATH


def test_one_annotator_is_nothing_to_merge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    webanno.write(tmp_path / "ann" / "day.tsv", ANN)
    assert run(["corpus", "merge", str(tmp_path)]) == 2
    assert "nothing to merge: each of the 1 documents has one annotator" in capsys.readouterr().err
    assert run(["corpus", "merge", str(tmp_path / "absent")]) == 2
    assert "expected a folder with a sub-folder an annotator" in capsys.readouterr().err
