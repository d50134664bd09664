"""Folders of annotated files: several annotators, gold, a project as WebAnno exports it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarist.conformance import check_corpus
from scenarist.errors import BadInput
from scenarist.formats import brat, webanno
from scenarist.formats.plain import with_tokens
from scenarist.registry import make
from scenarist.story import Label, Segment, Story, replace
from scenarist.verbs.exam import exam
from scenarist.verbs.run_table import run_table

TEXT = "We mixed flour and eggs. The cake went into the oven. It rained outside. We iced the cake. Then I ran a bath."
CAKE, BATH = "baking a cake", "taking a bath"


def told(*spans: tuple[str, str], group: str = "") -> Story:
    """The day with what somebody marked, by its words."""
    story = Story("day", TEXT)
    segments = tuple(
        Segment(TEXT.index(part), TEXT.index(part) + len(part), (Label(name),), group) for name, part in spans
    )
    return with_tokens(replace(story, segments=segments))


ANN = told((CAKE, "We mixed flour and eggs. The cake went into the oven."))
BOB = told((CAKE, "We mixed flour and eggs."), (BATH, "Then I ran a bath."))


def marked(story: Story) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(segment.by, story.of(segment), segment.names) for segment in story.segments]


def test_a_sub_folder_an_annotator(tmp_path: Path) -> None:
    for who, story in (("ann", ANN), ("bob", BOB)):
        webanno.write(tmp_path / who / "day.tsv", story)
    webanno.write(tmp_path / "cem" / "day.tsv", told())
    (story,) = make("corpus", f"webanno:{tmp_path}")
    assert marked(story) == [
        ("ann", "We mixed flour and eggs. The cake went into the oven.", (CAKE,)),
        ("bob", "We mixed flour and eggs.", (CAKE,)),
        ("bob", "Then I ran a bath.", (BATH,)),
    ]
    assert [value for key, value in story.notes if key == "annotator"] == ["ann", "bob", "cem"]  # cem marked nothing
    (only,) = make("corpus", f"webanno:{tmp_path}", whose="bob")
    assert {segment.by for segment in only.segments} == {"bob"}
    assert check_corpus(make("corpus", f"webanno:{tmp_path}"))
    with pytest.raises(BadInput, match="empty corpus"):
        list(make("corpus", f"webanno:{tmp_path}", whose="dan"))


def test_gold_is_read_where_it_is_there(tmp_path: Path) -> None:
    for who, story in (("ann", ANN), ("bob", BOB), ("gold", ANN)):
        brat.write(tmp_path / who / "day.txt", story)
    (gold,) = make("corpus", f"brat:{tmp_path}")
    assert {segment.by for segment in gold.segments} == {"gold"}
    (both,) = make("corpus", f"brat:{tmp_path}", whose="everybody")
    assert {segment.by for segment in both.segments} == {"ann", "bob"}


def test_a_project_as_webanno_exports_it(tmp_path: Path) -> None:
    for who, story in (("ann", ANN), ("bob", BOB)):
        webanno.write(tmp_path / "annotation" / "day.txt" / f"{who}.tsv", story)
    (both,) = make("corpus", f"webanno:{tmp_path}")
    assert (both.id, {segment.by for segment in both.segments}) == ("day", {"ann", "bob"})
    webanno.write(tmp_path / "curation" / "day.txt" / "CURATION_USER.tsv", BOB)
    (gold,) = make("corpus", f"webanno:{tmp_path}")
    assert [segment.by for segment in gold.segments] == ["gold", "gold"]


def test_texts_must_agree(tmp_path: Path) -> None:
    webanno.write(tmp_path / "ann" / "day.tsv", ANN)
    webanno.write(tmp_path / "bob" / "day.tsv", with_tokens(Story("day", "Another text.")))
    with pytest.raises(BadInput, match=r"bob/day\.tsv: its text differs from that of .*ann/day\.tsv"):
        list(make("corpus", f"webanno:{tmp_path}"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match=r"expected files that end in \.tsv"):
        list(make("corpus", f"webanno:{tmp_path / 'empty'}"))


def test_an_exam_is_set_on_the_whole_folder(tmp_path: Path) -> None:
    for number in range(3):
        day = replace(ANN, text=TEXT + " " * number)
        webanno.write(tmp_path / "gold" / f"day{number}.tsv", day)
    items, card = exam("detection", f"webanno:{tmp_path}")
    assert (len(items), card.split, card.data.split("#")[0]) == (3, "all", f"webanno:{tmp_path.name}")


def test_table_6_runs_on_annotated_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    webanno.write(tmp_path / "files" / "gold" / "day.tsv", ANN)
    sheet = run_table("wanzare2019", only=["detector", "tt-tfidf-paper"], corpus=f"webanno:{tmp_path / 'files'}")
    (ours,) = [done for done in sheet.rows if done.row.role == "ours"]
    assert sheet.split == "all"
    assert {"f1/webanno", "gold_f1/webanno", "pk/webanno"} <= set(ours.cells)
    assert not [column for column in ours.cells if column.endswith(("/clean", "/whole-story"))]
    assert ours.cells["f1/webanno"].score.value > 0.0  # it knows a bath when it reads of it
    with pytest.raises(BadInput, match="takes no --corpus"):
        run_table("agreement", corpus="toy")
