"""Event -> Link: four ways the literature counts one event, seen from one of its participants.

- ``cj``  (verb, role), passives turned round: Chambers and Jurafsky 2008, section 3.
- ``pm``  (verb, role) with the entities of subject, object and first prepositional phrase as variables: Pichotta and
  Mooney 2014, section 3. ``x`` is the chain's own entity, ``y``, ``z``, ... the others in the order they enter the
  chain; ``o`` is an argument that is no entity of the story or one mentioned once; an empty place is no argument.
- ``gw``  (verb, role) with the head words of the arguments: Granroth-Wilding and Clark 2016.
- ``dep`` (verb, Stanford dependency), the surface role, as in the NYT chain files: no particle, ``nsubjpass``,
  ``prep_at``, ``agent``; verbs only, so ``be`` with an adjective or a noun (whose head is no verb there) is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from scenarist.registry import suggest
from scenarist.story import Event, Link, Role

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
