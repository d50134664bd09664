"""Partial orders of steps -> which of two steps of any activity comes first: a linear classifier of pairs, over words and over scripts'
votes.

What it sees of a pair is antisymmetric (step a before step b is the negative of b before a), so its answers are: words and verb-object
pairs of one step minus those of the other, pairs of the two verbs and of verb and object across them, whether a step names what the goal
names, and what the scripts of other activities vote (`orders.ScriptLibrary`). Trained by logistic regression with AdaGrad (Duchi et al.
2011)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.learning.library.orders import ScriptLibrary, Votes
from scenarist.learning.library.step_edges import closure
from scenarist.learning.library.wordings import EMPTY, PARTICLES, WORD, Clause, root
from scenarist.reading.stems import STOP
from scenarist.script import Script

Array = npt.NDArray[np.float64]
LEAST = 2
"""A feature that fewer pairs of train have is left out."""
VOTES = ("voted", "sure")


class StepOrder(NamedTuple):
    """The steps of an activity with the edges of their order; the goal is the last number."""

    id: str
    scenario: str
    clauses: tuple[Clause, ...]
    edges: frozenset[tuple[int, int]]
    texts: tuple[str, ...] = ()
    """The steps as written, the goal last."""

    @classmethod
    def of(cls, script: Script) -> StepOrder | None:
        """A crowd-written script whose last event is its goal; None where there are fewer than two steps."""
        number = {event.id: index for index, event in enumerate(script.events)}
        if len(number) < 3:
            return None
        steps = tuple(Clause.of(event.phrases[0]) for event in script.events[:-1])
        edges = frozenset((number[first], number[second]) for first, second, _ in script.order)
        texts = tuple(event.phrases[0] for event in script.events)
        return cls(script.evidence or script.scenario, script.scenario, steps, edges, texts)

    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of steps whose order is decided, by way of others too."""
        size = len(self.clauses)
        later = closure(self.edges, size + 1)
        return [(a, b) for a in range(size) for b in range(size) if later[a, b]]


def step_features(clause: Clause, goal: frozenset[str]) -> list[str]:
    """What a step brings by itself."""
    roots = [root(word) for word in clause.words]
    content = [key for key, word in zip(roots, clause.words, strict=True) if word not in PARTICLES]
    features = [f"w {key}" for key in roots]
    if roots:
        features.append(f"v {roots[0]}")
        features += [f"vo {roots[0]} {key}" for key in content[1:]]
        if len(roots) > 1 and clause.words[1] in PARTICLES:
            features.append(f"vp {roots[0]} {roots[1]}")
    if set(content[1:]) & goal:
        features += ["goal thing", f"v goal thing {roots[0]}"]
    if content and content[0] in goal:
        features.append("goal verb")
    features.append(f"length {min(6, len(roots))}")
    return features


def pair_features(first: Clause, second: Clause) -> list[tuple[str, float]]:
    """What two steps bring together; the sign turns where they are given the other way round."""
    features = []
    a, b = [[root(word) for word in clause.words] for clause in (first, second)]
    if not a or not b:
        return []
    both = set(a[1:]) & set(b[1:])
    mark = " same" if both else ""
    for left, right in ((a[0], b[0]), *((a[0], key) for key in b[1:]), *((key, b[0]) for key in a[1:])):
        if left != right:
            low, high, sign = (left, right, 1.0) if left < right else (right, left, -1.0)
            features.append((f"p {low} {high}", sign))
    if mark and a[0] != b[0]:
        low, high, sign = (a[0], b[0], 1.0) if a[0] < b[0] else (b[0], a[0], -1.0)
        features.append((f"s {low} {high}", sign))
    return features


class PairOrders:
    """Which of two steps comes first."""

    def __init__(
        self, library: ScriptLibrary, seed: int = 13, epochs: int = 8, rate: float = 0.1, decay: float = 1e-4
    ) -> None:
        self.library, self.seed, self.epochs, self.rate, self.decay = library, seed, epochs, rate, decay

    def fit(self, orders: Sequence[StepOrder]) -> PairOrders:
        """Learn from partial orders; each decided pair is one example."""
        rows: list[dict[str, float]] = []
        for order in orders:
            votes = self.library.votes(order.clauses)
            steps = self.steps(order)
            rows += [self.row(order, steps, votes, a, b) for a, b in order.pairs()]
        seen = Counter(feature for row in rows for feature in row)
        self.names_ = {name: number for number, name in enumerate(name for name, n in seen.items() if n >= LEAST)}
        examples = [self.numbered(row) for row in rows]
        weights, squares = np.zeros(len(self.names_)), np.full(len(self.names_), 1e-2)
        draw = np.random.default_rng(self.seed)
        total = np.zeros_like(weights)
        for _ in range(self.epochs):
            for index in draw.permutation(len(examples)):
                numbers, values = examples[index]
                margin = float(weights[numbers] @ values)
                slope = -1.0 / (1.0 + math.exp(min(30.0, margin)))
                gradient = slope * values + self.decay * weights[numbers]
                squares[numbers] += gradient**2
                weights[numbers] -= self.rate * gradient / np.sqrt(squares[numbers])
            total += weights
        self.weights_ = total / self.epochs
        return self

    def steps(self, order: StepOrder) -> list[Counter[str]]:
        """The features of each step by itself."""
        words = (word for word in WORD.findall(order.scenario.lower()) if word not in EMPTY and word not in STOP)
        goal = frozenset(map(root, words))
        return [Counter(step_features(clause, goal)) for clause in order.clauses]

    def row(self, order: StepOrder, steps: Sequence[Counter[str]], votes: Votes, a: int, b: int) -> dict[str, float]:
        """The features of a pair, a before b."""
        row: dict[str, float] = {}
        for name, count in steps[a].items():
            row[name] = row.get(name, 0.0) + count
        for name, count in steps[b].items():
            row[name] = row.get(name, 0.0) - count
        row |= dict(pair_features(order.clauses[a], order.clauses[b]))
        row["voted"] = votes.ahead[a, b] / votes.weight[a, b]
        row["sure"] = math.tanh(votes.ahead[a, b])
        return {name: value for name, value in row.items() if value}

    def numbered(self, row: dict[str, float]) -> tuple[npt.NDArray[np.int64], Array]:
        """Known features as numbers with their values."""
        known = [(self.names_[name], value) for name, value in row.items() if name in self.names_]
        return np.array([number for number, _ in known], dtype=np.int64), np.array([value for _, value in known])

    def ahead(self, order: StepOrder) -> Array:
        """(n, n) log-odds that one step comes before another."""
        size = len(order.clauses)
        votes, steps = self.library.votes(order.clauses), self.steps(order)
        ahead = np.zeros((size, size))
        for a in range(size):
            for b in range(a + 1, size):
                numbers, values = self.numbered(self.row(order, steps, votes, a, b))
                ahead[a, b] = float(self.weights_[numbers] @ values) if len(numbers) else 0.0
                ahead[b, a] = -ahead[a, b]
        return ahead

    def heaviest(self, most: int = 20) -> Iterable[tuple[str, float]]:
        """What speaks most for coming first."""
        order = np.argsort(-self.weights_)[:most]
        names = list(self.names_)
        return [(names[number], float(self.weights_[number])) for number in order]
