"""Story x written script -> which sentence tells which event, how surely, and where an event that nobody tells would stand.

Each sentence is compared with each event of the script by its words (`wordings.py`, verb, object and slot, with synonyms) and by what it
means
(`meaning.py`). What tells what is then decided for all clauses together, along the partial order of the script: a hidden Markov model whose
states are the events (and *none of them*, which keeps the last event in mind), summed over all paths, so that every pair of sentence and
event
has a chance and no early mistake decides the rest. An event that nobody tells is placed by its order with all told ones, by the told events
next to it in the script, and by sentences that speak of what it leaves behind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.formats.script_file import file_name, read_script
from scenarist.learning.library.evidence import carried_evidence, clause_of, library_scripts, own_folder
from scenarist.learning.library.meaning import WordVectors, carried_vectors
from scenarist.learning.library.wordings import EMPTY, Clause, WordingMatcher, earlier_events
from scenarist.learning.script_matches import head_of, resolve_pronouns
from scenarist.networks.layers import sigmoid
from scenarist.script import Participant, ScriptEvidence, WrittenScript
from scenarist.store.home import resource
from scenarist.story import Sentence, Story

Array = npt.NDArray[np.float64]
SLOT = re.compile(r"\{([^{}]*)\}")
WORD = re.compile(r"[a-z][a-z'-]*")
FEATURES = ("clause", "sentence", "meaning", "sentence_meaning")
"""What is known of a pair of sentence and event: the likeness of its best clause, of all its words, and both by meaning."""
WEIGHTS = (5.0, 1.5, 3.0, 1.5)
BIAS = -5.2
"""Log-odds that a sentence tells an event are a weighted sum of the features."""
BACK = 1.6
"""What a step against the order costs, in nats,"""
FAR = 0.08
"""and a step forward, an event that is passed over."""
AGAIN = 0.7
"""What telling the same event once more costs."""
TRUST = 6.0
"""Tellers' worth of trust in the written order."""


class StoryClause(NamedTuple):
    """A clause of a story: the sentence it stands in, its words, and what is claimed of it."""

    sentence: int
    clause: Clause
    event: int = -1
    """Index into ``story.events``."""
    denied: bool = False


def story_clauses(story: Story, sentences: Sequence[Sentence]) -> list[StoryClause]:
    """The clauses that the reader found, pronouns resolved."""
    heads = {entity.id: head for entity in story.entities if (head := head_of(story, entity))}
    starts = np.array([sentence.start for sentence in sentences])
    clauses = []
    for number, event in enumerate(story.events):
        place = int(np.searchsorted(starts, event.start, side="right")) - 1
        if place < 0 or event.start >= sentences[place].stop:
            continue
        clauses.append(StoryClause(place, clause_of(resolve_pronouns(event, heads)), number, not event.polarity))
    return clauses


def sentence_words(text: str) -> tuple[str, ...]:
    """The words of a sentence that count."""
    return tuple(word for word in WORD.findall(text.lower().replace("’", "'")) if word not in EMPTY)


def fill_slots(text: str, participants: Mapping[str, Participant], number: int = 0) -> str:
    """A wording with its slots filled by the participants' own words.

    >>> fill_slots("order {meal}", {"meal": Participant("meal", "food", ("pizza", "pasta"))}, 1)
    'order pasta'
    """
    return SLOT.sub(lambda slot: participants[slot[1]].words[number % len(participants[slot[1]].words)], text)


class ReadyScript:
    """A written script with what tellers say of it, ready to be compared with stories."""

    def __init__(self, script: WrittenScript, evidence: ScriptEvidence, vectors: WordVectors | None = None) -> None:
        self.script, self.evidence = script, evidence
        self.vectors = vectors or carried_vectors()
        self.matcher = WordingMatcher(script)
        self.participants = {role.name: role for role in script.participants}
        texts: list[str] = []
        owners: list[int] = []
        for number, event in enumerate(script.events):
            wordings = dict.fromkeys(
                fill_slots(text, self.participants, word)
                for text in (event.say, *event.wordings)
                for word in (range(3) if SLOT.search(text) else range(1))
            )
            texts += wordings
            owners += [number] * len(wordings)
        self.meanings = self.vectors.encode(texts)  # (wordings, width)
        self.owners = np.array(owners)
        self.before = order_chances(script, evidence)  # (events, events)
        self.steps = script_places(self.before)

    def meant(self, texts: Sequence[str]) -> Array:
        """How near each text is to each event in meaning (texts, events)."""
        near = self.vectors.encode(texts) @ self.meanings.T
        out = np.zeros((len(texts), len(self.script.events)))
        np.maximum.at(out.T, self.owners, near.T)
        return out


