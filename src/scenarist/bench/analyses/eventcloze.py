"""Analyses of the event cloze that are no grid of solvers and exams: tuning, the cutoff curve, information content, the paper's claims.

Chambers (2017): Figure 1 (recall of PMI by frequency cutoff), Table 3 (information content of predictions), section 6 (claims).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scenarist import __version__
from scenarist.bench import marks as scoring
from scenarist.bench import sit as runner
from scenarist.bench.significance import compare
from scenarist.contracts import Metric
from scenarist.learning.event_chains import documents
from scenarist.metrics.surprisal import InformationContent
from scenarist.models.events.base import EventRanker, counted
from scenarist.question import Item, Prediction
from scenarist.registry import make
from scenarist.signature import sign

CORPUS = "nyt-chains"
PRESETS = ("lm-cloze", "narrative-cloze")
VARIANTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "lm-cloze-min5": ("lm-cloze", {"min": 5}),
    "lm-cloze-unique": ("lm-cloze", {"min": 5, "repeats": False}),
    "lm-cloze-unshared": ("lm-cloze", {"unshared": CORPUS}),
    "narrative-cloze-unshared": ("narrative-cloze", {"unshared": CORPUS}),
}
"""Presets with a switch moved, to see which setting makes a claim fail."""
CUTOFFS = (0, 10, 25, 50, 100, 200, 400, 800, 1600)
TUNED: Mapping[str, Mapping[str, Any]] = {
    "unigram": {},
    "bigram": {"skip": "all", "smoothing": 1.0, "unknown": "mean", "unknown_smoothing": 0.1},
    "pmi": {},
    "pmi-cutoff": {"cutoff": 800, "skip": 2},
    "unigram-instance": {"share": 0.25},
}
"""The best settings of the paper's models on dev under lm-cloze (`eventcloze-tuning`); PMI as the paper has it."""
LAMBDAS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.001)
GRID: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "bigram": [
        {"skip": skip, "smoothing": smoothing, "unknown": unknown}
        for unknown in ("symmetric", "mean")
        for skip in (1, 2, 3, 5, "all")
        for smoothing in LAMBDAS
        if unknown == "symmetric" or skip in (2, "all")
    ],
    "pmi": [{"skip": skip, "unseen": unseen} for skip in (2, "all") for unseen in ("skip", "smooth", "impossible")],
    "pmi-cutoff": [
        {"cutoff": cutoff, "skip": skip} for cutoff in (50, 100, 200, 400, 800, 1600) for skip in (2, "all")
    ],
    "unigram-instance": [{"share": share} for share in (1.0, 0.75, 0.5, 0.25, 0.1)],
    "bigram-instance": [
        {"share": share, "skip": "all", "smoothing": s} for share in (1.0, 0.5, 0.25) for s in (1.0, 0.1)
    ],
    "mixture": [
        {"smoothing": s, "decay": d, "repeat": False} for s in (30.0, 100.0, 300.0, 1000.0) for d in (0.5, 1.0)
    ],
    "cooccurrence": [{"smoothing": s} for s in (10.0, 100.0, 1000.0)],
}
FIRST, AGAIN = 1500, 3
"""Every setting sits ``FIRST`` gaps of a preset; the best ``AGAIN`` of each model sit all."""


class Ground:
    """Counts of train and the items of a split, made once for an analysis."""

    def __init__(
        self, split: str, seed: int, limit: int | None, presets: Sequence[str] = PRESETS, most: int = 4000
    ) -> None:
        self.counts = counted(make("corpus", CORPUS, split="train"), "single", "lemma", 2)
        self.items: dict[str, list[Item]] = {}
        self.fields: dict[str, dict[str, object]] = {}
        for preset in presets:
            named, switches = VARIANTS.get(preset, (preset, {}))
            exam = runner.make_exam("eventcloze", {"preset": named, "seed": seed, "items": most, **switches})
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
        self, metric: Metric, preset: str, predictions: Mapping[str, Prediction], **more: object
    ) -> dict[str, Any]:
        """A number with its interval and signature, in the JSON form of tables."""
        score = scoring.score(metric, self.items[preset], predictions, {**self.fields[preset], **more})
        return {"value": score.value, "low": score.low, "high": score.high, "n": score.n, "signature": score.signature}


