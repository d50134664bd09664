"""Written stories -> the CSV of ROCStories: storyid, storytitle, sentence1 to sentence5. Of the same text twice the first one stays."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scenarist.lab.collected import SENTENCES, WrittenStory, written_stories
from scenarist.lab.roster import OpenStudy
from scenarist.lab.yields.write import HarvestedFiles
from scenarist.learning.dedup import find_duplicates

FILE = "ROCStories_spring2016.csv"
"""The first of the official names: a folder on the search path is read as `rocstories`."""
COLUMNS = ("storyid", "storytitle", *(f"sentence{number}" for number in range(1, SENTENCES + 1)))
NEAR = 0.8


def harvest_stories(study: OpenStudy, options: Mapping[str, Any]) -> HarvestedFiles:
    """The stories that count, without what repeats an earlier one."""
    stories, reasons = without_duplicates(written_stories(study.database, study.study.name))
    return HarvestedFiles(
        {FILE: [story_csv(stories)] if stories else []},
        {"stories": len(stories), "writers": len({story.writer for story in stories})},
        reasons,
        "Stories of five sentences with titles",
        ("scenarist corpus stats rocstories:{out}", "scenarist exam ordering rocstories:{out} -o ordering"),
    )


def without_duplicates(stories: Sequence[WrittenStory]) -> tuple[list[WrittenStory], dict[str, int]]:
    """Stories of which none repeats an earlier one, and how many did."""
    twins = find_duplicates([" ".join(story.sentences) for story in stories], NEAR)
    kept = [story for place, story in enumerate(stories) if place not in twins.all]
    counts = {
        "stories that repeat an earlier one": len(twins.exact),
        "stories that nearly repeat an earlier one": len(twins.near),
    }
    return kept, {reason: count for reason, count in counts.items() if count}


def story_csv(stories: Iterable[WrittenStory]) -> bytes:
    """The official columns."""
    return csv_bytes(COLUMNS, ((story.id, story.title, *story.sentences) for story in stories))


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A table as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    writer.writerows(rows)
    return buffer.getvalue().encode()
