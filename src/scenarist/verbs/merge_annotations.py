"""A folder of doubly annotated files -> gold files of what was merged automatically, and the decisions that are left.

What `scenarist corpus merge DIR` draws. The rule is Wanzare et al. (2019), section 3.3 (`corpora/adjudication.py`); the decisions can be
taken in the lab (study *adjudicate*), which needs no other file than ``decisions.jsonl``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scenarist.corpora.adjudication import MergedFolder, MergedStory, merge, write_gold
from scenarist.corpora.annotated import EVERYBODY
from scenarist.errors import BadInput
from scenarist.formats import jsonl
from scenarist.registry import make

FORMATS = ("webanno", "brat", "jsonl")


def merge_annotations(
    folder: str | Path, out: str | Path | None = None, adjacent: bool = False, formats: Sequence[str] = FORMATS
) -> MergedFolder:
    """Merge what agrees; ``out`` is where gold and decisions are written (nothing is written without it)."""
    source = Path(folder)
    if not source.is_dir():
        raise BadInput(f"{source}: expected a folder with a sub-folder an annotator (WebAnno .tsv or brat .ann files).")
    kind = "webanno" if any(source.rglob("*.tsv")) else "brat"
    stories = list(make("corpus", f"{kind}:{source}", whose=EVERYBODY))
    merged: list[MergedStory] = []
    alone = 0
    for story in stories:
        people = {value for key, value in story.notes if key == "annotator"}
        if len(people) < 2:
            alone += 1
            continue
        merged.append(merge(story, adjacent))
    if not merged:
        raise BadInput(
            f"{source}: nothing to merge: each of the {len(stories)} documents has one annotator. Put everybody's files into a sub-folder: "
            "ann/day.tsv, bob/day.tsv; see docs/how-to/detect.md"
        )
    files: tuple[str, ...] = ()
    if out is not None:
        target = Path(out)
        jsonl.write(target / "decisions.jsonl", (decision for story in merged for decision in story.decisions))
        files = write_gold(target, (story.story for story in merged), formats)
    return MergedFolder(
        documents=len(merged),
        alone=alone,
        annotations=sum(story.annotations for story in merged),
        merged=sum(story.merged for story in merged),
        decisions=sum(len(story.decisions) for story in merged),
        segments=sum(len(story.story.segments) for story in merged),
        files=files,
    )
