"""Recall@50 by how often the missing event was seen in training (Chambers 2017, section 6: the test is biased to frequent events)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scenarist.bench.analyses.eventcloze import TUNED, Ground, signed
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.question import Item
from scenarist.registry import make


def frequency_bands(counts: Mapping[str, int], items: Sequence[Item]) -> dict[str, str]:
    """Item -> the band of its key's frequency in train, for accuracy by band."""
    edges = ((0, "unseen"), (9, "1-9"), (99, "10-99"), (999, "100-999"))
    return {
        item.id: next((name for most, name in edges if counts.get(str(item.key), 0) <= most), "1000+") for item in items
    }


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:
    """Recall@50 by how often the missing event was seen in training."""
    ground = Ground(split, seed, limit)
    recall = make("metric", "recall@50")
    seen = {name: int(n) for name, n in zip(ground.counts.types, ground.counts.events, strict=True)}
    rows = []
    for name, settings in (*TUNED.items(), ("event-combination", {"weight": 0.04, "untold_weight": 0.04})):
        model = ground.model(name, settings)
        scores: dict[str, Figure] = {}
        for preset in ground.items:
            predictions = ground.predictions(model, preset)
            where = frequency_bands(seen, ground.items[preset])
            for band in ("unseen", "1-9", "10-99", "100-999", "1000+"):
                items = [item for item in ground.items[preset] if where[item.id] == band]
                if items:
                    scores[f"recall@50/{preset}-{band}"] = ground.score(
                        recall, preset, predictions, name, settings, items, band=band
                    )
        rows.append(FigureRow(name, "ours" if name == "event-combination" else "baseline", scores))
    return Analysis(rows, signed("eventcloze-bands", ground))
