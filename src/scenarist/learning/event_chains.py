"""Story or Chain -> the chains that are counted and tested, with every difference between the papers a named choice.

Chambers and Jurafsky (2008) take each event of the protagonist once and leave out *be*; Jans et al. (2012) and those
after them take every chain with its repetitions; Pichotta and Mooney (2014) keep the other arguments. One function
serves learning and examining, so that both see the same chains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.registry import load, make
from scenarist.story import Chain, Event, Link, Story

BE = frozenset({"be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m"})
SAYING = """
say tell report announce state claim add note explain reply answer remark declare mention comment insist argue assert
contend acknowledge admit confirm deny ask quote cite write describe warn testify respond said says saying told tells
telling reported reports reporting announced announces announcing stated states stating claimed claims claiming added
adds adding noted notes noting explained explains explaining replied replies replying answered answers answering
remarked declared mentioned commented insisted insists argued argues asserted contended contends acknowledged
acknowledges admitted admits confirmed confirms denied denies asked asks asking quoted cited wrote writes described
describes warned warns testified testifies responded responds
"""
REPORTING = frozenset(SAYING.split())
"""Verbs by which a text reports speech, as lemmas and as the surface forms that are no other verb's lemma."""

NOBODY, OTHER, SELF = "-", "o", "x"
SHARED = tuple("yzwvutsrqp") + tuple(f"y{number}" for number in range(2, 200))


OURS = {
    "nsubj": "subj", "nsubj:xcomp": "subj", "agent": "subj", "xsubj": "subj", "csubj": "subj",
    "dobj": "obj", "nsubjpass": "obj", "nsubj:pass": "obj", "csubjpass": "obj",
}  # fmt: skip
"""Stanford's label -> our role; what is not named stays (``iobj``, ``prep_at``)."""


def our_link(link: Link) -> Link:
    """An event in our roles.

    >>> str(our_link(Link.parse("arrest->nsubjpass"))), str(our_link(Link.parse("flee:nsubj"))), str(our_link(Link.parse("go:prep_to")))
    ('arrest:obj', 'flee:subj', 'go:prep_to')
    """
    return Link(link.predicate, OURS.get(link.role, link.role), link.args)


class Document(msgspec.Struct, frozen=True):
    """The chains of one document in order of first mention, singletons included."""

    id: str
    chains: tuple[Chain, ...]
    scenario: str = ""
    labels: tuple[str, ...] = ()
    """Script labels of the story's events (InScript), which ``Chain.places`` index."""


def documents(
    things: Iterable[Any], forms: str = "lemma", args: str = "single", reader: str = "default"
) -> Iterator[Document]:
    """Stories, or chains in document order, as documents. A chain's document is its ``story``; plain text is read first."""
    for is_story, group in groupby(things, key=lambda thing: isinstance(thing, Story)):
        if is_story:
            for story in events_read(group, reader):
                yield of_story(story, forms, args)
            continue
        for number, (name, chains) in enumerate(groupby(group, key=chain_story)):
            kept = tuple(viewed(chain, forms, args) for chain in chains)
            yield Document(name or f"document-{number}", kept)


def events_read(stories: Iterable[Story], reader: str) -> Iterator[Story]:
    """Stories with their events: those that are plain text are read, everything else is as it came."""
    for plain, group in groupby(
        stories, key=lambda story: bool(story.text.strip()) and not (story.events or story.entities)
    ):
        if not plain:
            yield from group
            continue
        waiting = list(group)
        settings = {"cache": True} if reader == "default" else {}
        for story, read in zip(
            waiting, make("reader", reader, **settings)(story_read.text for story_read in waiting), strict=True
        ):
            yield msgspec.structs.replace(read, id=story.id, scenario=story.scenario, source=story.source)


def chain_story(thing: Any) -> str:
    """The document a chain is from; anything else is refused by name."""
    if not isinstance(thing, Chain):
        raise BadInput(
            f"Chains are made from Story or Chain, not {type(thing).__name__}. Name a corpus of stories or chains "
            "(scenarist corpus list)."
        )
    return thing.story


def of_story(story: Story, forms: str = "lemma", args: str = "single") -> Document:
    """The chains of a story that has been read (it has events and entities)."""
    chains: Iterable[Chain] = load("scenarist.reading.chains:chains")(story)
    if args == "types":
        named = {entity.id: entity.label for entity in story.entities if entity.label}
        chains = [with_types(chain, story.events, named) for chain in chains]
    elif args != "single":
        chains = [with_arguments(chain, story.events) for chain in chains]
    labels = tuple(event.label for event in story.events)
    return Document(
        story.id, tuple(viewed(chain, forms, args, story.events) for chain in chains), story.scenario, labels
    )


