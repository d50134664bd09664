"""Judged stories: loading, the exam, and how a suggestion is held against a key."""

import json

import pytest

from scenarist.errors import BadInput
from scenarist.metrics.judged import gaps_at, judge, judgements, met
from scenarist.models.untold.second_key import second_keys
from scenarist.question import Guess, Item, JudgedEvent, JudgedKey, Prediction, Suggestion, Suggestions
from scenarist.registry import make

LINE = {
    "id": "a",
    "sentences": ["Ann sat down in the restaurant.", "The soup was cold.", "She paid by card and left."],
    "scenarios": [{"name": "eating in a restaurant", "aliases": ["having dinner"]}],
    "accepted": [
        {"event": "Ann orders", "wordings": ["order food", "place order"], "gaps": [1]},
        {"event": "The cook makes the soup", "wordings": ["cook meal", "prepare food"], "gaps": [1]},
        {"event": "Ann pays", "wordings": ["ask for bill", "get bill"], "gaps": [2]},
    ],
    "refused": [{"event": "Ann pays in cash", "wordings": ["pay cash", "pay"], "why": "told in sentence 2"}],
}


@pytest.fixture
def item(tmp_path):
    (tmp_path / "mine.jsonl").write_text(json.dumps(LINE) + "\n")
    (story,) = make("corpus", f"judged:{tmp_path}")
    (item,) = make("exam", "judged").set([story])
    return item


def answer(*said: Suggestion, scenarios=("having dinner",)) -> Prediction:
    return Prediction("a", (Guess(Suggestions(scenarios, said)),))


def value(metric, item, prediction):
    measure = make("metric", metric)
    return float(measure.combine(measure.mark(item, prediction)))


def test_the_question_holds_nothing_of_the_key(item):
    assert item.question.story.text == " ".join(LINE["sentences"])
    assert not item.question.story.segments
    assert item.question.story.scenario == ""


def test_suggestions_are_held_against_the_key(item):
    ends = [stop for _, stop in item.key.sentences]
    said = answer(
        Suggestion("Ann orders the soup", ends[0]),  # *order food*: soup is a food
        Suggestion("the cook prepares the meal", ends[1]),  # accepted, but not here
        Suggestion("Ann pays", ends[1]),  # told
        Suggestion("Ann brushes her teeth", ends[2]),  # nothing
    )
    assert [(one.accepted, one.in_place) for one in judgements(item, said)] == [
        (True, True),
        (True, False),
        (False, False),
        (False, False),
    ]
    assert value("accepted", item, said) == 0.5
    assert value("in_place", item, said) == 0.25
    assert value("suggestions", item, said) == 4
    assert value("scenario", item, said) == 1


def test_two_suggestions_for_one_entry_count_once(item):
    first = item.key.sentences[0][1]
    said = answer(Suggestion("Ann orders food", first), Suggestion("Ann places the order", first))
    assert value("suggestions", item, said) == 1
    assert value("accepted", item, said) == 1


def test_other_wordings_of_a_suggestion_count_too(item):
    said = Suggestion("the guest calls the waiter over", 60, ("ask for the bill",))
    assert judge(said, item.key).accepted


def test_scenarios_share(item):
    assert value("scenario", item, answer(scenarios=())) == 0
    assert value("scenario", item, answer(scenarios=("eating in a restaurant", "paying taxes"))) == 0.5
    assert value("scenario", item, None) == 0


def test_a_story_of_none():
    item = Item("n", None, JudgedKey((), ((0, 5),), (), ()))  # type: ignore[arg-type]
    assert value("scenario", item, answer(scenarios=())) == 1
    assert value("scenario", item, answer(scenarios=("jogging",))) == 0
    assert value("accepted", item, answer(Suggestion("she runs", 5))) == 0


@pytest.mark.parametrize(
    ("said", "wording", "meets"),
    [
        ("the waiter brings Mia the menu", "bring menu", True),
        ("Mia purchases a ticket", "buy ticket", True),
        ("she turns on the light", "turn off light", False),
        ("she opens the door", "close door", False),
        ("he sits down", "take seat", True),
        ("he waits for the bus", "wait for train", False),
        ("we drive home", "go home", True),
        ("the nurse calls the patient", "call patient", True),
    ],
)
def test_what_meets_what(said, wording, meets):
    assert bool(met(said, wording)) == meets


def test_refused_wins_where_both_are_met_as_well():
    key = JudgedKey(
        (), ((0, 9),), (JudgedEvent("a", ("pay driver",), (1,)),), (JudgedEvent("b", ("pay driver",), why="told"),)
    )
    assert not judge(Suggestion("Mia pays the driver", 9), key).accepted


def test_gaps():
    key = JudgedKey((), ((0, 10), (11, 20)), (), ())
    assert gaps_at(10, key) == gaps_at(11, key) == {1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sentences": []}, "sentences"),
        ({"accepted": [{"event": "x", "wordings": ["y"], "gaps": [9]}]}, "gaps are from 0 to 3"),
        ({"accepted": [{"event": "x", "wordings": ["y"]}]}, "no gaps"),
        ({"refused": [{"event": "x", "wordings": []}]}, "no wordings"),
    ],
)
def test_a_bad_line_is_named(tmp_path, change, message):
    (tmp_path / "mine.jsonl").write_text(json.dumps({**LINE, **change}) + "\n")
    with pytest.raises(BadInput, match=message):
        list(make("corpus", f"judged:{tmp_path}"))


def test_a_test_file_on_the_search_path_is_the_test_split(tmp_path, monkeypatch):
    (tmp_path / "judged").mkdir()
    (tmp_path / "judged" / "test.jsonl").write_text(json.dumps(LINE) + "\n")
    monkeypatch.setenv("SCENARIST_DATA", str(tmp_path))
    assert [story.id for story in make("corpus", "judged", split="test")] == ["a"]
    assert len(list(make("corpus", "judged", split="dev"))) == 20


def test_a_second_judge_answers_the_stories_it_read_and_no_other(item):
    judge_again, (first, *_) = make("model", "second-key"), make("exam", "judged").set(make("corpus", "judged"))
    said = judge_again.answer(first.question).best
    assert (
        len(said.suggestions) == 4 < len(make("model", "second-key", most=99).answer(first.question).best.suggestions)
    )
    text = first.question.story.text
    for suggestion in said.suggestions:
        assert suggestion.offset == 0 or text[suggestion.offset - 1] in ".!?\"'”’", "a gap stands behind a sentence"
    assert judge_again.answer(item.question).best == Suggestions()


def test_every_judged_story_has_a_second_key():
    stories = [story for split in ("dev", "test") for story in make("corpus", "judged", split=split)]
    keys = second_keys()
    assert {story.story.id for story in stories} == set(keys)
    for story in stories:
        assert all(0 <= event.gap <= len(story.key.sentences) for event in keys[story.story.id].unsaid)
