"""Lists of steps -> event sequence descriptions, in the official files of DeScript: one XML file an activity, and the same as JSON lines.

`scenarist learn jsonl:DIR/esds.jsonl --scripts` learns scripts from them; a folder with them on the search path is the corpus `descript`,
which the evidence of the library is counted on. Of the same list told twice for an activity the first one stays.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

from scenarist.lab.collected import counted
from scenarist.lab.kinds.compose import parts_of
from scenarist.lab.roster import OpenStudy
from scenarist.lab.yields.write import HarvestedFiles
from scenarist.noun import write_jsonl
from scenarist.question import Compose
from scenarist.story import Story

FOLDER = "descript/esds/second_esd"
"""Where the corpus `descript` looks for its second collection."""


class ToldList(NamedTuple):
    """What somebody wrote: steps of an activity, or of what a caption says in short."""

    activity: str
    steps: tuple[str, ...]
    session: str


def harvest_scripts(study: OpenStudy, options: Mapping[str, Any]) -> HarvestedFiles:
    """The lists of steps, activity by activity."""
    told: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    tellers: set[str] = set()
    repeated = 0
    for activity, steps, session in told_lists(study):
        if steps in told[activity]:
            repeated += 1
            continue
        told[activity].append(steps)
        tellers.add(session)
    files: dict[str, Sequence[bytes]] = {
        f"{FOLDER}/{file_name(activity)}.new.xml": [script_xml(lists)] for activity, lists in sorted(told.items())
    }
    stories = [
        Story.from_sentences(
            f"{activity}/2/{number}", steps, joint="\n", source=study.study.name, scenario=activity, genre="esd"
        )
        for activity, lists in sorted(told.items())
        for number, steps in enumerate(lists, start=1)
    ]
    if stories:
        files["esds.jsonl"] = list(write_jsonl(stories))
    total = sum(len(story.sentences) for story in stories)
    counts = {"descriptions": len(stories), "activities": len(told), "steps": total, "tellers": len(tellers)}
    return HarvestedFiles(
        files, counts, {"lists that repeat an earlier one": repeated} if repeated else {}, "Event sequence descriptions",
        ("scenarist learn jsonl:{out}/esds.jsonl --scripts -o my-scripts", "scenarist corpus stats jsonl:{out}/esds.jsonl"),
    )  # fmt: skip


def told_lists(study: OpenStudy) -> Iterator[ToldList]:
    """The lists of steps that count, with what they explain."""
    for given in counted(study.database, study.study.name):
        item = study.items.get((given.condition, given.item))
        steps = parts_of(given.answer)
        if item is not None and isinstance(item.question, Compose) and item.question.context and steps:
            yield ToldList(item.question.context[0], steps, given.session)


def file_name(activity: str) -> str:
    """An activity as the name of a file; what a path could mean is taken out.

    >>> file_name("baking a cake"), file_name("../a/b")
    ('baking a cake', '-a-b')
    """
    return re.sub(r"\s+", " ", re.sub(r"[/\\:]+", "-", activity).replace("..", " ")).strip(" .") or "activity"


def script_xml(lists: Sequence[Sequence[str]]) -> bytes:
    """One activity's descriptions as DeScript has them."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<scripts>"]
    for number, steps in enumerate(lists, start=1):
        lines.append(f'<script id="{number}" source="2">')
        lines += [f'<item slot="{slot}" original={quoteattr(step)}/>' for slot, step in enumerate(steps, start=1)]
        lines.append("</script>")
    return "\n".join([*lines, "</scripts>", ""]).encode()
