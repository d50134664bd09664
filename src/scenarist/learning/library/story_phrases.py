"""Written event x story -> the event as one would say it of this story: its slots filled by the story's own people and things.

The script's main actor is the story's protagonist (*I*, *we*, or the name); another participant is who or what the story calls by one of
its
words, else its usual word, with *the* where it is expected or was mentioned, and with *a* where it is new.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from scenarist.learning.library.wordings import root
from scenarist.reading.chains import protagonist
from scenarist.reading.parser.lemmas import lemma
from scenarist.reading.wordnet import noun_kinds
from scenarist.script import Participant, WrittenEvent, WrittenScript
from scenarist.story import Entity, Story

SLOT = re.compile(r"\{([^{}]*)\}")
QUOTED = re.compile(r"[\"“][^\"”]*[\"”]")
LIVING = ("person", "animal", "group")
UNCOUNTED = frozenset(
    "food water money bread butter milk cheese rice pasta soup coffee tea juice sugar flour salt paper hair blood snow soap shampoo "
    "detergent furniture luggage clothing laundry trash rubbish garbage meat fish medicine music homework equipment gear bait cash "
    "change oil gas petrol toothpaste paint glue tape wood charcoal coal dirt dust mud sand soil air steam smoke fire light ice wine beer "
    "lunch dinner breakfast dough batter frosting icing sauce dressing mail baggage postage traffic work information advice help "
    "everything grass hay chocolate popcorn jam honey pepper ham bacon lettuce fruit spaghetti thread fabric cloth string wire wax "
    "polish bleach cleaner foam powder cream ointment sunscreen fuel diesel cereal yogurt stock broth gravy ketchup mustard".split()
)
"""Nouns that take no *a*."""
ALWAYS_ONE = frozenset("bus gas lens news canvas christmas tennis mass".split())
"""Nouns that end like a plural and are none."""
ALWAYS_MANY = frozenset("scissors clothes glasses trousers jeans pyjamas pajamas goggles clippers".split())
DESCRIBED = re.compile(
    r"\b((?:the|a|an) (?:next|wet|right|dirty|new|clean|first|usual|dry|lost|fresh|big|wrong|top|spare|same|other|latest|last|hot|final|"
    r"cheapest|best|odd|empty|earlier|strange|sore|small|similar|quiet|nice|matching|loose|long|cheap|broken|old|good)) \{([^{}]*)\}"
)
"""A slot that an adjective describes brings no article of its own."""
FORMS = {"I": ("I", "me"), "we": ("we", "us"), "he": ("he", "him"), "she": ("she", "her"), "they": ("they", "them")}


class CastRole(NamedTuple):
    """How a participant is called where it acts and where it does not, and whether the verb keeps its -s."""

    acting: str
    other: str
    third: bool = True


def cast_roles(story: Story, script: WrittenScript) -> dict[str, CastRole]:
    """Who plays the parts of a script in a story."""
    central = protagonist(story)
    called: dict[str, str] = {}
    for token in story.tokens:
        if token.pos in ("NOUN", "PROPN"):
            called.setdefault(root(token.lemma.lower()), token.lemma.lower())
    cast: dict[str, CastRole] = {}
    for number, role in enumerate(script.participants):
        if number == 0 and role.kind in LIVING and central is not None:
            cast[role.name] = main_cast(story, central, role, called)
        else:
            cast[role.name] = other_cast(role, called)
    return cast


def main_cast(story: Story, central: Entity, role: Participant, called: Mapping[str, str]) -> CastRole:
    """How the main actor is called."""
    words = re.findall(r"[A-Za-z']+", QUOTED.sub(" ", story.text))
    small = [word.lower() for word in words]
    one, many = (
        sum(small.count(word) for word in ("i", "me", "my")),
        sum(small.count(word) for word in ("we", "us", "our")),
    )
    if one or many:
        subject = "we" if many > one else "I"
        return CastRole(*FORMS[subject], third=False)
    names = [story.of(mention) for mention in central.mentions if mention.kind == "name"]
    if names:
        name = min(names, key=lambda text: (len(text.split()) > 3, names.index(text))).partition(",")[0]
        return CastRole(name, name)
    if role.kind != "animal" and central.kind in ("person", "animal", ""):
        nouns = [
            mention
            for mention in central.mentions
            if mention.kind == "nominal"
            and 0 <= mention.head < len(story.tokens)
            and {*noun_kinds(story.tokens[mention.head].lemma.lower(), 1)} & {*LIVING}
        ]
        if nouns:
            noun = story.tokens[nouns[0].head].lemma.lower()
            return CastRole(f"the {noun}", f"the {noun}")
        if central.gender in ("fem", "female", "f"):
            return CastRole(*FORMS["she"])
        if central.gender in ("masc", "male", "m"):
            return CastRole(*FORMS["he"])
    return other_cast(role, called)


def other_cast(role: Participant, called: Mapping[str, str]) -> CastRole:
    """How any other participant is called: as the story does, or by its usual word."""
    own = next((word for word in role.words if root(word.split()[-1]) in called), None)
    word = own or role.words[0]
    if own or role.definite:
        text = f"the {word}"
    elif word.split()[-1] in UNCOUNTED or (word.endswith("s") and not word.endswith("ss")):
        text = word
    else:
        text = f"{'an' if word[0] in 'aeio' else 'a'} {word}"
    last = word.split()[-1]
    single = last in ALWAYS_ONE or (lemma(last, "NNS") == last and last not in ALWAYS_MANY)
    return CastRole(text, text, third=role.kind in LIVING or single)


def event_phrase(event: WrittenEvent, cast: Mapping[str, CastRole]) -> str:
    """What happens, as a clause about the story's own people.

    >>> waiter, mia, menu = (CastRole(name, name) for name in ("the waiter", "Mia", "the menu"))
    >>> event = WrittenEvent("bring-menu", "ordering", "waiter", "{waiter} brings {guest} {menu}", ("bring {menu}",), "always")
    >>> event_phrase(event, {"waiter": waiter, "guest": mia, "menu": menu})
    'the waiter brings Mia the menu'
    >>> event = WrittenEvent("take-out", "", "guest", "{guest} takes the wet {menu} out", (), "always")
    >>> event_phrase(event, {"guest": CastRole("I", "me", False), "menu": menu})
    'I take the wet menu out'
    >>> event = WrittenEvent("sit-down", "arriving", "guest", "{guest} sits down at {table}", ("sit down",), "always")
    >>> event_phrase(event, {"guest": CastRole("I", "me", False), "table": CastRole("the table", "the table")})
    'I sit down at the table'
    """
    actor = cast[event.by]
    rest = event.say.removeprefix(f"{{{event.by}}} ")
    verb, blank, tail = rest.partition(" ")
    if not actor.third:
        verb = plain_verb(verb, actor.acting)
    tail = DESCRIBED.sub(lambda slot: f"{slot[1]} {bare_noun(cast[slot[2]].other)}", tail)
    tail = SLOT.sub(lambda slot: cast[slot[1]].other, tail)
    return re.sub(r"\b(a|an|the) (a|an|the) ", r"\1 ", f"{actor.acting} {verb}{blank}{tail}")


def bare_noun(text: str) -> str:
    """What somebody is called, without an article.

    >>> bare_noun("the clothes"), bare_noun("Mia")
    ('clothes', 'Mia')
    """
    return re.sub(r"^(?:a|an|the) ", "", text)


def plain_verb(verb: str, subject: str) -> str:
    """A verb in the third person as it stands behind *I* or *we*.

    >>> [plain_verb(verb, "I") for verb in ("goes", "is", "carries", "has")]
    ['go', 'am', 'carry', 'have']
    """
    if verb == "is":
        return "am" if subject == "I" else "are"
    return {"has": "have", "does": "do", "goes": "go"}.get(verb) or lemma(verb, "VBZ")


def slot_wordings(event: WrittenEvent, participants: Mapping[str, Participant], most: int = 3) -> tuple[str, ...]:
    """The wordings of an event, each slot filled by the first words of its participant."""
    filled: dict[str, None] = {}
    for text in (event.say, *event.wordings):
        for number in range(most if SLOT.search(text) else 1):
            filled[SLOT.sub(lambda slot: (words := participants[slot[1]].words)[number % len(words)], text)] = None  # noqa: B023
    return tuple(filled)
