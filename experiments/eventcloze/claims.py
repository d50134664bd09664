"""The claims of Chambers (2017), section 6, on the NYT chains: each a difference between two models, with its interval and p.

Each claim is tested under the exam's presets, and with a switch moved, to see which setting makes it fail. Claims about PMI are tested
under each reading of eq. 4, which does not say what a pair adds that was never seen: nothing (our rows), a smoothed count, or minus
infinity, as printed (log 0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarist import __version__
from scenarist.bench import marks as scoring
from scenarist.bench.analyses.eventcloze import CORPUS, PRESETS, TUNED, Ground, signed
from scenarist.bench.bootstrap import sources_of
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.bench.significance import compare
from scenarist.contracts import Metric
from scenarist.metrics.surprisal import InformationContent
from scenarist.registry import make
from scenarist.signature import sign

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "lm-cloze-min5": {"preset": "lm-cloze", "min": 5},
    "lm-cloze-unique": {"preset": "lm-cloze", "min": 5, "repeats": False},
    "lm-cloze-unshared": {"preset": "lm-cloze", "unshared": CORPUS},
    "narrative-cloze-unshared": {"preset": "narrative-cloze", "unshared": CORPUS},
}
"""Presets with a switch moved, to see which setting makes a claim fail."""
CLAIMS = (
    ("raw PMI is far below unigram", "recall@50", "unigram", "pmi"),
    ("a cutoff lifts PMI", "recall@50", "pmi-cutoff", "pmi"),
    ("bigram is the best count model", "recall@50", "bigram", "unigram"),
    ("bigram is the best count model", "recall@50", "bigram", "pmi-cutoff"),
    ("bigram is the best count model", "recall@50", "bigram", "unigram-instance"),
    ("bigram says more than unigram", "information_content@10", "bigram", "unigram"),
    ("PMI says more than bigram", "information_content@10", "pmi", "bigram"),
)
"""Section 6: claim, metric, the model that has more, the model that has less."""


READINGS: Mapping[str, Mapping[str, Any]] = {
    "an unseen pair smoothed": {"unseen": "smooth"},
    "an unseen pair impossible, as printed": {"unseen": "impossible"},
}
"""What an unseen pair adds to eq. 4, beside nothing."""


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:
    """Section 6's claims on our data, each as a difference with its interval and p, under the presets and with a switch moved."""
    ground = Ground(split, seed, limit, 1500, {**PRESETS, **VARIANTS})
    counts = {name: float(n) for name, n in zip(ground.counts.types, ground.counts.events, strict=True)}
    metrics: dict[str, Metric] = {
        "recall@50": make("metric", "recall@50"), "information_content@10": InformationContent(k=10, counts=counts)
    }  # fmt: skip
    models = {name: ground.model(name, settings) for name, settings in TUNED.items()}
    rows = []
    for preset, items in ground.items.items():
        answers = {name: ground.predictions(model, preset, whole=preset in PRESETS) for name, model in models.items()}
        claims = [(*claim, "") for claim in CLAIMS if claim[1] == "recall@50" or preset in PRESETS]
        if preset in PRESETS:
            for reading, settings in READINGS.items():
                for name in ("pmi", "pmi-cutoff"):
                    model = ground.model(name, {**TUNED[name], **settings})
                    answers[f"{name}, {reading}"] = ground.predictions(model, preset)
                claims += [(claim, "recall@50", *pair, reading) for claim, pair in about_pmi(reading)]
        for claim, measured, more, less, reading in claims:
            metric = metrics[measured]
            higher, lower = (scoring.marks_of(metric, items, answers[name]) for name in (more, less))
            test = compare(metric, higher, lower, seed=seed)
            values = [scoring.total(metric, part) for part in (higher, lower)]
            fields = {**ground.fields[preset], "model": f"{more}-{less}", "test": test.test, "v": __version__}
            figure = Figure(
                test.difference, test.low, test.high, len(higher), len(sources_of(higher)), p=test.p,
                signature=sign(f"difference-{measured}", fields),
            )  # fmt: skip
            verdict = {
                "holds": bool(test.low > 0), "fails": bool(test.high < 0), "values": values,
                "ratio": values[0] / values[1] if values[1] else None,
            }  # fmt: skip
            pair = f"{more.partition(',')[0]} - {less.partition(',')[0]}{f'; {reading}' if reading else ''}"
            rows.append(FigureRow(f"{claim} ({pair}), {preset}", "baseline", {"difference": figure}, verdict))
    return Analysis(rows, signed("eventcloze-claims", ground))


def about_pmi(reading: str) -> list[tuple[str, tuple[str, str]]]:
    """The claims on recall that have PMI in them, under a reading: claim, the model that has more, the model that has less."""

    def read(name: str) -> str:
        return f"{name}, {reading}" if name.startswith("pmi") else name

    return [
        (claim, (read(more), read(less)))
        for claim, measured, more, less in CLAIMS
        if measured == "recall@50" and any(name.startswith("pmi") for name in (more, less))
    ]
