"""The library of scripts -> what simulated people know of everyday life: stories, endings, ratings, orders.

A simulated writer tells five events of one script; the wrong ending is an event of another one. A simulated rater finds the script of a
text by its sentences, as anybody would, and says whether all of them belong to it. Texts that no script of the library tells are rated and
ordered at random. No sentence of a corpus is used.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from scenarist.learning.library.story_phrases import CastRole, event_phrase, other_cast
from scenarist.registry import make
from scenarist.script import WrittenScript

NAMES = (
    ("Ida", "She"), ("Nora", "She"), ("Mia", "She"), ("Ruth", "She"), ("Vera", "She"), ("Lena", "She"), ("Rosa", "She"), ("Jane", "She"),
    ("Paul", "He"), ("Emil", "He"), ("Hugo", "He"), ("Adam", "He"), ("Otto", "He"), ("Karl", "He"), ("Ben", "He"), ("Sam", "He"),
)  # fmt: skip
SUBJECT = re.compile(r"^(?:[A-Z][a-z]+) ")
SENTENCES, LONGEST = 5, 70
SLIP = 0.015
"""How often a simulated rater takes the wrong step, and an orderer swaps two neighbours."""
HAPPENS = ("always", "usually")


class ImaginedStory(NamedTuple):
    """A story of five sentences."""

    title: str
    sentences: tuple[str, ...]


class ImaginedScript(NamedTuple):
    """What one person does in an activity, in order, without the person."""

    scenario: str
    deeds: tuple[str, ...]


class ImaginedWorld(NamedTuple):
    """All activities, and where each deed is known from."""

    scripts: tuple[ImaginedScript, ...]
    places: dict[str, dict[int, int]]
    """Deed -> script -> place in it."""

    def script_of(self, sentences: Sequence[str]) -> int | None:
        """The activity that most of the sentences tell."""
        votes = Counter(number for sentence in sentences for number in self.places.get(deed_of(sentence), ()))
        return votes.most_common(1)[0][0] if votes else None


@cache
def imagined_world() -> ImaginedWorld:
    """The library as simulated people know it."""
    scripts = [imagined for script in make("corpus", "library") if (imagined := imagined_script(script)) is not None]
    places: dict[str, dict[int, int]] = {}
    for number, script in enumerate(scripts):
        for place, deed in enumerate(script.deeds):
            places.setdefault(deed.casefold(), {})[number] = place
    return ImaginedWorld(tuple(scripts), places)


def imagined_script(script: WrittenScript) -> ImaginedScript | None:
    """The deeds of the person who does most; None where there are too few for a story."""
    people = {role.name for role in script.participants if role.kind == "person"}
    acting = Counter(event.by for event in script.events if event.by in people)
    if not acting:
        return None
    actor = acting.most_common(1)[0][0]
    cast = {role.name: other_cast(role, {}) for role in script.participants} | {actor: CastRole("X", "X")}
    deeds: dict[str, None] = {}
    for event in script.events:
        if event.by == actor and event.happens in HAPPENS and not event.one_of and not event.silent:
            deed = event_phrase(event, cast).removeprefix("X ")
            if " X" not in deed and len(deed) + len("Nora ") < LONGEST:
                deeds.setdefault(deed)
    return ImaginedScript(script.scenario, tuple(deeds)) if len(deeds) > SENTENCES else None


def deed_of(sentence: str) -> str:
    """A sentence without its subject and its stop.

    >>> deed_of("Ida goes to the shelter.")
    'goes to the shelter'
    """
    return SUBJECT.sub("", sentence.strip()).rstrip(".").casefold()


def imagine_story(draw: random.Random) -> ImaginedStory:
    """Five events of a script about somebody."""
    script = draw.choice(imagined_world().scripts)
    name, pronoun = draw.choice(NAMES)
    places = sorted(draw.sample(range(len(script.deeds)), SENTENCES))
    subjects = [name, *(draw.choice((pronoun, pronoun, name)) for _ in places[1:])]
    sentences = tuple(f"{who} {script.deeds[place]}." for who, place in zip(subjects, places, strict=True))
    return ImaginedStory(script.scenario.capitalize(), sentences)


def imagine_endings(context: Sequence[str], draw: random.Random) -> tuple[str, str]:
    """What the script of a story goes on with, and what it does not."""
    world = imagined_world()
    number = world.script_of(context)
    subject = next((word for word in (sentence.split(" ", 1)[0] for sentence in reversed(context)) if word), "She")
    if number is None or not SUBJECT.match(f"{subject} "):
        return f"{subject} was glad that it ended so.", f"{subject} never heard of it, {draw.randint(2, 999)} times."
    deeds = world.scripts[number].deeds
    shown = {deed_of(sentence) for sentence in context}
    last = max(world.places.get(deed, {}).get(number, -1) for deed in shown)
    later = [deed for place, deed in enumerate(deeds) if place > last and deed.casefold() not in shown]
    right = draw.choice(later or [deed for deed in deeds if deed.casefold() not in shown])
    while True:
        other = draw.choice(world.scripts)
        wrong = draw.choice(other.deeds)
        if number not in world.places[wrong.casefold()]:
            return f"{subject} {right}.", f"{subject} {wrong}."


def imagine_rating(lines: Sequence[str], steps: Sequence[str], draw: random.Random) -> str:
    """The highest step for a text of one script, *0* (or the lowest) for one of several; any step where no script is known."""
    world = imagined_world()
    known = [world.places.get(deed_of(line), {}) for line in lines]
    if not any(known) or draw.random() < SLIP:
        return draw.choice(list(steps))
    whole = bool(set.intersection(*(set(places) for places in known)))
    return steps[-1] if whole else "0" if "0" in steps else steps[0]


def imagine_order(sentences: Sequence[str], draw: random.Random) -> list[int]:
    """Rows in the order of the script that they tell; at random where none is known."""
    world = imagined_world()
    number = world.script_of(sentences)
    rows = list(range(len(sentences)))
    draw.shuffle(rows)
    if number is not None:
        rows.sort(key=lambda row: world.places.get(deed_of(sentences[row]), {}).get(number, 0))
        if draw.random() < SLIP * len(rows):
            place = draw.randrange(len(rows) - 1)
            rows[place], rows[place + 1] = rows[place + 1], rows[place]
    return rows
