"""Taking a sentence out of a story: offsets, tokens and layers all move up, and nothing of it stays behind."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from scenarist.exams.removal import without
from scenarist.learning.tellings import labels, main_verbs, telling
from scenarist.noun import to_json
from scenarist.story import Entity, Event, Mention, Role, Story, Token, replace

WORDS = st.lists(st.sampled_from(["Ann", "ran", "a", "Ölbaum", "fell", "\u4f60", "x.", "home"]), min_size=1, max_size=5)


@st.composite
def told(draw: st.DrawFn) -> Story:
    """A tokenised story with a mention and an event on every word."""
    story = Story.from_words("s", draw(st.lists(WORDS, min_size=1, max_size=6)))
    entities = tuple(
        Entity(f"e{n}", (Mention(t.start, t.stop, n, n + 1, n),), name=story.of(t)) for n, t in enumerate(story.tokens)
    )
    events = tuple(
        Event(f"do{n}", (Role("obj", f"e{n}", "x", n),), n, t.start, t.stop) for n, t in enumerate(story.tokens)
    )
    tokens = tuple(Token(t.start, t.stop, f"lemma{n}", "NOUN", head=max(-1, n - 1)) for n, t in enumerate(story.tokens))
    return replace(story, tokens=tokens, entities=entities, events=events)


@settings(max_examples=60, deadline=None)
@given(told(), st.data())
def test_every_other_sentence_and_layer_keeps_its_text(story: Story, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(story.sentences) - 1))
    gone = story.sentences[number]
    left = without(story, number)
    kept = [sentence for n, sentence in enumerate(story.sentences) if n != number]
    assert [left.of(sentence) for sentence in left.sentences] == [story.of(sentence) for sentence in kept]
    assert [left.words(sentence) for sentence in left.sentences] == [story.words(sentence) for sentence in kept]
    inside = [n for n in range(len(story.tokens)) if not gone.first <= n < gone.last]
    assert [token.lemma for token in left.tokens] == [f"lemma{n}" for n in inside]
    assert [event.predicate for event in left.events] == [f"do{n}" for n in inside]
    for event, n in zip(left.events, inside, strict=True):
        assert left.of(event) == story.of(story.events[n]) == left.of(left.tokens[event.token])
        assert left.of(left.tokens[event.roles[0].token]) == story.of(story.tokens[n])
    for entity in left.entities:
        mention = entity.mentions[0]
        assert left.of(mention) == entity.name == left.of(left.tokens[mention.head])
    for n, token in enumerate(left.tokens):
        assert -1 <= token.head < len(left.tokens)
        before = inside[n] - 1
        assert token.head == (inside.index(before) if before in inside else -1)


def test_what_the_sentence_named_is_gone_with_it() -> None:
    story = Story.from_words("s", [["The", "waiter", "came", "."], ["He", "smiled", "."]])
    entity = Entity("e1", (Mention(4, 10, 1, 2, 1), Mention(18, 20, 4, 5, 4)), name="waiter")
    event = Event("smile", (Role("subj", "e1", "he", 4), Role("obl", "e1", "waiter", 1)), 5, 21, 27)
    left = without(replace(story, entities=(entity,), events=(event,)), 0)
    assert b"waiter" not in to_json(left)
    assert left.text == "He smiled ."
    assert [role.head for role in left.events[0].roles] == ["he"]


def test_the_first_and_the_last_sentence_leave_no_blank() -> None:
    story = Story.from_sentences("s", ["One.", "Two.", "Three."])
    assert [without(story, number).text for number in range(3)] == ["Two. Three.", "One. Three.", "One. Two."]


def test_steps_have_the_main_verb_and_the_label_of_their_sentence() -> None:
    story = Story.from_words("s", [["We", "ate", "soup"], ["Yes"], ["We", "wanted", "to", "pay"]])
    heads = (1, -1, 1, -1, 5, -1, 7, 5)
    pos = ("PRON", "VERB", "NOUN", "INTJ", "PRON", "VERB", "PART", "VERB")
    tokens = tuple(
        Token(t.start, t.stop, story.of(t).lower(), p, head=h) for t, p, h in zip(story.tokens, pos, heads, strict=True)
    )
    events = (
        Event("eat", token=1, start=3, stop=6, label="ScrEv_eat"),
        Event("want", token=5, start=20, stop=26, label="RelNScrEv"),
        Event("pay", token=7, start=30, stop=33, label="ScrEv_pay"),
    )
    whole = replace(story, tokens=tokens, events=events, scenario="eating")
    assert main_verbs(whole) == ["eat", "", "want"]
    assert labels(whole) == ["ScrEv_eat", "", "ScrEv_pay"]
    steps = telling(whole).steps
    assert steps[0].words == ("ate", "soup")
    assert telling(whole).scenario == "eating"
