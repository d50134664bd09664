"""How good are the alignments? The table `kidscook-alignment` (Bisk et al. 2019, section 4.2: mean Viterbi spans).

Per model: mean span, share of abstract words used, share of degenerate pairs, agreement with our small hand alignment, and for the
fixed transducer the surprisal with transition terms, which is what the released code seems to report (ln 2 a blank and a
token) and what accounts for the paper's 4.780. Attention is put beside by taking each word's heaviest abstract word.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from scenarist import __version__
from scenarist.bench.ratios import Tally, ratio
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.bench.sit import data_hash
from scenarist.bench.solver import model_fields
from scenarist.corpora.kidscook import KidsCook
from scenarist.errors import Missing
from scenarist.exams.wordcloze import WordCloze
from scenarist.learning.alignments import read_hand, shape
from scenarist.registry import make
from scenarist.signature import sign
from scenarist.store.home import resource
from scenarist.story import Alignment, Pair

SEEDS = (1, 2, 3)
Rows = Mapping[str, tuple[str, Mapping[str, str]]]
"""Row -> model and settings."""
ROWS: Rows = {
    "seq2seq-attention": ("seq2seq-attention", {}), "transducer-summed": ("transducer", {}),
    "transducer-summed-viterbi-em": ("transducer", {"variant": "em"}), "transducer-param-summed": ("transducer-param", {}),
    "seq2seq-attention-both": ("seq2seq-attention", {"variant": "both"}), "transducer-summed-both": ("transducer", {"variant": "both"}),
    "transducer-param-summed-both": ("transducer-param", {"variant": "both"}), "pretrained-transducer": ("pretrained-transducer", {}),
}  # fmt: skip
LARGE = 300
"""Pairs aligned by the pretrained transducer where no limit is given: it reads each text twice."""


def attention_alignments(model: Any, pairs: Sequence[Pair]) -> list[Alignment]:
    """Each concrete word with its heaviest abstract word: not monotonic, and no model of a stretch."""
    found = []
    for pair, weights in zip(pairs, model.weights_of(pairs), strict=True):
        path = tuple(max(range(len(line)), key=line.__getitem__) for line in weights)
        found.append(Alignment(pair, path, "seq2seq-attention"))
    return found


def diagonal(pairs: Sequence[Pair]) -> list[Alignment]:
    """The floor: words spread evenly over the abstract, whatever they are."""
    return [
        Alignment(
            pair, tuple(at * len(pair.abstract) // len(pair.concrete) for at in range(len(pair.concrete))), "diagonal"
        )
        for pair in pairs
    ]


def cells(seeds: Sequence[Sequence[Alignment]], hand: Mapping[str, Mapping[int, Any]]) -> dict[str, Figure]:
    """The columns of a row: over all seeds together, each seed's value kept; pairs are drawn."""
    by_seed = [shape(aligned, hand) for aligned in seeds]
    by_pair = [[(one.pair.id, shape([one], hand), one) for one in aligned] for aligned in seeds]
    counts: dict[str, list[Tally]] = {
        "span/viterbi": [],
        "used/viterbi": [],
        "degenerate/viterbi": [],
        "agreement/hand": [],
    }
    for pair, figures, aligned in chain.from_iterable(by_pair):
        source, stretches = (pair,), len(aligned.spans())
        counts["span/viterbi"].append(Tally(len(aligned.path), stretches, source))
        counts["used/viterbi"].append(Tally(figures.used, 1, source))
        counts["degenerate/viterbi"].append(Tally(figures.degenerate, 1, source))
        if figures.agreement is not None:
            counts["agreement/hand"].append(Tally(figures.agreement * figures.linked, figures.linked, source))
    scores: dict[str, Figure] = {}
    for column, given in counts.items():
        if not given:
            continue
        values = [getattr(figures, column.partition("/")[0]) for figures in by_seed]
        figure = ratio(given, proportion=not column.startswith("span"))
        n = round(figure.n / len(seeds)) if column == "agreement/hand" and figure.n else len(seeds[0])
        several = {str(seed): value for seed, value in zip(SEEDS, values, strict=False)} if len(values) > 1 else {}
        scores[column] = msgspec.structs.replace(figure, n=n, seeds=several)
    return scores


def surprisal(model: Any, split: str, limit: int | None) -> dict[str, Figure]:
    """Mean -ln P of the blank words, and the same with ln 2 for each token and each blank, as the released code has it."""
    exam = WordCloze(preset="as-published")
    items = list(exam.set(KidsCook(split=split)))[: limit * 5 if limit else None]
    levels: list[float] = []
    for first in range(0, len(items), 256):
        part = items[first : first + 256]
        rated = model.rate_many([item.question for item in part], [item.key for item in part])
        levels += [-logp if logp is not None else 0.0 for logp, _ in rated]
    extra = [math.log(2) * (1 + item.id.endswith(".0")) for item in items]
    return {
        "surprisal/oracle-as-published": ratio(
            (Tally(level, 1, item.sources) for item, level in zip(items, levels, strict=True)), proportion=False
        ),
        "surprisal/with-transitions": ratio(
            (Tally(level + more, 1, item.sources) for item, level, more in zip(items, levels, extra, strict=True)),
            proportion=False,
        ),
    }


def table(split: str = "dev", seed: int = 13, limit: int | None = None, only: Sequence[str] = ()) -> Analysis:  # noqa: ARG001
    """The rows of `kidscook-alignment`."""
    return alignment_table("kidscook-alignment", ROWS, split, limit, only)


def alignment_table(name: str, models: Rows, split: str, limit: int | None, only: Sequence[str]) -> Analysis:
    """The alignments of some models, each with its released seeds, and of the floor."""
    pairs = list(KidsCook(split=split))[:limit]
    hand = read_hand(resource("alignments/hand-kidscook-dev.json")) if split == "dev" else {}
    rows = [FigureRow("diagonal", "baseline", cells([diagonal(pairs)], hand))]
    for label, (target, settings) in models.items():
        if only and label not in only:
            continue
        chosen = pairs if target != "pretrained-transducer" or limit else subset(pairs, hand, LARGE)
        row = FigureRow(label, "ours", {}, {})
        seeds: list[list[Alignment]] = []
        hashes: list[str] = []
        first: Any = None
        for seed in SEEDS:
            try:
                model = make("model", target, weights="kidscook", seed=seed, **settings).fit(())
            except Missing as error:  # a seed that was not released
                row.more.setdefault("problem", str(error))
                continue
            aligned = attention_alignments(model, chosen) if hasattr(model, "weights_of") else model.align(chosen)
            seeds.append(aligned)
            first = first or model
            row.who = model_fields(target, settings, first)
            hashes.append(str(model_fields(target, settings, model).get("weights", "")))
        if seeds:
            row.more["seeds"] = len(seeds)
            row.who["weights"] = hashes
            row.scores = cells(seeds, hand)
            if first.name in ("transducer", "transducer-param"):
                row.scores |= surprisal(first, split, limit)
        rows.append(row)
    data = f"kidscook#{data_hash(WordCloze().set(pairs))}"
    what = {"exam": "wordcloze", "data": data, "split": split, "seed": list(SEEDS), "v": __version__}
    return Analysis(rows, sign(name, what))


def subset(pairs: Sequence[Pair], hand: Any, size: int) -> list[Pair]:
    """The hand-aligned pairs and as many others, evenly spread, as make up ``size``."""
    sure = [pair for pair in pairs if pair.id in hand]
    others = [pair for pair in pairs if pair.id not in hand]
    step = max(1, len(others) // max(1, size - len(sure)))
    return [*sure, *others[::step]][:size]
