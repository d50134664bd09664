"""Exam folder x predictions files -> Scored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenarist.marked import Scored


def score(
    folder: str | Path,
    predictions: Sequence[str | Path],
    metrics: Sequence[str] = (),
    strict: bool = False,
    seed: int = 13,
) -> Scored:
    """Score one or more predictions files against an exam folder; two or more are also compared pairwise."""
    from scenarist.bench.score_files import score_files

    return score_files(Path(folder), [Path(path) for path in predictions], metrics, strict, seed)
