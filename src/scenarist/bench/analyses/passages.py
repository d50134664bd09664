"""The passages of Wanzare et al. (2019), Appendix A: real blog text, to which no weight or threshold was fitted -> is the label found?

The list holds offsets into the paper's text file, never its words; the file is looked for in the folders of ``SCENARIST_PAPERS`` (joined
by ``:``) and in ``papers`` beside each folder of ``SCENARIST_DATA``. A passage that the guidelines annotate counts where
one of its labels is among the first two (``top2``); ``found`` asks for that among the segments the detector claims, so that
saying *None* is wrong there; a passage whose label they cross out counts where nothing is claimed (``none``).
"""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scenarist import __version__
from scenarist.bench.ratios import Tally, ratio
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.bench.solver import model_fields
from scenarist.corpora import search_path as finding
from scenarist.errors import BadInput, Missing
from scenarist.formats.plain import sentences
from scenarist.inventory import find
from scenarist.models.scenarios.deep import DeepDetector
from scenarist.models.scenarios.detector import Detector
from scenarist.signature import sign
from scenarist.story import Story

VARIABLE = "SCENARIST_PAPERS"
LIST = Path(__file__).with_name("passages.toml")


class AnnotatedPassage(NamedTuple):
    """A passage as a story, its labels (canonical), and whether the guidelines annotate it."""

    story: Story
    labels: tuple[str, ...]
    told: bool
    example: str


def paper_folders() -> list[Path]:
    """Where the texts of papers are looked for."""
    named = [Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
    return named + [root.parent / "papers" for root in finding.roots()]


def paper(name: str, digest: str) -> str:
    """The paper's text, its content checked."""
    folders = paper_folders()
    for folder in folders:
        if (folder / name).exists():
            text = (folder / name).read_text(encoding="utf-8")
            if hashlib.sha256(text.encode()).hexdigest() != digest:
                raise BadInput(f"{folder / name}: not the text the offsets were taken from (its checksum differs).")
            return text
    looked = ", ".join(map(str, folders)) or "no folder, since neither SCENARIST_PAPERS nor SCENARIST_DATA is set"
    raise Missing(
        f"passages: expected {name}, the text of Wanzare et al. (2019) that the offsets were taken from; looked in {looked}. "
        f"Put it into a folder and type: {VARIABLE}=FOLDER scenarist bench passages"
    )


def passages() -> Iterator[AnnotatedPassage]:
    """All passages of the list."""
    data = tomllib.loads(LIST.read_text(encoding="utf-8"))
    text = paper(data["file"], data["sha256"])
    for number, entry in enumerate(data["passage"], start=1):
        parts = [text[start:stop] for start, stop in entry["spans"]]
        plain = " ".join(re.sub(r"[*#]+|\.\.\.", " ", " ".join(parts)).split())
        labels = tuple(find(label).name for label in entry["labels"])
        yield AnnotatedPassage(
            Story(f"passage-{number}", plain, sentences=sentences(plain)), labels, entry["told"], entry["example"]
        )


def judged(detector: Detector, one: AnnotatedPassage) -> tuple[dict[str, bool], list[str]]:
    """What a detector gets right of a passage, and what it says."""
    ranked = [label.name for label in detector.whole(one.story)[:2]]
    segments = detector.segments(one.story)
    claimed = [name for segment in segments for name in segment.names[:2]]
    if not one.told:
        return {"none": not segments}, claimed
    right = [any(name in one.labels for name in names) for names in (ranked, claimed)]
    return dict(zip(("top2", "found"), right, strict=True)), ranked


def summary(name: str, marks: Sequence[dict[str, bool]]) -> FigureRow:
    """One row for all passages."""
    scores = {}
    for what in ("top2", "found", "none"):
        if right := [mark[what] for mark in marks if what in mark]:
            scores[f"{what}/appendix-a"] = ratio(Tally(mark, 1, (str(number),)) for number, mark in enumerate(right))
    return FigureRow(name, "ours", scores)


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:  # noqa: ARG001
    """One row a passage, as the light detector says it, and one for all of them for each detector."""
    chosen = list(passages())[:limit]
    light = Detector()
    said = [judged(light, passage) for passage in chosen]
    rows = [
        FigureRow(
            f"{passage.example}: {', '.join(passage.labels)}",
            "ours",
            {f"{what}/appendix-a": Figure(float(mark), n=1, groups=1) for what, mark in marks.items()},
            {"said": names},
        )
        for passage, (marks, names) in zip(chosen, said, strict=True)
    ]
    rows.append(summary(light.name, [marks for marks, _ in said]))
    for row in rows:
        row.who = model_fields(light.name, {}, light)
    try:
        deep = DeepDetector()
    except Missing as error:
        rows.append(FigureRow(DeepDetector.name, "ours", {}, {"problem": str(error)}))
    else:
        rows.append(summary(deep.name, [judged(deep, passage)[0] for passage in chosen]))
        rows[-1].who = model_fields(deep.name, {}, deep)
    fields = {
        "exam": "detection",
        "data": f"appendix-a#{hashlib.sha256(LIST.read_bytes()).hexdigest()[:8]}",
        "v": __version__,
    }
    return Analysis(rows, sign("passages", fields))
