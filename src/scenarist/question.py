"""The nouns of an exam: Question, Item, Guess, Prediction, Score.

A Question is all that a solver may see, be it a model or a person. An Item adds the key and never reaches a solver. A
Prediction is a ranked list of guesses; a Score is a number with its interval and the marks it was made of.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import structs

from scenarist.noun import Noun, finite
from scenarist.story import Link, Segment, Story


class Question(Noun, frozen=True, tag_field="ask"):
    """Base of what can be asked."""


class Read(Question, frozen=True, tag="read"):
    """Read this text. ``words`` are given sentences of tokens where the exam supplies them (gold tokens)."""

    text: str
    words: tuple[tuple[str, ...], ...] = ()


class Where(Question, frozen=True, tag="where"):
    """Which scenarios does this story tell, and where? The story comes without its segments."""

    story: Story
    whole: bool = False
    """One scenario for the whole story: the answer is its name, not Segments."""


class EventGap(Question, frozen=True, tag="event-gap"):
    """Which event is missing from this chain? It holds the chain, never the document."""

    links: tuple[Link, ...]
    gap: int | None = None
    """The missing event stands before ``links[gap]``; None where its position is not told."""
    choices: tuple[Link, ...] = ()
    """Candidates where the answer is one of n; empty for open ranking."""


HIDDEN = "____"
"""A hidden word in what is shown of a text."""


class WordGap(Question, frozen=True, tag="word-gap"):
    """Which word comes next in a blank of the concrete text, left to right?"""

    abstract: tuple[str, ...]
    prefix: tuple[str, ...]
    """The concrete text so far, earlier blanks filled (with the key or with guesses, as the exam says)."""
    left: int = 1
    """Words still to come in this blank, this one included."""
    blank: int = 0
    """Index in ``prefix`` at which this blank began."""
    suffix: tuple[str, ...] = ()
    """What follows the blank; empty in the left-to-right exam."""
    whitelist: str = ""
    """Name of the list of admissible words, empty for the whole vocabulary."""
    blanks: tuple[tuple[int, int], ...] = ()
    """Earlier blanks as ranges of ``prefix``: what was filled in before, and what the text itself says."""


class Choice(Question, frozen=True, tag="choice"):
    """Which of these continues the story, or is a cause or an effect of what it tells? The answer is the index as a string."""

    context: tuple[str, ...]
    choices: tuple[str, ...]
    relation: str = ""
    """``cause`` or ``effect`` of the event in question; empty where a choice continues the context."""
    scenario: str = ""
    """The activity it is about, where it is told."""
    focus: int | None = None
    """Index into ``context`` of the event in question; None where the context is that event alone."""

    def without_context(self) -> Choice:
        """The choices alone."""
        return structs.replace(self, context=(), focus=None)


class Order(Question, frozen=True, tag="order"):
    """Put these sentences into story order."""

    sentences: tuple[str, ...]


class Unsaid(Question, frozen=True, tag="untold"):
    """What happened, although the story does not say so, at this place?"""

    story: Story
    scenario: str = ""
    place: int | None = None
    """The missing event stands before sentence ``place``; None where the place is not given."""
    choices: tuple[str, ...] = ()
    event: int | None = None
    """And it stands before ``story.events[event]``, where the place is given so finely."""


class LeftOut(Question, frozen=True, tag="left-out"):
    """Which scenarios does this story tell, and what does it leave out, and where? The story comes parsed, without its segments."""

    story: Story


class AboutEvent(Question, frozen=True, tag="about-event"):
    """Where in this story does this event belong, or is it told? ``choices`` are the gaps (``0``: before the first sentence), or ``told``
    and ``untold``."""

    story: Story
    scenario: str
    event: str
    """A label of an annotated corpus, or a step in words."""
    choices: tuple[str, ...]


class SentenceGap(Question, frozen=True, tag="sentence-gap"):
    """Which sentence is missing from these, which all speak of one entity (Bennett, Materials)? A person answers with a sentence, a
    model with a main verb."""

    sentences: tuple[str, ...]
    """The other sentences of the chain as the condition shows them."""
    gap: int
    """The missing sentence stands before ``sentences[gap]``."""
    condition: str = "full"
    """``full``, ``caveman`` or ``verb-subject``."""
    sizes: tuple[int, ...] = ()
    """How many characters each of the sentences has in the story: a filler of that length may stand behind it."""
    links: tuple[Link, ...] = ()
    """The entity's events in these sentences, for solvers that know events only."""
    link_gap: int = 0
    """The missing event stands before ``links[link_gap]``."""


