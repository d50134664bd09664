"""Story -> Chains: for each entity the events it takes part in, in text order; and whose story it is.

Chambers and Jurafsky 2008, section 3: a narrative chain is about one protagonist, and an entity's chain is every (verb,
role) it fills. An entity that a plural stands for (*they* = Ann and Bob) keeps its own chain apart unless ``members``
is set.

The literature counts one event, seen from one of its participants, in four ways (``view``):

- ``cj``  (verb, role), passives turned round: Chambers and Jurafsky 2008, section 3.
- ``pm``  (verb, role) with the entities of subject, object and first prepositional phrase as variables: Pichotta and
  Mooney 2014, section 3. ``x`` is the chain's own entity, ``y``, ``z``, ... the others in the order they enter the
  chain; ``o`` is an argument that is no entity of the story or one mentioned once; an empty place is no argument.
- ``gw``  (verb, role) with the head words of the arguments: Granroth-Wilding and Clark 2016.
- ``dep`` (verb, Stanford dependency), the surface role, as in the NYT chain files: no particle, ``nsubjpass``,
  ``prep_at``, ``agent``; verbs only, so ``be`` with an adjective or a noun (whose head is no verb there) is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from scenarist.registry import suggest
from scenarist.story import Chain, Entity, Event, Link, Role, Story

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
    parts = groups(story.entities)
    taking: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, event in enumerate(story.events):
        if event.kind not in wanted or (realis and not event.realis) or (event.reporting and not reporting):
            continue
        for place, role in enumerate(event.roles):
            if role.entity and not within_group(event, role, parts):
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


def within_group(event: Event, role: Role, parts: Mapping[str, tuple[str, ...]]) -> bool:
    """Does a group that the entity belongs to fill the same role of the event? Then the event is the group's."""
    return any(other.name == role.name and role.entity in parts.get(other.entity, ()) for other in event.roles)


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
        alive = entity.kind in ("person", "animal") or entity.gender in ("male", "female")
        rank = (
            2 if alive else int(entity.kind == ""),
            len(chain),
            acting,
            len(entity.mentions),
        )
        if best is None or rank > best[0]:
            best = rank, entity
    return best[1] if best else None


VIEWS = ("cj", "pm", "gw", "dep")
LETTERS = "xyzwvutsrqp"


def checked(view: str) -> str:
    """The view itself, or an error that names the nearest one."""
    if view not in VIEWS:
        raise suggest(view, list(VIEWS), "view")
    return view


def deep(event: Event, role: str) -> str:
    """The role with passives turned round: a passive's subject is its object, its agent the subject."""
    if event.passive:
        if role == "agent":
            return "subj"
        if role == "subj":
            return "iobj" if any(one.name == "obj" for one in event.roles) else "obj"
    if role == "iobj" and not any(one.name == "obj" for one in event.roles):
        return "obj"  # *told Mia that ...*: the only object
    return role


def stanford(event: Event, role: str) -> str:
    """The role under the label of the Stanford collapsed dependencies."""
    if role == "subj":
        return "nsubjpass" if event.passive else "nsubj"
    if role == "obj":
        return "dobj"
    if role == "iobj":
        return "iobj" if any(one.name == "obj" for one in event.roles) else "dobj"
    return role


def link(event: Event, role: Role, view: str = "cj", letters: Mapping[str, str] | None = None) -> Link | None:
    """One event as a participant's chain counts it; None where the view does not know such an event or role.

    >>> event = Event("seize", (Role("subj", "e1", "Tom"), Role("agent", "e2", "guard")), passive=True)
    >>> [str(link(event, role)) for role in event.roles], [str(link(event, role, "dep")) for role in event.roles]
    (['seize:obj', 'seize:subj'], ['seize:nsubjpass', 'seize:agent'])
    """
    if view == "dep":
        return surface(event, role)
    name = deep(event, role.name)
    if name in ("attr", "tmod", "npadvmod"):
        return None
    if view == "cj":
        return Link(event.predicate, name)
    if view == "gw":
        return Link(event.predicate, name, tuple(head(event, place) for place in ("subj", "obj", "prep")))
    return Link(
        event.predicate, name, tuple(variable(event, place, letters or {}) for place in ("subj", "obj", "prep"))
    )


def surface(event: Event, role: Role) -> Link | None:
    """The NYT files' way: the bare verb and the surface dependency."""
    if (
        event.kind in ("adjective", "noun")
        or role.name == "attr"
        or any(one.name == "attr" for one in event.roles if event.kind == "copula")
    ):
        return None
    return Link(event.predicate.partition("_")[0], stanford(event, role.name))


def place_of(event: Event, place: str) -> Role | None:
    """The role that fills subject, object or (the first) preposition of the multi-argument views."""
    if place == "prep":
        return next((one for one in event.roles if one.name.startswith("prep_")), None) or next(
            (one for one in event.roles if deep(event, one.name) == "iobj"), None
        )
    return next((one for one in event.roles if deep(event, one.name) == place), None)


def head(event: Event, place: str) -> str:
    """The head word of an argument, with its preposition; empty where there is none."""
    role = place_of(event, place)
    if role is None:
        return ""
    return f"{role.name[5:]}:{role.head}" if role.name.startswith("prep_") else role.head


def variable(event: Event, place: str, letters: Mapping[str, str]) -> str:
    """The variable of an argument; ``o`` for one outside the chain's cast, empty where there is none."""
    role = place_of(event, place)
    return "" if role is None else letters.get(role.entity, "o") if role.entity else "o"
