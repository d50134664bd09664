"""A detector's answers -> what it confuses and why: Tables 4, 7 and 8, Figure 2 and the correlations of Wanzare et al. (2019).

Runs our detector and the paper's TT_tf.idf (the row of that name in `wanzare2019`) over stitched documents with *None*, nested and related
scenarios, and counts: per scenario documents, sentences, segments, mean segment length, precision, recall and F1 with intervals (bootstrap
over the stories that documents are made of); the commonest wrong pairs of two scenarios with the PMI of their labels in the same text and
their relation in the inventory; the share of all such errors in the ten and the hundred commonest pairs; the correlations of recall and F1
with PMI and of precision and F1 with frequency; segments and scenarios a text; the share of sentences with several labels; all pairs for a
confusion map (`pages/confusion.py`, `scenarist bench scenarios --html map.html`).

Who stands beside whom in a stitched document was drawn, so PMI measures the drawing. The table `confusions` therefore has documents of a
second kind (``together``), whose neighbours are drawn as often as one story tells both (`resources/together`).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from scenarist import __version__
from scenarist.bench.analyses.scenario_draws import (
    Array,
    Counted,
    correlation_ends,
    document_weights,
    ends_of,
    pearson,
    pmi_ends,
    ratios,
    share_ends,
    sums_of,
)
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.bench.sit import data_hash, make_exam
from scenarist.bench.solver import Solver
from scenarist.bench.spec import Row, load
from scenarist.contracts import Model
from scenarist.corpora.stitched import Stitched
from scenarist.inventory import NONE, related
from scenarist.metrics.sentence_labels import Unit, answer_units, guess_units
from scenarist.question import Item, Prediction, Segments
from scenarist.registry import make
from scenarist.signature import sign

MODELS = {"detector": "detector", "tt-tfidf": "tt-tfidf-as-printed"}
"""Who is asked: its name here, and its row in the table `wanzare2019` (settings, what it learns from and tunes on)."""
RECIPES: Mapping[str, Mapping[str, Any]] = {"stitched": {"related": 0.3}, "together": {"together": 1.0}}
"""How neighbours in a document are drawn: at random and now and then related, or as they are told together in real texts."""
DRAWN = {
    "stitched": "who stands beside whom was drawn (three times in ten a related scenario), so PMI measures the stitching, nothing of life",
    "together": "who stands beside whom was drawn as often as one story of MCScript's train part tells both, by its words; PMI is "
    "that of these stories",
}


class AnalysedAnswers(NamedTuple):
    """One model's answers on one kind of documents, analysed; ``who`` stands in the signatures."""

    model: str
    recipe: str
    analysis: Analysis
    who: dict[str, object]
    data: str


def chosen_models(only: Sequence[str]) -> list[str]:
    """The models that are named, or all."""
    return [name for name in MODELS if name in only] or list(MODELS)


def answered(
    split: str, seed: int, limit: int | None, models: Sequence[str], recipes: Sequence[str] = ("stitched",)
) -> list[AnalysedAnswers]:
    """Every model's answers on every kind of documents, analysed; a model learns once."""
    corpora = {recipe: documents(split, seed, recipe) for recipe in recipes}
    items = {recipe: list(make("exam", "detection").set(corpus))[:limit] for recipe, corpus in corpora.items()}
    parts = []
    for name in models:
        model, who = fitted(name, seed)
        for recipe in recipes:
            predictions = [model.answer(item.question) for item in items[recipe]]
            analysis = analyse(items[recipe], predictions, seed)
            parts.append(AnalysedAnswers(name, recipe, analysis, who, f"stitched#{data_hash(items[recipe])}"))
    return parts


def documents(split: str, seed: int, recipe: str) -> Stitched:
    """The stitched documents of a recipe."""
    return Stitched(split, documents=400, other=1 / 3, nested=0.25, seeds=(seed,), **RECIPES[recipe])


