"""What a corpus, reader, model, exam and metric promise; `conformance.py` checks it for our own names and anybody's.

Everything is a Protocol: a foreign class need not import us. Optional methods are looked up with ``getattr``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy.typing as npt

from scenarist.question import AnyQuestion, Item, Prediction, Question
from scenarist.story import Story

T_co = TypeVar("T_co", covariant=True)
Totals: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""Summed counts by name; each value is an array over bootstrap replicates (or of shape () for the plain value)."""


@runtime_checkable
class Corpus(Protocol[T_co]):
    """A re-iterable stream of Story, Pair, Script, Chain or Item. Made with ``split`` ('train', 'dev', 'test')."""

    name: str

    def __iter__(self) -> Iterator[T_co]: ...


@runtime_checkable
class WordLists(Protocol):
    """A corpus of pairs that brings word lists of its own, for models with a closed vocabulary."""

    def vocabulary(self) -> tuple[str, ...]:
        """All words, in the order of the rows of ``vectors``."""

    def whitelist(self) -> tuple[str, ...]:
        """The words that may fill a blank."""

    def vectors(self) -> npt.NDArray[Any]:
        """A vector for each word of the vocabulary, (V, width)."""


@runtime_checkable
class Reader(Protocol):
    """text -> Story, in batches."""

    name: str

    def __call__(self, texts: Iterable[str]) -> Iterator[Story]: ...


@runtime_checkable
class Model(Protocol):
    """Question -> Prediction.

    ``asks`` names the types of question it answers; any other type is refused with BadInput, and so may be a form of its own type
    (a gap without choices), never all forms.
    ``learns`` says what ``fit`` takes: ``nothing``, ``stories`` (an iterable of what the training corpus yields) or
    ``examples`` (a sequence of Example from a training split). ``fit`` returns self. A model with ``held = True`` stops or tunes on texts
    that it does not learn from; the runner hands them over (``Tuned``).
    Optional: ``answer_many(questions) -> list[Prediction]`` for batches, ``logp(question, answer) -> float | None`` and
    ``rank(question, answer) -> float | None`` (expected rank, ties shared), both asked only after the guesses are stored;
    ``reads() -> Iterable[Path]``, the files of weights and tables behind its answers, so that new ones never replay stored answers;
    ``trained_on``, names of the corpora and networks that these came from, as the signature of its figures says them.
    ``positional = True`` says that the place of a choice matters to it on purpose (always the first; a seeded draw).
    ``answer`` fills ``Prediction.item`` with ``""``: the runner writes the item id.
    """

    name: str
    learns: str
    asks: tuple[type[Question], ...]

    def fit(self, data: Iterable[Any]) -> Model: ...

    def answer(self, question: AnyQuestion) -> Prediction: ...


@runtime_checkable
class Tuned(Protocol):
    """A model whose ``fit`` also takes what it stops or tunes on: ``held``, None where there is nothing."""

    held: bool

    def fit(self, data: Iterable[Any], held: Iterable[Any] | None = None) -> Model: ...


@runtime_checkable
class Exam(Protocol):
    """Stories (or pairs, chains) -> Items. Keyword arguments of the constructor are its switches.

    Optional: ``follow(item, answer) -> Item | None`` gives the next item of a sequence, its question extended by the
    answer (the key: *oracle*; the guess: *greedy*), and ``mode`` says which of the two the runner passes. ``view`` names the
    ``kind`` of a corpus with several views (toy) that the exam is set on, where none is asked for. ``percent = False``: its papers
    print proportions as fractions.
    """

    name: str

    def settings(self) -> Mapping[str, object]: ...

    def set(self, stories: Iterable[Any]) -> Iterator[Item]: ...


@runtime_checkable
class Metric(Protocol):
    """Item x Prediction -> counts; sums of counts -> value.

    ``mark`` gives named counts for one item (``None`` is a missing prediction and counts as wrong). ``combine`` takes the
    sums of the counts over items, each an array of any shape, and returns the value in the same shape: so the bootstrap is
    one matrix product. ``higher``: more is better. ``proportion``: the value is a share of something, printed as a percentage where a
    paper does so. Optional: ``agree(a, b)``, the counts for two people's predictions of one item; ``bounds``, the least and the most
    that a value can be which is no proportion.
    """

    name: str
    higher: bool
    proportion: bool

    def settings(self) -> Mapping[str, object]: ...

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]: ...

    def combine(self, totals: Totals) -> npt.NDArray[Any]: ...
