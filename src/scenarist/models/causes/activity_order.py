"""Choice of a cause or an effect -> Guesses: by where events stand in what people tell of the activity. For COLD (Joshi et al. 2024).

Learns from tellings of activities, each a sequence of sentences: event sequence descriptions, stories (a text that is not cut into
sentences tells nothing here). All sentences of an activity are put
on one line (seriation): sentences that are alike want the same place, neighbours of a telling want to stand one step apart. An event's
place is the mean of the places of the sentences that are like it. A good effect stands a little later than the premise, a good cause a
little earlier; it shares words and meaning with it; and in tellings it follows it closely.

Likeness is the cosine of weighted word stems, and of MiniLM's sentence vectors where ``vectors`` is on (extra `stories`). ``own=False``
leaves out the event sequence descriptions of the activity in question (``leave_out`` names their corpus); stories stay. No item of COLD is
learned from. The weights of place and meaning were fitted on pairs of events made from DeScript's other activities; seriation's strength
and the weight of following were chosen on COLD's dev set, among some twenty settings.

Without a premise it answers with the mean over all that could stand there: its own row without the premise.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.inventory import find, known
from scenarist.learning.library.wordings import EMPTY, root
from scenarist.models.endings.base import ranked, words
from scenarist.question import AnyQuestion, Choice, Prediction, Question
from scenarist.story import Story, sentence_texts

Array = npt.NDArray[np.float64]
FAR, BACK, SIDE, ALIKE, FOLLOWS = 2.26, 2.9, 1.3, 1.63, 0.22
"""Weights: of the distance in the right direction, of that in the wrong one, of being on the right side, of likeness, of following."""
STEEP = 20.0
"""How sharply the sides are told apart, in the length of the activity."""
STRENGTH = 4.0
"""Weight of the order within tellings against likeness between them."""
DECAY = 0.3
"""What following at one step more counts."""
WORDS_IN_PLACE, WORDS_ALIKE = 0.3, 0.5
"""Share of word stems in a likeness, the rest being that of sentence vectors."""
LEAST = 1e-9


class ActivityLine(NamedTuple):
    """The tellings of an activity on one line."""

    sentences: tuple[str, ...]
    places: Array
    """From 0 to 1, by sentence."""
    follows: Array
    """(E, E): how closely the second follows the first."""
    weights: dict[str, float]
    """Of word stems: rare ones tell more."""


class ActivityOrder:
    """The order of an activity."""

    name = "activity-order"
    learns = "stories"
    asks: tuple[type[Question], ...] = (Choice,)

    def __init__(self, own: bool = True, vectors: bool = True, leave_out: str = "descript") -> None:
        self.own, self.vectors, self.leave_out = own, vectors, leave_out

    @property
    def trained_on(self) -> tuple[str, ...]:
        """What its sentence vectors learned from, where it uses them."""
        return ("minilm",) if self.vectors else ()

    def fit(self, data: Iterable[Any]) -> ActivityOrder:
        """Keep the tellings of each activity; they are put on a line when the activity is asked about."""
        self.tellings_: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for story in data:
            if (
                isinstance(story, Story)
                and story.scenario
                and (self.own or not story.source.startswith(self.leave_out))
            ):
                self.tellings_[activity_name(story.scenario)].append(tuple(sentence_texts(story)))
        self.lines_: dict[str, ActivityLine] = {}
        return self

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions, those about an activity together."""
        if not hasattr(self, "tellings_"):
            raise BadInput(
                f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table."
            )
        groups: dict[str, list[int]] = defaultdict(list)
        asked: list[Choice] = []
        for index, question in enumerate(questions):
            if not isinstance(question, Choice) or not question.relation or not question.scenario:
                raise BadInput(
                    f"{self.name} chooses causes and effects within an activity that is told (COLD), nothing else."
                )
            asked.append(question)
            groups[activity_name(question.scenario)].append(index)
        out: dict[int, Prediction] = {}
        for activity, indices in groups.items():
            for index, levels in zip(indices, self.levels(activity, [asked[index] for index in indices]), strict=True):
                out[index] = ranked(levels, self.name)
        return [out[index] for index in range(len(asked))]

    def levels(self, activity: str, questions: Sequence[Choice]) -> list[list[float]]:
        """A number for each choice of each question about an activity."""
        if activity not in self.tellings_:
            return [[0.0] * len(question.choices) for question in questions]
        if activity not in self.lines_:
            self.lines_[activity] = self.line(self.tellings_[activity])
        line = self.lines_[activity]
        texts = tuple(
            dict.fromkeys(text for question in questions for text in (*premise_of(question), *question.choices))
        )
        row = {text: index for index, text in enumerate(texts)}
        stems, meanings = self.likeness(texts, line.sentences, line.weights)
        near = normed(blend(stems, meanings, WORDS_IN_PLACE) ** 12)
        wide = normed(blend(stems, meanings, WORDS_ALIKE) ** 4)
        places = near @ line.places
        steps = wide @ line.follows  # [T, E]
        follows = np.log(steps @ wide.T + LEAST)  # [T, T]
        alike = blend(*self.likeness(texts, texts, line.weights), 0.0)
        if any(not premise_of(question) for question in questions):
            blind = {way: np.log(wide @ (line.follows.T if way > 0 else line.follows) + LEAST) for way in (1.0, -1.0)}
            vague = blend(stems, meanings, 0.0)  # [T, E]
        out = []
        for question in questions:
            way = -1.0 if question.relation == "cause" else 1.0
            choices = [row[choice] for choice in question.choices]
            if premise := premise_of(question):
                index = row[premise[0]]
                after = follows[index, choices] if way > 0 else follows[choices, index]
                out.append(weigh(way * (places[choices] - places[index]), alike[index, choices], after).tolist())
                continue
            later = way * (places[choices][:, None] - line.places[None, :])  # any sentence may be the premise
            out.append(weigh(later, vague[choices], blind[way][choices]).mean(1).tolist())
        return out

    def likeness(
        self, texts: Sequence[str], others: Sequence[str], weights: dict[str, float]
    ) -> tuple[Array, Array | None]:
        """Cosines by word stems, and by sentence vectors where these are used."""
        stems = stem_vectors(texts, weights) @ stem_vectors(others, weights).T
        return stems, sentence_vectors(tuple(texts)) @ sentence_vectors(tuple(others)).T if self.vectors else None

    def line(self, tellings: Sequence[Sequence[str]]) -> ActivityLine:
        """Tellings -> their sentences on one line."""
        sentences = tuple(sentence for telling in tellings for sentence in telling)
        count = len(sentences)
        bags = [set(stems_of(sentence)) for sentence in sentences]
        frequencies = Counter(stem for bag in bags for stem in bag)
        weights = {stem: math.log((1 + count) / (1 + times)) + 0.3 for stem, times in frequencies.items()}
        near = blend(*self.likeness(sentences, sentences, weights), WORDS_IN_PLACE) ** 8
        follows = np.zeros((count, count))
        start = 0
        for telling in tellings:
            stop = start + len(telling)
            near[start:stop, start:stop] = 0.0
            gaps = np.arange(stop - start)[None, :] - np.arange(stop - start)[:, None]
            follows[start:stop, start:stop] = np.where(gaps > 0, DECAY ** np.maximum(gaps - 1, 0), 0.0)
            start = stop
        return ActivityLine(sentences, seriate(normed(near), tellings), follows, weights)


