"""Events and chains held against gold: links of unannotated words speak neither for nor against a reader, and more is better."""

from __future__ import annotations

import numpy as np
import pytest

from scenarist.contracts import Metric
from scenarist.metrics.events import Caveman, ChainF1, RealisF1, SentencesPerSecond, SetF1
from scenarist.question import Guess, Item, Prediction, Read, Reading
from scenarist.story import Entity, Event, Mention, Role, Sentence, Story, Token

TEXT = "Ann woke and rose . Bob slept ."
WORDS = TEXT.split()
STARTS = [sum(len(word) + 1 for word in WORDS[:place]) for place in range(len(WORDS))]


def story(*events: tuple[int, str], realis: bool = True) -> Story:
    """Events as (token, entity)."""
    return Story(
        "s", TEXT,
        tokens=tuple(Token(start, start + len(word)) for start, word in zip(STARTS, WORDS, strict=True)),
        sentences=(Sentence(0, 19, 0, 5), Sentence(20, len(TEXT), 5, 8)),
        entities=(Entity("a", (Mention(0, 3, 0, 0, head=0),)), Entity("b", (Mention(20, 23, 5, 5, head=5),))),
        events=tuple(
            Event(WORDS[token], (Role("subj", entity),), token, STARTS[token], STARTS[token] + len(WORDS[token]), realis=realis)
            for token, entity in events
        ),
    )  # fmt: skip


GOLD = story((1, "a"), (3, "a"), (6, "b"))
ITEM = Item("i", Read(TEXT), Reading(GOLD))


def said(found: Story) -> Prediction:
    return Prediction("i", (Guess(Reading(found)),))


def test_only_chains_of_two_events_count_and_only_annotated_words() -> None:
    metric = ChainF1()
    assert metric.mark(ITEM, said(GOLD)) == {"right": 2.0, "key": 2.0, "found": 2.0}
    # Bob's one event makes no chain; what is found of Ann at a word that nobody annotated is not counted
    more = story((1, "a"), (3, "a"), (6, "b"), (2, "a"), (2, "b"))
    assert metric.mark(ITEM, said(more)) == {"right": 2.0, "key": 2.0, "found": 2.0}
    wrong = story((1, "b"), (3, "a"), (6, "a"))
    assert metric.mark(ITEM, said(wrong)) == {"right": 1.0, "key": 2.0, "found": 2.0}
    assert metric.mark(ITEM, None) == {"right": 0.0, "key": 2.0, "found": 0.0}


def test_what_did_not_happen_is_no_event_told() -> None:
    assert RealisF1().mark(ITEM, said(GOLD)) == {"right": 3.0, "key": 3.0, "found": 3.0}
    assert RealisF1().mark(ITEM, said(story((1, "a"), realis=False)))["found"] == 0.0


@pytest.mark.parametrize("metric", [ChainF1, RealisF1, Caveman, SentencesPerSecond, SetF1])
def test_more_is_better(metric: type) -> None:
    assert metric.higher is True


def figure(metric: Metric, prediction: Prediction) -> float:
    return float(metric.combine({name: np.asarray(value) for name, value in metric.mark(ITEM, prediction).items()}))


def test_a_reader_that_finds_more_or_is_faster_wins() -> None:
    """The better answer has the higher figure, and the metric says that higher is better."""
    slow, fast = (Prediction("i", said(GOLD).guesses, note=f"seconds:{seconds}") for seconds in (4, 2))
    thin = said(story((1, "a")))
    for metric, worse, better in (
        (SentencesPerSecond(), slow, fast), (RealisF1(), thin, said(GOLD)), (ChainF1(), thin, said(GOLD))
    ):  # fmt: skip
        assert figure(metric, worse) < figure(metric, better) and metric.higher is True
    assert (figure(SentencesPerSecond(), slow), figure(SentencesPerSecond(), fast)) == (0.5, 1.0)
    assert figure(SentencesPerSecond(), said(GOLD)) == 0.0  # nobody said how long it took
