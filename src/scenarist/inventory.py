"""The 200 everyday scenarios of Wanzare et al. (2019), Appendix B -> Scenario nouns, found by any of their names.

`resources/scenarios.toml` holds them in the paper's order with its counts; MCScript's, DeScript's and InScript's names are
aliases, the relations (section 3: specialisation, sub-script, shared participants) were written by hand. What is learned of a scenario
that a user adds (`scenarist scenarios add`) lies in the home folder, in files named after it.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from scenarist.errors import BadInput
from scenarist.script import Scenario
from scenarist.store.home import folder, home, resource

NONE = "None"
"""How *None* is written where a name is asked for; a segment without labels says the same."""
KINDS = {
    "specialises": "specialises",
    "part_of": "part of",
    "shares_participants_with": "shares participants with",
}
IRREGULAR = {"going": "go", "buying": "buy", "playing": "play", "seeing": "see", "sewing": "sew", "paying": "pay"}


@cache
def inventory() -> tuple[Scenario, ...]:
    """All scenarios in the paper's order.

    >>> len(inventory()), inventory()[0].name, inventory()[0].sentences
    (200, 'eating in a restaurant', 387)
    """
    data = tomllib.loads(resource("scenarios.toml").read_text(encoding="utf-8"))
    return tuple(scenario(entry) for entry in data["scenario"])


def scenario(entry: Mapping[str, Any]) -> Scenario:
    """One entry of the file as a noun."""
    relations = tuple((kind, other) for field, kind in KINDS.items() for other in entry.get(field, ()))
    return Scenario(
        name=entry["name"],
        aliases=tuple(entry.get("aliases", ())),
        documents=entry.get("documents", 0),
        sentences=entry.get("sentences", 0),
        relations=relations,
        learned=tuple(entry.get("learned", ())),
    )


def plain(name: str) -> str:
    """A name as it is compared: lower case, words only, no articles, the first verb without -ing.

    >>> plain("Attending a Wedding"), plain("attend_wedding"), plain("washing one’s hair") == plain("wash ones hair")
    ('attend wedding', 'attend wedding', True)
    """
    words = re.findall(r"[a-z0-9]+", re.sub(r"[’']", "", name.lower()))
    words = [word for word in words if word not in {"a", "an", "the"}]
    return " ".join([infinitive(words[0]), *words[1:]]) if words else ""


def infinitive(verb: str) -> str:
    """The verb of a gerund, roughly: enough to compare names, since both sides are cut alike."""
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    stem = verb.removesuffix("ing") if verb.endswith("ing") and len(verb) > 5 else verb
    stem = stem.removesuffix("e")
    return stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls" else stem


@cache
def names() -> Mapping[str, Scenario]:
    """Compared form of every name and alias -> its scenario."""
    known = {plain(alias): scenario for scenario in inventory() for alias in scenario.aliases}
    return known | {plain(scenario.name): scenario for scenario in inventory()}


def find(name: str) -> Scenario:
    """The scenario of a name or alias; an unknown one is answered with the nearest.

    >>> find("going on vacation or going on a holiday trip").name, find("feeding a child").name
    ('going on vacation', 'feeding an infant')
    """
    scenario = names().get(plain(name))
    if scenario is None:
        near = nearest(name)
        hint = f" Did you mean {', '.join(repr(near_name) for near_name in near)}?" if near else ""
        raise BadInput(
            f"{name!r} is not one of the {len(inventory())} scenarios.{hint} All of them: scenarist scenarios"
        )
    return scenario


def nearest(name: str, count: int = 4) -> list[str]:
    """The canonical names nearest to a name: by its letters, then by the words it shares."""
    known = names()
    close = [known[key].name for key in difflib.get_close_matches(plain(name), list(known), n=count, cutoff=0.6)]
    words = roots(name)
    shared = sorted(
        (key for key in known if words & roots(key)), key=lambda key: (-len(words & roots(key)), len(key), key)
    )
    close += [known[key].name for key in shared]
    return list(dict.fromkeys(close))[:count]


def roots(name: str) -> frozenset[str]:
    """The words of a name without their endings."""
    return frozenset(map(infinitive, plain(name).split()))


def known(label: str) -> bool:
    """Is this a name or alias of the inventory?"""
    return plain(label) in names()


@cache
def related(first: str, two: str) -> str:
    """The relation between two scenarios, in either direction; empty where there is none.

    >>> related("paying for gas", "fueling a car"), related("fueling a car", "paying for gas")
    ('part of', 'part of')
    """
    for here, there in ((first, two), (two, first)):
        for entry in inventory():
            if entry.name == here:
                for kind, other in entry.relations:
                    if other == there:
                        return kind
    return ""


def unknown(labels: Iterable[str]) -> dict[str, list[str]]:
    """Labels that are not in the inventory, each with the nearest names."""
    return {label: nearest(label) for label in dict.fromkeys(labels) if label and not known(label)}


class UserFile(NamedTuple):
    """A file of the home folder that holds what was learned of a scenario a user added, and its state."""

    path: Path
    time: int
    size: int


def user_file(name: str, suffix: str) -> Path:
    """Where something learned of a scenario that a user adds is kept."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not slug:
        raise BadInput(f"{name!r} is no name for a scenario; expected words, e.g. 'flying a kite'.")
    return folder("scenarios") / f"{slug}{suffix}"


def user_files() -> tuple[UserFile, ...]:
    """All such files: what was made with the same ones need not be made again."""
    place = home() / "scenarios"
    states = ((path, path.stat()) for path in sorted(place.iterdir())) if place.is_dir() else ()
    return tuple(UserFile(path, state.st_mtime_ns, state.st_size) for path, state in states)
