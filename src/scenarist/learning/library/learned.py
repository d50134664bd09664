"""Script -> WrittenScript: a learned script in the form of the library's, so that whatever reads the library reads it too."""

from __future__ import annotations

from scenarist.script import Participant, Script, WrittenEvent, WrittenScript

PERSON = "someone"
FIRM = 0.75
"""So many of the tellers of both say an order that is kept as the usual one."""


def as_written(script: Script) -> WrittenScript:
    """A learned script in the form of a written one: one scene, phrases as wordings, nothing said of who does what.

    An event comes usually after another where three of four tellers or more say so, the mean places agree, and no event between the two
    says it already.
    """
    kinds = sorted(script.events, key=lambda event: event.place)
    firm = {(first, second) for first, second, weight in script.order if weight >= FIRM}
    firm |= {(second, first) for first, second, weight in script.order if weight <= 1 - FIRM}
    before: dict[str, set[str]] = {}
    direct: dict[str, tuple[str, ...]] = {}
    for number, event in enumerate(kinds):
        nearest: list[str] = []
        known: set[str] = set()
        for earlier in reversed(kinds[:number]):
            if (earlier.id, event.id) in firm and earlier.id not in known:
                nearest.append(earlier.id)
                known |= {earlier.id, *before[earlier.id]}
        before[event.id], direct[event.id] = known, tuple(nearest)
    events = tuple(
        WrittenEvent(
            event.id, "all", PERSON, f"{{{PERSON}}} {plain(event.id)}", tuple(map(plain, event.phrases)) or (plain(event.id),),
            "sometimes", after_usually=direct[event.id],
        )
        for event in kinds
    )  # fmt: skip
    return WrittenScript(script.scenario, ("all",), (Participant(PERSON, "person", ("person",)),), events)


def plain(phrase: str) -> str:
    """A learned phrase as a wording.

    >>> plain("pick_up book")
    'pick up book'
    """
    return phrase.replace("_", " ")
