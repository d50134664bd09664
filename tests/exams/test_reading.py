"""The exam `reading` and its metrics, on stories of our own."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from scenarist.conformance import check_exam
from scenarist.errors import BadInput
from scenarist.exams.reading import ReadingExam
from scenarist.metrics.events import Caveman, ChainF1, RealisF1, SentencesPerSecond
from scenarist.question import Guess, Item, Prediction, Read, Reading
from scenarist.reading.foreign.conllu import ConlluReader
from scenarist.story import Entity, Event, Role, Story

HAND = Path(__file__).parents[1] / "reading" / "fixtures" / "hand.conllu"


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    return list(ConlluReader(coreference=False)([HAND.read_text("utf-8")]))


def predict(story: Story, note: str = "") -> Prediction:
    return Prediction("i", (Guess(Reading(story)),), note=note)


def value(
    metric: RealisF1 | ChainF1 | Caveman | SentencesPerSecond, item: Item, prediction: Prediction | None
) -> float:
    return float(metric.combine({name: np.asarray(count) for name, count in metric.mark(item, prediction).items()}))


def test_the_question_gives_words_or_text_and_never_the_key(stories: list[Story]) -> None:
    item = next(iter(ReadingExam("parse").set(stories)))
    assert isinstance(item.question, Read)
    assert item.question.words[0] == ("Mia", "walked", "into", "a", "bakery", ".")
    assert isinstance(item.key, Reading)
    assert item.key.story.entities == item.key.story.events == ()
    raw = next(iter(ReadingExam("parse", tokens="raw").set(stories)))
    assert raw.question == Read(stories[0].text)
    assert "nsubj" not in str(item.question)


def test_switches_reach_the_items_and_the_signature(stories: list[Story]) -> None:
    exam = ReadingExam("coreference", tokens="raw", singletons=False, kind="person")
    assert exam.settings() == {"part": "coreference", "tokens": "raw", "singletons": "no", "kind": "person"}
    assert set(next(iter(exam.set(stories))).tags) >= {"no-singletons", "kind:person"}
    assert list(ReadingExam(genre="fiction").set(stories)) == []
    with pytest.raises(BadInput, match="Did you mean 'parse'"):
        ReadingExam("parsing")
    with pytest.raises(BadInput, match="tokens = 'raw'"):
        list(ReadingExam("parse").set([msgspec.structs.replace(stories[0], sentences=())]))


def test_it_keeps_the_promises_of_an_exam(stories: list[Story]) -> None:
    check_exam(ReadingExam("coreference"), stories)


def test_realis_counts_places(stories: list[Story]) -> None:
    (item,) = ReadingExam("realis").set([msgspec.structs.replace(stories[0], events=stories[0].events[:4])])
    assert value(RealisF1(), item, predict(stories[0])) == pytest.approx(
        2 * 4 / (4 + 8)
    )  # eight of ten are told as real
    assert value(RealisF1(), item, None) == 0.0
    assert value(RealisF1(), item, predict(msgspec.structs.replace(stories[0], events=stories[0].events[:4]))) == 1.0


def test_chains_are_compared_after_entities_are_matched(stories: list[Story]) -> None:
    story = stories[0]
    item = Item("i", Read(story.text), Reading(story))
    assert value(ChainF1(), item, predict(story)) == 1.0
    renamed = msgspec.structs.replace(
        story,
        entities=tuple(msgspec.structs.replace(one, id="x" + one.id) for one in story.entities),
        events=tuple(
            msgspec.structs.replace(
                event,
                roles=tuple(
                    msgspec.structs.replace(role, entity=role.entity and "x" + role.entity) for role in event.roles
                ),
            )
            for event in story.events
        ),
    )
    assert value(ChainF1(), item, predict(renamed)) == 1.0
    less = msgspec.structs.replace(story, events=story.events[:-1])
    assert 0.5 < value(ChainF1(), item, predict(less)) < 1.0
    assert value(ChainF1(), item, None) == 0.0


def test_an_event_without_annotation_is_not_counted() -> None:
    entity = Entity("e1")
    story = Story("s", "", entities=(entity,), events=(Event("run", (Role("subj", "e1"),)),))
    item = Item("i", Read(""), Reading(Story("s", "")))
    assert ChainF1().mark(item, predict(story)) == {"right": 0.0, "key": 0.0, "found": 0.0}


def test_caveman_accepts_any_of_the_glosses(stories: list[Story]) -> None:
    story = stories[0]
    sentence = story.sentences[-1]
    tokens = tuple(
        msgspec.structs.replace(token, head=token.head - sentence.first if token.head >= 0 else -1)
        for token in story.tokens[sentence.first : sentence.last]
    )
    one = Story(
        "s", story.text, tokens=tokens, sentences=(msgspec.structs.replace(sentence, first=0, last=len(tokens)),)
    )
    item = Item("i", Read(""), "she sit.", accept=("she wait in lobby for days.",))
    assert value(Caveman(), item, predict(one)) == 1.0
    assert value(Caveman("released"), item, predict(one)) == 0.0
    assert value(Caveman(), item, None) == 0.0


def test_pace_is_sentences_by_seconds(stories: list[Story]) -> None:
    item = Item("i", Read(""), Reading(stories[0]))
    assert value(SentencesPerSecond(), item, predict(stories[0], "seconds:0.5")) == 12.0
    assert value(SentencesPerSecond(), item, predict(stories[0])) == 0.0


@pytest.mark.data("bennett")
def test_sixty_sentences_are_glossed_by_hand() -> None:
    from scenarist.registry import make

    items = list(ReadingExam("caveman").set(make("corpus", "bennett", split="dev")))
    assert len(items) == 60
    assert all(isinstance(item.key, str) and item.key.endswith(".") for item in items)
