"""Exam x corpus -> Items and their Card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scenarist.registry import make

if TYPE_CHECKING:
    from scenarist.bench.exam_folder import Card
    from scenarist.question import Item


def exam(
    name: str,
    corpus: str,
    split: str = "dev",
    seed: int = 13,
    limit: int | None = None,
    settings: Mapping[str, Any] | None = None,
    corpus_settings: Mapping[str, Any] | None = None,
) -> tuple[list[Item], Card]:
    """Set an exam on a corpus: its items and the card that describes them."""
    from scenarist import __version__
    from scenarist.bench.exam_folder import Card
    from scenarist.bench.run_table import settings_of, takes
    from scenarist.bench.sit import data_hash, items_of, make_exam, unfold
    from scenarist.registry import find
    from scenarist.signature import plain

    switches = dict(settings or {})
    if takes(find("exam", name), "seed"):
        switches.setdefault("seed", seed)
    made: Any = make_exam(name, switches)
    parts = dict(corpus_settings or {})
    if hasattr(made, "view") and takes(find("corpus", corpus), "kind"):
        parts.setdefault("kind", made.view)
    stories = make("corpus", corpus, split=split, **parts)
    items = unfold(made, items_of(made, stories, limit))
    fixed = tuple((key, plain(value)) for key, value in {**settings_of(stories), **made.settings()}.items())
    metrics = tuple(getattr(made, "metrics", ("accuracy",)))
    card = Card(
        name, corpus, split, len(items), f"{corpus}#{data_hash(items)}", fixed, metrics, seed, version=__version__
    )
    return items, card
