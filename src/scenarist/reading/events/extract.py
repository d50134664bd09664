"""Parsed Story -> its Events, in text order; cost linear in the text.

Roles keep their surface names (a passive's subject is ``subj`` and ``Event.passive`` is set, its by-phrase is
``agent``): the views (`reading/chains.py`) turn passives round where they want it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scenarist.reading.events.arguments import Arguments
from scenarist.reading.events.predicates import ParseTree, Predicate, predicates
from scenarist.reading.events.status import Status, Statuses, reports
from scenarist.story import Entity, Event, Role, Story

SURE = 0.5
"""A token tells a realis event from this probability on."""


def events(story: Story, realis: Sequence[float] = (), light: bool = False, nouns: bool = True) -> tuple[Event, ...]:
    """The events of a parsed story.

    ``realis`` is the reader's probability, for each token, of telling an event that happens; without it the rules of
    `status.py` decide. ``light`` joins light verbs with their noun (``take_shower``). ``nouns`` adds nouns that the
    probabilities call events.
    """
    tree = ParseTree(story)
    found = predicates(tree, light)
    arguments = Arguments(tree, {one.token: one.passive for one in found})
    statuses = Statuses(tree)
    single, groups = by_head(story.entities)
    made: list[Event] = []
    for one in found:
        status = statuses.of(one.token)
        sure = status.realis
        if realis and one.kind in ("verb", "light"):
            sure = (
                max(realis[one.token], realis[one.swallowed] if one.swallowed >= 0 else 0.0) >= SURE
            )  # *took a shower*: either word
        made.append(event(tree, story, one, status, sure, roles(tree, one, arguments, single, groups)))
    if realis and nouns:
        known = {at for one in found for at in (one.token, one.swallowed)}
        for at, likely in enumerate(realis):
            if likely >= SURE and at not in known and tree.pos[at] in ("NOUN", "ADJ", "VERB"):
                token = story.tokens[at]
                made.append(Event(tree.lemma[at], (), at, token.start, token.stop, "noun", tree.form[at].lower(), True))
        made.sort(key=lambda one: one.token)
    return tuple(made)


def event(
    tree: ParseTree, story: Story, one: Predicate, status: Status, realis: bool, filled: tuple[Role, ...]
) -> Event:
    token = story.tokens[one.token]
    reporting = one.kind == "verb" and reports(tree, one.token)
    return Event(
        one.name, filled, one.token, token.start, token.stop, one.kind, one.form, realis,
        status.polarity, status.modality, status.tense, one.passive, reporting,
    )  # fmt: skip


def by_head(entities: Iterable[Entity]) -> tuple[dict[int, str], dict[int, list[tuple[int, str]]]]:
    """Head token -> entity, for single mentions; head token -> (last token, entity) for mentions of groups (*Ann and
    Bob*)."""
    single: dict[int, tuple[int, str]] = {}
    groups: dict[int, list[tuple[int, str]]] = {}
    for entity in entities:
        for mention in entity.mentions:
            if mention.head < 0:
                continue
            width = mention.last - mention.first
            held = single.get(mention.head)
            if held is None:
                single[mention.head] = (width, entity.id)
            elif held[1] != entity.id:  # two entities share a head word: the wider mention is the group
                if width < held[0]:
                    single[mention.head], width, other = (width, entity.id), *held
                else:
                    other = entity.id
                groups.setdefault(mention.head, []).append((width, other))
    return {head: id for head, (_, id) in single.items()}, groups


def roles(
    tree: ParseTree,
    one: Predicate,
    arguments: Arguments,
    single: dict[int, str],
    groups: dict[int, list[tuple[int, str]]],
) -> tuple[Role, ...]:
    """The filled roles of one predicate."""
    at = one.token
    made: list[Role] = []
    if one.kind == "copula":
        preposition = tree.preposition(at)
        made.append(Role(f"prep_{preposition}" if preposition else "attr", single.get(at, ""), tree.lemma[at], at))
    for role, token in arguments.of(at):
        if token == one.swallowed:
            continue
        made.append(Role(role, single.get(token, ""), tree.lemma[token], token))
        made.extend(Role(role, id, tree.lemma[token], token) for _, id in groups.get(token, ()))
    made.sort(key=lambda role: ORDER.get(role.name, 3))
    return tuple(made)


ORDER = {"subj": 0, "obj": 1, "iobj": 2}
