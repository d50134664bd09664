"""What does hard alignment buy? The table `kidscook-phrases`: tables of abstract word <-> concrete phrase made in several ways.

From the Viterbi alignments of the transducers and from attention weights by threshold (Bisk et al. 2019, section 5: "attention
does not give phrases"). Per way: rows of the table, the share of its rows whose phrase has several words, and, of
the hand-linked words of dev, how many are linked to the right abstract word (recall) and how many of their links are right (precision).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scenarist import __version__
from scenarist.bench.analyses.kidscook_alignment import ROWS
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.bench.sit import data_hash
from scenarist.corpora.kidscook import KidsCook, whitelist
from scenarist.errors import Missing
from scenarist.exams.wordcloze import WordCloze
from scenarist.learning.alignments import WordPhrase, by_threshold, links, read_hand, table_of
from scenarist.registry import make
from scenarist.signature import sign
from scenarist.store.home import resource
from scenarist.story import Pair

THRESHOLDS = (0.1, 0.2, 0.3, 0.5)
LEAST = 4
MODELS = ("transducer-summed", "transducer-param-summed", "pretrained-transducer")

Hand = Mapping[str, Mapping[int, Any]]
Targets = Mapping[str, Mapping[int, set[int]]]
"""pair -> concrete word -> abstract words it is linked to."""


def against(found: Targets, hand: Hand) -> tuple[float | None, float | None, int]:
    """Precision and recall of links of the hand-linked words, and how many words those are."""
    right = made = hit = words = 0
    for pair, linked in hand.items():
        if pair not in found:
            continue
        for place, good in linked.items():
            mine = found[pair].get(place, set())
            words += 1
            hit += bool(mine & set(good))
            made += len(mine)
            right += len(mine & set(good))
    return (right / made if made else None), (hit / words if words else None), words


def cells(found: Iterable[WordPhrase], targets: Targets, hand: Hand) -> dict[str, Figure]:
    """The columns of a row."""
    made = list(found)
    table = table_of(made, least=LEAST)
    precision, recall, words = against(targets, hand)
    several = sum(" " in entry.phrase for entry in table.entries) / max(1, len(table.entries))
    values = {
        "count_rows/table": (float(len(table.entries)), len(made)), "phrases/table": (several, len(table.entries)),
        "precision/hand": (precision, words), "recall/hand": (recall, words),
    }  # fmt: skip
    return {name: Figure(value, n=n) for name, (value, n) in values.items() if value is not None}


def soft(pair: Pair, weights: Sequence[Sequence[float]], least: float) -> dict[int, set[int]]:
    """Abstract words that each concrete word is linked to by threshold."""
    return {
        place: {at for at, weight in enumerate(line) if weight >= least}
        for place, line in enumerate(weights[: len(pair.concrete)])
    }


def table(split: str = "dev", seed: int = 1, limit: int | None = None) -> Analysis:
    """The rows of `kidscook-phrases`: tables from train, links of the hand-aligned pairs of dev."""
    pairs, dev = list(KidsCook(split="train"))[:limit], list(KidsCook(split="dev"))
    hand = read_hand(resource("alignments/hand-kidscook-dev.json"))
    sure, allowed = [pair for pair in dev if pair.id in hand], frozenset(whitelist())
    rows: list[FigureRow] = []
    for name in MODELS:
        row = FigureRow(name, "ours", {}, {})
        try:
            target, settings = ROWS[name]
            model = make("model", target, weights="kidscook", seed=1, **settings).fit(())
            targets = {one.pair.id: {place: {at} for place, at in enumerate(one.path)} for one in model.align(sure)}
            row.scores = cells((link for one in model.align(pairs) for link in links(one, allowed)), targets, hand)
        except Missing as error:
            row.more["problem"] = str(error)
        rows.append(row)
    model = make("model", "seq2seq-attention", weights="kidscook", seed=1).fit(())
    weights, of_sure = model.weights_of(pairs), model.weights_of(sure)
    for least in THRESHOLDS:
        targets = {pair.id: soft(pair, lines, least) for pair, lines in zip(sure, of_sure, strict=True)}
        found = (
            link
            for pair, lines in zip(pairs, weights, strict=True)
            for link in by_threshold(pair, lines, allowed, least)
        )
        rows.append(FigureRow(f"seq2seq-attention-{least}", "ours", cells(found, targets, hand)))
    what = {
        "exam": "wordcloze", "data": f"kidscook#{data_hash(WordCloze().set(sure))}", "split": split, "seed": seed, "v": __version__,
    }  # fmt: skip
    return Analysis(rows, sign("kidscook-phrases", what))