class Rate(Question, frozen=True, tag="rate"):
    """How far does this hold? The answer is a number from ``low`` to ``high`` as a string."""

    text: str
    """What is rated."""
    ask_for: str
    """The question or statement, e.g. *This is likely to have happened.*"""
    context: tuple[str, ...] = ()
    low: int = 1
    high: int = 5
    ends: tuple[str, ...] = ()
    """What the steps of the scale are called, lowest first; all of them or only the two ends."""


class Group(Question, frozen=True, tag="group"):
    """Which of these texts say the same? The answer names a group for each."""

    texts: tuple[str, ...]
    context: tuple[str, ...] = ()


class Relate(Question, frozen=True, tag="relate"):
    """How does the first event stand to the second? The answer is one of ``relations``."""

    story: Story
    first: int
    """Index into ``story.events``."""
    second: int
    relations: tuple[str, ...] = ("before", "after", "simultaneous", "includes", "is_included")


class Compose(Question, frozen=True, tag="compose"):
    """Write something: a story, an ending, the steps of an activity. The answer is a text, or ``Parts`` where several are asked for."""

    ask_for: str
    """What to write."""
    context: tuple[str, ...] = ()
    parts: int = 1
    """How many texts are wanted (five sentences, the steps of an activity), at most."""
    most: int = 0
    """Characters of a text at most; 0 for any length."""


AnyQuestion: TypeAlias = (
    Read
    | Where
    | EventGap
    | WordGap
    | Choice
    | Order
    | Unsaid
    | LeftOut
    | AboutEvent
    | SentenceGap
    | Rate
    | Group
    | Relate
    | Compose
)


class Segments(Noun, frozen=True, tag_field="is", tag="segments"):
    """An answer to Where."""

    segments: tuple[Segment, ...]


class Permutation(Noun, frozen=True, tag_field="is", tag="order"):
    """An answer to Order: ``order[i]`` is the index of the sentence that comes i-th."""

    order: tuple[int, ...]

    def __post_init__(self) -> None:
        if sorted(self.order) != list(range(len(self.order))):
            raise ValueError(f"`order` must hold each of 0..{len(self.order) - 1} once, got {list(self.order)}")


class Reading(Noun, frozen=True, tag_field="is", tag="reading"):
    """An answer to Read."""

    story: Story


class Suggestion(Noun, frozen=True):
    """An event that a story leaves out, and where it would stand."""

    phrase: str
    offset: int
    """Character offset in the story's text: the end of a sentence or of a clause."""
    wordings: tuple[str, ...] = ()
    """How else the same event is put."""
    scenario: str = ""


class Suggestions(Noun, frozen=True, tag_field="is", tag="suggestions"):
    """An answer to LeftOut: the scenarios that are told, and what is left out, in the order of the text."""

    scenarios: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()


class JudgedEvent(Noun, frozen=True):
    """An event that a judge accepts as unsaid, or refuses."""

    event: str
    wordings: tuple[str, ...]
    gaps: tuple[int, ...] = ()
    """Where it may stand: gap *i* is just before sentence *i*."""
    certain: str = ""
    why: str = ""
    """Why it is refused."""


class JudgedKey(Noun, frozen=True, tag_field="is", tag="judged"):
    """The key to LeftOut: what a judge says of a story."""

    scenarios: tuple[tuple[str, ...], ...]
    """Each told scenario with the other names that are as good."""
    sentences: tuple[tuple[int, int], ...]
    """Where the sentences of the story stand in its text: gaps are counted by them."""
    accepted: tuple[JudgedEvent, ...]
    refused: tuple[JudgedEvent, ...]


