"""InScript's labels -> the ranker of missing script events: boosted trees over count features, one candidate at a time.

Features of a training story come from tables of the other folds. Two sets of trees: with the place of the missing event and without.
Settings were chosen on three of ten folds of train (docs/log/untold.md). Needs scikit-learn (extra `dev`); running the trees does not.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from scenarist.learning.label_tables import Hole, LabelTables, compared, count, holes
from scenarist.learning.tellings import is_script
from scenarist.networks.trees import Trees, packed
from scenarist.registry import make
from training.knowledge.reading import canonical, held_out, marks

FOLDS = 10


class Sequenced(NamedTuple):
    """A telling as labels in order."""

    labels: list[str]
    scenario: str


class Asked(NamedTuple):
    """Features of the candidates of one hole (c, f), and which one it is."""

    features: np.ndarray
    key: int


def sequences(split: str) -> list[Sequenced]:
    """InScript's tellings; train without stories that are also in a dev split."""
    return [
        Sequenced([event.label for event in story.events if is_script(event.label)], canonical(story.scenario))
        for story in make("corpus", "inscript", split=split)
        if split != "train" or not marks(story.text) & held_out()
    ]


def asked(tables: LabelTables, tellings: Sequence[Sequenced], placed: bool) -> list[Asked | None]:
    """All holes of some tellings; None where the missing event is no candidate."""
    found: list[Asked | None] = []
    for one in tellings:
        scenario = tables.scenario[one.scenario]
        ids = [tables.label.get(label, -1) for label in one.labels]
        for hole, key in holes([x for x in ids if x >= 0], scenario):
            hole = Hole(hole.scenario, hole.before, hole.after, placed)
            able = tables.candidates(hole)
            at = np.flatnonzero(able == key)
            found.append(Asked(tables.features(hole)[:, able].T, int(at[0])) if len(at) else None)
    return found


def grown(rows: Sequence[Asked], seed: int = 13) -> dict[str, Any]:
    """Trees that tell the missing event from the other candidates, as arrays."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    x = np.concatenate([compared(one.features) for one in rows])
    y = np.concatenate([np.arange(len(one.features)) == one.key for one in rows])
    made = HistGradientBoostingClassifier(
        learning_rate=0.05,
        max_iter=300,
        max_leaf_nodes=8,
        min_samples_leaf=40,
        l2_regularization=1.0,
        random_state=seed,
    ).fit(x, y)
    trees = [
        [
            {"leaf": bool(node["is_leaf"]), "feature": int(node["feature_idx"]), "threshold": float(node["num_threshold"]),
             "left": int(node["left"]), "right": int(node["right"]), "value": float(node["value"]), "depth": int(node["depth"])}
            for node in predictor.nodes
        ]
        for (predictor,) in made._predictors
    ]  # fmt: skip
    return packed(trees, float(np.ravel(made._baseline_prediction)[0]))


def recall(rows: Sequence[Asked | None], score: Callable[[np.ndarray], np.ndarray]) -> float:
    """recall@1 with ties at their expected share."""
    hits = 0.0
    for one in rows:
        if one is not None:
            scores = score(one.features)
            best = scores == scores.max()
            hits += float(best[one.key]) / best.sum()
    return round(float(hits / len(rows)), 4)


def learn(log: Callable[[str], None]) -> dict[str, Any]:
    """Tables and rankers as arrays; prints dev figures."""
    own, dev = sequences("train"), sequences("dev")
    labels = sorted({label for one in own for label in one.labels})
    scenarios = sorted({one.scenario for one in own})
    draw = random.Random(13)
    fold = [draw.randrange(FOLDS) for _ in own]
    whole = count([(one.labels, one.scenario, 1.0) for one in own], labels, scenarios)
    arrays: dict[str, Any] = {
        "schema": np.int64(2),
        "labels": np.array(labels),
        "scenarios": np.array(scenarios),
        **whole.arrays(),
    }
    for placed, name in ((True, "placed"), (False, "free")):
        rows: list[Asked] = []
        for number in range(FOLDS):
            others = count(
                [(one.labels, one.scenario, 1.0) for one, f in zip(own, fold, strict=True) if f != number],
                labels,
                scenarios,
            )
            mine = [one for one, f in zip(own, fold, strict=True) if f == number]
            rows += [one for one in asked(others, mine, placed) if one is not None]
        arrays |= {f"{name}.{part}": value for part, value in grown(rows).items()}
        trees = Trees(
            {part.removeprefix(f"{name}."): value for part, value in arrays.items() if part.startswith(f"{name}.")}
        )
        held = asked(whole, dev, placed)

        def together(x: np.ndarray, trees: Trees = trees) -> np.ndarray:
            return trees.scores(compared(x))

        counted = {
            "tellers": recall(held, lambda x: x[:, 0]), "mentions": recall(held, lambda x: x[:, 1]), "place": recall(held, lambda x: x[:, 2]),
            "bigram": recall(held, lambda x: x[:, 4] + x[:, 7]), "mixture": recall(held, lambda x: x[:, 4] + x[:, 7] + x[:, 0] + x[:, 2]),
            "together": recall(held, lambda x: x[:, 14]),
        }  # fmt: skip
        log(f"{name}: {len(rows)} holes, dev {len(held)}: {counted}, ranker {recall(held, together)}")
    return arrays


if __name__ == "__main__":
    learn(print)