def ready_script(scenario: str) -> ReadyScript:
    """A script of the library, or of the user's own folder, ready to be compared; of the library only its own file is read."""
    return _ready_script(scenario, own_folder())


@lru_cache(maxsize=64)
def _ready_script(scenario: str, folder: str) -> ReadyScript:
    if folder and scenario in (own := library_scripts(folder)):
        return ReadyScript(own[scenario].script, own[scenario].evidence)
    script = read_script(resource("scripts") / file_name(scenario))
    return ReadyScript(script, carried_evidence().get(scenario, ScriptEvidence(scenario)))


def order_chances(script: WrittenScript, evidence: ScriptEvidence) -> Array:
    """How likely each event comes before each other where both happen (events, events): as it is written, moved by what is told."""
    size = len(script.events)
    number = {event.id: place for place, event in enumerate(script.events)}
    before = earlier_events(script.events)
    direct = {event.id: {*event.after} for event in script.events}
    distance = np.arange(size)[None, :] - np.arange(size)[:, None]
    chances = 0.5 + np.sign(distance) * 0.38 * (1 - np.exp(-np.abs(distance) / 3.0))
    for event in script.events:
        for other in before[event.id]:
            sure = 0.97 if other in direct[event.id] else 0.92
            a, b = number[other], number[event.id]
            chances[a, b] = max(chances[a, b], sure)
            chances[b, a] = 1 - chances[a, b]
    for pair in evidence.order:
        a, b = number.get(pair.first, -1), number.get(pair.second, -1)
        if a >= 0 and b >= 0:
            forth, back = pair.stories + pair.lists, pair.stories_back + pair.lists_back
            chances[a, b] = (TRUST * chances[a, b] + forth) / (TRUST + forth + back)
            chances[b, a] = 1 - chances[a, b]
    return np.asarray(np.clip(chances, 0.02, 0.98))


def script_places(before: Array) -> Array:
    """Where in the script each event stands: how many others come before it (events)."""
    return np.asarray(before.sum(0) - 0.5)


class StoryAlignment(NamedTuple):
    """What a story tells of a script."""

    local: Array
    """The chance that a sentence tells an event, for itself (sentences, events)."""
    told: Array
    """The same along the order, all clauses together (sentences, events)."""
    denied: Array
    """The same for what a sentence says not to have happened."""
    features: Array
    """(features, sentences, events)"""

    @property
    def ever(self) -> Array:
        """The chance that an event is told anywhere (events)."""
        return np.asarray(1 - np.prod(1 - self.told, axis=0))


def align(story: Story, sentences: Sequence[Sentence], script: ReadyScript) -> StoryAlignment:
    """Which sentences tell which events."""
    size, events = len(sentences), len(script.script.events)
    texts = [story.text[sentence.start : sentence.stop] for sentence in sentences]
    whole = np.zeros((2, size, events))
    for number, text in enumerate(texts):
        for event, likeness in script.matcher.likenesses(Clause("", sentence_words(text))).items():
            whole[0, number, event] = likeness
    whole[1] = script.meant(texts)
    clauses = story_clauses(story, sentences)
    refused = np.zeros((size, events))
    own = np.zeros((2, len(clauses), events))
    own[1] = script.meant([" ".join(clause.clause.words) for clause in clauses])
    for row, clause in enumerate(clauses):
        for number, likeness in script.matcher.likenesses(clause.clause).items():
            own[0, row, number] = likeness
        if clause.denied:
            refused[clause.sentence] = np.maximum(refused[clause.sentence], own[0, row])
    rows = sorted(
        [(clause.sentence, row) for row, clause in enumerate(clauses) if not clause.denied]
        + [(number, -1) for number in range(size) if not any(clause.sentence == number for clause in clauses)]
    )
    homes = np.array([sentence for sentence, _ in rows], int)
    features = np.zeros((len(FEATURES), len(rows), events))
    for number, (sentence, row) in enumerate(rows):
        if row >= 0:
            features[0, number], features[2, number] = own[0, row], own[1, row]
        features[1, number], features[3, number] = whole[0, sentence], whole[1, sentence]
    scores = np.tensordot(np.array(WEIGHTS), features, 1) + BIAS
    chances = along_order(scores, script.before)
    return StoryAlignment(
        by_sentence(sigmoid(scores), homes, size), by_sentence(chances, homes, size), refused,
        np.stack([by_sentence(feature, homes, size) for feature in features]),
    )  # fmt: skip


def by_sentence(rows: Array, homes: npt.NDArray[np.int_], size: int) -> Array:
    """The largest value among the clauses of each sentence (sentences, events)."""
    out = np.zeros((size, rows.shape[1]))
    np.maximum.at(out, homes, rows)
    return out


