"""Analyses of the event cloze that are no grid of solvers and exams: two curves and the information content of predictions.

Chambers (2017): Figure 1 (recall of PMI by frequency cutoff), recall by the number of guesses that are looked at (the paper's 50 is
one of them), Table 3. Tuning, frequency bands and the claims of section 6 are in
``experiments/eventcloze``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scenarist import __version__
from scenarist.bench import marks as scoring
from scenarist.bench import sit as runner
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.contracts import Metric
from scenarist.metrics.surprisal import InformationContent
from scenarist.models.events.base import EventRanker, counted
from scenarist.question import Item, Prediction
from scenarist.registry import make
from scenarist.signature import sign

CORPUS = "nyt-chains"
PRESETS: Mapping[str, Mapping[str, Any]] = {name: {"preset": name} for name in ("lm-cloze", "narrative-cloze")}
"""The exams of the paper, by condition."""
CUTOFFS = (0, 10, 25, 50, 100, 200, 400, 800, 1600)
TUNED: Mapping[str, Mapping[str, Any]] = {
    "unigram": {},
    "bigram": {"skip": "all", "smoothing": 1.0, "unknown": "mean", "unknown_smoothing": 0.1},
    "pmi": {},
    "pmi-cutoff": {"cutoff": 800, "skip": 2},
    "unigram-instance": {"share": 0.25},
}
"""The best settings of the paper's models on dev under lm-cloze (`eventcloze-tuning`); PMI as the paper has it."""
LENGTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Guesses that are looked at."""
SHOWN = (1, 10, 50, 100, 1000)
"""Those that the table shows; the curve has all."""
MIXTURE: Mapping[str, Any] = {"smoothing": 300.0, "decay": 1.0, "repeat": False}
"""Our count model, as in `chambers2017-single`."""


class Ground:
    """Counts of train and the items of a split, made once for an analysis."""

    def __init__(
        self,
        split: str,
        seed: int,
        limit: int | None,
        most: int = 4000,
        exams: Mapping[str, Mapping[str, Any]] = PRESETS,
    ) -> None:
        self.counts = counted(make("corpus", CORPUS, split="train"), "single", "lemma", 2)
        self.items: dict[str, list[Item]] = {}
        self.fields: dict[str, dict[str, object]] = {}
        for preset, switches in exams.items():
            exam = runner.make_exam("eventcloze", {"seed": seed, "items": most, **switches})
            items = runner.items_of(exam, make("corpus", CORPUS, split=split), limit)
            self.items[preset] = items
            self.fields[preset] = {
                "exam": exam.name, **exam.settings(), "data": f"{CORPUS}#{runner.data_hash(items)}", "split": split,
                "train": CORPUS, "seed": seed,
            }  # fmt: skip

    def model(self, name: str, settings: Mapping[str, Any]) -> EventRanker:
        """A model fitted to the counts."""
        model: EventRanker = make("model", name, **settings)
        return model.fit(self.counts)

    def predictions(self, model: EventRanker, preset: str, whole: bool = False) -> dict[str, Prediction]:
        """What a model makes of the keys (and, with ``whole``, its guesses)."""
        found: dict[str, Prediction] = {}
        for item in self.items[preset]:
            logp, rank = model.rate(item.question, item.key)
            guesses = model.answer(item.question).guesses if whole else ()
            found[item.id] = Prediction(item.id, guesses, model.name, key_logp=logp, key_rank=rank)
        return found

    def score(
        self, metric: Metric, preset: str, predictions: Mapping[str, Prediction], model: str,
        settings: Mapping[str, Any] | None = None, items: Sequence[Item] | None = None, **more: object,
    ) -> Figure:  # fmt: skip
        """A number with its interval and signature; of some ``items`` alone where ``more`` says which."""
        fields = {"model": model, **({"with": settings} if settings else {}), **self.fields[preset], **more}
        return Figure.of(scoring.score(metric, self.items[preset] if items is None else items, predictions, fields))


def signed(table: str, ground: Ground) -> str:
    """The signature of a table."""
    data = [str(fields["data"]) for fields in ground.fields.values()]
    first = next(iter(ground.fields.values()))
    kept = {
        "exam": "eventcloze",
        "data": data,
        "split": first["split"],
        "train": CORPUS,
        "seed": first["seed"],
        "v": __version__,
    }
    return sign(table, kept)


def cutoff(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:
    """Figure 1: recall@50 of PMI when events seen less often than the cutoff are not ranked."""
    ground = Ground(split, seed, limit)
    metric = make("metric", "recall@50")
    rows = []
    for least in CUTOFFS:
        model = ground.model("pmi", {"cutoff": least})
        kept = int((ground.counts.events >= least).sum())
        scores = {
            f"recall@50/{preset}": ground.score(
                metric, preset, ground.predictions(model, preset), "pmi", {"cutoff": least}
            )
            for preset in ground.items
        }
        rows.append(FigureRow(f"pmi-cutoff-{least}", "baseline", scores, {"cutoff": least, "events_ranked": kept}))
    unigram = ground.model("unigram", {})
    level = {
        f"recall@50/{preset}": ground.score(metric, preset, ground.predictions(unigram, preset), "unigram")
        for preset in ground.items
    }
    rows.append(FigureRow("unigram", "baseline", level))
    axes = {"x": "cutoff", "y": "recall@50", "log": True}
    return Analysis(rows, signed("chambers2017-cutoff", ground), {"curves": curves_of(rows), "axes": axes})


def curves_of(rows: Iterable[FigureRow]) -> dict[str, list[tuple[float, float]]]:
    """The cutoff rows as curves for a picture."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if "cutoff" in row.more:
            for column, figure in row.scores.items():
                curves.setdefault(column.partition("/")[2], []).append((float(row.more["cutoff"]), figure.value))
    return curves


