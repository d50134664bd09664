"""The untold exam: what is taken out is gone from the question, and keys are as the form says."""

from __future__ import annotations

import math

import msgspec
import pytest

from scenarist.errors import BadInput
from scenarist.exams.untold import UntoldExam
from scenarist.noun import to_json
from scenarist.question import AboutEvent, Guess, Prediction
from scenarist.registry import make
from scenarist.story import Event, Sentence, Story, Token

SENTENCES = (
    ("Zoe", "entered", "the", "pizzeria"),
    ("Mr", "Quimby", "seated", "her"),
    ("She", "ordered", "calzone"),
    ("The", "oven", "glowed"),
    ("She", "devoured", "everything"),
    ("Finally", "she", "paid"),
)
VERBS = {
    "entered": "enter",
    "seated": "seat",
    "ordered": "order",
    "glowed": "glow",
    "devoured": "devour",
    "paid": "pay",
}


def story(id: str = "s1", labels: dict[str, str] | None = None, scenario: str = "eating in a restaurant") -> Story:
    made = Story.from_words(id, SENTENCES, scenario=scenario, source="hand")
    tokens, events = [], []
    for sentence in made.sentences:
        root = next(n for n in range(sentence.first, sentence.last) if made.of(made.tokens[n]) in VERBS)
        for n in range(sentence.first, sentence.last):
            t, word = made.tokens[n], made.of(made.tokens[n])
            if n == root:
                tokens.append(Token(t.start, t.stop, VERBS[word], "VERB", head=-1))
                label = (labels or {}).get(VERBS[word], "")
                events.append(Event(VERBS[word], token=n, start=t.start, stop=t.stop, form=word, label=label))
            else:
                tokens.append(Token(t.start, t.stop, word.lower(), "NOUN", head=root))
    return msgspec.structs.replace(made, tokens=tuple(tokens), events=tuple(events))


def test_the_sentence_taken_out_is_not_in_the_question() -> None:
    items = list(make("exam", "untold", per=6).set([story()]))
    assert len(items) == 6
    assert {item.key for item in items} == set(VERBS.values())
    for item in items:
        number = int(item.id.rsplit(".", 1)[1])
        asked = to_json(item.question).decode().lower()
        assert item.key not in asked
        others = {word.lower() for n, s in enumerate(SENTENCES) if n != number for word in s}
        for word in {word.lower() for word in SENTENCES[number]} - others:
            assert f'"{word}"' not in asked, word
            assert word not in item.question.story.text.lower().split(), word
        assert item.question.place == number
        assert len(item.question.story.sentences) == len(SENTENCES) - 1
        assert item.question.scenario == "eating in a restaurant"


def test_the_question_is_the_same_whatever_the_key_is() -> None:
    """Leakage: two stories that differ only in the sentence taken out ask the same."""
    first = story()
    verbs = {event.predicate: event for event in first.events}
    changed = tuple(msgspec.structs.replace(e, predicate="burn") if e is verbs["devour"] else e for e in first.events)
    second = msgspec.structs.replace(first, events=changed)
    exam = make("exam", "untold", per=6)
    one = {item.id: item for item in exam.set([first])}["s1.4"]
    other = {item.id: item for item in exam.set([second])}["s1.4"]
    assert (one.key, other.key) == ("devour", "burn")
    assert to_json(one.question) == to_json(other.question)


def test_hidden_scenarios_are_hidden() -> None:
    for form in ("mcscript", "inscript"):
        told = story(labels={"order": "ScrEv_order", "pay": "ScrEv_pay"})
        for item in make("exam", "untold", form=form, scenario="hidden").set([told]):
            assert b"restaurant" not in to_json(item.question)


def test_synonyms_are_accepted_apart() -> None:
    items = {item.key: item for item in make("exam", "untold", per=6).set([story()])}
    buy = Prediction("s1.5", (Guess("compensate"),))
    assert "compensate" in items["pay"].accept
    exact, wide = make("metric", "recall@10"), make("metric", "synonym_recall@10")
    assert sum(exact.mark(items["pay"], buy).values()) < sum(wide.mark(items["pay"], buy).values())


