"""The passages of Wanzare et al. (2019), Appendix A: real blog text, never trained or tuned on -> is the label found?

The list holds offsets into the paper's text file, never its words; the file is looked for in ``SCENARIST_PAPERS``, in
``papers`` beside each folder of ``SCENARIST_DATA``, and in ``../shared/papers``. A passage that the guidelines annotate counts where
one of its labels is among the first two (``top2``); ``found`` asks for that among the segments the detector claims, so that
saying *None* is wrong there; a passage whose label they cross out counts where nothing is claimed (``none``).
"""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from scenarist import __version__
from scenarist.corpora import finding
from scenarist.errors import BadInput, Missing
from scenarist.formats.plain import sentences
from scenarist.learning.scenario_inventory import find
from scenarist.models.detector import Detector
from scenarist.signature import sign
from scenarist.story import Story

LIST = Path(__file__).with_name("passages.toml")


class Passage(NamedTuple):
    """A passage as a story, its labels (canonical), and whether the guidelines annotate it."""

    story: Story
    labels: tuple[str, ...]
    told: bool
    example: str


def paper(name: str, digest: str) -> str:
    """The paper's text, its content checked."""
    folders = [Path(part) for part in os.environ.get("SCENARIST_PAPERS", "").split(os.pathsep) if part]
    folders += [root.parent / "papers" for root in finding.roots()] + [Path("../shared/papers")]
    for folder in folders:
        if (folder / name).exists():
            text = (folder / name).read_text(encoding="utf-8")
            if hashlib.sha256(text.encode()).hexdigest() != digest:
                raise BadInput(f"{folder / name}: not the text the offsets were taken from (its checksum differs).")
            return text
    raise Missing(
        f"The paper's text {name} was not found. Put it into a folder and set SCENARIST_PAPERS to that folder."
    )


def passages() -> Iterator[Passage]:
    """All passages of the list."""
    data = tomllib.loads(LIST.read_text(encoding="utf-8"))
    text = paper(data["file"], data["sha256"])
    for number, entry in enumerate(data["passage"], start=1):
        parts = [text[start:stop] for start, stop in entry["spans"]]
        plain = " ".join(re.sub(r"[*#]+|\.\.\.", " ", " ".join(parts)).split())
        labels = tuple(find(label).name for label in entry["labels"])
        yield Passage(
            Story(f"passage-{number}", plain, sentences=sentences(plain)), labels, entry["told"], entry["example"]
        )


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> dict[str, Any]:  # noqa: ARG001
    """One row a passage and one for all."""
    detector = Detector()
    rows: list[dict[str, Any]] = []
    sums: dict[str, list[float]] = {"top2": [], "found": [], "none": []}
    for one in list(passages())[:limit]:
        ranked = [label.name for label in detector.whole(one.story)[:2]]
        segments = detector.segments(one.story)
        claimed = [name for segment in segments for name in segment.names[:2]]
        marks = (
            {"top2": any(name in one.labels for name in ranked), "found": any(name in one.labels for name in claimed)}
            if one.told
            else {"none": not segments}
        )
        for what, mark in marks.items():
            sums[what].append(float(mark))
        scores = {
            f"{what}/appendix-a": {"value": float(mark), "low": None, "high": None, "n": 1}
            for what, mark in marks.items()
        }
        rows.append(
            {
                "model": f"{one.example}: {', '.join(one.labels)}",
                "role": "ours",
                "scores": scores,
                "said": ranked if one.told else claimed,
            }
        )
    whole = {
        f"{what}/appendix-a": {"value": sum(marks) / len(marks), "low": None, "high": None, "n": len(marks)}
        for what, marks in sums.items()
        if marks
    }
    rows.append({"model": "detector", "role": "ours", "scores": whole})
    fields = {
        "exam": "detection",
        "data": f"appendix-a#{hashlib.sha256(LIST.read_bytes()).hexdigest()[:8]}",
        "v": __version__,
    }
    return {"rows": rows, "signature": sign("passages", fields)}
