"""Two partitions of mentions -> MUC, B3, CEAF-phi4 and their mean, the CoNLL F1.

MUC after Vilain et al. (1995), B3 after Bagga and Baldwin (1998), CEAF with phi4 after Luo (2005), the mean of the three
after Pradhan et al. (2012), whose treatment of predicted mentions (a mention the other side lacks is its own cluster there)
is followed. Counts are summed over documents before dividing, as the reference scorer does, so a bootstrap draws documents.

Mentions are the same when they cover the same characters. ``singletons`` keeps clusters of one mention on both sides
(LitBank annotates them, OntoGUM does not); ``kind`` keeps the clusters of one entity type (of the key, and what was
predicted to be of that type). An item may ask for either with the tags ``no-singletons`` and ``kind:person``. CEAF needs
the best one-to-one alignment of clusters: the Hungarian method, written here without scipy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.errors import BadInput
from scenarist.question import Item, Prediction, Reading
from scenarist.story import Story

Span: TypeAlias = Hashable
Clusters: TypeAlias = Sequence[Collection[Span]]


def muc(key: Clusters, response: Clusters) -> tuple[float, float, float, float]:
    """-> (recall numerator, denominator, precision numerator, denominator): links kept.

    >>> muc([{1, 2, 3}, {4, 5, 6, 7}], [{1, 2}, {3, 4, 5}, {6, 7}])
    (3.0, 5.0, 3.0, 4.0)
    """
    return (*_muc_one_way(key, response), *_muc_one_way(response, key))


def _muc_one_way(key: Clusters, response: Clusters) -> tuple[float, float]:
    where = {span: place for place, cluster in enumerate(response) for span in cluster}
    right = total = 0
    for cluster in key:
        parts = {where[span] for span in cluster if span in where}
        alone = sum(span not in where for span in cluster)
        right += len(cluster) - len(parts) - alone
        total += len(cluster) - 1
    return float(right), float(total)


def b_cubed(key: Clusters, response: Clusters) -> tuple[float, float, float, float]:
    """Each mention's share of its cluster that the other side keeps together.

    >>> b_cubed([{1, 2, 3, 4}], [{1, 2}, {3, 4}])
    (2.0, 4.0, 4.0, 4.0)
    """
    return (*_b_cubed_one_way(key, response), *_b_cubed_one_way(response, key))


def _b_cubed_one_way(key: Clusters, response: Clusters) -> tuple[float, float]:
    where = {span: place for place, cluster in enumerate(response) for span in cluster}
    right = total = 0.0
    for cluster in key:
        shared = Counter(where[span] for span in cluster if span in where)
        right += sum(count * count for count in shared.values()) / len(cluster)
        total += len(cluster)
    return right, total


def ceaf(key: Clusters, response: Clusters) -> tuple[float, float, float, float]:
    """CEAF with phi4: the similarity of the best one-to-one alignment of clusters.

    >>> ceaf([{1, 2}, {3, 4}], [{1, 2}, {3, 4}])
    (2.0, 2.0, 2.0, 2.0)
    """
    where = {span: place for place, cluster in enumerate(response) for span in cluster}
    similar = np.zeros((len(key), len(response)))  # [key clusters, response clusters]
    for place, cluster in enumerate(key):
        for other, count in Counter(where[span] for span in cluster if span in where).items():
            similar[place, other] = 2.0 * count / (len(cluster) + len(response[other]))
    best = float(similar[assignment(similar)].sum()) if similar.size else 0.0
    return best, float(len(key)), best, float(len(response))


def assignment(profit: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Profits [rows, columns] -> (rows, columns) of the most profitable one-to-one assignment (Kuhn 1955, Munkres 1957).

    Rows and columns that touch nothing are left out first; what remains is solved by shortest augmenting paths.

    >>> assignment(np.array([[1.0, 3.0], [2.0, 5.0]]))
    (array([0, 1]), array([0, 1]))
    """
    rows, columns = np.flatnonzero(profit.any(axis=1)), np.flatnonzero(profit.any(axis=0))
    if not len(rows):
        return rows, columns
    turned = len(rows) > len(columns)
    part = profit[np.ix_(rows, columns)]
    found = _hungarian(-(part.T if turned else part))  # column of each row
    if turned:
        return rows[found], columns[np.arange(len(columns))]
    return rows[np.arange(len(rows))], columns[found]


