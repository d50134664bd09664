"""Exam folder with predictions files -> scored answers, to be looked at item by item. On the command line: `scenarist view`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scenarist.errors import BadInput

if TYPE_CHECKING:
    from scenarist.marked import Scored

OWN = ("questions.jsonl", "keys.jsonl", "people.jsonl")


def view(folder: str | Path) -> Scored:
    """All predictions in an exam folder (its other ``.jsonl`` files, logs of harnesses too), scored against its keys."""
    from scenarist.bench.score_files import score_files
    from scenarist.formats.harness import is_harness_log

    place = Path(folder)
    if not (place / "exam.json").is_file():
        raise BadInput(
            f"{place} holds no exam.json. Expected an exam folder with predictions files in it: scenarist exam NAME CORPUS -o {place}"
        )
    files = [path for path in sorted(place.glob("*.jsonl")) if path.name not in OWN]
    files += [path for path in sorted(place.glob("*.json")) if is_harness_log(path)]
    if not files:
        raise BadInput(
            f"{place} holds no predictions. Put some in: one file a system (*.jsonl), as `scenarist score` reads them."
        )
    return score_files(place, files)
