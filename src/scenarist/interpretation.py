"""The noun `read` gives: an Interpretation of a story, what it tells and what goes without saying.

This is the documented JSON form of ``scenarist read --json``; ``schema`` is raised when a field changes its meaning.
"""

from __future__ import annotations

from scenarist.noun import Noun, finite
from scenarist.registry import display
from scenarist.script import Reason
from scenarist.story import Chain, Story

SCHEMA = 1


class UnsaidEvent(Noun, frozen=True):
    """An event that belongs to a told scenario and that the story neither mentions nor denies."""

    scenario: str
    event: str
    """Id of the event type in the scenario's script."""
    phrase: str
    """How tellers put it."""
    probability: float
    """How likely it happened, given what is told."""
    segment: int = -1
    """Index into ``Interpretation.story.segments``."""
    after: int = -1
    """Index into ``story.events`` of the told event before it; -1 where it comes first."""
    before: int = -1
    """Index of the told event after it; -1 where it comes last."""
    at: int = 0
    """Character offset at which it belongs."""
    reason: Reason = Reason("")
    wordings: tuple[str, ...] = ()
    """How else the script puts it."""
    told: float | None = None
    """How often tellers of the scenario say it, as a share of them; None where no teller is at hand."""
    known: str = "learned"
    """Where it is known from: ``written`` (a script of the library), ``learned`` (tellers), or ``both``."""
    folded: bool = False
    """One of more than two at this place: shown only when asked for."""

    def __post_init__(self) -> None:
        finite(probability=self.probability)


class Interpretation(Noun, frozen=True):
    """What a story tells, and what it leaves unsaid."""

    story: Story
    """With sentences, tokens, entities, events and segments."""
    untold: tuple[UnsaidEvent, ...] = ()
    chains: tuple[Chain, ...] = ()
    protagonist: str = ""
    """Id of the central entity."""
    denied: tuple[tuple[str, int], ...] = ()
    """(event type, index of the event that denies it): expected, and said not to have happened."""
    remarks: tuple[str, ...] = ()
    """What the reader wants said: another language, no known scenario, a very long text."""
    schema: int = SCHEMA

    def _repr_html_(self) -> str:
        return display(self)
