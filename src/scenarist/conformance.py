"""Does a corpus, reader, model, exam or metric keep its promises? For our own names and for anybody's.

Each check takes a registered name or an object, raises ``Broken`` with the promise that was not kept, and returns the
list of promises that were checked. Our own test suite runs them over every registered name.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from scenarist.contracts import Corpus, Exam, Metric, Model, Reader
from scenarist.noun import from_json, to_json
from scenarist.question import AnyQuestion, Choice, Example, Guess, Item, Prediction
from scenarist.registry import make
from scenarist.story import Mention, Segment, Sentence, Story, Token


class Broken(AssertionError):
    """A promise that was not kept."""


def promise(kept: bool, what: str, done: list[str]) -> None:
    """Note a promise as kept, or say that it is broken."""
    if not kept:
        raise Broken(what)
    done.append(what)


def check_corpus(corpus: str | Corpus[Any], split: str = "train", most: int = 50) -> list[str]:
    """Re-iterable, streaming, immutable nouns with distinct ids that survive JSON; spans inside the text."""
    made: Corpus[Any] = make("corpus", corpus, split=split) if isinstance(corpus, str) else corpus
    done: list[str] = []
    first = list(itertools.islice(made, most))
    promise(bool(first), "a corpus yields at least one noun", done)
    promise(first == list(itertools.islice(made, most)), "iterating twice gives the same", done)
    promise(isinstance(getattr(made, "name", None), str), "a corpus has a name", done)
    for noun in first:
        hash(noun)
        if from_json(to_json(noun), type(noun)) != noun:
            raise Broken(f"{noun!r} does not survive JSON")
        if isinstance(noun, Story):
            check_story(noun)
    promise(True, "nouns are hashable and survive JSON", done)
    ids = [noun.id for noun in first if getattr(noun, "id", "")]
    promise(len(set(ids)) == len(ids), "ids are distinct", done)
    return done


def check_story(story: Story) -> None:
    """Offsets point into the text, indices into their layers."""
    size, tokens = len(story.text), len(story.tokens)
    mentions = tuple(mention for entity in story.entities for mention in entity.mentions)
    spans: tuple[Sentence | Token | Segment | Mention, ...] = (
        *story.sentences,
        *story.tokens,
        *story.segments,
        *mentions,
    )
    for span in spans:
        if not 0 <= span.start <= span.stop <= size:
            raise Broken(f"story {story.id!r}: {span!r} is outside the text")
    for token in story.tokens:
        if not -1 <= token.head < tokens:
            raise Broken(f"story {story.id!r}: a head {token.head} is no token")
    known = {entity.id for entity in story.entities}
    for event in story.events:
        for role in event.roles:
            if role.entity and role.entity not in known:
                raise Broken(f"story {story.id!r}: event {event.predicate!r} names an unknown entity {role.entity!r}")


def check_reader(
    reader: str | Reader, texts: Sequence[str] = ("Ann met Bob. She smiled at him.", "", "It rained.")
) -> list[str]:
    """One story a text, in order, with the text unchanged and layers inside it; the same twice; batches do not matter."""
    made: Reader = make("reader", reader) if isinstance(reader, str) else reader
    done: list[str] = []
    stories = list(made(list(texts)))
    promise(len(stories) == len(texts), "one story a text", done)
    promise([story.text for story in stories] == list(texts), "the text is kept as it is", done)
    for story in stories:
        check_story(story)
    promise(True, "layers point into the text", done)
    alone = [next(iter(made([text]))) for text in texts]
    promise([layers(one) for one in alone] == [layers(one) for one in stories], "batches change nothing", done)
    return done


def layers(story: Story) -> tuple[object, ...]:
    """All of a story but its id."""
    return (story.text, story.sentences, story.tokens, story.entities, story.events)


QUESTIONS: tuple[AnyQuestion, ...] = (
    Choice(("Ann was hungry.", "She opened the fridge."), ("She ate an apple.", "The train was late.")),
    Choice(("Tom broke his leg.",), ("He went to the doctor.", "He won the race.")),
)


def check_model(
    model: str | Model, questions: Sequence[AnyQuestion] = QUESTIONS, data: Iterable[Any] | None = None
) -> list[str]:
    """``fit`` returns self, an answer is a ranked Prediction, the same twice, in any order, alone or in a batch."""
    made: Model = make("model", model) if isinstance(model, str) else model
    done: list[str] = []
    promise(getattr(made, "learns", None) in ("nothing", "stories", "examples"), "`learns` says what `fit` takes", done)
    if reads := getattr(made, "reads", None):
        promise(all(path.is_file() for path in reads()), "`reads` names files that are there", done)
    if made.learns != "nothing":
        training = data if data is not None else [Example(question, "0") for question in questions]
        promise(made.fit(training) is made, "`fit` returns self", done)
    answers = [made.answer(question) for question in questions]
    for answer in answers:
        promise(isinstance(answer, Prediction), "`answer` gives a Prediction", done)
        scored = [guess.logp for guess in answer.guesses if guess.logp is not None]
        promise(scored == sorted(scored, reverse=True), "guesses stand best first", done)
        mass = float(np.exp(scored).sum()) if scored else 0.0
        promise(mass <= 1.0 + 1e-6 or not scored or answer.rest is None, "probabilities do not exceed one", done)
    backwards = [made.answer(question) for question in reversed(questions)][::-1]
    promise(backwards == answers, "the order of asking changes nothing", done)
    many = getattr(made, "answer_many", None)
    if many is not None:
        promise(close(many(list(questions)), answers), "a batch gives what single questions give", done)
    return done


def close(a: Sequence[Prediction], b: Sequence[Prediction]) -> bool:
    """The same guesses, log-probabilities within rounding."""
    return len(a) == len(b) and all(
        [guess.answer for guess in one.guesses] == [guess.answer for guess in two.guesses]
        and np.allclose([g.logp or 0.0 for g in one.guesses], [g.logp or 0.0 for g in two.guesses], atol=1e-3)
        for one, two in zip(a, b, strict=True)
    )


def check_exam(exam: str | Exam, stories: Iterable[Any], rekey: Callable[[Any], Any] | None = None) -> list[str]:
    """Items are deterministic with distinct ids; questions do not hold the key's field, and do not change with the key.

    ``rekey`` changes only the key of a source (e.g. swaps the answer of a ClozeStory): no question may differ then.
    """
    made: Exam = make("exam", exam) if isinstance(exam, str) else exam
    done: list[str] = []
    whole = list(stories)
    items = list(made.set(whole))
    promise(bool(items), "an exam sets at least one item", done)
    promise(items == list(made.set(whole)), "setting it twice gives the same items", done)
    promise(len({item.id for item in items}) == len(items), "item ids are distinct", done)
    promise(all(from_json(to_json(item), Item) == item for item in items), "items survive JSON", done)
    promise(isinstance(dict(made.settings()), dict), "`settings` go into the signature", done)
    if rekey is not None:
        other = list(made.set([rekey(one) for one in whole]))
        promise(
            [item.question for item in other] == [item.question for item in items],
            "no question differs with its key",
            done,
        )
    return done


def check_metric(metric: str | Metric, items: Sequence[Item], seed: int = 13) -> list[str]:
    """The key is perfect, nothing is worst, marks add up, shuffling tied candidates changes nothing, arrays work."""
    made: Metric = make("metric", metric) if isinstance(metric, str) else metric
    done: list[str] = []
    perfect = [value(made, [(item, told(item))]) for item in items]
    missing = value(made, [(item, None) for item in items])
    whole = value(made, [(item, told(item)) for item in items])
    promise(all(np.isfinite(one) for one in perfect), "a value is finite", done)
    promise(isinstance(getattr(made, "proportion", None), bool), "it says whether it is a proportion", done)
    promise(not made.proportion or (0 <= missing <= 1 and 0 <= whole <= 1), "a proportion lies between 0 and 1", done)
    promise(whole > missing if made.higher else whole < missing, "the key beats no answer", done)
    draw = random.Random(seed)
    tied = [
        Prediction(item.id, tuple(Guess(answer, -1.0) for answer in others(item)))
        for item in items
        if isinstance(item.key, str)
    ]
    if tied:
        shuffled = [
            msgspec.structs.replace(one, guesses=tuple(draw.sample(one.guesses, len(one.guesses)))) for one in tied
        ]
        kept = [item for item in items if isinstance(item.key, str)]
        one, two = value(made, list(zip(kept, tied, strict=True))), value(made, list(zip(kept, shuffled, strict=True)))
        promise(abs(one - two) < 1e-9, "shuffling tied candidates changes nothing", done)
    counts = made.mark(items[0], told(items[0]))
    stacked = made.combine({key: np.asarray([count, count]) for key, count in counts.items()})
    promise(np.shape(stacked) == (2,), "`combine` works on arrays", done)
    return done


def told(item: Item) -> Prediction:
    """The prediction of somebody who knows the key."""
    return Prediction(item.id, (Guess(item.key, 0.0),), rest=0.0, key_logp=0.0, key_rank=1.0)


def others(item: Item) -> list[str]:
    """The key among some other answers."""
    return [str(item.key), *(f"{item.key}-{number}" for number in range(4))]


def value(metric: Metric, marked: Sequence[tuple[Item, Prediction | None]]) -> float:
    """The value of a metric on some items."""
    sums: dict[str, float] = {}
    for item, prediction in marked:
        for key, count in metric.mark(item, prediction).items():
            sums[key] = sums.get(key, 0.0) + count
    return float(metric.combine({key: np.asarray(count) for key, count in sums.items()}))