class JudgedStory(Noun, frozen=True):
    """A story and its key, before they are parted."""

    story: Story
    key: JudgedKey
    features: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The story's."""
        return self.story.id


class Groups(Noun, frozen=True, tag_field="is", tag="groups"):
    """An answer to Group: the name of the group of each text."""

    names: tuple[str, ...]


class Parts(Noun, frozen=True, tag_field="is", tag="parts"):
    """An answer to Compose: its texts in order."""

    texts: tuple[str, ...]


Answer: TypeAlias = str | Segments | Permutation | Reading | Suggestions | JudgedKey | Groups | Parts
"""Events are written ``verb:role``, words and labels as they are, choices by their index."""


class Example(Noun, frozen=True):
    """A question with its answer, from a training split: what a supervised model may learn from."""

    question: AnyQuestion
    answer: Answer


def sources(item: str, group: str = "", groups: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The sources of an item, each once; an item that names none is its own.

    >>> sources("d1", groups=("a", "b", "a")), sources("d1", "g"), sources("d1")
    (('group a', 'group b'), ('group g',), ('item d1',))
    """
    named = dict.fromkeys(groups or ((group,) if group else ()))
    return tuple(f"group {name}" for name in named) or (f"item {item}",)


class Item(Noun, frozen=True):
    """A question with its key; never handed to a solver."""

    id: str
    question: AnyQuestion
    key: Answer
    group: str = ""
    """What the item shares its one source with: the bootstrap draws sources."""
    accept: tuple[str, ...] = ()
    """Other answers that count as right where a metric says so."""
    tags: tuple[str, ...] = ()
    """For breakdowns: genre, length band, near-duplicate."""
    groups: tuple[str, ...] = ()
    """All its sources, where an item is made of several (the stories of a stitched document); they count in place of ``group``."""
    original: str = ""
    """The text that was taken out, for people who judge answers."""

    @property
    def sources(self) -> tuple[str, ...]:
        """What the bootstrap draws for this item: its sources, or the item itself where it names none."""
        return sources(self.id, self.group, self.groups)


class Guess(Noun, frozen=True):
    """One answer and its natural log-probability; None where the solver only ranks."""

    answer: Answer
    logp: float | None = None
    why: tuple[str, ...] = ()
    """What spoke for it (the chain events that voted, the words that decided)."""

    def __post_init__(self) -> None:
        finite(logp=self.logp)


class Prediction(Noun, frozen=True):
    """A solver's ranked guesses for one item, best first."""

    item: str
    guesses: tuple[Guess, ...]
    by: str = ""
    rest: float | None = None
    """Probability mass of all answers not listed, where the solver knows it."""
    key_logp: float | None = None
    """ln P(key), asked by the runner after the guesses were stored."""
    key_rank: float | None = None
    """Expected rank of the key (ties shared), asked by the runner after the guesses were stored."""
    note: str = ""
    """What the solver wants said (e.g. that it backed off)."""

    def __post_init__(self) -> None:
        finite(rest=self.rest, key_logp=self.key_logp, key_rank=self.key_rank)

    @property
    def best(self) -> Answer | None:
        """The first guess, None where there is none."""
        return self.guesses[0].answer if self.guesses else None


class Mark(Noun, frozen=True):
    """One item's counts under one metric, e.g. (("right", 1.0),)."""

    item: str
    counts: tuple[tuple[str, float], ...]
    group: str = ""
    groups: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """What the bootstrap draws for this mark, as the item says it."""
        return sources(self.item, self.group, self.groups)

    def __post_init__(self) -> None:
        finite(**dict(self.counts))


class Score(Noun, frozen=True):
    """A number, its 95 % interval, the marks behind it and the signature under it."""

    metric: str
    value: float
    low: float
    high: float
    n: int
    signature: str
    marks: tuple[Mark, ...] = ()
    missing: int = 0
    """Items without a prediction, counted as wrong."""
    groups: int = 0
    """How many sources the interval drew; 0 where nobody counted them."""

    def __post_init__(self) -> None:
        finite(value=self.value, low=self.low, high=self.high)
