"""brat stand-off (``.txt`` with ``.ann``) <-> Story: segments, entities and events.

A segment is a text-bound line of its label (spaces as ``_``; the label itself stands in a note where that loses something), a label a
line; lines of one span become one Segment with several labels. A segment in parts (one group) is one discontinuous line: its parts keep
together, both ways. Mentions are
``Mention`` (or ``Mention-person``) lines joined by ``Coref`` equivalences, events ``Event`` lines whose arguments are mentions. Other
relations, attributes and normalisations are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from scenarist.errors import BadInput
from scenarist.formats.archive import ArchivedFile, decoded, whole
from scenarist.formats.lines import lines, stem
from scenarist.store.home import write_whole
from scenarist.story import Entity, Event, Label, Mention, Role, Segment, Story

MENTION = "Mention"
EVENT = "Event"
PLAIN = re.compile(r"[A-Za-z0-9_-]+")


class Bound(NamedTuple):
    """A text-bound line: its type and its pieces."""

    kind: str
    pieces: tuple[tuple[int, int], ...]


class AnnotationFile:
    """The lines of an .ann file."""

    def __init__(self) -> None:
        self.bound: dict[str, Bound] = {}
        self.notes: dict[str, str] = {}
        self.same: list[list[str]] = []
        self.events: list[tuple[str, list[tuple[str, str]], str]] = []
        """Trigger, (role, target) pairs, type."""


def read(path: Path, source: str = "") -> Story:
    """One document; ``path`` is its .txt or its .ann file, the other stands beside it."""
    text_path, ann_path = path.with_suffix(".txt"), path.with_suffix(".ann")
    for needed in (text_path, ann_path):
        if not needed.exists():
            raise BadInput(f"{needed}: no such file; brat keeps a text and its annotation side by side")
    text = decoded(ArchivedFile(text_path.name, whole(text_path), str(text_path)))
    return story(sheet(ann_path, text), text, stem(text_path), source)


def sheet(path: Path, text: str) -> AnnotationFile:
    """The annotation lines, each checked against the text."""
    annotations = AnnotationFile()
    for line in lines(path):
        where = f"{path}, line {line.number}"
        if not line.text.strip():
            continue
        cells = line.text.split("\t")
        if len(cells) < 2:
            raise BadInput(f"{where}: expected an id and an annotation joined by a tab, got {line.text[:60]!r}")
        if cells[0].startswith("T"):
            if cells[0] in annotations.bound:
                raise BadInput(f"{where}: duplicate id {cells[0]!r}")
            annotations.bound[cells[0]] = bound(cells, text, where)
        elif cells[0].startswith("#") and cells[1].startswith("AnnotatorNotes ") and len(cells) > 2:
            annotations.notes[cells[1].split()[1]] = cells[2]
        elif cells[0] == "*":
            annotations.same.append(cells[1].split()[1:])
        elif cells[0].startswith("E"):
            (kind, trigger), *arguments = (part.split(":", 1) for part in cells[1].split())
            annotations.events.append((trigger, [(role, target) for role, target in arguments], kind))
    return annotations


def bound(cells: list[str], text: str, where: str) -> Bound:
    """A text-bound line, e.g. ``T1<TAB>baking_a_cake 0 12;15 20<TAB>...``."""
    kind, _, rest = cells[1].partition(" ")
    pieces = []
    for part in rest.split(";"):
        match = re.fullmatch(r"\s*(\d+) (\d+)\s*", part)
        if match is None or int(match[2]) > len(text) or int(match[1]) > int(match[2]):
            raise BadInput(
                f"{where}: expected 'type start end' within the {len(text)} characters of the text, got {cells[1]!r}"
            )
        pieces.append((int(match[1]), int(match[2])))
    if len(cells) > 2 and len(pieces) == 1 and text[slice(*pieces[0])].replace("\n", " ") != cells[2]:
        raise BadInput(
            f"{where}: the text at {pieces[0][0]} is {text[slice(*pieces[0])]!r}, the line says {cells[2]!r}"
        )
    return Bound(kind, tuple(pieces))


def story(sheet: AnnotationFile, text: str, id: str, source: str) -> Story:
    """The finished document."""
    entities, owner = entities_of(sheet)
    triggers = {trigger for trigger, _, _ in sheet.events}
    merged: dict[tuple[int, int, str], list[Label]] = {}
    in_parts: dict[tuple[tuple[int, int], ...], str] = {}
    for name, line in sheet.bound.items():
        if name in owner or name in triggers:
            continue
        group = in_parts.setdefault(line.pieces, name) if len(line.pieces) > 1 else ""
        label = sheet.notes.get(name) or line.kind.replace("_", " ")
        for start, stop in line.pieces:
            merged.setdefault((start, stop, group), []).extend([Label(label)] if line.kind != "None" else [])
    segments = tuple(
        Segment(start, stop, tuple(labels), group)
        for (start, stop, group), labels in sorted(
            merged.items(), key=lambda item: (item[0][0], -item[0][1], item[0][2])
        )
    )
    events = []
    for trigger, arguments, kind in sheet.events:
        if trigger not in sheet.bound:
            raise BadInput(f"{id}.ann: the event's trigger {trigger!r} is not defined")
        start, stop = sheet.bound[trigger].pieces[0]
        roles = tuple(Role(role.rstrip("0123456789"), owner.get(target, "")) for role, target in arguments)
        predicate = sheet.notes.get(trigger) or text[start:stop].lower()
        label = "" if kind == EVENT else kind
        events.append(Event(predicate, roles, start=start, stop=stop, form=text[start:stop], label=label))
    ordered = tuple(sorted(events, key=lambda event: (event.start, event.stop)))
    return Story(id, text, entities=entities, events=ordered, segments=segments, source=source)


def entities_of(sheet: AnnotationFile) -> tuple[tuple[Entity, ...], dict[str, str]]:
    """Entities from mentions and equivalences, and which mention belongs to which."""
    owner: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    mentions = [name for name, one in sheet.bound.items() if one.kind.split("-")[0] == MENTION]
    for same in sheet.same:
        groups[same[0]] = [name for name in same if name in sheet.bound]
        owner.update(dict.fromkeys(same, same[0]))
    for name in mentions:
        if name not in owner:
            groups[name] = [name]
            owner[name] = name
    entities = []
    for key, names in groups.items():
        spans = sorted(piece for name in names for piece in sheet.bound[name].pieces)
        kind = next((sheet.bound[name].kind.partition("-")[2] for name in names), "")
        entities.append(Entity(sheet.notes.get(key, key), tuple(Mention(start, stop) for start, stop in spans), kind))
        owner.update({name: sheet.notes.get(key, key) for name in names})
    return tuple(sorted(entities, key=lambda one: (one.mentions[0].start, one.id))), owner


def write(path: Path, story: Story) -> None:
    """Write ``path`` with the endings .txt and .ann."""
    write_whole(path.with_suffix(".txt"), [story.text.encode("utf-8")])
    write_whole(path.with_suffix(".ann"), (line.encode("utf-8") for line in as_lines(story)))


def as_lines(story: Story) -> Iterator[str]:
    """A story as the lines of an .ann file."""
    number = notes = 0
    first: dict[str, str] = {}

    def place(start: int, stop: int) -> str:
        return f"{start} {stop}\t" + story.text[start:stop].replace("\n", " ")

    for entity in story.entities:
        names = []
        for mention in entity.mentions:
            number += 1
            names.append(f"T{number}")
            kind = f"{MENTION}-{entity.kind}" if entity.kind else MENTION
            yield f"T{number}\t{kind} {place(mention.start, mention.stop)}\n"
        if names:
            first[entity.id] = names[0]
            notes += 1
            yield f"#{notes}\tAnnotatorNotes {names[0]}\t{entity.id}\n"
            if len(names) > 1:
                yield f"*\tCoref {' '.join(names)}\n"
    for count, event in enumerate(story.events, start=1):
        number += 1
        notes += 1
        kind = event.label if PLAIN.fullmatch(event.label) else EVENT
        yield f"T{number}\t{kind} {place(event.start, event.stop)}\n"
        yield f"#{notes}\tAnnotatorNotes T{number}\t{event.predicate}\n"
        roles = "".join(f" {role.name}:{first[role.entity]}" for role in event.roles if role.entity in first)
        yield f"E{count}\t{kind}:T{number}{roles}\n"
    for name, pieces in labelled_spans(story.segments):
        number += 1
        kind = re.sub(r"[^A-Za-z0-9-]+", "_", name)
        places = ";".join(f"{start} {stop}" for start, stop in pieces)
        words = " ".join(story.text[start:stop].replace("\n", " ") for start, stop in pieces)
        yield f"T{number}\t{kind} {places}\t{words}\n"
        if kind.replace("_", " ") != name:
            notes += 1
            yield f"#{notes}\tAnnotatorNotes T{number}\t{name}\n"


def labelled_spans(segments: Iterable[Segment]) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Each label of each segment with its spans: several where the segment is in parts (its parts share a group).

    >>> parts = Segment(0, 4, (Label("x"),), "g"), Segment(9, 12, (Label("x"),), "g")
    >>> list(labelled_spans(parts))
    [('x', [(0, 4), (9, 12)])]
    """
    spans: dict[tuple[object, ...], tuple[str, list[tuple[int, int]]]] = {}
    for number, segment in enumerate(segments):
        for name in segment.names or ("None",):
            key = (segment.group, segment.by, name) if segment.group else (number, name)
            spans.setdefault(key, (name, []))[1].append((segment.start, segment.stop))
    for name, pieces in spans.values():
        yield name, sorted(set(pieces))