def fitted(name: str, seed: int) -> tuple[Model, dict[str, object]]:
    """A model as the table `wanzare2019` has it under *noisy*, and what signatures say of it."""
    table = load("wanzare2019")
    row: Row = next(row for row in table.row if row.name == MODELS[name] and row.role != "published")
    condition = next(condition for condition in table.condition if condition.name == "noisy")
    solver = Solver(row, condition, make_exam(condition.exam, condition.settings), seed)
    model = solver.fitted()
    held = {"held": list(dict.fromkeys(f"{part.corpus}:{part.split}" for part in solver.held))} if solver.held else {}
    return model, {**solver.signed(None), **held}


def table(split: str = "dev", seed: int = 13, limit: int | None = None, only: Sequence[str] = ()) -> Analysis:
    """Scenario by scenario (Tables 4 and 8), for our detector and for TT_tf.idf."""
    parts = answered(split, seed, limit, chosen_models(only))
    rows = []
    for part in parts:
        for row in part.analysis.rows:
            row.model = row.model if part.model == "detector" else f"{row.model} ({part.model})"
            row.role = "ours" if part.model == "detector" else "baseline"
            row.who = part.who
            rows.append(row)
    more: dict[str, Any] = {
        "models": [{"model": part.model, **{key: part.analysis.more[key] for key in OF_A_MODEL}} for part in parts],
        **{key: parts[0].analysis.more[key] for key in OF_DOCUMENTS},
    }
    return Analysis(rows, signed_with("scenarios", split, seed, parts), more)


OF_A_MODEL = (
    "confusions", "pairs", "order", "errors", "errors_with_none", "share_of_ten_commonest", "share_of_hundred_commonest",
    "share_between_related", "correlations",
)  # fmt: skip
OF_DOCUMENTS = ("segments_a_text", "scenarios_a_text", "several_labels")


def confusions(split: str = "dev", seed: int = 13, limit: int | None = None, only: Sequence[str] = ()) -> Analysis:
    """Table 7 and section 5.3: the ten commonest wrong pairs with their PMI, shares of all errors, correlations."""
    parts = answered(split, seed, limit, chosen_models(only), tuple(RECIPES))
    rows = []
    for part in parts:
        more, role = part.analysis.more, "ours" if part.model == "detector" else "baseline"
        end = f"({part.model}{', together' if part.recipe == 'together' else ''})"
        who = {**part.who, "data": part.data, **documents(split, seed, part.recipe).settings()}
        for name, value in more["correlations"].items():
            figure = Figure(value, *correlation_ends(value, len(part.analysis.rows)), len(part.analysis.rows))
            rows.append(FigureRow(f"{name} {end}", role, {"r/scenarios": figure}, {}, who))
        for count in ("ten", "hundred"):
            share = Figure(more[f"share_of_{count}_commonest"], *more["ends"][count], *more["drawn"])
            rows.append(FigureRow(f"{count} commonest pairs {end}", role, {"share/errors": share}, {}, who))
        for pair in more["confusions"][:10]:
            mutual = Figure(pair["pmi"], *more["ends"][pair["true"], pair["predicted"]], *more["drawn"])
            scores = {"count/sentences": Figure(pair["sentences"]), "pmi/pair": mutual}
            related_ = {"relation": pair["relation"]} if pair["relation"] else {}
            rows.append(FigureRow(f"{pair['true']} → {pair['predicted']} {end}", role, scores, related_, who))
    said = [f"PMI of rows{' marked together' if recipe == 'together' else ''}: {DRAWN[recipe]}." for recipe in RECIPES]
    return Analysis(rows, signed_with("confusions", split, seed, parts), {"remarks": said})


def signed_with(table: str, split: str, seed: int, parts: Sequence[AnalysedAnswers]) -> str:
    """The signature of a table of these answers."""
    what = {
        "exam": "detection", "data": list(dict.fromkeys(part.data for part in parts)), "split": split, "seed": seed, "v": __version__,
    }  # fmt: skip
    if len({part.recipe for part in parts}) == 1:
        what |= documents(split, seed, parts[0].recipe).settings()
    return sign(table, what)


