"""Phrases of an event type, as scripts write them -> verb and head, the phrase to show, and whether two verbs say the same."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from scenarist.reading.wordnet import synonyms
from scenarist.script import EventType

USUAL = 6
"""So many phrases of an event type, the commonest, are recognised by their verb alone, and shown."""
ALONE = frozenset({"arrive", "come", "go", "sit", "sleep", "stand", "wait"})
"""Verbs without objects: a phrase that gives them one (*wait cake*) was misread."""


@cache
def same_verb(first: str, second: str) -> bool:
    """May two verbs with one head say the same? A particle may be left out, but doing it *back*, or *off* and not *on*, is another event.

    >>> same_verb("pick_up", "pick"), same_verb("eat", "sell"), same_verb("go_back", "go"), same_verb("turn_on", "turn_off")
    (True, False, False, False)
    """
    (verb, _, particle), (other_verb, _, other_particle) = first.partition("_"), second.partition("_")
    alike = verb == other_verb and not (particle and other_particle) and "back" not in (particle, other_particle)
    return first == second or alike or first in synonyms(second) or second in synonyms(first)


def verb_and_head(phrase: str) -> tuple[str, str]:
    """Verb (with particle) and head of a phrase as it is written in a script.

    >>> verb_and_head("order food"), verb_and_head("pick_up book"), verb_and_head("wait"), verb_and_head("put in oven")
    (('order', 'food'), ('pick_up', 'book'), ('wait', ''), ('put', 'oven'))
    """
    verb, *rest = phrase.split()
    return verb, rest[-1] if rest else ""


def names_scenario(phrase: str, scenario: str) -> bool:
    """Is the phrase the name of the scenario? Then it is told by all that is told, and not unsaid.

    >>> names_scenario("take bath", "taking a bath"), names_scenario("fly on plane", "flying in a plane")
    (True, True)
    >>> names_scenario("fill tub", "taking a bath")
    False
    >>> names_scenario("get haircut", "getting a haircut"), names_scenario("pay for haircut", "getting a haircut")
    (True, False)
    """
    verb, head = verb_and_head(phrase)
    verb = verb.split("_")[0]
    first, *rest = scenario.lower().split()
    forms = {verb, verb + "ing", verb[:-1] + "ing", verb + verb[-1:] + "ing", verb.removesuffix("ie") + "ying"}
    return first in forms and head != "" and any(word in (head, head + "s") for word in rest)


def phrase_text(phrase: str) -> str:
    """A phrase for people.

    >>> phrase_text("pick_up book")
    'pick up book'
    """
    return phrase.replace("_", " ")


def wording(kind: EventType, heads: Collection[str]) -> str:
    """The phrase to show, with the verb of its name: the commonest about what the story names, else the name, or any about something.

    >>> wording(EventType("pay", ("pay", "pay for grocery", "pay fare")), {"fare"})
    'pay fare'
    >>> wording(EventType("wait", ("wait", "wait cake")), {"cake"})
    'wait'
    >>> wording(EventType("drain water", ("drain", "let water", "drain water")), {"water"})
    'drain water'
    """
    verb, head = verb_and_head(kind.id)
    usual = [
        phrase
        for phrase in kind.phrases[:USUAL]
        if verb_and_head(phrase)[0] == verb and verb_and_head(phrase)[1].isalpha()
    ]
    about = [phrase for phrase in usual if verb not in ALONE or len(phrase.split()) > 2]
    return next(
        (phrase for phrase in about if verb_and_head(phrase)[1] in heads), kind.id if head or not about else about[0]
    )
