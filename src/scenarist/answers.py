"""The nouns that verbs answer with, where no other noun does: filled chains, orders, aligned phrases, chains of a story, findings.

`read` gives an Interpretation (`interpretation.py`), `detect` and `events` a Story, `show` a Script (`story.py`, `script.py`),
`exam` and `score` what `marked.py` holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from scenarist.noun import Noun
from scenarist.registry import suggest
from scenarist.script import Participant, Scenario
from scenarist.story import Alignment, Chain


class Answered(Noun, frozen=True, omit_defaults=False):
    """Base of what a verb answers; its JSON names every field."""


class Candidate(Answered, frozen=True):
    """A ranked event and what speaks for it."""

    event: str
    logp: float
    votes: tuple[str, ...] = ()
    """Events of the chain, strongest first, with their weight."""
    seen: tuple[str, ...] = ()
    """Sentences (or names of stories) in which it was seen with the strongest of them."""
    scripts: tuple[str, ...] = ()
    """Scripts of the library that have both verbs: `scenarist show` opens them."""


class FilledChain(Answered, frozen=True):
    """A chain, its gap and the candidates: what `fill` gives for a chain."""

    chain: tuple[str, ...]
    gap: int | None
    model: str
    candidates: tuple[Candidate, ...]
    note: str = ""
    learned: str = ""
    """What the model was learned from."""


class ModelColumn(Answered, frozen=True):
    """What one model says of a test: its best events, and where the answer stands among all, where it was named."""

    model: str
    events: tuple[str, ...]
    rank: float | None = None


class ComparedChain(Answered, frozen=True):
    """A test and what several models say of it, side by side (Chambers 2017, Table 4): what `compare_models` gives."""

    chain: tuple[str, ...]
    gap: int | None
    columns: tuple[ModelColumn, ...]
    answer: str = ""
    learned: str = ""
    notes: tuple[str, ...] = ()


class NarrativeChain(Answered, frozen=True):
    """Events that share a protagonist, in their order (Chambers and Jurafsky 2008), the likeliest chains first."""

    events: tuple[str, ...]
    """From the first to the last."""
    counts: tuple[int, ...]
    """How often each was seen."""
    before: tuple[tuple[int, int, float, int], ...]
    """(first, second, share, times), the events by their places: both were seen so many times, the first first in this share of them."""
    score: float
    """The mean PMI of its pairs."""


class LearnedChains(Answered, frozen=True):
    """The narrative chains of a corpus, and how they were ordered: what `learn_chains` and `show_chains` give."""

    corpus: str
    documents: int
    ordered: str
    """``text``: by which of two events comes first in texts; ``classifier``: by one of pairs learned from crowd-written scripts."""
    chains: tuple[NarrativeChain, ...]


class WrittenEndings(Answered, frozen=True):
    """Endings that a model wrote for a story, best first: what `fill` gives for a story alone."""

    by: str
    seed: int
    endings: tuple[str, ...]


class RankedOrder(Answered, frozen=True):
    """One order of sentences: ``order[i]`` is the index of the sentence that comes i-th."""

    order: tuple[int, ...]
    logp: float | None = None


class OrderedSentences(Answered, frozen=True):
    """Sentences as they were given, and their orders, best first: what `order` gives."""

    sentences: tuple[str, ...]
    by: str
    orders: tuple[RankedOrder, ...]
    sure: float | None = None
    """How likely the best order is, among all orders; None where the model does not say."""
    next_moves: tuple[int, ...] = ()
    """Places of the best order, from one, that the next best order fills otherwise, where it is at least half as likely."""

    @property
    def best(self) -> tuple[str, ...]:
        """The sentences in the best order."""
        return tuple(self.sentences[index] for index in self.orders[0].order) if self.orders else ()


class AlignedPhrase(Answered, frozen=True):
    """An abstract word, a concrete phrase told from it, and the sentences behind them."""

    word: str
    phrase: str
    count: int
    pmi: float
    """Natural log, discounted where the table is."""
    found: tuple[tuple[str, int], ...] = ()
    """(pair, place) of the first occurrences."""
    sentences: tuple[str, ...] = ()
    """Sentences with the phrase in brackets, where they were asked for and the corpus is at hand."""


class ExplainedStep(Answered, frozen=True):
    """One concrete step of an instruction."""

    text: str
    word: str
    """The word of the instruction that it was told from."""
    evidence: tuple[str, ...] = ()
    """Its phrases that KidsCook aligns with that word, with their counts (Bisk et al. 2019, Table 3)."""


class NearPair(Answered, frozen=True):
    """A training pair whose instruction is like the one asked; shown where the corpus is at hand."""

    id: str
    instruction: str
    concrete: str
    likeness: float
    """Cosine of the content words, weighted by rarity."""


class Explanation(Answered, frozen=True):
    """The concrete steps of an instruction: what `explain` gives."""

    steps: tuple[ExplainedStep, ...]
    confidence: float | None
    """How likely a cook finds the steps right; None where a model wrote them."""
    alignment: Alignment
    by: str
    near: tuple[NearPair, ...] = ()

    def _repr_html_(self) -> str:
        from scenarist.registry import display

        return display(self.alignment)


class AlignedPhrases(Answered, frozen=True):
    """What is aligned with a word or phrase, on each side that was asked for: what `align` gives."""

    asked: str
    by: str
    """The model that aligned."""
    concrete: tuple[AlignedPhrase, ...] | None = None
    """What it says in detail as an abstract word; None: not asked for."""
    abstract: tuple[AlignedPhrase, ...] | None = None
    """What it is said for as a concrete phrase; None: not asked for."""


class StoryChains(Answered, frozen=True):
    """The chains of a story, and whose story it is: what `chains` gives."""

    view: str
    """How events are counted: ``cj``, ``pm``, ``gw`` or ``dep``."""
    protagonist: str | None
    """Id of the central entity; None where no entity takes part in any event."""
    chains: tuple[Chain, ...]


class KnownEvent(Answered, frozen=True):
    """An event of a script with where it is known from and its two numbers: how often it is told, and how likely it happened."""

    id: str
    phrase: str
    """As one would say it, each slot filled with the participant's commonest word."""
    source: str
    """``written`` by hand, ``learned`` from tellers, or ``both``."""
    happened: float
    """How likely it happened, told or not: what is written, raised by those who tell it."""
    told: int = 0
    """So many tellers tell it,"""
    tellers: int = 0
    """of so many."""
    happens: str = ""
    """``always``, ``usually`` or ``sometimes``, by its writer; empty where nobody wrote it."""
    silent: bool = False
    """It happens and hardly anybody says so: one teller in ten at most, where there are tellers."""
    scene: str = ""
    by: str = ""
    say: str = ""
    """With its slots."""
    wordings: tuple[str, ...] = ()
    one_of: str = ""
    """The group of ways that exclude one another."""
    after: tuple[str, ...] = ()
    after_usually: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    sub: str = ""
    """The scenario it is made of."""
    place: float = -1.0
    """Mean place in the telling, 0 first to 1 last; -1 where nobody tells it."""
    told_after: tuple[tuple[str, int], ...] = ()
    """(event told directly before it, tellers)."""
    told_before: tuple[tuple[str, int], ...] = ()
    fillers: tuple[tuple[str, str, int], ...] = ()
    """(participant, word that fills it, tellers)."""

    @property
    def share(self) -> float | None:
        """How often tellers tell it; None where there is no teller."""
        return self.told / self.tellers if self.tellers else None