def premise_of(question: Choice) -> tuple[str, ...]:
    """The event in question, none where it is hidden."""
    if not question.context:
        return ()
    return (question.context[question.focus if question.focus is not None else -1],)


def activity_name(scenario: str) -> str:
    """An activity by the name that the inventory has for it."""
    return find(scenario).name if known(scenario) else scenario.strip().lower()


def weigh(later: Array, alike: Array, after: Array) -> Array:
    """How good choices are that stand so much later (or earlier, for causes), are so alike, and follow so closely."""
    right = 1.0 / (1.0 + np.exp(-STEEP * later))
    level: Array = (
        -FAR * np.maximum(later, 0) + BACK * np.minimum(later, 0) + SIDE * right + ALIKE * alike + FOLLOWS * after
    )
    return level


def seriate(near: Array, tellings: Sequence[Sequence[str]]) -> Array:
    """Least squares: alike sentences at one place, neighbours one step apart; then the rank, from 0 to 1."""
    near = near + near.T
    system = np.diag(near.sum(1)) - near
    target = np.zeros(len(near))
    start = 0
    for telling in tellings:
        for index in range(start, start + len(telling) - 1):
            system[index, index] += STRENGTH
            system[index + 1, index + 1] += STRENGTH
            system[index, index + 1] -= STRENGTH
            system[index + 1, index] -= STRENGTH
            target[index + 1] += STRENGTH
            target[index] -= STRENGTH
        start += len(telling)
    system[np.diag_indices(len(system))] += 1e-6
    order = np.linalg.solve(system, target).argsort(kind="stable")
    places = np.empty(len(order))
    places[order] = np.arange(len(order)) / max(1, len(order))
    return places


def blend(stems: Array, meanings: Array | None, share: float) -> Array:
    """Two likenesses as one; that of stems alone where there is no other."""
    mixed: Array = np.clip(stems if meanings is None else share * stems + (1 - share) * meanings, 0.0, 1.0)
    return mixed


def normed(rows: Array) -> Array:
    """Rows that add up to one."""
    shares: Array = rows / (rows.sum(1, keepdims=True) + 1e-12)
    return shares


@lru_cache(maxsize=20_000)
def stems_of(text: str) -> tuple[str, ...]:
    """The stems of a text's telling words."""
    return tuple(root(word) for word in words(text) if word not in EMPTY)


def stem_vectors(texts: Sequence[str], weights: dict[str, float]) -> Array:
    """Texts as rows of weighted stems, of length one; stems that no telling has tell nothing."""
    columns = {stem: index for index, stem in enumerate(weights)}
    rows = np.zeros((len(texts), len(columns)))
    for index, text in enumerate(texts):
        for stem in set(stems_of(text)) & columns.keys():
            rows[index, columns[stem]] = weights[stem]
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Array = rows / np.where(lengths == 0, 1.0, lengths)
    return scaled


@lru_cache(maxsize=16)
def sentence_vectors(texts: tuple[str, ...]) -> Array:
    """MiniLM's vectors, of length one."""
    from scenarist.models.endings.similarity import encoder

    vectors: Array = np.asarray(
        encoder().encode(list(texts), show_progress_bar=False, batch_size=64, normalize_embeddings=True),
        dtype=np.float64,
    )
    return vectors