def recall_by_length(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:
    """Recall at k, for k from 1 to 1,000: where Chambers's k = 50 stands among other choices."""
    ground = Ground(split, seed, limit)
    metrics = {length: make("metric", f"recall@{length}") for length in LENGTHS}
    rows, curves = [], {}
    for name, settings in {**TUNED, "mixture": MIXTURE}.items():
        model = ground.model(name, settings)
        scores: dict[str, Figure] = {}
        for preset in ground.items:
            predictions = ground.predictions(model, preset)
            figures = {
                length: ground.score(metric, preset, predictions, name, settings, rank="mean")
                for length, metric in metrics.items()
            }
            scores |= {f"recall@{length}/{preset}": figures[length] for length in SHOWN}
            curves[f"{name}, {preset}"] = [(float(length), figure.value) for length, figure in figures.items()]
        rows.append(FigureRow(name, "ours" if name == "mixture" else "baseline", scores))
    axes = {"x": "k", "y": "recall@k", "log": True}
    return Analysis(rows, signed("chambers2017-recall", ground), {"curves": curves, "axes": axes})


def information(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:
    """Table 3: information content of the first ten predictions, in bits, under the frequencies of train."""
    ground = Ground(split, seed, limit, most=1500)
    counts = {name: float(number) for name, number in zip(ground.counts.types, ground.counts.events, strict=True)}
    rows = []
    for name, settings in TUNED.items():
        model = ground.model(name, settings)
        scores = {}
        for preset in ground.items:
            predictions = ground.predictions(model, preset, whole=True)
            for k in (1, 10, 50):
                metric = InformationContent(k=k, counts=counts)
                label = "information_content" if k == 10 else f"information_content@{k}"
                scores[f"{label}/{preset}"] = ground.score(metric, preset, predictions, name, settings)
        rows.append(FigureRow(name, "baseline", scores))
    return Analysis(rows, signed("chambers2017-ic", ground))
