"""KnownScript <-> KAIROS Schema Data Format 2.3: a script as a schema that tools of the KAIROS programme open.

The mapping: the scenario is the top event, a scene its child, an event a child of its scene (`children_gate` *and*); ways that exclude one
another stand under an event of their own with the gate *xor*; a sub-script is named by ``wd_label``, as no Wikidata item is claimed for it.
Participants are `entities`, an event's slots its `participants`; the order is `outlinks` among siblings, and every pair of it, across
scenes too, a relation *before* (`wd:Q79030196`). How likely an event happened is its `importance`, what is not *always* is `optional`.
What SDF has no word for (wordings, counts of tellers, results) stands in `privateData`, so that reading back gives the same script.
Foreign files are read too, dialects 1.3 to 3.0: children by id or as objects, `qnode` or `wd_node`; what they do not say is left
empty. There is no official validator to be had.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from scenarist.answers import KnownEvent, KnownScript
from scenarist.errors import BadInput
from scenarist.script import Participant

VERSION = "2.3"
CONTEXT = "https://kairos-sdf.s3.amazonaws.com/context/kairos-v2.3.jsonld"
SPACE = "scenarist"
BEFORE = "wd:Q79030196"
SLOT = re.compile(r"\{([^{}]*)\}")
LEARNED_SCENE = "learned"
"""The scene of events that nobody wrote."""


def sdf_id(kind: str, *parts: str) -> str:
    """An identifier within a file.

    >>> sdf_id("Events", "taking a bath", "fill-tub")
    'scenarist:Events/taking-a-bath/fill-tub'
    """
    return f"{SPACE}:{kind}/" + "/".join(
        re.sub(r"[^a-z0-9-]+", "-", part.lower()).strip("-") or "all" for part in parts
    )


def to_sdf(script: KnownScript) -> dict[str, Any]:
    """A script as the data of an SDF file."""
    name = script.scenario
    ids = unique_ids(script)
    scenes = [*script.scenes, *([LEARNED_SCENE] if any(not event.scene for event in script.events) else [])]
    top: dict[str, Any] = {
        "@id": sdf_id("Events", name), "name": name, "description": f"The everyday activity: {name}.", "isTopLevel": True,
        "wd_node": [], "wd_label": [], "wd_description": [],
        "ta1explanation": script.made or "learned from tellings",
        "children_gate": "and", "children": [], "participants": list(participants(script, name, [p.name for p in script.participants])),
        "relations": list(relations(script, ids)),
        "privateData": {
            "scenes": list(script.scenes), "sources": [list(source) for source in script.sources], "tellers": script.tellers,
            "aliases": list(script.aliases), "relations": [list(relation) for relation in script.relations], "made": script.made,
        },
    }  # fmt: skip
    events: list[dict[str, Any]] = [top]
    for number, scene in enumerate(scenes):
        inside = [event for event in script.events if (event.scene or LEARNED_SCENE) == scene]
        id = sdf_id("Events", name, "scene", scene)
        link = {"child": id, "importance": max((event.happened for event in inside), default=0.0)}
        if number + 1 < len(scenes) and scenes[number + 1] != LEARNED_SCENE:
            link["outlinks"] = [sdf_id("Events", name, "scene", scenes[number + 1])]
        top["children"].append(link)
        children, ways = scene_children(script, scene, inside, ids)
        events.append(
            {"@id": id, "name": scene, "description": f"{name}: {scene}", "parent": top["@id"], "children_gate": "and",
             "children": children, "participants": []}
        )  # fmt: skip
        events += ways
        events += [leaf(script, number, event, ids) for number, event in enumerate(script.events) if event in inside]
    return {
        "@context": [CONTEXT, {SPACE: "https://scenarist.example/kairos/"}],
        "@id": sdf_id("Submissions", "TA1", name), "sdfVersion": VERSION, "version": f"{SPACE}-1", "ta2": False,
        "events": events,
        "entities": [
            {
                "@id": sdf_id("Entities", name, person.name), "name": person.name, "aka": list(person.words), "wd_node": [],
                "wd_label": [person.words[0]], "wd_description": [],
                "privateData": {"kind": person.kind, "many": person.many, "definite": person.definite},
            }
            for person in script.participants
        ],
        "relations": [],
    }  # fmt: skip


def unique_ids(script: KnownScript) -> dict[str, str]:
    """Event -> its identifier; two names that are written alike are told apart by a number."""
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for event in script.events:
        plain = sdf_id("Events", script.scenario, event.id)
        id, number = plain, 2
        while id in taken:
            id, number = f"{plain}-{number}", number + 1
        taken.add(id)
        ids[event.id] = id
    return ids


def scene_children(
    script: KnownScript, scene: str, inside: list[KnownEvent], ids: Mapping[str, str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The children of a scene, with the events that gather ways excluding one another."""
    here = {event.id for event in inside}
    groups: dict[str, list[KnownEvent]] = {}
    for event in inside:
        if event.one_of:
            groups.setdefault(event.one_of, []).append(event)
    gate_of = {
        event.id: sdf_id("Events", script.scenario, "ways", scene, group)
        for group, members in groups.items()
        for event in members
    }
    children: dict[str, dict[str, Any]] = {}
    for event in inside:
        id = gate_of.get(event.id, ids[event.id])
        child = children.setdefault(id, {"child": id, "optional": True, "importance": 0.0, "outlinks": []})
        child["importance"] = max(child["importance"], event.happened)
        child["optional"] = child["optional"] and event.happens != "always"
    for event in inside:
        for other in (*event.after, *event.after_usually):
            if other in here:
                links = children[gate_of.get(other, ids[other])]["outlinks"]
                target = gate_of.get(event.id, ids[event.id])
                if target not in links and target != gate_of.get(other, ids[other]):
                    links.append(target)
    ways = [
        {
            "@id": sdf_id("Events", script.scenario, "ways", scene, group), "name": group, "description": f"one of the ways of {group}",
            "parent": sdf_id("Events", script.scenario, "scene", scene), "children_gate": "xor", "participants": [],
            "children": [{"child": ids[event.id], "optional": True, "importance": event.happened} for event in members],
        }
        for group, members in groups.items()
    ]  # fmt: skip
    return list(children.values()), ways