def row(model: str, role: str, scores: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A row in the JSON form of tables."""
    return {"model": model, "role": role, "scores": scores, **more}


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


def cutoff(split: str = "dev", seed: int = 13, limit: int | None = None) -> dict[str, Any]:
    """Figure 1: recall@50 of PMI when events seen less often than the cutoff are not ranked."""
    ground = Ground(split, seed, limit)
    metric = make("metric", "recall@50")
    rows = []
    for least in CUTOFFS:
        model = ground.model("pmi", {"cutoff": least})
        kept = int((ground.counts.events >= least).sum())
        scores = {
            f"recall@50/{preset}": ground.score(metric, preset, ground.predictions(model, preset), cutoff=least)
            for preset in ground.items
        }
        rows.append(row(f"pmi-cutoff-{least}", "baseline", scores, cutoff=least, events_ranked=kept))
    unigram = ground.model("unigram", {})
    level = {
        f"recall@50/{preset}": ground.score(metric, preset, ground.predictions(unigram, preset))
        for preset in ground.items
    }
    rows.append(row("unigram", "baseline", level))
    return {"rows": rows, "signature": signed("chambers2017-cutoff", ground), "curves": curves_of(rows)}


def curves_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[tuple[float, float]]]:
    """The cutoff rows as curves for a picture."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for one in rows:
        if "cutoff" in one:
            for column, cell in one["scores"].items():
                curves.setdefault(column.partition("/")[2], []).append((float(one["cutoff"]), cell["value"]))
    return curves


def information(split: str = "dev", seed: int = 13, limit: int | None = None) -> dict[str, Any]:
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
                scores[f"{label}/{preset}"] = ground.score(metric, preset, predictions)
        rows.append(row(name, "baseline", scores))
    return {"rows": rows, "signature": signed("chambers2017-ic", ground)}


def tuning(split: str = "dev", seed: int = 13, limit: int | None = None) -> dict[str, Any]:
    """Recall@50 of every setting that was tried, so that nobody need take the chosen ones on trust."""
    first, whole = Ground(split, seed, limit, most=FIRST), Ground(split, seed, limit)
    metric = make("metric", "recall@50")
    rows: list[dict[str, Any]] = []
    best: dict[str, str] = {}
    for name, grid in GRID.items():
        tried: list[tuple[Mapping[str, Any], dict[str, Any]]] = []
        for settings in grid:
            model = first.model(name, settings)
            label = " ".join([name, *(f"{key}={value}" for key, value in settings.items())])
            scores: dict[str, Any] = {}
            for preset in first.items:
                if preset == "lm-cloze" and settings.get("unknown") == "mean":
                    continue  # the position is told: nothing differs
                scores[f"recall@50/{preset}-first"] = first.score(metric, preset, first.predictions(model, preset))
            tried.append((settings, row(label, "baseline", scores)))
        rows += [one for _, one in tried]
        for preset in whole.items:
            column = f"recall@50/{preset}-first"
            able = [pair for pair in tried if column in pair[1]["scores"]]
            able.sort(key=lambda pair, column=column: -pair[1]["scores"][column]["value"])  # type: ignore[misc]
            for settings, one in able[:AGAIN]:
                found = whole.predictions(whole.model(name, settings), preset)
                one["scores"][f"recall@50/{preset}"] = whole.score(metric, preset, found)
            again = [one for _, one in able[:AGAIN]]
            best[f"{name}/{preset}"] = max(again, key=lambda one, p=preset: one["scores"][f"recall@50/{p}"]["value"])[
                "model"
            ]  # type: ignore[misc]
    return {"rows": rows, "signature": signed("eventcloze-tuning", whole), "best": best}


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


def claims(split: str = "dev", seed: int = 13, limit: int | None = None) -> dict[str, Any]:
    """Section 6's claims on our data, each as a difference with its interval and p, under the presets and with a switch moved."""
    ground = Ground(split, seed, limit, (*PRESETS, *VARIANTS), most=1500)
    counts = {name: float(n) for name, n in zip(ground.counts.types, ground.counts.events, strict=True)}
    metrics: dict[str, Metric] = {
        "recall@50": make("metric", "recall@50"), "information_content@10": InformationContent(k=10, counts=counts)
    }  # fmt: skip
    models = {name: ground.model(name, settings) for name, settings in TUNED.items()}
    rows = []
    for preset, items in ground.items.items():
        answers = {name: ground.predictions(model, preset, whole=preset in PRESETS) for name, model in models.items()}
        for claim, measured, more, less in CLAIMS:
            if measured != "recall@50" and preset not in PRESETS:
                continue
            metric = metrics[measured]
            one, other = (scoring.marks_of(metric, items, answers[name]) for name in (more, less))
            test = compare(metric, one, other, seed=seed)
            values = [scoring.total(metric, part) for part in (one, other)]
            cell = {"value": test.difference, "low": test.low, "high": test.high, "n": len(one), "p": test.p}
            rows.append(
                row(
                    f"{claim} ({more} - {less}), {preset}", "baseline", {"difference": cell},
                    holds=bool(test.low > 0), fails=bool(test.high < 0), values=values,
                    ratio=values[0] / values[1] if values[1] else None,
                )
            )  # fmt: skip
    return {"rows": rows, "signature": signed("eventcloze-claims", ground)}


def frequency_bands(counts: Mapping[str, int], items: Sequence[Item]) -> dict[str, str]:
    """Item -> the band of its key's frequency in train, for accuracy by band."""
    edges = ((0, "unseen"), (9, "1-9"), (99, "10-99"), (999, "100-999"))
    return {
        item.id: next((name for most, name in edges if counts.get(str(item.key), 0) <= most), "1000+") for item in items
    }


def bands(split: str = "dev", seed: int = 13, limit: int | None = None) -> dict[str, Any]:
    """Recall@50 by how often the missing event was seen in training."""
    ground = Ground(split, seed, limit)
    recall = make("metric", "recall@50")
    seen = {name: int(n) for name, n in zip(ground.counts.types, ground.counts.events, strict=True)}
    rows = []
    for name, settings in (*TUNED.items(), ("event-combination", {"weight": 0.04, "untold_weight": 0.04})):
        model = ground.model(name, settings)
        scores: dict[str, Any] = {}
        for preset in ground.items:
            predictions = ground.predictions(model, preset)
            where = frequency_bands(seen, ground.items[preset])
            for band in ("unseen", "1-9", "10-99", "100-999", "1000+"):
                items = [item for item in ground.items[preset] if where[item.id] == band]
                if items:
                    fields = {**ground.fields[preset], "band": band}
                    one = scoring.score(recall, items, predictions, fields)
                    scores[f"recall@50/{preset}-{band}"] = {
                        "value": one.value,
                        "low": one.low,
                        "high": one.high,
                        "n": one.n,
                    }
        rows.append(row(name, "ours" if name == "event-combination" else "baseline", scores))
    return {"rows": rows, "signature": signed("eventcloze-bands", ground)}


def train_events(split: str = "train") -> Iterable[str]:
    """All events of the corpus, one by one: what information content is measured against."""
    for document in documents(make("corpus", CORPUS, split=split)):
        for chain in document.chains:
            if len(chain) > 1:
                yield from (str(link) for link in chain.links)