class KnownScript(Answered, frozen=True):
    """What is known of a scenario: its script, where each fact is from, and its place in the inventory; what `show` gives."""

    scenario: str
    events: tuple[KnownEvent, ...]
    """In the order of the script; those that are only learned last."""
    scenes: tuple[str, ...] = ()
    participants: tuple[Participant, ...] = ()
    sources: tuple[tuple[str, int], ...] = ()
    """(corpus, tellers) behind the numbers."""
    tellers: int = 0
    aliases: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    """(kind, other scenario)."""
    made: str = ""
    """Who made it, in which version and under which licence."""

    def event(self, id: str) -> KnownEvent:
        """An event by its id."""
        for event in self.events:
            if event.id == id:
                return event
        raise suggest(id, [event.id for event in self.events], f"event of {self.scenario!r}")

    def _repr_html_(self) -> str:
        from scenarist.registry import display

        return display(self)


class ScriptGap(Answered, frozen=True):
    """What many tell of an activity and its script has not: a proposal for the library."""

    phrase: str
    told: int
    tellers: int
    place: float
    near: tuple[str, ...] = ()
    """Events of the script that stand nearest to it in the telling."""


class ScriptSummary(Answered, frozen=True):
    """A script as a line of the index of all scripts."""

    scenario: str
    events: int
    scenes: int
    silent: int
    """Events that happen and hardly anybody tells."""
    tellers: int
    learned: int
    """Events that are only learned."""
    source: str


class LearnedScripts(Answered, frozen=True):
    """Scripts that were learned into a folder: what `learn_scripts` gives."""

    folder: str
    scripts: tuple[tuple[str, int, int], ...]
    """(scenario, tellers, event types)."""
    left_out: tuple[tuple[str, int], ...] = ()
    """(scenario, tellers) of which too few tell."""
    unlabelled: int = 0
    """Stories that belong to no scenario."""
    evidence: str = ""


class ScenarioRelation(Answered, frozen=True):
    """Another scenario that is related to the one asked for."""

    scenario: str
    relation: str


class KnownScenario(Answered, frozen=True):
    """A scenario of the inventory, the words that speak for it most, and who else points to it: what `scenario` gives."""

    scenario: Scenario
    words: tuple[str, ...]
    related_from: tuple[ScenarioRelation, ...]


class Finding(Answered, frozen=True):
    """A part of the installation: what `doctor` gives a tuple of."""

    part: str
    state: str
    detail: str = ""
    next: str = ""
    """What to type where it is missing."""


class Fault(Noun, frozen=True):
    """A rule for writers that a story breaks: which, in which sentence (from 1, 0 for the whole story), and what to do about it."""

    rule: str
    sentence: int
    text: str
    sure: bool = True


class CheckedStory(Answered, frozen=True):
    """A story and what is wrong with it: what `check_stories` gives a tuple of."""

    story: str
    faults: tuple[Fault, ...]


class ReadFolder(NamedTuple):
    """What a folder holds after texts were read into it: what `read_folder` gives."""

    file: Path
    """One interpretation a line."""
    interpretations: int
    chains: int = 0
    """Rows of chains.parquet."""
    untold: int = 0
    """Rows of untold.parquet."""
    missing: str = ""
    """Why there are no tables."""


class SimulatedRun(Noun, frozen=True):
    """What came of simulated people in a study; the names of the JSON form are a promise."""

    study: str
    people: int
    complete: int
    answers: int
    lost: int
    doubled: int
    kills: int
    p95_ms: float
    closed: int = 0
    """Browsers that were closed and opened again."""
    requests: int = 0
    seconds: float = 0.0
    run: str = ""

    @property
    def whole(self) -> bool:
        """Is nothing lost and nothing doubled?"""
        return self.lost == 0 and self.doubled == 0
