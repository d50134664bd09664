from __future__ import annotations

from pathlib import Path

import pytest

from scenarist.errors import BadInput
from scenarist.formats import brat, webanno
from scenarist.registry import make
from scenarist.story import Label, Segment, Story, replace

FOREIGN = """\
#FORMAT=WebAnno TSV 3.2
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value
#T_SP=webanno.custom.Script|scenario


#Text=🙂 Ann bakes.
1-1\t0-2\t🙂\t_\t_\t_\t
1-2\t3-6\tAnn\t*\tPER\tbaking a cake[1]|going shopping[2]\t
1-3\t7-12\tbakes\t_\t_\tbaking a cake[1]\t
1-4\t12-13\t.\t_\t_\t_\t

#Text=She \\[sic\\] eats
2-1\t14-17\tShe\t_\t_\teating\t
"""


def tokenised() -> Story:
    words = [["🙂", "Ann", "bakes", "."], ["She", "eats", "it", "."], ["It", "rains", "."]]
    story = Story.from_words("doc", words)
    one, two, three = story.sentences
    segments = (
        Segment(one.start, two.stop, (Label("baking a cake"), Label("a|b [c]_d", 0.5)), "g1", "ann"),
        Segment(two.start, two.stop, (Label("eating"),)),
        Segment(three.start, three.stop),
    )
    return replace(story, segments=segments)


def test_webanno_round_trip_with_stacked_labels(tmp_path: Path) -> None:
    story = tokenised()
    webanno.write(tmp_path / "doc.tsv", story)
    assert "0-2\t🙂" in (tmp_path / "doc.tsv").read_text(encoding="utf-8")  # Java counts the smiley as two
    assert webanno.read(tmp_path / "doc.tsv") == story


def test_webanno_foreign_layer(tmp_path: Path) -> None:
    path = tmp_path / "foreign.tsv"
    path.write_text(FOREIGN.replace("\\[sic\\] ", ""), encoding="utf-8")
    story = webanno.read(path, layer="webanno.custom.Script")
    assert story.text == "🙂 Ann bakes. She eats"
    found = [(story.of(segment), segment.names) for segment in story.segments]
    assert found == [("Ann bakes", ("baking a cake",)), ("Ann", ("going shopping",)), ("She", ("eating",))]
    with pytest.raises(BadInput, match=r"no span layer 'x'; found de\.tu"):
        webanno.read(path, layer="x")


def test_webanno_bad_files(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text("id\ttext\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"bad\.tsv, line 1: expected '#FORMAT=WebAnno TSV 3\.x'"):
        webanno.read(path)
    path.write_text("#FORMAT=WebAnno TSV 3.3\n#Text=Ann\n1-1\tAnn\n", encoding="utf-8")
    with pytest.raises(BadInput, match="line 3: expected sentence-token, begin-end"):
        webanno.read(path)
    with pytest.raises(BadInput, match="needs sentences and tokens"):
        list(webanno.as_lines(Story("s", "x")))


def test_brat_round_trip(tmp_path: Path) -> None:
    story = next(iter(make("corpus", "toy")))
    segments = (
        Segment(0, 20, (Label("washing one's hair"), Label("baking a cake"))),
        Segment(story.sentences[1].start, story.sentences[2].stop, (Label("eating"),)),
        Segment(story.sentences[3].start, story.sentences[3].stop),
    )
    story = replace(story, segments=segments)
    brat.write(tmp_path / "s", story)
    again = brat.read(tmp_path / "s.ann")
    assert (again.text, again.segments) == (story.text, story.segments)
    spans = {entity.id: (entity.kind, [story.of(m) for m in entity.mentions]) for entity in story.entities}
    assert {entity.id: (entity.kind, [story.of(m) for m in entity.mentions]) for entity in again.entities} == spans
    wanted = [
        (event.predicate, event.start, [(r.name, r.entity) for r in event.roles if r.entity]) for event in story.events
    ]
    assert [
        (event.predicate, event.start, [(r.name, r.entity) for r in event.roles]) for event in again.events
    ] == wanted
    brat.write(tmp_path / "t", again)
    assert (tmp_path / "t.ann").read_text(encoding="utf-8") == (tmp_path / "s.ann").read_text(encoding="utf-8")


def test_brat_discontinuous_parts_share_a_group(tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_text("We ran, it rained, we fell.", encoding="utf-8")
    (tmp_path / "d.ann").write_text("T1\tjogging 0 6;19 26\tWe ran we fell\n", encoding="utf-8")
    story = brat.read(tmp_path / "d.txt")
    assert [(story.of(part), part.group) for part in story.segments] == [("We ran", "T1"), ("we fell", "T1")]


def test_brat_keeps_parts_and_their_labels_both_ways(tmp_path: Path) -> None:
    text = "We ran, it rained, we fell. We got up."
    labels = (Label("jogging"), Label("falling"))
    parts = (Segment(0, 6, labels, "T1"), Segment(19, 26, labels, "T1"), Segment(28, 37, (Label("jogging"),)))
    brat.write(tmp_path / "d.txt", Story("d", text, segments=parts))
    assert "T1\tjogging 0 6;19 26\tWe ran we fell\n" in (tmp_path / "d.ann").read_text(encoding="utf-8")
    assert brat.read(tmp_path / "d.txt").segments == parts


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("T1\tx 0 99\tWe", "line 1: expected 'type start end' within the 7 characters"),
        ("T1\tx 0 2\tUs", "line 1: the text at 0 is 'We', the line says 'Us'"),
        ("T1", "line 1: expected an id and an annotation"),
        ("T1\tx 0 2\tWe\nT1\tx 0 2\tWe", "line 2: duplicate id 'T1'"),
        ("E1\tEvent:T9", "the event's trigger 'T9' is not defined"),
    ],
)
def test_brat_bad_lines(tmp_path: Path, line: str, says: str) -> None:
    (tmp_path / "d.txt").write_text("We ran.", encoding="utf-8")
    (tmp_path / "d.ann").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(BadInput, match=says):
        brat.read(tmp_path / "d.ann")


def test_brat_needs_both_files(tmp_path: Path) -> None:
    (tmp_path / "d.ann").write_text("", encoding="utf-8")
    with pytest.raises(BadInput, match=r"d\.txt: no such file"):
        brat.read(tmp_path / "d.ann")