def with_arguments(chain: Chain, events: tuple[Event, ...]) -> Chain:
    """A chain whose links name the entities of subject, object and preposition; one that is no entity is named by its place."""
    place_of = load("scenarist.reading.chains:place_of")
    links: list[Link] = []
    for link, index in zip(chain.links, chain.places, strict=True):
        args: list[str] = []
        for place in ("subj", "obj", "prep"):
            role = place_of(events[index], place)
            args.append("" if role is None else role.entity or f"#{index}.{place}")
        if link.role.startswith("prep") or link.role == "iobj":
            args[2] = chain.entity
        links.append(Link(link.predicate, link.role, tuple(args)))
    return msgspec.structs.replace(chain, links=tuple(links))


def with_types(chain: Chain, events: tuple[Event, ...], named: Mapping[str, str]) -> Chain:
    """A chain whose links name what else takes part: a participant's label where the corpus has one, the head word otherwise."""
    links: list[Link] = []
    for link, index in zip(chain.links, chain.places, strict=True):
        others = (role for role in events[index].roles if role.entity != chain.entity)
        types = (named.get(role.entity) or role.head.lower() for role in others)
        links.append(Link(link.predicate, link.role, tuple(dict.fromkeys(one for one in types if one))))
    return msgspec.structs.replace(chain, links=tuple(links))


def viewed(chain: Chain, forms: str, args: str, events: tuple[Event, ...] = ()) -> Chain:
    """A chain in the asked view: lemmas or surface forms; one argument, several as variables, or several as entity ids (raw)."""
    links = chain.links
    if forms == "surface":
        if not chain.places or not events:
            raise BadInput("forms='surface' needs chains read from text; these hold lemmas only. Use forms='lemma'.")
        links = tuple(
            msgspec.structs.replace(link, predicate=(events[place].form or link.predicate).lower())
            for link, place in zip(links, chain.places, strict=True)
        )
    elif forms != "lemma":
        raise BadInput(f"forms is 'lemma' or 'surface', not {forms!r}.")
    if args == "multi":
        links = normalised(links, chain.entity)
    elif args == "single":
        links = tuple(link if not link.args else Link(link.predicate, link.role) for link in links)
    elif args not in ("raw", "types"):
        raise BadInput(f"args is 'single', 'multi', 'types' or 'raw', not {args!r}.")
    return msgspec.structs.replace(chain, links=links)


def variables(links: Iterable[Link], entity: str) -> dict[str, str]:
    """Entity ids -> variables (Pichotta and Mooney 2014, section 3): ``x`` is the chain's entity, ``y``, ``z`` and so on the
    others in order of appearance, ``-`` an empty place."""
    names = {entity: SELF, "": NOBODY, NOBODY: NOBODY, OTHER: OTHER}
    free = iter(SHARED)
    for link in links:
        for arg in link.args:
            if arg not in names:
                names[arg] = next(free, OTHER)
    return names


def renamed(link: Link, names: Mapping[str, str]) -> Link:
    """A link with variables for its entities; one that no other event knows is ``o``.

    The role is dropped, for the place of ``x`` says it; only a preposition keeps its name.
    """
    if not link.args:
        return link
    role = link.role if link.role.startswith("prep") else ""
    return Link(link.predicate, role, tuple(names.get(arg, OTHER) for arg in link.args))


def normalised(links: Iterable[Link], entity: str) -> tuple[Link, ...]:
    """All links of a chain with variables for their entities.

    >>> [str(link) for link in normalised([Link("arrest", "obj", ("p", "j", "")), Link("flee", "subj", ("j", "c", ""))], "j")]
    ['arrest(y,x,-)', 'flee(x,z,-)']
    """
    links = tuple(links)
    names = variables(links, entity)
    return tuple(renamed(link, names) for link in links)


def central(chains: Iterable[Chain]) -> Chain | None:
    """The chain of the central entity: the longest, ties by first mention."""
    return max(chains, key=len, default=None)


def filtered(chain: Chain, be: bool = True, reporting: bool = True, repeats: bool = True) -> Chain:
    """A chain without *be*, without reporting verbs, each event once: as asked."""
    keep = [
        index
        for index, link in enumerate(chain.links)
        if (be or link.predicate not in BE) and (reporting or link.predicate not in REPORTING)
    ]
    if not repeats:
        first: dict[Link, int] = {}
        for index in keep:
            first.setdefault(chain.links[index], index)
        keep = list(first.values())
    if len(keep) == len(chain.links):
        return chain
    places = tuple(chain.places[index] for index in keep) if chain.places else ()
    return msgspec.structs.replace(chain, links=tuple(chain.links[index] for index in keep), places=places)
