"""A predictions file -> Predictions that can be marked: integers as answers, a byte order mark, and what an item does not allow.

An answer that no item of its kind can have (an index out of range, an order of other length, a segment beyond the text), a positive
log-probability, and guesses that do not stand in the order of theirs are refused with their line: a number made from them would
mean nothing. A prediction without a guess is counted as wrong, and said.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.question import (
    Answer,
    AnyQuestion,
    Choice,
    EventGap,
    Group,
    Groups,
    Item,
    Order,
    Permutation,
    Prediction,
    Rate,
    Relate,
    Segments,
    SentenceGap,
    Unsaid,
    Where,
    WordGap,
)

BOM = b"\xef\xbb\xbf"
SLACK = 1e-6
"""How far a sum of floats may be off."""


def prediction_lines(lines: Iterable[bytes], where: str) -> Iterator[tuple[int, Prediction]]:
    """JSON lines as predictions with the number of their line; an integer stands for its digits."""
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(BOM) if number == 1 else line
        if not text.strip():
            continue
        try:
            yield number, msgspec.convert(with_text_answers(msgspec.json.decode(text)), Prediction)
        except (msgspec.DecodeError, ValueError) as error:
            raise BadInput(f"{where}, line {number}: not a valid Prediction: {error}") from error


def with_text_answers(raw: Any) -> Any:
    """A decoded line whose integer answers and ids are text, as nouns want them.

    >>> with_text_answers({"item": 7, "guesses": [{"answer": 1}]})
    {'item': '7', 'guesses': [{'answer': '1'}]}
    """
    if not isinstance(raw, dict):
        return raw
    guesses = raw.get("guesses")
    changed = {**raw, **({"item": str(raw["item"])} if type(raw.get("item")) is int else {})}
    if isinstance(guesses, list):
        changed["guesses"] = [
            {**guess, "answer": str(guess["answer"])}
            if isinstance(guess, dict) and type(guess.get("answer")) is int
            else guess
            for guess in guesses
        ]
    return changed


def check_prediction(prediction: Prediction, item: Item, where: str) -> None:
    """Refuse what an item does not allow, and log-probabilities that are none."""
    before: float | None = None
    seen: set[str] = set()
    mass = 0.0
    for number, guess in enumerate(prediction.guesses, start=1):
        place = f"{where}, item {item.id!r}, guess {number}"
        if problem := wrong_answer(guess.answer, item.question):
            raise BadInput(f"{place}: {problem}")
        if isinstance(guess.answer, str):
            if guess.answer in seen:
                raise BadInput(f"{place}: the answer {guess.answer!r} stands there twice; expected each once.")
            seen.add(guess.answer)
        if guess.logp is None:
            continue
        if guess.logp > SLACK:
            raise BadInput(
                f"{place}: logp is {guess.logp:g}; expected the natural logarithm of a probability, 0 at most. "
                "If it is a probability, write its logarithm; if it is a score, leave logp out: the order of the guesses counts."
            )
        if before is not None and guess.logp > before + SLACK:
            raise BadInput(
                f"{place}: its logp {guess.logp:g} is above that of the guess before ({before:g}); expected the best first."
            )
        before = guess.logp
        mass += math.exp(guess.logp)
    if mass > 1.01 and seen:
        raise BadInput(
            f"{where}, item {item.id!r}: the probabilities of its guesses sum to {mass:.2f}, over 1; leave logp out if they are scores."
        )


def wrong_answer(answer: Answer, question: AnyQuestion) -> str:
    """What is wrong with an answer to a question; empty for an answer that is possible.

    >>> wrong_answer("2", Choice(("Ann woke.",), ("She rose.", "It rained.")))
    "expected an index from 0 to 1, got '2'"
    """
    match question:
        case Choice(choices=choices):
            return not_index(answer, len(choices))
        case Order(sentences=sentences):
            if not isinstance(answer, Permutation):
                return f'expected {{"is": "order", "order": [...]}}, got {answer!r}'
            given = len(answer.order)
            return "" if given == len(sentences) else f"expected an order of {len(sentences)} sentences, got {given}"
        case Where(story=story, whole=whole):
            if whole:
                return "" if isinstance(answer, str) else "expected the name of a scenario"
            if not isinstance(answer, Segments):
                return f'expected {{"is": "segments", "segments": [...]}}, got {answer!r}'
            beyond = [segment for segment in answer.segments if segment.stop > len(story.text)]
            return f"a segment ends at {beyond[0].stop}, the text at {len(story.text)}" if beyond else ""
        case EventGap(choices=links) if links:
            names = [str(link) for link in links]
            return "" if answer in names else f"expected one of {', '.join(names)}, got {answer!r}"
        case Unsaid(choices=choices) if choices:
            return "" if answer in choices else f"expected one of {', '.join(choices)}, got {answer!r}"
        case Rate(low=low, high=high):
            try:
                value = float(answer) if isinstance(answer, str) else float("nan")
            except ValueError:
                value = float("nan")
            return "" if low <= value <= high else f"expected a number from {low} to {high}, got {answer!r}"
        case Group(texts=texts):
            if isinstance(answer, Groups) and len(answer.names) == len(texts):
                return ""
            return f"expected the names of {len(texts)} groups, one a text"
        case EventGap() | WordGap() | SentenceGap() | Unsaid():
            return (
                ""
                if isinstance(answer, str) and answer.strip()
                else f"expected an event or a word as text, got {answer!r}"
            )
        case Relate(relations=relations):
            return "" if answer in relations else f"expected one of {', '.join(relations)}, got {answer!r}"
        case _:
            return ""


def not_index(answer: Answer, count: int) -> str:
    """What is wrong with the index of a choice."""
    right = isinstance(answer, str) and answer.isascii() and answer.isdigit() and int(answer) < count
    return "" if right else f"expected an index from 0 to {count - 1}, got {answer!r}"