def seriated(pairs: Mapping[tuple[str, str], int]) -> list[str]:
    """Scenarios in an order in which what is confused stands together: groups by confusion, then along each group's Fiedler vector."""
    names = sorted({name for pair in pairs for name in pair if name != NONE})
    place = {name: at for at, name in enumerate(names)}
    near = np.zeros((len(names), len(names)))
    for (one, two), count in pairs.items():
        if NONE not in (one, two) and one != two:
            near[place[one], place[two]] += count
            near[place[two], place[one]] += count
    if len(names) < 3:
        return names
    near += 1e-3  # one piece, so that there is one order
    degree = near.sum(axis=1)
    scaled = near / np.sqrt(np.outer(degree, degree))
    _, vectors = np.linalg.eigh(np.eye(len(names)) - scaled)
    return [names[at] for at in np.argsort(vectors[:, 1] / np.sqrt(degree), kind="stable")]


def analyse(items: Sequence[Item], predictions: Sequence[Prediction], seed: int = 13) -> Analysis:
    """The counts as rows (one a scenario) and the rest beside them."""
    counts: list[dict[str, Counted]] = []
    wrong_pairs: list[Counter[tuple[str, str]]] = []
    texts: dict[str, set[int]] = defaultdict(set)
    segments: dict[str, list[int]] = defaultdict(list)
    several = labelled = 0
    shape: Counter[int] = Counter()
    kinds: Counter[int] = Counter()
    for number, (item, prediction) in enumerate(zip(items, predictions, strict=True)):
        keys = answer_units(item, item.key)
        guesses = guess_units(item, prediction) or [Unit({})] * len(keys)
        wrong_pairs.append(Counter())
        counts.append(counted(keys, guesses, wrong_pairs[-1]))
        labelled += sum(bool(unit.labels) for unit in keys)
        several += sum(len(unit.labels) > 1 for unit in keys)
        assert isinstance(item.key, Segments)
        story = item.question.story  # type: ignore[union-attr]
        for segment in item.key.segments:
            inside = sum(segment.start <= one.start < segment.stop for one in story.sentences)
            for name in segment.names:
                segments[name].append(inside)
                texts[name].add(number)
        shape[len(item.key.segments)] += 1
        kinds[len({name for segment in item.key.segments for name in segment.names})] += 1
    mutual = pmi(texts, len(items))
    pairs = sum(wrong_pairs, Counter[tuple[str, str]]())
    sources = [item.sources for item in items]
    weights = document_weights(sources, seed)
    rows = scenario_rows(counts, segments, texts, weights, sources)
    every = sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))
    ranked = [(pair, count) for pair, count in every if NONE not in pair]  # the paper's matrix is 200 by 200
    errors = sum(count for _, count in ranked)
    ends: dict[str | tuple[str, str], tuple[float, float]] = {
        "ten": share_ends(wrong_pairs, {pair for pair, _ in ranked[:10]}, weights),
        "hundred": share_ends(wrong_pairs, {pair for pair, _ in ranked[:100]}, weights),
        **{pair: pmi_ends(pair, texts, len(items), seed) for pair, _ in ranked[:10]},
    }
    more = {
        "confusions": [
            {
                "true": true, "predicted": wrong, "sentences": count,
                "pmi": round(mutual.get(frozenset((true, wrong)), 0.0), 2), "relation": related(true, wrong),
            }
            for (true, wrong), count in ranked[:100]
        ],
        "pairs": [[true, wrong, count] for (true, wrong), count in every],
        "order": seriated(pairs),
        "errors": errors,
        "errors_with_none": sum(pairs.values()),
        "share_of_ten_commonest": sum(count for _, count in ranked[:10]) / max(1, errors),
        "share_of_hundred_commonest": sum(count for _, count in ranked[:100]) / max(1, errors),
        "share_between_related": sum(count for (one, two), count in ranked if related(one, two)) / max(1, errors),
        "correlations": correlations(rows, mutual),
        "ends": ends,
        "drawn": (len(items), len({source for own in sources for source in own})),
        "segments_a_text": dict(sorted(shape.items())),
        "scenarios_a_text": dict(sorted(kinds.items())),
        "several_labels": several / max(1, labelled),
    }  # fmt: skip
    return Analysis(rows, "", more)


