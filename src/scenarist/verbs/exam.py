"""Exam x corpus -> ExamPaper: its items and the card that describes them; written as a folder with questions and keys apart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scenarist.marked import ExamCard, ExamPaper
from scenarist.question import Item
from scenarist.registry import find, make

FILES, CARD = ("questions.jsonl", "keys.jsonl", "exam.json"), "exam.json"
"""What is written to a folder, and the file that says the folder is ours."""


def exam(
    name: str,
    corpus: str,
    split: str = "",
    seed: int = 13,
    limit: int | None = None,
    settings: Mapping[str, Any] | None = None,
    corpus_settings: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
) -> ExamPaper:
    """Set an exam on a corpus: its items and the card that describes them; ``out`` is a folder to write them to.

    Without a split it is set on dev, or on the whole of a folder of annotated files.
    """
    from scenarist import __version__
    from scenarist.bench.exam_folder import write
    from scenarist.bench.other_corpus import usual_split
    from scenarist.bench.sit import data_hash, items_of, make_exam, unfold
    from scenarist.bench.solver import settings_of, takes
    from scenarist.signature import plain, short_name

    split = usual_split(corpus, split)
    switches = dict(settings or {})
    if takes(find("exam", name), "seed"):
        switches.setdefault("seed", seed)
    setter: Any = make_exam(name, switches)
    parts = dict(corpus_settings or {})
    if hasattr(setter, "view") and takes(find("corpus", corpus), "kind"):
        parts.setdefault("kind", setter.view)
    stories = make("corpus", corpus, split=split, **parts)
    items = unfold(setter, items_of(setter, stories, limit))
    fixed = tuple((key, plain(value)) for key, value in {**settings_of(stories), **setter.settings()}.items())
    metrics = tuple(getattr(setter, "metrics", ("accuracy",)))
    data = f"{short_name(corpus)}#{data_hash(items)}"
    card = ExamCard(name, short_name(corpus), split, len(items), data, fixed, metrics, seed, version=__version__)
    if out is not None:
        write(Path(out), items, card)
    return ExamPaper(items, card)


def example_line(item: Item) -> str:
    """A line of a predictions file as it should look like."""
    from scenarist.bench.exam_folder import example

    return example(item)