def test_labels_are_the_keys_of_the_inscript_form() -> None:
    told = story(labels={"order": "ScrEv_order", "pay": "ScrEv_pay", "glow": "RelNScrEv", "seat": "ScrEv_other"})
    items = list(make("exam", "untold", form="inscript", per=6).set([told]))
    assert {item.key for item in items} == {"ScrEv_order", "ScrEv_pay"}
    for item in items:
        assert item.key.encode() not in to_json(item.question)
        assert any(event.label for event in item.question.story.events)  # what is told keeps its labels


def test_an_event_goes_with_all_its_mentions_and_leaves_the_others() -> None:
    """Two sentences mention the ordering; one of them also the eating, whose label stays though its words go."""
    told = story(labels={"enter": "ScrEv_enter", "order": "ScrEv_order", "devour": "ScrEv_order", "pay": "ScrEv_pay"})
    devour = next(event for event in told.events if event.predicate == "devour")
    also = Event("chew", token=devour.token, start=devour.start, stop=devour.stop, label="ScrEv_eat")
    at = told.events.index(devour)
    told = msgspec.structs.replace(told, events=(*told.events[: at + 1], also, *told.events[at + 1 :]))
    items = {item.key: item.question for item in make("exam", "untold", form="inscript", per=9).set([told])}
    assert set(items) == {"ScrEv_enter", "ScrEv_order", "ScrEv_eat", "ScrEv_pay"}
    question = items["ScrEv_order"]
    assert len(question.story.sentences) == len(SENTENCES) - 2
    assert (
        b"calzone" not in to_json(question)
        and b"everything" not in to_json(question)
        and b"chew" not in to_json(question)
    )
    left = [event.label for event in question.story.events]
    assert [label for label in left if label] == ["ScrEv_enter", "ScrEv_eat", "ScrEv_pay"]
    assert (question.place, question.event) == (2, 2)  # after *enter* and the unlabelled *seat*
    assert question.story.events[question.event].predicate == "glow"
    wordless = question.story.events[left.index("ScrEv_eat")]
    assert wordless.start == wordless.stop == question.story.sentences[3].start


def test_absent_events_stand_beside_others_as_frequent() -> None:
    names = ("enter", "seat", "order", "glow", "devour", "pay")
    pairs = [(0, 1), (2, 3), (4, 5), (0, 2), (1, 4), (3, 5), (0, 4), (1, 5)]
    stories = [
        story(f"s{n}", {names[a]: f"ScrEv_{names[a]}", names[b]: f"ScrEv_{names[b]}"}) for n, (a, b) in enumerate(pairs)
    ]
    items = list(make("exam", "untold", form="absent", choices=3).set(stories))
    assert items
    for item in items:
        assert item.key not in item.id  # a solver sees the id
        told = {event.label for event in stories[int(item.group[1:])].events}
        assert set(item.question.choices) & told == {item.key}
        assert item.question.place is None and item.question.event is None
        assert item.key not in {event.label for event in item.question.story.events}


def test_the_first_form_of_absent_asks_for_typical_events() -> None:
    both = {"order": "ScrEv_order", "pay": "ScrEv_pay"}
    stories = [story(f"s{n}", both) for n in range(4)]
    stories.append(story("lacks", {"order": "ScrEv_order"}))
    stories += [story(f"p{n}", {"enter": "ScrEv_dive"}, "going swimming") for n in range(2)]
    (item,) = make("exam", "untold", form="absent", against="other").set(stories)
    assert (item.group, item.key) == ("lacks", "ScrEv_pay")
    assert set(item.question.choices) == {"ScrEv_pay", "ScrEv_dive"}
    assert item.key not in {event.label for event in item.question.story.events}


def test_short_stories_and_stories_without_scenario_are_passed_over() -> None:
    short = msgspec.structs.replace(story(), sentences=(Sentence(0, 3, 0, 1),))
    assert list(make("exam", "untold").set([short, story(scenario="")])) == []


def test_the_same_seed_asks_the_same() -> None:
    exam = make("exam", "untold", per=2, seed=7)
    assert list(exam.set([story()])) == list(exam.set([story()]))