def _hungarian(cost: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Costs [n, m], n <= m -> the column of each row."""
    n, m = cost.shape
    row_price, column_price = np.zeros(n + 1), np.zeros(m + 1)
    owner, way = np.zeros(m + 1, dtype=int), np.zeros(m + 1, dtype=int)  # 1-based; column 0 is the start
    for row in range(1, n + 1):
        owner[0], column = row, 0
        least, used = np.full(m + 1, np.inf), np.zeros(m + 1, dtype=bool)
        while True:
            used[column] = True
            here = owner[column]
            free = ~used[1:]
            slack = cost[here - 1] - row_price[here] - column_price[1:]
            better = free & (slack < least[1:])
            least[1:][better] = slack[better]
            way[1:][better] = column
            step = int(np.where(free, least[1:], np.inf).argmin()) + 1
            delta = least[step]
            row_price[owner[used]] += delta
            column_price[used] -= delta
            least[1:][free] -= delta
            column = step
            if owner[column] == 0:
                break
        while column:
            owner[column] = owner[way[column]]
            column = way[column]
    found = np.zeros(n, dtype=int)
    for column in range(1, m + 1):
        if owner[column]:
            found[owner[column] - 1] = column - 1
    return found


def clusters(story: Story, singletons: bool = True, kind: str = "") -> list[frozenset[tuple[int, int]]]:
    """The entities of a story as sets of character spans; a span that stands in two entities counts in the first."""
    seen: set[tuple[int, int]] = set()
    found = []
    for entity in story.entities:
        if kind and entity.kind != kind:
            continue
        spans = {(mention.start, mention.stop) for mention in entity.mentions} - seen
        if len(spans) > (0 if singletons else 1):
            found.append(frozenset(spans))
            seen |= spans
    return found


class Coreference:
    """Base of the four: F1 from summed counts."""

    name: str
    higher = True
    proportion = True

    def __init__(self, singletons: bool = True, kind: str = "") -> None:
        self.singletons = singletons
        self.kind = kind

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"singletons": "yes" if self.singletons else "no", **({"kind": self.kind} if self.kind else {})}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """The counts of one document."""
        if not isinstance(item.key, Reading):
            raise BadInput(f"{self.name}: the key of item {item.id!r} is no reading; use the exam `reading`.")
        singletons = self.singletons and "no-singletons" not in item.tags
        kind = next((tag.removeprefix("kind:") for tag in item.tags if tag.startswith("kind:")), self.kind)
        key = clusters(item.key.story, singletons, kind)
        answer = prediction.best if prediction is not None else None
        response = clusters(answer.story, singletons, kind) if isinstance(answer, Reading) else []
        return {
            f"{part}_{name}": value
            for part, count in self.parts().items()
            for name, value in zip(("rn", "rd", "pn", "pd"), count(key, response), strict=True)
        }

    def parts(self) -> dict[str, Any]:
        """Name -> the function that counts."""
        raise NotImplementedError

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The mean F1 over the parts."""
        return np.asarray(sum(f1(totals, part) for part in self.parts()) / len(self.parts()))


def f1(totals: Totals, part: str) -> npt.NDArray[Any]:
    """F1 of one part; 1 where both sides are empty."""
    recall_n, recall_d = np.asarray(totals[f"{part}_rn"]), np.asarray(totals[f"{part}_rd"])
    precision_n, precision_d = np.asarray(totals[f"{part}_pn"]), np.asarray(totals[f"{part}_pd"])
    with np.errstate(divide="ignore", invalid="ignore"):
        recall = np.where(recall_d > 0, recall_n / np.maximum(recall_d, 1e-12), 0.0)
        precision = np.where(precision_d > 0, precision_n / np.maximum(precision_d, 1e-12), 0.0)
        mean = np.where(recall + precision > 0, 2 * recall * precision / np.maximum(recall + precision, 1e-12), 0.0)
    return np.asarray(np.where((recall_d == 0) & (precision_d == 0), 1.0, mean))


class Muc(Coreference):
    """Links (Vilain et al. 1995)."""

    name = "muc"

    def parts(self) -> dict[str, Any]:
        """MUC alone."""
        return {"muc": muc}


class BCubed(Coreference):
    """Mentions (Bagga and Baldwin 1998)."""

    name = "b_cubed"

    def parts(self) -> dict[str, Any]:
        """B3 alone."""
        return {"b3": b_cubed}


class Ceaf(Coreference):
    """Entities (Luo 2005, phi4)."""

    name = "ceaf"

    def parts(self) -> dict[str, Any]:
        """CEAF alone."""
        return {"ceaf": ceaf}


class Conll(Coreference):
    """The mean of the three (Pradhan et al. 2012)."""

    name = "conll_f1"

    def parts(self) -> dict[str, Any]:
        """All three."""
        return {"muc": muc, "b3": b_cubed, "ceaf": ceaf}
