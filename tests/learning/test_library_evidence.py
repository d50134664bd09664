"""Clauses are matched with the events of written scripts, and tellings are counted."""

from __future__ import annotations

import pytest

from scenarist.corpora.library import Library
from scenarist.formats.script_file import parse_script
from scenarist.learning.library.evidence import (
    carried_evidence,
    count_evidence,
    library_scripts,
    likely,
    list_telling,
    origin,
    read_evidence,
    story_telling,
    told_share,
    write_evidence,
)
from scenarist.learning.library.wordings import Clause, WordingMatcher, earlier_events
from scenarist.registry import make
from scenarist.script import WrittenScript


@pytest.fixture(scope="module")
def tyre() -> WrittenScript:
    path = next(path for path in Library().files() if path.stem == "changing-a-tyre")
    return parse_script(path.read_text("utf-8"), str(path))


@pytest.mark.parametrize(
    ("clause", "event"),
    [
        ("loosen the lug nuts", "loosen-nuts"),
        ("jack up the car", "jack-up-car"),
        ("remove the flat tire", "take-off-wheel"),
        ("lower the car back down", "lower-car"),
        ("get the spare out of the trunk", "take-out-spare"),
        ("eat a sandwich", None),
        ("take it", None),
    ],
)
def test_a_clause_tells_the_event_it_means(tyre: WrittenScript, clause: str, event: str | None) -> None:
    number = WordingMatcher(tyre).event_of(Clause.of(clause))
    assert (None if number is None else tyre.events[number].id) == event


def test_orders_follow_by_way_of_other_events(tyre: WrittenScript) -> None:
    earlier = earlier_events(tyre.events)
    assert "drive-over-nail" in earlier["drive-on"]
    assert "drive-on" not in earlier["drive-over-nail"]


def test_tellers_are_counted_once_and_no_sentence_is_kept(tyre: WrittenScript) -> None:
    text = "I hit a nail. I jacked up the car. Then I took off the flat tire. I did not call for help. I jacked up the car again."
    story = next(iter(make("reader", "default")([text])))
    tellings = [story_telling(story), story_telling(story), list_telling(["jack up the car", "drive off"])]
    evidence = count_evidence(tyre, tellings, [("ours", 3)])
    counted = {event.id: event for event in evidence.events}
    assert (evidence.stories, evidence.lists) == (2, 1)
    assert (counted["jack-up-car"].in_stories, counted["jack-up-car"].in_lists) == (2, 1)
    assert counted["call-for-help"].in_stories == 0
    assert ("take-off-wheel", 2) in counted["jack-up-car"].before
    assert origin(counted["jack-up-car"]) == "both"
    assert origin(counted["stow-flat"]) == "written"
    assert not any(" " in word for event in evidence.events for _, word, _ in event.fillers)


def test_how_often_told_and_how_likely_are_two_numbers(tyre: WrittenScript) -> None:
    nobody = count_evidence(tyre, [])
    assert told_share(nobody, 0) is None
    number = next(number for number, event in enumerate(tyre.events) if event.silent)
    tellings = [list_telling(["jack up the car"]), story_telling(next(iter(make("reader", "default")(["I sang."]))))]
    evidence = count_evidence(tyre, tellings)
    assert told_share(evidence, number) == 0.0
    assert likely(tyre.events[number], evidence, number) > 0.9


def test_what_is_carried_fits_the_library() -> None:
    for known in library_scripts().values():
        assert [event.id for event in known.evidence.events] in ([], [event.id for event in known.script.events])
        assert all(event.in_stories <= known.evidence.stories for event in known.evidence.events)
        assert all(event.in_lists <= known.evidence.lists for event in known.evidence.events)
    assert len(carried_evidence()) > 190


def test_a_file_is_read_back(tmp_path, tyre: WrittenScript) -> None:
    evidence = count_evidence(tyre, [list_telling(["jack up the car", "lower the car"])] * 2)
    write_evidence(tmp_path / "e.jsonl.gz", [evidence])
    assert read_evidence(tmp_path / "e.jsonl.gz") == {evidence.scenario: evidence}
