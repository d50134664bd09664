"""MCScript 2.0 (Ostermann et al. 2019) -> Story with its scenario; the questions of the XML as ``questions()``.

Reads the official XML (``train-data.xml`` and so on) and the JSONL at hand (scenario, text). The XML release has a
validation file; the JSONL has none, and dev is cut by the rule. The text is kept exactly as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar
from xml.etree.ElementTree import Element

import msgspec

from scenarist.corpora.loader import Loader
from scenarist.errors import BadInput
from scenarist.formats import jsonl
from scenarist.formats.markup import elements
from scenarist.noun import Noun
from scenarist.story import Story


class McScriptLine(msgspec.Struct):
    """A line of the JSONL form."""

    scenario: str
    text: str
    id: str = ""


class Reply(Noun, frozen=True):
    """An answer to a reading question."""

    text: str
    right: bool


class Quiz(Noun, frozen=True):
    """A reading question of the XML release."""

    story: str
    id: str
    text: str
    kind: str
    """``text`` or ``commonsense``."""
    replies: tuple[Reply, ...]


class MCScript(Loader[Story]):
    """Everyday narratives with their scenario."""

    name = "mcscript"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "train": ("train-data.xml", "train.jsonl"),
        "dev": ("dev-data.xml", "dev.jsonl"),
        "test": ("test-data.xml", "test.jsonl"),
    }

    def read(self, path: Path) -> Iterator[Story]:
        for story in self.read_xml(path) if ".xml" in path.suffixes else self.read_jsonl(path):
            if self.keeps(story.text):
                yield story

    def read_jsonl(self, path: Path) -> Iterator[Story]:
        file = "test" if self.split == "test" else "train"
        for number, record in enumerate(jsonl.read(path, McScriptLine), start=1):
            id = record.id or f"mcscript-{file}-{number:05d}"
            yield Story(id, record.text, source=self.source, scenario=record.scenario)

    def read_xml(self, path: Path) -> Iterator[Story]:
        for instance in elements(path, "instance"):
            id, scenario = needed(instance, "id", path), needed(instance, "scenario", path)
            text = instance.findtext("text")
            if text is None:
                raise BadInput(f"{path}, instance {id!r}: expected an element <text>")
            yield Story(f"mcscript-{id}", text.strip(), source=self.source, scenario=scenario)

    def questions(self) -> Iterator[Quiz]:
        """The reading questions; only the XML release has them."""
        path = self.file()
        if ".xml" not in path.suffixes:
            raise BadInput(f"{path}: this form of MCScript has no questions; they are in the official train-data.xml")
        for instance in elements(path, "instance"):
            id = f"mcscript-{needed(instance, 'id', path)}"
            for question in instance.iter("question"):
                replies = tuple(
                    Reply(needed(answer, "text", path), answer.get("correct", "").lower() == "true")
                    for answer in question.iter("answer")
                )
                number, text = needed(question, "id", path), needed(question, "text", path)
                yield Quiz(id, number, text, question.get("type", ""), replies)


def needed(element: Element, name: str, path: Path) -> str:
    """An attribute that must be there."""
    value = element.get(name)
    if value is None:
        found = ", ".join(element.keys()) or "none"
        raise BadInput(f"{path}: expected an attribute {name!r} on <{element.tag}>, found {found}")
    return value