def along_order(scores: Array, before: Array) -> Array:
    """The chance of each event at each sentence (sentences, events), summed over all ways through the script.

    ``scores``: log-odds of each event against none of them. A state is the last event told; before the first there is none.
    """
    size, events = scores.shape
    if not size or not events:
        return np.zeros_like(scores)
    places = script_places(before)
    ahead = places[None, :] - places[:, None]
    step = np.where(ahead > 0, -FAR * ahead, BACK * np.log(np.clip(before * 2, 0.05, 1.0)))
    np.fill_diagonal(step, -AGAIN)
    first = -FAR * 0.5 * places
    # forward and backward over (last event or none at all) with one event or none a sentence, and a second one by its neighbours
    memory = np.full((size + 1, events + 1), -np.inf)
    memory[0, events] = 0.0
    come = np.full((size, events), -np.inf)
    for row in range(size):
        reach = np.logaddexp(
            np.logaddexp.reduce(memory[row, :events, None] + step, axis=0), memory[row, events] + first
        )
        come[row] = reach + scores[row]
        memory[row + 1, :events] = np.logaddexp(memory[row, :events], come[row])
        memory[row + 1, events] = memory[row, events]
    future = np.zeros((size + 1, events + 1))
    for row in range(size - 1, -1, -1):
        ahead_of = scores[row] + future[row + 1, :events]
        future[row, :events] = np.logaddexp(
            future[row + 1, :events], np.logaddexp.reduce(step + ahead_of[None, :], axis=1)
        )
        future[row, events] = np.logaddexp(future[row + 1, events], np.logaddexp.reduce(first + ahead_of))
    whole = np.logaddexp.reduce(memory[size])
    return np.asarray(np.exp(np.minimum(0.0, come + future[1:, :events] - whole)))


PLACE_WEIGHTS = (1.6, 7.5, 0.0, 11.7)
PLACE_BIAS = -7.2
"""Log-odds that a sentence stands at an event of the script, whether it tells it or not: a weighted sum of the features, by which places
are found;"""
PLACE_MEANING = 2.5
"""what it means counts once more beside them."""
BACKWARD = 17.0
"""What a step back in the script costs there, in nats,"""
PACE = 0.07
"""and how firmly a telling goes from the first event of the script to the last: the smaller, the firmer."""
END_DOUBT = 0.5
"""How much less a place before the first or behind the last sentence is trusted, in nats."""


def place_chances(alignment: StoryAlignment, script: ReadyScript) -> Array:
    """The chance that an event stands before each sentence, or behind the last (sentences + 1, events), where nobody tells it.

    Each sentence stands somewhere in the script, told event or not; a hidden Markov model says where, by what it is like and by the
    order. An
    event stands in the gap where the story steps over it: the sentence before it stands earlier in the script, the one behind it later.
    """
    size, events = alignment.local.shape
    steps, before = script.steps, script.before
    if not size:
        return np.ones((1, events))
    features = alignment.features
    emission = PLACE_MEANING * features[3] - np.logaddexp(
        0.0, -(np.tensordot(np.array(PLACE_WEIGHTS), features, 1) + PLACE_BIAS)
    )
    ahead = steps[None, :] - steps[:, None]
    pace = PACE * max(1.0, events / (size + 1))
    step = np.where(ahead >= -0.5, -np.abs(ahead) / pace, -BACKWARD - np.abs(ahead))
    step -= np.logaddexp.reduce(step, axis=1, keepdims=True)
    forward, backward = np.zeros((size, events)), np.zeros((size, events))
    forward[0] = emission[0] - steps / pace
    backward[-1] = -(steps.max() - steps) / pace
    for row in range(1, size):
        forward[row] = np.logaddexp.reduce(forward[row - 1][:, None] + step, axis=0) + emission[row]
    for row in range(size - 2, -1, -1):
        backward[row] = np.logaddexp.reduce(step + (emission[row + 1] + backward[row + 1])[None, :], axis=1)
    whole = np.logaddexp.reduce(forward[-1] + backward[-1])
    gaps = np.zeros((size + 1, events))
    gaps[0] = np.exp(forward[0] + backward[0] - whole) @ before.T * np.exp(-END_DOUBT)
    gaps[size] = np.exp(forward[-1] + backward[-1] - whole) @ before * np.exp(-END_DOUBT)
    for row in range(size - 1):
        both = np.exp(forward[row][:, None] + step + (emission[row + 1] + backward[row + 1])[None, :] - whole)
        gaps[row + 1] = ((both.T @ before) * before.T).sum(0)  # the one before u, and u before the other
    gaps += 0.003
    return np.asarray(gaps / gaps.sum(0, keepdims=True))
