"""Story -> Chains: for each entity the events it takes part in, in text order; and whose story it is.

Chambers and Jurafsky 2008, section 3: a narrative chain is about one protagonist, and an entity's chain is every (verb,
role) it fills. An entity that a plural stands for (*they* = Ann and Bob) keeps its own chain apart unless ``members``
is set.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from scenarist.reading.events.views import LETTERS, checked, link
from scenarist.story import Chain, Entity, Event, Link, Story

KINDS = ("verb", "light", "copula", "adjective")


def chains(
    story: Story,
    least: int = 1,
    view: str = "cj",
    kinds: Iterable[str] = KINDS,
    realis: bool = False,
    reporting: bool = True,
    members: bool = False,
) -> tuple[Chain, ...]:
    """The chains of a story by entity, in the order of the entities, those of at least ``least`` links.

    ``realis`` keeps only events that happened, ``reporting`` keeps verbs of saying, ``members`` gives a group's events
    to its members.
    """
    checked(view)
    wanted = frozenset(kinds)
    belongs = groups(story.entities) if members else {}
    taking: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, event in enumerate(story.events):
        if event.kind not in wanted or (realis and not event.realis) or (event.reporting and not reporting):
            continue
        for place, role in enumerate(event.roles):
            if role.entity:
                for id in (role.entity, *belongs.get(role.entity, ())):
                    taking[id].append((number, place))
    often = {entity.id for entity in story.entities if len(entity.mentions) > 1} if view == "pm" else set()
    found: list[Chain] = []
    for entity in story.entities:
        chain = follow(story, entity.id, taking.get(entity.id, ()), view, often)
        if chain.links and len(chain) >= least:
            found.append(chain)
    return tuple(found)


def follow(story: Story, id: str, taking: Iterable[tuple[int, int]], view: str, often: set[str]) -> Chain:
    """One entity's chain: a link for each event and role, never the same role of an event twice."""
    links: list[Link] = []
    places: list[int] = []
    letters: dict[str, str] = {id: LETTERS[0]}
    known: set[tuple[int, str]] = set()
    for number, place in taking:
        event = story.events[number]
        if view == "pm":
            cast(event, letters, often)
        made = link(event, event.roles[place], view, letters)
        if made is not None and (number, made.role) not in known:
            known.add((number, made.role))
            links.append(made)
            places.append(number)
    return Chain(tuple(links), id, story.id, tuple(places))


def cast(event: Event, letters: dict[str, str], often: set[str]) -> None:
    """Give each entity of an event that the story mentions again its variable."""
    for role in event.roles:
        if role.entity in often and role.entity not in letters:
            letters[role.entity] = LETTERS[len(letters)] if len(letters) < len(LETTERS) else f"x{len(letters)}"


def groups(entities: Iterable[Entity]) -> dict[str, tuple[str, ...]]:
    """Group -> its members."""
    return {entity.id: entity.members for entity in entities if entity.members}


def protagonist(story: Story) -> Entity | None:
    """The central entity: most links, subjects before others, then most mentions, then first; persons before things.

    None where no entity takes part in any event.
    """
    best: tuple[tuple[int, int, int, int], Entity] | None = None
    by_entity = {chain.entity: chain for chain in chains(story)}
    for entity in story.entities:
        chain = by_entity.get(entity.id)
        if chain is None:
            continue
        acting = sum(1 for one in chain.links if one.role == "subj")
        rank = (
            int(entity.kind in ("person", "animal", "") or bool(entity.gender)),
            len(chain),
            acting,
            len(entity.mentions),
        )
        if best is None or rank > best[0]:
            best = rank, entity
    return best[1] if best else None