def test_wrong_settings_say_what_is_right() -> None:
    with pytest.raises(BadInput, match="mcscript, inscript, absent"):
        make("exam", "untold", form="x")
    with pytest.raises(BadInput, match="gold or hidden"):
        make("exam", "untold", scenario="x")
    with pytest.raises(BadInput, match="event or sentence"):
        make("exam", "untold", form="inscript", unit="x")
    with pytest.raises(BadInput, match="matched or other"):
        make("exam", "untold", form="absent", against="x")


@pytest.mark.data("mcscript")
def test_on_mcscript_the_sentence_is_gone() -> None:
    corpus = [one for one, _ in zip(make("corpus", "mcscript", split="dev"), range(3), strict=False)]
    items = list(make("exam", "untold", per=2).set(corpus))
    assert len(items) >= 4
    texts = {one.id: one.text for one in corpus}
    for item in items:
        left = item.question.story
        whole = texts[item.group]
        number = item.question.place
        before = left.text[: left.sentences[number - 1].stop] if number else ""
        assert whole.startswith(before)
        assert len(left.text) < len(whole)
        gone = whole[len(before) : len(whole) - (len(left.text) - len(before))].strip()
        assert gone
        assert gone not in left.text or whole.count(gone) > 1


def labelled(id, *lines):
    """A story whose sentences are (text, label of its event or nothing)."""
    story = Story.from_sentences(id, [text for text, _ in lines], scenario="taking a bath")
    events = [
        Event(label.removeprefix("ScrEv_"), start=sentence.start, stop=sentence.stop, label=label)
        for sentence, (_, label) in zip(story.sentences, lines, strict=True)
        if label
    ]
    return msgspec.structs.replace(story, events=tuple(events))


BATHS = [
    labelled("b1", ("I was cold.", ""), ("I ran the water.", "ScrEv_turn_on"), ("I got in.", "ScrEv_get_in"), ("I dried off.", "ScrEv_dry")),
    labelled("b2", ("It was late.", ""), ("I put in the plug.", "ScrEv_plug"), ("I got in.", "ScrEv_get_in"), ("I slept.", "")),
]  # fmt: skip


def test_place_names_what_was_taken_out_and_asks_for_its_gap():
    items = list(UntoldExam(form="place", per=3).set(BATHS))
    assert {(item.question.event, item.key) for item in items if item.group == "b1"} == {
        ("ScrEv_turn_on", "1"), ("ScrEv_get_in", "2"), ("ScrEv_dry", "3"),
    }  # fmt: skip
    for item in items:
        assert item.question.choices == tuple(map(str, range(len(item.question.story.sentences) + 1)))
        assert not any(event.label for event in item.question.story.events)  # labels stay with the key


def test_place_of_a_list_of_steps_names_the_step_by_its_words():
    steps = Story.from_sentences("d", ["get a towel", "run the water", "get in", "dry off"], scenario="taking a bath")
    items = list(UntoldExam(form="place", per=4).set([steps]))
    assert [(item.question.event, item.key) for item in items] == [
        ("get a towel", "0"), ("run the water", "1"), ("get in", "2"), ("dry off", "3"),
    ]  # fmt: skip
    assert all(item.question.event not in item.question.story.text for item in items)


def test_told_asks_for_what_is_told_and_for_what_others_tell():
    keys = {
        (item.group, item.question.event): item.key
        for item in UntoldExam(form="told", per=9, reader="default").set(BATHS)
    }
    assert keys["b1", "ScrEv_turn_on"] == "told"
    assert keys["b1", "ScrEv_plug"] == "None"
    assert keys["b2", "ScrEv_plug"] == "told"


def test_the_library_places_and_recognises_named_events():
    model = make("model", "untold-library")
    story = next(iter(make("reader", "default")([
        "I was tired. I put the plug in and turned on the tap. I got into the tub. I dried myself with a towel."
    ])))  # fmt: skip
    gaps = tuple(map(str, range(len(story.sentences) + 1)))
    where = model.answer(AboutEvent(story, "taking a bath", "wash body with soap", gaps))
    assert where.best == "3"
    assert sum(math.exp(guess.logp) for guess in where.guesses) == pytest.approx(1)
    told = [
        model.answer(AboutEvent(story, "taking a bath", event, ("told", "None"))).best
        for event in ("get into tub", "shave legs")
    ]
    assert told == ["told", "None"]
