"""Annotators from files and from the lab, and people's answers to the probes: what differs is named, and the rest is counted."""

from __future__ import annotations

import sys

import pytest

from scenarist.bench.analyses import agreement
from scenarist.bench.analyses.people import probes
from scenarist.bench.analyses.people.chance_agreement import alpha, annotated_document, gamma, human_f1
from scenarist.corpora.probes import KINDS, Probes
from scenarist.errors import BadInput, Missing
from scenarist.exams.probes import CAUSES
from scenarist.formats import webanno
from scenarist.question import Guess, Prediction
from scenarist.registry import make
from scenarist.story import Label, Segment, Story, replace
from scenarist.verbs.exam import exam

TEXT = ("She ran a bath.", "She got into the tub.", "Then she called her mother.")


def marked(who: str, label: str, sentences: tuple[str, ...] = TEXT) -> Story:
    (story,) = make("reader", "default")([" ".join(sentences)])
    end = story.sentences[1].stop
    return replace(story, id="one", entities=(), events=(), segments=(Segment(0, end, (Label(label),), by=who),))


def write(folder, who: str, story: Story) -> None:
    (folder / who).mkdir(parents=True, exist_ok=True)
    webanno.write(folder / who / "one.tsv", story)


def test_annotations_of_texts_that_differ_are_named_and_the_rest_is_counted(tmp_path):
    write(tmp_path, "a", marked("a", "taking a bath"))
    write(tmp_path, "b", marked("b", "taking a bath"))
    write(tmp_path, "c", marked("c", "taking a bath", (*TEXT[:2], "Then she slept.")))
    table = agreement.table(annotations=str(tmp_path))
    assert any("its text differs" in remark for remark in table.more["remarks"])
    rows = {row.model: row.scores for row in table.rows}
    assert set(rows) == {"a and b", "all pairs"} and rows["a and b"]["raw_agreement/annotators"].value == 1.0


def test_one_annotator_alone_is_refused(tmp_path):
    write(tmp_path, "a", marked("a", "taking a bath"))
    with pytest.raises(BadInput, match="none of the 1 documents was annotated by two people"):
        agreement.table(annotations=str(tmp_path))


def test_alpha_and_human_f1_by_hand():
    same, other = marked("a", "taking a bath"), marked("b", "taking a shower")
    both = Story(
        same.id, same.text, sentences=same.sentences, segments=(*same.segments, *marked("b", "taking a bath").segments)
    )
    apart = replace(same, segments=(*same.segments, *other.segments))
    assert alpha([annotated_document(both, ["a", "b"])]).value == 1.0
    assert alpha([annotated_document(apart, ["a", "b"])]).value < 0.5
    assert human_f1([(both, ("a", "b"))]).value == 1.0
    assert human_f1([(apart, ("a", "b"))]).value < 0.5


def test_gamma_is_one_where_spans_and_labels_are_the_same_and_falls_with_either():
    pytest.importorskip("pygamma_agreement")
    first = marked("a", "taking a bath")
    long = marked("b", "taking a bath").segments

    def with_spans(*segments: Segment) -> float:
        return gamma([replace(first, segments=(*first.segments, *segments))], ["a", "b"]).value

    other_span = Segment(first.sentences[2].start, len(first.text), (Label("taking a bath"),), by="b")
    other_label = Segment(0, long[0].stop, (Label("taking a shower"),), by="b")
    assert with_spans(*long) == pytest.approx(1.0)
    assert with_spans(other_span) < 1.0 and with_spans(other_label) < 1.0
    with pytest.raises(Missing, match="no document has segments of two people"):
        gamma([first], ["a", "b"])


def test_without_its_package_gamma_says_what_to_type(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyannote.core", None)
    monkeypatch.setitem(sys.modules, "pygamma_agreement", None)
    for who in "ab":
        write(tmp_path, who, marked(who, "taking a bath"))
    table = agreement.table(annotations=str(tmp_path))
    assert any("pip install 'scenarist[gamma]'" in remark for remark in table.more["remarks"])
    assert all("gamma/annotators" not in row.scores for row in table.rows)


@pytest.mark.parametrize("kind", KINDS)
def test_each_probe_has_sixty_cases_with_keys_on_both_sides(kind):
    cases = list(Probes(kind=kind))
    assert len(cases) >= 60 and len({case.id for case in cases}) == len(cases)
    if kind in ("the-or-a", "winograd"):
        assert 0.4 < sum(case.key for case in cases) / len(cases) < 0.6


def test_people_sit_the_probes(tmp_path):
    parts = probes.probe_items()
    for cause in CAUSES:
        exam("goes-without-saying", "probes", settings={"cause": cause}, out=tmp_path / cause)
        rating = {"stated": "1", "omitted": "2", "negated": "5"}[cause]
        for person in ("ann", "ben"):
            lines = [
                f'{{"item": "{item.id}", "guesses": [{{"answer": "{rating}"}}], "by": "{person}"}}'
                for item in parts[cause]
            ]
            (tmp_path / cause / f"{person}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = probes.table(only=["people"], answers=str(tmp_path))
    rows = {row.model: row.scores for row in table.rows}
    assert set(rows) == {"people", "ann", "ben"}
    assert rows["people"]["surprise/omitted"].value == 2.0 and rows["people"]["pairs/goes-without-saying"].value == 1.0
    assert all(test["difference"] == -3.0 and not test["fixed"] for test in table.more["tests"])


def test_only_the_rows_that_are_asked_for_run():
    table = probes.table(only=["counts"], limit=4)
    assert [row.model for row in table.rows] == ["counts"]
    assert table.rows[0].role == "baseline"
    assert "surprise/omitted" in table.rows[0].scores or "SCENARIST_DATA" in table.rows[0].more["problem"]


def test_a_rating_that_is_no_number_is_named():
    with pytest.raises(BadInput, match="expected a number as a rating"):
        probes.rating_of(Prediction("goes-without-saying-01", (Guess("very"),), "ann"))