def leaf(script: KnownScript, number: int, event: KnownEvent, ids: Mapping[str, str]) -> dict[str, Any]:
    """An event of the script, the so-manieth."""
    held = {key: value for key, value in msgspec.to_builtins(event).items() if key not in ("id", "phrase")}
    held["number"] = number
    slots = list(dict.fromkeys([event.by, *SLOT.findall(event.say)])) if event.by else []
    return {
        "@id": ids[event.id], "name": event.id, "description": event.phrase, "aka": list(event.wordings),
        "parent": sdf_id("Events", script.scenario, "scene", event.scene or LEARNED_SCENE),
        "ta1explanation": f"{event.source}; told by {event.told} of {event.tellers}",
        "wd_node": [], "wd_label": [event.sub] if event.sub else [], "wd_description": [],
        "participants": list(participants(script, event.id, slots)), "privateData": held,
    }  # fmt: skip


def participants(script: KnownScript, where: str, slots: Iterable[str]) -> Iterator[dict[str, str]]:
    """Slots as participants of an event; A0 is who does it."""
    for number, slot in enumerate(slots):
        yield {
            "@id": sdf_id("Participants", script.scenario, where, slot),
            "roleName": f"A{number}_{slot}",
            "entity": sdf_id("Entities", script.scenario, slot),
        }


