"""The nouns of knowledge: what is known of a scenario.

A Script is what learning yields and `show` draws: event types with how many tellers mention each, who takes part, and
what usually comes before what.
"""

from __future__ import annotations

from typing import NamedTuple

from scenarist.noun import Noun, finite


class Scenario(Noun, frozen=True):
    """An everyday activity of the inventory, with its aliases and its relations to others."""

    name: str
    aliases: tuple[str, ...] = ()
    documents: int = 0
    sentences: int = 0
    relations: tuple[tuple[str, str], ...] = ()
    """(kind, other scenario): ``specialises``, ``part of``, ``shares participants with``."""
    learned: tuple[str, ...] = ()
    """Where the carried detector learned it from: corpora, or ``weak`` for stories picked by their words; empty: not learned."""


class EventType(Noun, frozen=True):
    """A kind of event within a scenario; paraphrases share one."""

    id: str
    phrases: tuple[str, ...] = ()
    """How tellers put it, commonest first (verb with its arguments' heads), never a corpus sentence."""
    tellers: int = 0
    """How many tellers mention it."""
    share: float = 0.0
    """Tellers who mention it, as a fraction of all of the scenario's."""
    place: float = 0.0
    """Mean position in the telling, 0 first to 1 last."""
    roles: tuple[tuple[str, str], ...] = ()
    """(role, participant) pairs."""

    def __post_init__(self) -> None:
        finite(share=self.share, place=self.place)


class Script(Noun, frozen=True):
    """What is known of one scenario."""

    scenario: str
    tellers: int = 0
    events: tuple[EventType, ...] = ()
    order: tuple[tuple[str, str, float], ...] = ()
    """(earlier, later, weight): how firmly one event type comes before another, 0.5 for no preference."""
    together: tuple[tuple[str, str, int], ...] = ()
    """(one, other, tellers who mention both), one before the other in the order of ``events``."""
    participants: tuple[tuple[str, int], ...] = ()
    """(participant, tellers who mention it)."""
    evidence: str = ""
    """Where it was learned from."""
    durations: tuple[tuple[str, str], ...] = ()
    """(event type, duration as its writer gave it)."""

    def _repr_html_(self) -> str:
        from scenarist.registry import display

        return display(self)


class Participant(Noun, frozen=True):
    """A role in a written script: who or what takes part, and by which words stories call it."""

    name: str
    kind: str
    words: tuple[str, ...]
    """Nouns, commonest first."""
    many: bool = False
    definite: bool = False
    """A story may say *the* at first mention (the waiter, the bill)."""


class WrittenEvent(Noun, frozen=True):
    """A kind of event of a written script."""

    id: str
    scene: str
    by: str
    """The participant that does it."""
    say: str
    """One clause with slots: ``{guest} sits down at {table}``."""
    wordings: tuple[str, ...]
    """How tellers mention it: verb first, slots in braces."""
    happens: str
    """``always``, ``usually`` or ``sometimes``, told or not; for one of several ways, that of the group."""
    silent: bool = False
    """It happens and hardly anybody says so."""
    one_of: str = ""
    """The group of ways that exclude one another."""
    after: tuple[str, ...] = ()
    """Events that come before it, where both happen."""
    after_usually: tuple[str, ...] = ()
    """Events that usually, not always, come before it."""
    needs: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    sub: str = ""
    """A scenario that this event is made of."""
    assumed: str = ""
    """Would one assume it where a story leaves it out? ``yes``; ``depends`` on what the story says; empty: neither is clear."""


class WrittenScript(Noun, frozen=True):
    """What happens in an everyday activity, written by hand: a file of the library."""

    scenario: str
    scenes: tuple[str, ...]
    participants: tuple[Participant, ...]
    events: tuple[WrittenEvent, ...]

    def participant(self, name: str) -> Participant:
        """A participant by its name."""
        return next(participant for participant in self.participants if participant.name == name)


class EventEvidence(Noun, frozen=True):
    """What tellers say of one event of a written script: counts only, never a sentence."""

    id: str
    in_stories: int = 0
    """Stories that tell it, of ``ScriptEvidence.stories``."""
    in_lists: int = 0
    """Lists of the activity's steps that name it, of ``ScriptEvidence.lists``."""
    place: float = -1.0
    """Mean place of its first mention, 0 first to 1 last; -1 where nobody tells it."""
    after: tuple[tuple[str, int], ...] = ()
    """(event told directly before it, tellers), commonest first."""
    before: tuple[tuple[str, int], ...] = ()
    """(event told directly after it, tellers)."""
    fillers: tuple[tuple[str, str, int], ...] = ()
    """(participant, word that fills it, tellers), of at least two tellers."""

    def __post_init__(self) -> None:
        finite(place=self.place)


class OrderEvidence(NamedTuple):
    """How often one event is told before another, in stories and in lists of steps."""

    first: str
    second: str
    stories: int
    """Stories that tell ``first`` before ``second``."""
    stories_back: int
    lists: int
    lists_back: int


class ToldGap(NamedTuple):
    """What many tell and no event of the script says: a proposal for the library."""

    phrase: str
    tellers: int
    place: float


class ScriptEvidence(Noun, frozen=True):
    """What tellers say of a written script."""

    scenario: str
    sources: tuple[tuple[str, int], ...] = ()
    """(corpus, tellers)."""
    stories: int = 0
    lists: int = 0
    events: tuple[EventEvidence, ...] = ()
    """One for each event of the script, in its order."""
    order: tuple[OrderEvidence, ...] = ()
    gaps: tuple[ToldGap, ...] = ()


class Reason(Noun, frozen=True):
    """Why something was said: a short sentence for people and the evidence behind it."""

    text: str
    evidence: tuple[str, ...] = ()
    weight: float = 0.0

    def __post_init__(self) -> None:
        finite(weight=self.weight)
