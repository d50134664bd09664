"""Does a corpus, reader, model, exam or metric keep its promises? For our own names and for anybody's.

Each check takes a registered name or an object, raises ``Broken`` with the promise that was not kept, and returns the
list of promises that were checked. Our own test suite runs them over every registered name. Models are asked a small set of
questions of every kind, made of the toy corpus: what a model says it answers (``asks``) is answered, all else is refused.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from scenarist.bench.question_sets import KINDS, question_set
from scenarist.contracts import Corpus, Exam, Metric, Model, Reader
from scenarist.errors import BadInput
from scenarist.noun import from_json, to_json
from scenarist.question import (
    AboutEvent,
    AnyQuestion,
    Choice,
    EventGap,
    Example,
    Group,
    Groups,
    Guess,
    Item,
    LeftOut,
    Order,
    Permutation,
    Prediction,
    Question,
    Read,
    Reading,
    Segments,
    Suggestions,
    Unsaid,
    Where,
)
from scenarist.registry import make
from scenarist.story import Mention, Segment, Sentence, Story, Token

CLOSE = 1e-3
"""Log-probabilities that a batch, a shuffle or a second question may move by: rounding in 32 bits."""


class Broken(AssertionError):
    """A promise that was not kept."""


def promise(kept: bool, what: str, done: list[str]) -> None:
    """Note a promise as kept, or say that it is broken."""
    if not kept:
        raise Broken(what)
    if what not in done:
        done.append(what)


# Corpora and readers


def check_corpus(corpus: str | Corpus[Any], split: str = "train", most: int = 50) -> list[str]:
    """Re-iterable, streaming, immutable nouns with distinct ids that survive JSON; spans inside the text."""
    stream: Corpus[Any] = make("corpus", corpus, split=split) if isinstance(corpus, str) else corpus
    done: list[str] = []
    nouns = list(itertools.islice(stream, most))
    promise(bool(nouns), "a corpus yields at least one noun", done)
    promise(nouns == list(itertools.islice(stream, most)), "iterating twice gives the same", done)
    promise(isinstance(getattr(stream, "name", None), str), "a corpus has a name", done)
    for noun in nouns:
        hash(noun)
        if from_json(to_json(noun), type(noun)) != noun:
            raise Broken(f"{noun!r} does not survive JSON")
        if isinstance(noun, Story):
            check_story(noun)
    promise(True, "nouns are hashable and survive JSON", done)
    ids = [noun.id for noun in nouns if getattr(noun, "id", "")]
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
    reader: str | Reader,
    texts: Sequence[str] = ("Ann met Bob. She smiled at him.", "", "It rained."),
    plain: bool = True,
) -> list[str]:
    """One story a text, in order, with the text unchanged and layers inside it; the same twice; batches do not matter.

    ``plain`` is false where the texts are of a format, so that the story's text is not the same.
    """
    read: Reader = make("reader", reader) if isinstance(reader, str) else reader
    done: list[str] = []
    stories = list(read(list(texts)))
    promise(len(stories) == len(texts), "one story a text", done)
    if plain:
        promise([story.text for story in stories] == list(texts), "the text is kept as it is", done)
    for story in stories:
        check_story(story)
    promise(True, "layers point into the text", done)
    alone = [next(iter(read([text]))) for text in texts]
    promise([layers(story) for story in alone] == [layers(story) for story in stories], "batches change nothing", done)
    return done


def layers(story: Story) -> tuple[object, ...]:
    """All of a story but its id."""
    return (story.text, story.sentences, story.tokens, story.entities, story.events)


# Models


def check_model(
    model: str | Model,
    questions: Sequence[AnyQuestion] | None = None,
    data: Iterable[Any] | None = None,
    kinds: Iterable[str] = KINDS,
) -> list[str]:
    """What it ``asks`` for is answered, all else refused; answers are ranked, valid, and the same however they are asked for.

    Without ``questions`` it is asked a set of every kind; ``data`` is what it learns from in place of the toy corpus.
    """
    solver: Model = make("model", model) if isinstance(model, str) else model
    done: list[str] = []
    promise(
        getattr(solver, "learns", None) in ("nothing", "stories", "examples"), "`learns` says what `fit` takes", done
    )
    asks = getattr(solver, "asks", ())
    named = bool(asks) and all(isinstance(kind, type) and issubclass(kind, Question) for kind in asks)
    promise(named, "`asks` names the types of question it answers", done)
    if reads := getattr(solver, "reads", None):
        promise(all(path.is_file() for path in reads()), "`reads` names files that are there", done)
    if questions is not None:
        training = data if data is not None else [Example(question, "0") for question in questions]
        promise(solver.fit(training) is solver, "`fit` returns self", done)
        check_answers(solver, questions, done)
        return done
    answered: dict[type[Question], str] = {}
    for kind in kinds:
        asked = question_set(kind)
        if asked.ask not in asks:
            continue
        if asked.ask is Choice and Choice in answered:  # the same about other sources: one answer each is enough
            for question in asked.questions:
                if not refused(solver, question):
                    check_guesses(question, solver.answer(question), done)
            continue
        training = {"stories": asked.stories, "examples": asked.examples, "nothing": ()}[solver.learns]
        promise(solver.fit(data if data is not None else training) is solver, "`fit` returns self", done)
        if not refused(solver, asked.questions[0]):  # of a type it may leave out some forms, not all
            check_answers(solver, asked.questions, done)
            answered[asked.ask] = kind
    claimed = {question_set(kind).ask for kind in kinds} & set(asks)
    promise(set(answered) == claimed, "what `asks` names is answered", done)
    others = [asked.questions[0] for kind in kinds if (asked := question_set(kind)).ask not in asks]
    promise(all(refused(solver, question) for question in others), "other questions are refused with BadInput", done)
    return done


def refused(model: Model, question: AnyQuestion) -> bool:
    """Does a model say that it cannot answer this?"""
    try:
        model.answer(question)
    except BadInput:
        return True
    return False


def check_answers(model: Model, questions: Sequence[AnyQuestion], done: list[str]) -> None:
    """Valid guesses; the same twice, in any order, from a copy of the question, in a batch, and with the choices shuffled."""
    answers = [model.answer(question) for question in questions]
    for question, answer in zip(questions, answers, strict=True):
        check_guesses(question, answer, done)
    backwards = [model.answer(question) for question in reversed(questions)][::-1]
    promise(close(backwards, answers, 1e-6), "the order of asking changes nothing", done)
    copies = [from_json(to_json(question), type(question)) for question in questions]
    promise(close([model.answer(question) for question in copies], answers), "equal questions get equal answers", done)
    if (many := getattr(model, "answer_many", None)) is not None:
        promise(close(many(list(questions)), answers), "a batch gives what single questions give", done)
    if not getattr(model, "positional", False):
        for question, answer in zip(questions, answers, strict=True):
            if getattr(question, "choices", ()) and not isinstance(question, AboutEvent):  # gaps have an order
                other = model.answer(turned(question))
                promise(same_choice(question, answer, other), "shuffling the choices changes only their order", done)
    if (logp := getattr(model, "logp", None)) is not None:
        for question, answer in zip(questions, answers, strict=True):
            for guess in answer.guesses[:3]:
                value = logp(question, guess.answer)
                agreed = value is None or guess.logp is None or abs(value - guess.logp) < CLOSE
                promise(agreed, "`logp` agrees with the guesses", done)


def check_guesses(question: AnyQuestion, answer: Prediction, done: list[str]) -> None:
    """An answer of the right type, best first, with log-probabilities that can be true."""
    promise(isinstance(answer, Prediction) and answer.item == "", "`answer` gives a Prediction without an item", done)
    right = {Read: Reading, Order: Permutation, Where: Segments, LeftOut: Suggestions, Group: Groups}.get(
        type(question), str
    )
    if isinstance(question, Where) and question.whole:
        right = str
    answers = [guess.answer for guess in answer.guesses]
    promise(all(isinstance(given, right) for given in answers), f"{type(question).__name__}: the right answers", done)
    if isinstance(question, Order):
        sizes = {len(given.order) for given in answers if isinstance(given, Permutation)}
        promise(sizes <= {len(question.sentences)}, "an order holds every sentence once", done)
    promise(len(set(answers)) == len(answers), "no answer is guessed twice", done)
    if listed := choice_texts(question):
        allowed = [str(index) for index in range(len(listed))] if isinstance(question, Choice) else listed
        promise(set(map(str, answers)) <= set(allowed), "only the choices are guessed", done)
    scored = [guess.logp for guess in answer.guesses if guess.logp is not None]
    promise(len(scored) in (0, len(answers)), "all guesses have a log-probability, or none has", done)
    promise(scored == sorted(scored, reverse=True), "guesses stand best first", done)
    promise(all(value <= 1e-6 for value in scored), "a log-probability is at most zero", done)
    mass = float(np.exp(scored).sum()) + (answer.rest or 0.0) if scored else 0.0
    promise(mass <= 1.0 + CLOSE, "probabilities do not exceed one", done)


def choice_texts(question: AnyQuestion) -> list[str]:
    """The choices of a question as text, none where it has none."""
    return [str(choice) for choice in getattr(question, "choices", ())]


def turned(question: AnyQuestion) -> Any:
    """The question with its choices the other way round."""
    assert isinstance(question, Choice | EventGap | Unsaid)
    return msgspec.structs.replace(question, choices=question.choices[::-1])


def same_choice(question: AnyQuestion, answer: Prediction, other: Prediction) -> bool:
    """Does every choice have the log-probability it had, and the best one stay the best, when the choices are turned?"""
    texts = choice_texts(question)

    def rated(prediction: Prediction, order: Sequence[str]) -> dict[str, float]:
        by_index = isinstance(question, Choice)
        return {
            order[int(str(guess.answer))] if by_index else str(guess.answer): -place
            if guess.logp is None
            else guess.logp
            for place, guess in enumerate(prediction.guesses)
        }

    before, after = rated(answer, texts), rated(other, texts[::-1])
    return set(before) == set(after) and all(abs(before[text] - after[text]) < CLOSE for text in before)


def close(first: Sequence[Prediction], second: Sequence[Prediction], most: float = CLOSE) -> bool:
    """The same guesses, log-probabilities within rounding; what ties within rounding may change places."""
    return len(first) == len(second) and all(near(a, b, most) for a, b in zip(first, second, strict=True))


def near(first: Prediction, second: Prediction, most: float) -> bool:
    """Two predictions for the same question."""
    if len(first.guesses) != len(second.guesses):
        return False
    for guess, other in zip(first.guesses, second.guesses, strict=True):
        if abs((guess.logp or 0.0) - (other.logp or 0.0)) > most or (
            guess.logp is None and guess.answer != other.answer
        ):
            return False
    known = {guess.answer: guess.logp or 0.0 for guess in second.guesses}
    edge = min(known.values(), default=0.0)  # the last that is listed may change with one that ties with it
    return all(abs(known.get(guess.answer, edge) - (guess.logp or 0.0)) <= most for guess in first.guesses)


# Exams


def check_exam(exam: str | Exam, stories: Iterable[Any], rekey: Callable[[Any], Any] | None = None) -> list[str]:
    """Items are deterministic with distinct ids; questions do not hold the key's field, and do not change with the key.

    ``rekey`` changes only the key of a source (e.g. swaps the answer of a ClozeStory): no question may differ then.
    """
    examiner: Exam = make("exam", exam) if isinstance(exam, str) else exam
    done: list[str] = []
    whole = list(stories)
    items = list(examiner.set(whole))
    promise(bool(items), "an exam sets at least one item", done)
    promise(items == list(examiner.set(whole)), "setting it twice gives the same items", done)
    promise(len({item.id for item in items}) == len(items), "item ids are distinct", done)
    promise(all(from_json(to_json(item), Item) == item for item in items), "items survive JSON", done)
    promise(isinstance(dict(examiner.settings()), dict), "`settings` go into the signature", done)
    if rekey is not None:
        other = list(examiner.set([rekey(story) for story in whole]))
        promise(
            [item.question for item in other] == [item.question for item in items],
            "no question differs with its key",
            done,
        )
    return done


# Metrics


def knows_key(item: Item) -> Prediction:
    """The prediction of somebody who knows the key."""
    return Prediction(item.id, (Guess(item.key, 0.0),), rest=0.0, key_logp=0.0, key_rank=1.0)


def check_metric(
    metric: str | Metric,
    items: Sequence[Item],
    perfect: Callable[[Item], Prediction] = knows_key,
    keyed: bool = True,
    forgiving: bool = False,
    seed: int = 13,
) -> list[str]:
    """Nothing beats the key, no answer is wrong, marks add up, shuffling tied candidates changes nothing, arrays work.

    ``perfect`` is the prediction of somebody who knows (where the key is no answer itself); ``keyed`` is false for what is
    not measured against the key (a pace, how much people agree), ``forgiving`` is true for a precision, which an answer that
    is not given does not lower.
    """
    measure: Metric = make("metric", metric) if isinstance(metric, str) else metric
    done: list[str] = []
    best = [(item, perfect(item)) for item in items]
    promise(all(np.isfinite(value(measure, [pair])) for pair in best), "a value is finite", done)
    missing = value(measure, [(item, None) for item in items])
    promise(np.isfinite(missing), "no answer at all has a finite value", done)
    promise(isinstance(getattr(measure, "proportion", None), bool), "it says whether it is a proportion", done)
    inside = all(0 <= given <= 1 for given in (missing, value(measure, best)))
    promise(inside or not measure.proportion, "a proportion lies between 0 and 1", done)
    if keyed:
        check_key(measure, best, forgiving, done)
    if tied := [(item, tied_guesses(item)) for item in items if isinstance(item.key, str)]:
        draw = random.Random(seed)
        mixed = [
            (item, msgspec.structs.replace(given, guesses=tuple(draw.sample(given.guesses, len(given.guesses)))))
            for item, given in tied
        ]
        promise(
            abs(value(measure, tied) - value(measure, mixed)) < 1e-9, "shuffling tied candidates changes nothing", done
        )
    sums = [totals(measure, best), totals(measure, [(item, None) for item in items])]
    names = dict.fromkeys(name for marks in sums for name in marks)
    stacked = measure.combine({name: np.asarray([marks.get(name, 0.0) for marks in sums]) for name in names})
    alone = [float(measure.combine({name: np.asarray(marks.get(name, 0.0)) for name in names})) for marks in sums]
    promise(np.shape(stacked) == (2,) and np.allclose(stacked, alone), "`combine` works on arrays", done)
    return done


def check_key(metric: Metric, best: Sequence[tuple[Item, Prediction]], forgiving: bool, done: list[str]) -> None:
    """The key is at least as good as anything else, and no answer counts as wrong."""
    sign = 1.0 if metric.higher else -1.0
    whole = sign * value(metric, best)
    missing = sign * value(metric, [(item, None) for item, _ in best])
    promise(whole > missing, "the key beats no answer", done)
    half = sign * value(metric, [best[0], *((item, None) for item, _ in best[1:])])
    promise(missing <= half <= whole + 1e-9, "no answer is never better than the key", done)
    if len(best) > 1 and not forgiving:
        promise(half < whole, "a missing prediction counts as wrong", done)


def tied_guesses(item: Item) -> Prediction:
    """The key among other answers, all as likely."""
    answers = [str(item.key), *(f"{item.key}-{number}" for number in range(4))]
    return Prediction(item.id, tuple(Guess(answer, -2.0) for answer in answers))


def totals(metric: Metric, marked: Sequence[tuple[Item, Prediction | None]]) -> dict[str, float]:
    """The sums of the marks of some items."""
    sums: dict[str, float] = {}
    for item, prediction in marked:
        for name, count in metric.mark(item, prediction).items():
            sums[name] = sums.get(name, 0.0) + count
    return sums


def value(metric: Metric, marked: Sequence[tuple[Item, Prediction | None]]) -> float:
    """The value of a metric on some items."""
    return float(metric.combine({name: np.asarray(count) for name, count in totals(metric, marked).items()}))
