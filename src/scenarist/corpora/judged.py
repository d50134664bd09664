"""Judged stories -> JudgedStory: everyday stories and, for each, what it leaves unsaid, by the judgement of a person.

``judged``: the forty stories carried in the package, twenty of them dev and twenty test; where the search path has ``judged/dev.jsonl``
or ``judged/test.jsonl``, that file is the split. ``judged:PATH``: a file of the same form, or a folder of such files (as one set; with a
split named, the file of its name). One JSON object a line: ``id``, ``title``, ``sentences`` (list), ``scenarios`` (``name``, ``aliases``),
``accepted`` (``event``, ``wordings``, ``gaps``, ``certain``), ``refused`` (``event``, ``wordings``, ``why``), ``features``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import msgspec

from scenarist.corpora import search_path as finding
from scenarist.corpora import splits
from scenarist.corpora.loader import Ids, Loader
from scenarist.errors import BadInput
from scenarist.formats import jsonl
from scenarist.formats.table import TableRow
from scenarist.question import JudgedEvent, JudgedKey, JudgedStory
from scenarist.store.home import resource
from scenarist.story import Story


class JudgedEntry(msgspec.Struct):
    """An accepted or refused event as it stands in the file."""

    event: str
    wordings: list[str]
    gaps: list[int] = []
    certain: str = ""
    why: str = ""


class ToldEntry(msgspec.Struct):
    """A told scenario as it stands in the file."""

    name: str
    aliases: list[str] = []


class StoryLine(msgspec.Struct):
    """A line of the file."""

    id: str
    sentences: list[str]
    scenarios: list[ToldEntry] = []
    accepted: list[JudgedEntry] = []
    refused: list[JudgedEntry] = []
    title: str = ""
    features: list[str] = []


class Judged(Loader[JudgedStory]):
    """Everyday stories with what goes without saying in them, judged by hand."""

    name = "judged"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"dev": ("dev.jsonl",), "test": ("test.jsonl",)}

    def __init__(self, split: str = "dev", path: str | Path | None = None) -> None:
        super().__init__(split, path)

    @property
    def cut(self) -> bool:
        return False

    def file(self) -> Path:
        if self.path is not None:
            return super().file()
        if self.split not in self.files:
            raise BadInput(f"judged has no {self.split} split; it has dev and test.")
        return finding.locate(self.name, f"{self.split}.jsonl") or resource("judged") / f"{self.split}.jsonl"

    def read(self, path: Path) -> Iterator[JudgedStory]:
        ids = Ids()
        for file in self.chosen_files(path):
            for number, entry in enumerate(jsonl.read(file, StoryLine), start=1):
                ids.distinct(entry.id, TableRow(number, {}, file))
                yield judged_story(entry, f"{file}, story {entry.id!r}")

    def chosen_files(self, path: Path) -> list[Path]:
        """The file, the file of the split, or all files of a folder."""
        if path.is_file():
            return [path]
        named = path / f"{self.split}.jsonl"
        files = [named] if named.is_file() else sorted(path.glob("*.jsonl"))
        if not files:
            raise BadInput(
                f"{path}: expected judged stories (*.jsonl), found none; their form: docs/reference/judged.md"
            )
        return files


class JudgedFolder(Judged):
    """``judged:PATH``: judged stories of one's own."""

    usual_split = "all"

    def __init__(self, target: str | Path, split: str = "all") -> None:
        super().__init__(splits.named(split), target)


def judged_story(entry: StoryLine, where: str) -> JudgedStory:
    """A line as a noun; what is wrong names the file, the story and the event."""
    sentences = [" ".join(sentence.split()) for sentence in entry.sentences]
    if not sentences or not all(sentences):
        raise BadInput(f"{where}: expected sentences that are not empty.")
    spans, start = [], 0
    for sentence in sentences:
        spans.append((start, start + len(sentence)))
        start += len(sentence) + 1
    for event in (*entry.accepted, *entry.refused):
        if not event.wordings:
            raise BadInput(f"{where}, event {event.event!r}: no wordings, expected at least one.")
        if any(not 0 <= gap <= len(sentences) for gap in event.gaps):
            raise BadInput(f"{where}, event {event.event!r}: gaps are from 0 to {len(sentences)}, got {event.gaps}.")
    for event in entry.accepted:
        if not event.gaps:
            raise BadInput(f"{where}, event {event.event!r}: no gaps, expected where it may stand.")
    key = JudgedKey(
        tuple((scenario.name, *scenario.aliases) for scenario in entry.scenarios),
        tuple(spans),
        tuple(judged_event(event) for event in entry.accepted),
        tuple(judged_event(event) for event in entry.refused),
    )
    return JudgedStory(Story(entry.id, " ".join(sentences), entry.title, source="judged"), key, tuple(entry.features))


def judged_event(event: JudgedEntry) -> JudgedEvent:
    """An entry as a noun."""
    return JudgedEvent(event.event, tuple(event.wordings), tuple(event.gaps), event.certain, event.why)