def counted(keys: Sequence[Unit], guesses: Sequence[Unit], pairs: Counter[tuple[str, str]]) -> dict[str, Counted]:
    """One document: counts a scenario; wrong pairs are added to ``pairs``."""
    found: dict[str, Counted] = defaultdict(Counted)
    for key, guess in zip(keys, guesses, strict=True):
        n = max(1, len(key.labels))
        taken = set(sorted(guess.weights, key=lambda name: (-guess.weights[name], name))[:n])
        for name in key.labels:
            old = found[name]
            found[name] = Counted(old.right + (name in taken), old.claimed, old.there + 1)
        for name in taken:
            found[name] = found[name]._replace(claimed=found[name].claimed + 1)
        missed, wrong = sorted(key.labels - taken), sorted(taken - key.labels)
        for one in missed or ([NONE] if not key.labels else []):
            for two in wrong or ([NONE] if missed else []):
                pairs[one, two] += 1
    return dict(found)


def scenario_rows(
    counts: Sequence[Mapping[str, Counted]],
    segments: Mapping[str, Sequence[int]],
    texts: Mapping[str, set[int]],
    weights: Array,
    sources: Sequence[Sequence[str]],
) -> list[FigureRow]:
    """One row a scenario, the best first; intervals draw the stories that documents are made of (`bench/bootstrap.py`)."""
    names = sorted(segments)
    place = {name: number for number, name in enumerate(names)}
    sums = sums_of(counts, names)
    copies = np.maximum(np.tensordot(weights, sums, axes=1), 0.0)
    plain = sums.sum(axis=0)
    drawn = [len({source for number in texts[name] for source in sources[number]}) for name in names]
    rows = []
    for name in names:
        at = place[name]
        scores: dict[str, Figure] = {}
        for what, value, many in zip(
            ("precision", "recall", "f1"), ratios(plain[at]), ratios(copies[:, at].T), strict=True
        ):
            scores[f"{what}/scenario"] = Figure(float(value), *ends_of(many), int(plain[at][2]), drawn[at])
        plain_counts = {
            "count/documents": len(texts[name]), "count/sentences": plain[at][2], "count/segments": len(segments[name]),
            "count/sentences-a-segment": float(np.mean(segments[name])),
        }  # fmt: skip
        scores |= {key: Figure(float(value)) for key, value in plain_counts.items()}
        rows.append(FigureRow(name, "ours", scores))
    return sorted(rows, key=lambda row: (-row.scores["f1/scenario"].value, row.model))


def pmi(texts: Mapping[str, set[int]], size: int) -> dict[frozenset[str], float]:
    """Equation 1 of the paper, for scenarios that meet in a text."""
    found = {}
    for one, two in combinations(sorted(texts), 2):
        both = len(texts[one] & texts[two])
        if both:
            found[frozenset((one, two))] = math.log(both * size / (len(texts[one]) * len(texts[two])))
    return found


def correlations(rows: Sequence[FigureRow], mutual: Mapping[frozenset[str], float]) -> dict[str, float]:
    """Pearson's: recall and F1 with a scenario's greatest PMI; precision and F1 with its sentences."""
    names = [row.model for row in rows]
    top = [max((value for pair, value in mutual.items() if name in pair), default=0.0) for name in names]

    def column(what: str) -> list[float]:
        return [row.scores[what].value for row in rows]

    frequent = column("count/sentences")
    return {
        "recall with pmi": pearson(column("recall/scenario"), top),
        "f1 with pmi": pearson(column("f1/scenario"), top),
        "precision with sentences": pearson(column("precision/scenario"), frequent),
        "f1 with sentences": pearson(column("f1/scenario"), frequent),
    }
