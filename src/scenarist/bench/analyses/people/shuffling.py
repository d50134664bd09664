"""People's orders of shuffled sentences -> Table 3 of Mostafazadeh et al. (2016): `bench shuffling --answers DIR`.

First row: stories whose order by the absolute majority of their (five) people is perfect; a story without such a majority counts as
wrong, and how many there are is said. Second: single orders that are perfect. Third: at most one sentence misplaced. Fourth: the right
sentence in positions 1 to 5. Stories are drawn whole. Every person is a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from scenarist import __version__
from scenarist.bench.analyses.people.answers import mean_figure
from scenarist.bench.analyses.people.study_files import read_study_files
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.errors import BadInput
from scenarist.metrics.ordering import poll
from scenarist.question import Item, Order, Prediction
from scenarist.registry import make
from scenarist.signature import content_hash, sign

SINGLE = {"perfect_order": "perfect_order/single", "near_order": "near_order/single"}


def table(split: str = "dev", seed: int = 13, limit: int | None = None, answers: str = "") -> Analysis:  # noqa: ARG001
    """The table `shuffling`; ``answers``: a folder with an exam `ordering` and people's predictions."""
    if not answers:
        raise BadInput(
            "shuffling counts people's orders: give their folder, e.g. scenarist bench shuffling --answers study"
        )
    rows: list[FigureRow] = []
    remarks: list[str] = []
    hashes: list[bytes] = []
    for part in read_study_files(Path(answers)):
        if not any(isinstance(item.question, Order) for item in part.items):
            continue
        remarks += part.remarks
        items = {item.id: item for item in part.items}
        name = part.folder.name
        hashes += [repr(prediction).encode() for predictions in part.people.values() for prediction in predictions]
        everybody = [prediction for predictions in part.people.values() for prediction in predictions]
        rows.append(
            FigureRow(
                f"people-{name}", "human", scores_of(items, everybody, seed) | majority(items, everybody, seed, remarks)
            )
        )
        rows += [
            FigureRow(person, "human", scores_of(items, predictions, seed))
            for person, predictions in sorted(part.people.items())
        ]
    if not rows:
        raise BadInput(
            f"{answers}: none of its exams asks for an order. Make one with: scenarist exam ordering rocstories -o {answers}"
        )
    data = f"{Path(answers).name}#{content_hash(hashes)}"
    return Analysis(
        rows,
        sign("shuffling", {"exam": "ordering", "data": data, "seed": seed, "v": __version__}),
        {"remarks": remarks},
    )


def scores_of(items: Mapping[str, Item], predictions: Sequence[Prediction], seed: int) -> dict[str, Figure]:
    """Single orders: rows two to four."""
    scores = {}
    longest = max(len(item.question.sentences) for item in items.values() if isinstance(item.question, Order))
    names = SINGLE | {f"place{place}": f"place{place}/single" for place in range(1, longest + 1)}
    for metric_name, column in names.items():
        metric = make("metric", metric_name)
        marked = [(items[p.item], metric.mark(items[p.item], p), f"{p.item} {p.by}") for p in predictions]
        triples = [(name, counts["right"], item.group or item.id) for item, counts, name in marked if counts["n"]]
        if triples:
            scores[column] = mean_figure(triples, True, seed)
    return scores


def majority(
    items: Mapping[str, Item], predictions: Sequence[Prediction], seed: int, remarks: list[str]
) -> dict[str, Figure]:
    """The first row: the order that more than half of a story's people gave."""
    by_item: dict[str, list[Prediction]] = {}
    for prediction in predictions:
        by_item.setdefault(prediction.item, []).append(prediction)
    several = {item: part for item, part in by_item.items() if len(part) > 1}
    if not several:
        remarks.append("One person a story: there is no majority.")
        return {}
    metric = make("metric", "majority_order")
    marks = [(item, metric.mark(items[item], poll(part)), items[item].group or item) for item, part in several.items()]
    sizes = sorted({len(part) for part in several.values()})
    remarks.append(f"{len(several)} stories with the orders of {sizes[0]} to {sizes[-1]} people.")
    return {
        "perfect_order/majority": mean_figure(
            [(item, counts["right"] / counts["n"], group) for item, counts, group in marks], True, seed
        )
    }
