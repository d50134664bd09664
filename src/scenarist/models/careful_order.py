"""Order -> Guesses: `story-order` asked several times, with words that say when, and the library's scripts. Behind `scenarist order`.

The network answers a little differently when the sentences are shown in another order: its tables are a mean over several showings, which
start from the alphabet, so that the answer is the same however the sentences came. *First*, *then* and *finally* are heard. Each pair of
clauses is looked up in the scripts of the library, which vote for the one that comes first (`ScriptLibrary`); a vote counts the more
the more scripts stand behind it, and none does where no script tells the story: votes harm stories of other things
(docs/why/storycloze.md).
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from scenarist.errors import BadInput
from scenarist.learning.library.alignment import story_clauses
from scenarist.learning.library.evidence import library_scripts
from scenarist.learning.library.orders import ScriptLibrary, library_order
from scenarist.models.endings.story_network import story_files
from scenarist.models.ordering import Array, OrderTables, StoryOrder, sentences_of
from scenarist.question import AnyQuestion, Guess, Order, Permutation, Prediction, Question
from scenarist.registry import make
from scenarist.store.home import inside, resource

FIRST = re.compile(r"(first|first of all|firstly|to begin with|to start with)\b", re.IGNORECASE)
NEXT = re.compile(
    r"(then|next|after that|afterwards|after a while|later|second|secondly|third|thirdly)\b", re.IGNORECASE
)
LAST = re.compile(r"(finally|at last|in the end|eventually|lastly|last of all)\b", re.IGNORECASE)
HEARD = 1.5
"""Nats that such a word is worth against each other sentence."""
DOUBT = 2.0
"""Scripts' worth of doubt about a vote."""
KNOWN = 0.65
"""From this mean likeness of a story's clauses to the events of its best script on, scripts vote."""


class CarefulOrder:
    """Several showings, words of order, scripts."""

    name = "careful-order"
    learns = "nothing"
    trained_on = ("smollm2", "rocstories")
    asks: tuple[type[Question], ...] = (Order,)

    def __init__(self, weights: str = "ordering-1", views: int = 4, scripts: float = 1.5, cues: bool = True) -> None:
        """``views``: showings; ``scripts``: the weight of the library's votes; ``cues``: hear *first*, *then*, *finally*."""
        if views < 1 or scripts < 0:
            raise BadInput(
                f"{self.name}: expected one or more views and a weight of at least 0, got {views} and {scripts}."
            )
        self.weights, self.views, self.scripts, self.cues = weights, views, scripts, cues

    def reads(self) -> list[Path]:
        """SmolLM2, the adapters, and for the scripts' votes the reader and the library."""
        library = inside(resource("scripts"), resource("reader"), resource("meaning")) if self.scripts else []
        return [*story_files(self.weights), *library]

    def fit(self, data: object) -> CarefulOrder:
        """Nothing to learn here."""
        return self

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All showings of all questions at once."""
        network = StoryOrder(self.weights)
        given = [sentences_of(question, self.name) for question in questions]
        showings = [showings_of(sentences, self.views) for sentences in given]
        asked = [
            Order(tuple(sentences[place] for place in showing))
            for sentences, orders in zip(given, showings, strict=True)
            for showing in orders
        ]
        tables = iter(network.tables(asked))
        answers = []
        for sentences, orders in zip(given, showings, strict=True):
            parts = [next(tables).shown_in(showing) for showing in orders]
            if len(sentences) < 2:
                answers.append(Prediction("", (Guess(Permutation((0,)), 0.0),), by=self.name, rest=0.0))
                continue
            before, after, place = (np.mean([part[number] for part in parts], axis=0) for number in range(3))
            if self.cues:
                before = before + heard(sentences)
            if self.scripts:
                before = before + self.scripts * script_votes(sentences, orders[0])
            mixed = OrderTables(before.tolist(), after.tolist(), place.tolist())
            answers.append(network.weigh(mixed, self.name))
        return answers


def showings_of(sentences: Sequence[str], views: int) -> list[list[int]]:
    """Places in which the sentences are shown: along the alphabet first, then drawn, the same however they came.

    >>> [[text[at] for at in showing] for text in ("bca", "cab") for showing in showings_of(text, 2)]
    [['a', 'b', 'c'], ['b', 'c', 'a'], ['a', 'b', 'c'], ['b', 'c', 'a']]
    """
    alphabet = sorted(range(len(sentences)), key=lambda place: (sentences[place], place))
    drawn = [list(alphabet)]
    for number in range(1, views):
        showing = list(range(len(sentences)))
        random.Random(number).shuffle(showing)
        drawn.append([alphabet[place] for place in showing])
    return drawn


def heard(sentences: Sequence[str]) -> Array:
    """What *first*, *then* and *finally* say of each pair, in nats for the row before the column.

    >>> heard(["Finally she ate.", "She cooked."]).tolist()
    [[0.0, -1.5], [1.5, 0.0]]
    """
    size = len(sentences)
    table = np.zeros((size, size))
    kinds = [-1 if FIRST.match(text) else 1 if NEXT.match(text) else 2 if LAST.match(text) else 0 for text in sentences]
    for row, kind in enumerate(kinds):
        for column, behind in enumerate(kinds):
            if (kind == -1 and behind > 0) or (behind == 2 and kind != 2):
                table[row, column] += HEARD
                table[column, row] -= HEARD
    return table


@lru_cache(maxsize=1)
def script_library() -> ScriptLibrary:
    """All scripts of the library with their orders."""
    return ScriptLibrary(
        {name: library_order(known.script, known.evidence) for name, known in library_scripts().items()}
    )


def script_votes(sentences: Sequence[str], showing: Sequence[int]) -> Array:
    """What the scripts of the library say of each pair of sentences, log-odds for the row before the column, read as shown."""
    size = len(sentences)
    ahead, weight = np.zeros((size, size)), np.full((size, size), DOUBT)
    story = next(iter(make("reader", "default")([" ".join(sentences[place] for place in showing)])))
    ends = np.cumsum([len(sentences[place]) + 1 for place in showing])
    clauses = [
        (showing[int(np.searchsorted(ends, story.events[clause.event].start, side="right"))], clause.clause)
        for clause in story_clauses(story, story.sentences)
    ]
    library = script_library()
    likenesses = library.likenesses([clause for _, clause in clauses])
    if max((float(table.max(axis=1).mean()) for table in likenesses.values()), default=0.0) < KNOWN:
        return np.zeros((size, size))  # no script tells this story
    votes = library.votes([clause for _, clause in clauses])
    for row, (first, _) in enumerate(clauses):
        for column, (second, _) in enumerate(clauses):
            if first != second:
                ahead[first, second] += votes.ahead[row, column]
                weight[first, second] += votes.weight[row, column]
    odds: Array = ahead / weight
    return odds
