"""Toy scripts -> WrittenScripts: small priors over stories for the storyteller (exam `teller`); `toy-scripts:FILE` reads a user's own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from scenarist.errors import BadInput
from scenarist.script import WrittenEvent, WrittenScript
from scenarist.store.home import resource

FILE = "toy-scripts/scripts.toml"


class ToyEvent(msgspec.Struct, forbid_unknown_fields=True):
    """An event of a toy script."""

    id: str
    scene: str
    say: str
    happens: Literal["always", "usually", "sometimes"]
    after: list[str] = []
    one_of: str = ""


class ToyScript(msgspec.Struct, forbid_unknown_fields=True):
    """A toy script."""

    scenario: str
    scenes: list[str]
    event: list[ToyEvent]


class ToyFile(msgspec.Struct, forbid_unknown_fields=True):
    """The whole file."""

    schema: Literal[1]
    script: list[ToyScript]


def read_toy_scripts(path: Path) -> list[WrittenScript]:
    """The scripts of a file; names that it does not know are an error that says where."""
    try:
        entry = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), ToyFile)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadInput(f"{path}: expected toy scripts, in the form of {resource(FILE)}: {error}") from error
    faults = [fault for script in entry.script for fault in toy_faults(script)]
    if faults:
        raise BadInput("\n".join(f"{path}, {fault}" for fault in faults))
    return [written_script(script) for script in entry.script]


def toy_faults(script: ToyScript) -> Iterator[str]:
    """What is wrong with a script."""
    ids = [event.id for event in script.event]
    for event in script.event:
        where = f"script {script.scenario!r}: the event {event.id!r}"
        for name in event.after:
            if name not in ids:
                yield f"{where} comes after {name!r}, which is no event."
        if event.scene not in script.scenes:
            yield f"{where} stands in the scene {event.scene!r}, which is none of {', '.join(script.scenes)}."
        if ids.count(event.id) > 1:
            yield f"{where} stands twice."


def written_script(script: ToyScript) -> WrittenScript:
    """A toy script as a script of the library: its clauses are its wordings, and it names no participants."""
    events = tuple(
        WrittenEvent(
            event.id, event.scene, "", event.say, (event.say,), event.happens, False, event.one_of, tuple(event.after)
        )
        for event in script.event
    )
    return WrittenScript(script.scenario, tuple(script.scenes), (), events)


class ToyScripts:
    """The scripts of one file; ``split`` is not looked at: they are knowledge, not examples."""

    name = "toy-scripts"

    def __init__(self, split: str = "train", target: str | Path = "") -> None:
        self.split, self.path = split, Path(target) if target else resource(FILE)

    def __iter__(self) -> Iterator[WrittenScript]:
        return iter(read_toy_scripts(self.path))
