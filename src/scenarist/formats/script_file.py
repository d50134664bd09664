"""TOML <-> WrittenScript: a script of the library, one file a scenario; what is wrong is said with file and line.

The form and its rules are in `docs/reference/script-files.md`. All faults of a file are found at once, to be mended together.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from scenarist.errors import BadInput
from scenarist.script import Participant, WrittenEvent, WrittenScript

SCHEMA = 1
SLOT = re.compile(r"\{([^{}]*)\}")
FEWEST, MOST = 15, 40
"""Events of a script."""

Kind = Literal[
    "person", "group", "animal", "place", "thing", "food", "text", "money", "vehicle", "machine", "body", "substance", "time", "event"
]  # fmt: skip


class ParticipantEntry(msgspec.Struct, forbid_unknown_fields=True):
    """A participant as it stands in the file."""

    kind: Kind
    words: list[str]
    many: bool = False
    definite: bool = False


class EventEntry(msgspec.Struct, forbid_unknown_fields=True):
    """An event as it stands in the file; an id in ``after`` ends in ``?`` where that order is only usual."""

    id: str
    scene: str
    by: str
    say: str
    wordings: list[str]
    happens: Literal["always", "usually", "sometimes"]
    silent: bool = False
    assumed: Literal["", "yes", "depends"] = ""
    one_of: str = ""
    after: list[str] = []
    needs: list[str] = []
    results: list[str] = []
    sub: str = ""


class ScriptEntry(msgspec.Struct, forbid_unknown_fields=True):
    """A whole file."""

    schema: int
    scenario: str
    scenes: list[str]
    participants: dict[str, ParticipantEntry]
    event: list[EventEntry]


def file_name(scenario: str) -> str:
    """The name of a scenario's file.

    >>> file_name("going to the dentist"), file_name("calling 911")
    ('going-to-the-dentist.toml', 'calling-911.toml')
    """
    return re.sub(r"[^a-z0-9]+", "-", scenario.lower()).strip("-") + ".toml"


def read_script(path: Path) -> WrittenScript:
    """The script of a file; all its faults in one error."""
    try:
        return parse_script(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: expected a script file, TOML in UTF-8: {error}") from error


def parse_script(text: str, where: str) -> WrittenScript:
    """The script a text holds."""
    try:
        entry = msgspec.convert(tomllib.loads(text), ScriptEntry)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadInput(f"{where}: not a script file: {located(text, str(error))}") from error
    faults = list(script_faults(entry))
    if faults:
        lines = "\n".join(f"{where}, line {line_of(text, place)}: {fault}" for place, fault in faults)
        raise BadInput(lines)
    participants = tuple(
        Participant(name, participant.kind, tuple(participant.words), participant.many, participant.definite)
        for name, participant in entry.participants.items()
    )
    return WrittenScript(
        entry.scenario, tuple(entry.scenes), participants, tuple(written_event(event) for event in entry.event)
    )


def written_event(event: EventEntry) -> WrittenEvent:
    """An entry as a noun."""
    return WrittenEvent(
        event.id, event.scene, event.by, event.say, tuple(event.wordings), event.happens, event.silent, event.one_of,
        tuple(name for name in event.after if not name.endswith("?")),
        tuple(name.removesuffix("?") for name in event.after if name.endswith("?")),
        tuple(event.needs), tuple(event.results), event.sub, event.assumed,
    )  # fmt: skip


def located(text: str, message: str) -> str:
    """A validation message that names the event instead of its number: ``$.event[3].by`` -> ``event 'sit-down' (line 40), by``."""
    match = re.search(r"`\$\.event\[(\d+)\]([^`]*)`", message)
    if match is None:
        return message
    ids = re.findall(r'(?m)^id\s*=\s*"([^"]*)"', text)
    number = int(match[1])
    name = ids[number] if number < len(ids) else f"number {number + 1}"
    return f"{message[: match.start()]}event {name!r} (line {line_of(text, name)}){match[2].replace('.', ', ')}"


def line_of(text: str, place: str) -> int:
    """The line on which an event, a participant or a field begins, 1 where it is not found."""
    pattern = rf'(?m)^(id\s*=\s*"{re.escape(place)}"|{re.escape(place)}\s*=)'
    match = re.search(pattern, text)
    return text.count("\n", 0, match.start()) + 1 if match else 1


def script_faults(entry: ScriptEntry) -> Iterator[tuple[str, str]]:
    """(place, what is wrong) for each fault of a script."""
    if entry.schema != SCHEMA:
        yield "schema", f"expected schema = {SCHEMA}, got {entry.schema}."
    if not FEWEST <= len(entry.event) <= MOST:
        yield "scenario", f"expected {FEWEST} to {MOST} events, got {len(entry.event)}."
    ids = [event.id for event in entry.event]
    for id in sorted({id for id in ids if ids.count(id) > 1}):
        yield id, f"the event {id!r} stands twice."
    for scene in entry.scenes:
        if not any(event.scene == scene for event in entry.event):
            yield "scenes", f"the scene {scene!r} has no event."
    yield from slot_faults(entry)
    for event in entry.event:
        if event.scene not in entry.scenes:
            yield event.id, f"unknown scene {event.scene!r}; the scenes are {', '.join(entry.scenes)}."
        if not event.wordings:
            yield event.id, "no wordings: expected at least one."
        for other in event.after:
            if other.removesuffix("?") not in ids:
                yield event.id, f"after the unknown event {other!r}."
    groups = [event.one_of for event in entry.event if event.one_of]
    for event in entry.event:
        if event.one_of and groups.count(event.one_of) == 1:
            yield event.id, f"alone in the group {event.one_of!r}: ways that exclude one another are two or more."
    before = {event.id: [other.removesuffix("?") for other in event.after] for event in entry.event}
    if circle := cycle(before):
        yield circle[0], f"a circle in the order: {' after '.join(circle)}."


def slot_faults(entry: ScriptEntry) -> Iterator[tuple[str, str]]:
    """Slots that nobody fills, participants that take part in nothing."""
    used: set[str] = set()
    for event in entry.event:
        used.add(event.by)
        if event.by not in entry.participants:
            yield event.id, f"by the unknown participant {event.by!r}."
        if not event.say.startswith(f"{{{event.by}}} "):
            yield event.id, f"`say` begins with the one who does it, {{{event.by}}}; it is {event.say!r}."
        for slot in SLOT.findall(" ".join((event.say, *event.wordings))):
            used.add(slot)
            if slot not in entry.participants:
                yield event.id, f"the slot {{{slot}}} is filled by no participant."
    for name, participant in entry.participants.items():
        if name not in used:
            yield name, f"the participant {name!r} takes part in no event."
        if not participant.words:
            yield name, f"the participant {name!r} has no words."


def cycle(before: Mapping[str, list[str]]) -> list[str]:
    """A circle of events each after the next, empty where there is none.

    >>> cycle({"a": ["b"], "b": ["c"], "c": ["a"]}), cycle({"a": ["b"], "b": []})
    (['a', 'b', 'c', 'a'], [])
    """
    state: dict[str, int] = {}

    def visit(id: str, trail: list[str]) -> list[str]:
        if state.get(id) == 2:
            return []
        if state.get(id) == 1:
            return [*trail[trail.index(id) :], id]
        state[id] = 1
        for other in before.get(id, ()):
            if circle := visit(other, [*trail, id]):
                return circle
        state[id] = 2
        return []

    return next((circle for id in before if (circle := visit(id, []))), [])


def script_data(script: WrittenScript) -> dict[str, Any]:
    """A script as the plain data of its file, for JSON and for writing."""
    return {
        "schema": SCHEMA,
        "scenario": script.scenario,
        "scenes": list(script.scenes),
        "participants": {
            participant.name: {
                "kind": participant.kind,
                "words": list(participant.words),
                "many": participant.many,
                "definite": participant.definite,
            }
            for participant in script.participants
        },
        "event": [
            {
                "id": event.id, "scene": event.scene, "by": event.by, "say": event.say, "wordings": list(event.wordings),
                "happens": event.happens, "silent": event.silent, "assumed": event.assumed, "one_of": event.one_of,
                "after": [*event.after, *(f"{other}?" for other in event.after_usually)],
                "needs": list(event.needs), "results": list(event.results), "sub": event.sub,
            }
            for event in script.events
        ],
    }  # fmt: skip
