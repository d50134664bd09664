"""Script -> Item: a story is told of what happened; which told event was taken out, or what else happened? (Bennett, Appendix).

A world is drawn from the script as a prior, and a teller of some rationality tells so many of its events. ``ask="mentioned"`` is the
narrative cloze: one told event is taken out, and it is the key. ``ask="unmentioned"`` shows the whole story; the key is an event that
happened and is not told, ``accept`` holds the others. The question is an Unsaid whose story has the told events (label: the event's id) and
notes how many the teller told and what is asked; the choices are all events that the story does not show. Stories that leave nothing to ask
are passed over and the next world is drawn.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scenarist.errors import BadInput
from scenarist.learning.storyteller.prior import StoryPrior
from scenarist.learning.storyteller.teller import Teller, ToldWorld, draw_told, draw_world
from scenarist.question import Item, Unsaid
from scenarist.registry import suggest
from scenarist.script import WrittenScript
from scenarist.story import Event, Sentence, Story

ASKS = ("mentioned", "unmentioned")
TRIES = 200
"""Worlds that are drawn at most for a story."""


class ToldQuestion(NamedTuple):
    """A story as it is asked about."""

    shown: tuple[int, ...]
    key: int
    others: tuple[int, ...]
    """Other right answers."""


class TellerExam:
    """What does the teller leave out?"""

    name = "teller"
    metrics = ("accuracy", "surprisal")

    def __init__(
        self, ask: str = "mentioned", rationality: float = 2.0, budget: int = 3, stories: int = 40, seed: int = 13
    ) -> None:
        if ask not in ASKS:
            raise suggest(ask, list(ASKS), "question (ask)")
        if stories < 1:
            raise BadInput(f"teller: stories must be at least 1, got {stories}.")
        self.ask, self.stories, self.seed = ask, stories, seed
        self.teller = Teller(float(rationality), budget).checked()

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        return {
            "ask": self.ask,
            "rationality": self.teller.rationality,
            "budget": self.teller.budget,
            "stories": self.stories,
            "draw": self.seed,
        }

    def set(self, stories: Iterable[WrittenScript]) -> Iterator[Item]:
        """So many stories of each script."""
        for script in stories:
            prior = StoryPrior.of(script)
            for number, (world, question) in enumerate(self.drawn(prior)):
                yield self.item(script, prior, number, world, question)

    def drawn(self, prior: StoryPrior) -> Iterator[tuple[ToldWorld, ToldQuestion]]:
        """Told worlds with what is asked of them."""
        rng = random.Random(f"{self.seed} {prior.scenario}")
        drawn = 0
        for _ in range(TRIES * self.stories):
            if drawn == self.stories:
                return
            world = draw_told(prior, self.teller, draw_world(prior, rng), rng)
            # a story may be told in one order only: two told events whose order is free stay as they happened
            if len(world.mentioned) < self.teller.budget or (self.ask == "unmentioned" and not world.unmentioned):
                continue
            drawn += 1
            if self.ask == "mentioned":
                key = rng.choice(world.mentioned)
                yield world, ToldQuestion(tuple(event for event in world.mentioned if event != key), key, ())
            else:
                key = rng.choice(world.unmentioned)
                yield (
                    world,
                    ToldQuestion(world.mentioned, key, tuple(event for event in world.unmentioned if event != key)),
                )

    def item(
        self, script: WrittenScript, prior: StoryPrior, number: int, world: ToldWorld, question: ToldQuestion
    ) -> Item:
        """A question with its key."""
        name = f"{script.scenario}.{number}".replace(" ", "-")
        notes = (("told", str(len(world.mentioned))), ("ask", self.ask))
        story = told_story(script, question.shown, name, notes)
        choices = tuple(prior.names[event] for event in range(len(prior)) if event not in question.shown)
        accept = tuple(prior.names[event] for event in question.others)
        return Item(
            name,
            Unsaid(story, script.scenario, None, choices),
            prior.names[question.key],
            name,
            accept,
            (script.scenario,),
        )


def told_story(script: WrittenScript, shown: Sequence[int], name: str, notes: tuple[tuple[str, str], ...]) -> Story:
    """The told events as a story, a sentence each."""
    participants = {role.name: role.words[0] for role in script.participants}
    texts, sentences, events = [], [], []
    start = 0
    for number in shown:
        event = script.events[number]
        said = event.say.format_map(participants)
        text = f"{said[:1].upper()}{said[1:]}."
        texts.append(text)
        sentences.append(Sentence(start, start + len(text)))
        events.append(Event(event.id, start=start, stop=start + len(text), label=event.id))
        start += len(text) + 1
    return Story(
        name, " ".join(texts), sentences=tuple(sentences), events=tuple(events), scenario=script.scenario, notes=notes
    )