def relations(script: KnownScript, ids: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The order as relations *before*."""
    for event in script.events:
        for kind, others in (("always", event.after), ("usually", event.after_usually)):
            for other in others:
                if other in ids:
                    yield {
                        "@id": sdf_id("Relations", script.scenario, other, event.id), "name": "before", "comment": [kind],
                        "relationSubject": ids[other], "relationPredicate": BEFORE, "relationObject": ids[event.id],
                    }  # fmt: skip


def write_sdf(script: KnownScript) -> str:
    """A script as the text of an SDF file."""
    return json.dumps(to_sdf(script), ensure_ascii=False, indent=1) + "\n"


def read_sdf(path: Path) -> KnownScript:
    """The script of an SDF file, ours or another's."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: expected an SDF file, JSON in UTF-8: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("events"), list) or not data["events"]:
        raise BadInput(f"{path}: expected an SDF file with a list of `events`.")
    try:
        return script_of(data)
    except (KeyError, TypeError, ValueError, AttributeError, msgspec.ValidationError) as error:
        raise BadInput(f"{path}: not an SDF file as it should be: {error!r}") from error


def script_of(data: Mapping[str, Any]) -> KnownScript:
    """The data of an SDF file as a script."""
    by_id = {event["@id"]: event for event in data["events"]}
    children = {id: [child_id(child) for child in listed(event.get("children"))] for id, event in by_id.items()}
    below = {child for ids in children.values() for child in ids}
    top = next(
        (event for event in data["events"] if event.get("isTopLevel")),
        next((event for id, event in by_id.items() if id not in below and children[id]), data["events"][0]),
    )
    names = {entity["@id"]: entity["name"] for entity in listed(data.get("entities"))}
    held = top.get("privateData") or {}
    leaves = [event for id, event in by_id.items() if not children[id] and event is not top]
    leaves.sort(key=lambda event: (event.get("privateData") or {}).get("number", 0))  # foreign ones stay as they stand
    events = [event_of(event, by_id, children, names, data) for event in leaves]
    people = tuple(
        Participant(
            entity["name"], (entity.get("privateData") or {}).get("kind", "thing"),
            tuple(entity.get("aka") or [entity["name"]]), bool((entity.get("privateData") or {}).get("many")),
            bool((entity.get("privateData") or {}).get("definite")),
        )
        for entity in listed(data.get("entities"))
    )  # fmt: skip
    scenes = held.get("scenes")
    if scenes is None:
        scenes = [by_id[id]["name"] for id in children[top["@id"]] if id in by_id and children[id]]
    return KnownScript(
        top["name"], tuple(events), tuple(scenes), people, pairs(held.get("sources")), int(held.get("tellers", 0)),
        tuple(held.get("aliases", ())), pairs(held.get("relations")), held.get("made", str(data.get("version", ""))),
    )  # fmt: skip


def event_of(
    event: Mapping[str, Any],
    by_id: Mapping[str, Mapping[str, Any]],
    children: Mapping[str, list[str]],
    names: Mapping[str, str],
    data: Mapping[str, Any],
) -> KnownEvent:
    """A leaf as an event: as we wrote it, or what a foreign file says of it."""
    held = {key: value for key, value in (event.get("privateData") or {}).items() if key != "number"}
    if "source" in held and "happened" in held:
        return msgspec.convert({"id": event["name"], "phrase": event["description"], **held}, KnownEvent)
    id = event["@id"]
    parent = next((by_id[other] for other, below in children.items() if id in below), None)
    link: Any = next((child for child in listed(parent.get("children")) if child_id(child) == id), {}) if parent else {}
    where = link if isinstance(link, Mapping) else {}
    optional = bool(where.get("optional", event.get("optional", False)))
    before = [other for other, links in outlinks(by_id).items() if id in links]
    everywhere = [
        *listed(data.get("relations")),
        *(one for other in by_id.values() for one in listed(other.get("relations"))),
    ]
    before += [
        str(relation.get("relationSubject"))
        for relation in everywhere
        if relation.get("relationPredicate") == BEFORE and relation.get("relationObject") == id
    ]
    slots = [names[slot["entity"]] for slot in listed(event.get("participants")) if slot.get("entity") in names]
    return KnownEvent(
        event["name"], str(event.get("description") or event["name"]), "written",
        float(where.get("importance") or event.get("importance") or (0.3 if optional else 0.95)),
        happens="sometimes" if optional else "always", scene=parent["name"] if parent else "", by=slots[0] if slots else "",
        wordings=tuple(event.get("aka") or ()), one_of=parent["name"] if parent and parent.get("children_gate") == "xor" else "",
        after=tuple(dict.fromkeys(by_id[other]["name"] for other in before if other in by_id)),
    )  # fmt: skip


def outlinks(by_id: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Event -> those that come after it, by the links of its parent or its own."""
    links = {id: [str(link) for link in listed(event.get("outlinks"))] for id, event in by_id.items()}
    for event in by_id.values():
        for child in listed(event.get("children")):
            if isinstance(child, Mapping):
                links.setdefault(child_id(child), []).extend(str(link) for link in listed(child.get("outlinks")))
    return links


def child_id(child: Any) -> str:
    """The event that a child is, named by an object or by its id alone."""
    return str(child["child"] if isinstance(child, Mapping) else child)


def listed(value: Any) -> list[Any]:
    """A value that may stand alone, as a list."""
    return [] if value is None else list(value) if isinstance(value, list) else [value]


def pairs(value: Any) -> tuple[tuple[Any, Any], ...]:
    """Pairs as they are kept."""
    return tuple((first, second) for first, second in value or ())
