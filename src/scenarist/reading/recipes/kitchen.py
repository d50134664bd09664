"""Bytes -> Kitchen: the foods, the tools and the ways of doing things in `resources/kitchen`, each fault with its file and line.

Written by hand, in our own words: what a person does when a recipe says *drain the pasta*. The form is told at the head of
`actions.toml`.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from scenarist.errors import BadInput
from scenarist.store.home import resource

SCHEMA = 1
SLOT = re.compile(r"\{([a-z]+)(?:\|([^{}]*(?:\{[a-z]+\}[^{}]*)*))?\}")
"""``{x}``, ``{in|a bowl}``, ``{until|{they} {are} soft}``."""
PARTS = ("in", "into", "on", "over", "with", "from", "to", "until", "for", "at", "by")
"""What an instruction may say beside the verb and its object."""
FIXED = {"x", "it", "they", "are", "s", "do", "shimmer", "hot", "vessel", "oil", "add", "lengthwise", "serve"}
IRREGULAR = {
    "leaves": "leaf", "potatoes": "potato", "tomatoes": "tomato", "loaves": "loaf", "halves": "half", "radishes": "radish",
    "peaches": "peach",
    "cookies": "cookie", "brownies": "brownie", "smoothies": "smoothie", "mangoes": "mango", "dishes": "dish",
    "sandwiches": "sandwich", "knives": "knife",
}  # fmt: skip
NO_PLURAL = frozenset("couscous asparagus molasses hummus swiss citrus lettuce cheese grass glass watercress".split())


def singular(word: str) -> str:
    """The singular of a noun, by rule.

    >>> [singular(word) for word in ("cherries", "tomatoes", "beans", "couscous", "radishes", "spices")]
    ['cherry', 'tomato', 'bean', 'couscous', 'radish', 'spice']
    """
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word in NO_PLURAL or not word.endswith("s") or word.endswith("ss") or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    if word.endswith(("shes", "ches", "sses")):
        return word[:-2]
    return word[:-1]


class Way(NamedTuple):
    """How one thing is done: the steps for some verbs, some things, and some parts of the instruction."""

    verbs: tuple[str, ...]
    of: tuple[str, ...]
    """Classes or words of what it is done to; empty for any food, ``-`` where nothing need be named."""
    state: str
    part: str
    steps: tuple[str, ...]
    place: str
    """File and line."""


class Kitchen(NamedTuple):
    """All that is known of kitchens."""

    classes: Mapping[str, frozenset[str]]
    """Word -> its classes."""
    tools: Mapping[str, str]
    """Word -> its kind (oven, pan, tin, bowl, ...)."""
    states: Mapping[str, str]
    ways: tuple[Way, ...]
    verbs: Mapping[str, tuple[Way, ...]]
    """What one does -> the ways of doing it, in the order of the file."""


def listed(text: str) -> tuple[str, ...]:
    """The entries of a line of commas."""
    return tuple(entry.strip() for entry in text.split(",") if entry.strip())


def read_kitchen(folder: Path) -> Kitchen:
    """The two files of a folder."""
    foods, actions = folder / "foods.toml", folder / "actions.toml"
    words = tables_of(foods)
    classes: dict[str, set[str]] = {}
    for name, line in words.get("classes", {}).items():
        for word in listed(line):
            classes.setdefault(singular(word), set()).add(name)
            classes[singular(word)].add(singular(word))
    tools = {word: kind for kind, line in words.get("tools", {}).items() for word in listed(line)}
    states = {word: state for state, line in words.get("states", {}).items() for word in listed(line)}
    lines = [
        index for index, line in enumerate(actions.read_text("utf-8").splitlines(), 1) if line.startswith("[[way]]")
    ]
    ways = tuple(
        checked_way(way, f"{actions.name}:{line}", set(states.values()))
        for way, line in zip(tables_of(actions).get("way", ()), lines, strict=True)
    )
    verbs: dict[str, list[Way]] = {}
    groups = {name for names in classes.values() for name in names}
    for way in ways:
        for entry in way.of:
            if entry not in groups | set(tools) | set(tools.values()) | {"-"}:
                classes.setdefault(entry, set()).add(entry)
        for verb in way.verbs:
            verbs.setdefault(verb, []).append(way)
    return Kitchen(
        {word: frozenset(names) for word, names in classes.items()}, tools, states, ways,
        {verb: tuple(entries) for verb, entries in verbs.items()},
    )  # fmt: skip


def tables_of(path: Path) -> dict[str, Any]:
    """A TOML file of this schema."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"{path}: expected a TOML file of what is done in a kitchen ({error}).") from error
    if tables.get("schema") != SCHEMA:
        raise BadInput(f"{path}: expected schema = {SCHEMA}, got {tables.get('schema')!r}.")
    return tables


def checked_way(way: Mapping[str, str], place: str, states: set[str]) -> Way:
    """One way, or what is wrong with it."""
    if unknown := set(way) - {"do", "of", "state", "with", "steps"}:
        raise BadInput(f"{place}: expected do, of, state, with and steps, got {', '.join(sorted(unknown))}.")
    verbs, steps = listed(way.get("do", "")), tuple(way.get("steps", "").strip().splitlines())
    if not verbs or not steps:
        raise BadInput(f"{place}: a way needs verbs (do) and steps.")
    of = tuple(entry if entry == "-" else singular(entry) for entry in listed(way.get("of", "")))
    if way.get("state", "") and way["state"] not in states:
        raise BadInput(f"{place}: no state {way['state']!r} in foods.toml.")
    for step in steps:
        for slot in SLOT.finditer(step):
            if slot[1] not in FIXED and slot[1] not in PARTS:
                raise BadInput(f"{place}: nothing fills the slot {{{slot[1]}}} of {step!r}.")
        if step.count("[") != step.count("]"):
            raise BadInput(f"{place}: a bracket is left open in {step!r}.")
    return Way(verbs, of, way.get("state", ""), way.get("with", ""), steps, place)


@functools.cache
def kitchen() -> Kitchen:
    """The carried one."""
    return read_kitchen(resource("kitchen/actions.toml").parent)
