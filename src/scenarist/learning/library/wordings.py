"""Words of a clause -> which event of a written script it tells: the wordings of the library as patterns.

A wording (*put {spare} in {trunk}*) is a list of terms: the verb, its particles, words, and slots that any word of a participant fills.
A clause is compared by the share of a wording's weight that it holds and by the share of its own words that the wording accounts for;
words that the script never uses count little, so that a teller may add detail. No parser is needed: words are cut to light stems.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from scenarist.reading.parser.lemmas import table
from scenarist.reading.stems import stem
from scenarist.reading.wordnet import synonyms
from scenarist.script import WrittenEvent, WrittenScript

WORD = re.compile(r"[a-z][a-z'-]*|\{[^{}]*\}")
EMPTY = frozenset(
    "a an the of to i you he she it we they my your his her its our their me him them us this that these those some any all one ones "
    "is are was were be been am and or so then that's very really just also too with for from at by as own each other its it's your "
    "until when while if there here which who what how not no sure s t".split()
)
"""Words that tell nothing of which event is meant."""
PARTICLES = frozenset(
    "up out off in on down away back over into onto around through under together along across home inside outside".split()
)
LIGHT_VERBS = frozenset("get go take put make have do be come give let start begin want need try keep use see".split())
ENOUGH = 0.6
"""A clause tells an event from this likeness on."""
WEIGHTS = {"verb": 1.0, "light": 0.4, "particle": 0.3, "word": 1.0, "slot": 0.9}
LITTLE = 0.95
"""What a clause shares with a wording weighs at least so much: a light verb alone tells nothing."""
OTHER_VERB = 0.85
"""Factor where the verb is another one."""
NEW = 0.25
"""Weight of a clause's words that the script never uses."""
ENOUGH_WEIGHED = 0.55
"""The same threshold for `WeighedMatcher`."""
LITTLE_WEIGHED = 0.5
COMMON = 0.25
"""A word that many events of the script say (*coffee* in making coffee) weighs less, never less than this share."""
ASTRAY = 0.85
"""Factor where one side has a particle that leads away (*out*, *off*, *back*) and the other has not."""
OTHER_WAY = 0.4
"""Factor where one side leaves and the other comes."""
AWAY = frozenset(("out", "off", "away", "back", "down"))
LEAVING = ("leave", "exit", "depart")
COMING = ("go", "enter", "arrive", "get", "come", "board", "reach", "walk", "drive", "head")


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """The stem of a word in any form, irregular ones too.

    >>> root("took"), root("feet"), root("baking") == root("bake"), root("waited") == root("wait")
    ('tak', 'foot', True, True)
    """
    forms = table()
    return stem(forms.get(("V", word)) or forms.get(("NNS", word)) or word)


@cache
def alike_verbs(verb: str) -> frozenset[str]:
    """The roots of a verb's synonyms, phrasal ones left out."""
    return frozenset(root(other) for other in synonyms(verb) if "_" not in other)


@cache
def motion() -> tuple[frozenset[str], frozenset[str]]:
    """The roots of verbs of leaving and of coming."""
    return frozenset(map(root, LEAVING)), frozenset(map(root, COMING))


class Term(NamedTuple):
    """A place of a wording: what may stand there, and what it weighs."""

    roots: frozenset[str]
    weight: float
    verb: str = ""
    """The verb as it is written, for its synonyms."""
    light: bool = False
    """A light verb or a particle: alone it tells nothing."""


class Wording(NamedTuple):
    """A wording of an event."""

    event: int
    terms: tuple[Term, ...]

    @property
    def weight(self) -> float:
        return sum(term.weight for term in self.terms)


class Clause(NamedTuple):
    """The words of a clause that count: the verb first where it is known."""

    verb: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Clause:
        """An imperative or gerund phrase; its first word is the verb.

        >>> Clause.of("put the cake in the oven")
        Clause(verb='put', words=('put', 'cake', 'in', 'oven'))
        """
        words = tuple(word for word in WORD.findall(text.lower()) if word not in EMPTY)
        return cls(words[0] if words else "", words)


def slot_roots(script: WrittenScript) -> dict[str, frozenset[str]]:
    """Participant -> the roots of the nouns by which it is called."""
    return {
        role.name: frozenset(
            root(word.split()[-1]) for word in (*role.words, role.name.replace("_", " ").replace("-", " "))
        )
        for role in script.participants
    }


def wording_of(number: int, text: str, slots: dict[str, frozenset[str]], skip: str = "") -> Wording:
    """A wording as terms; ``skip``: a slot that is left out (the actor of a whole clause)."""
    terms: list[Term] = []
    verb_is_next = True
    for word in WORD.findall(text.lower()):
        if word.startswith("{"):
            name = word[1:-1]
            if name != skip and name in slots:
                terms.append(Term(slots[name], WEIGHTS["slot"]))
        elif word in EMPTY:
            continue
        elif word in PARTICLES and not verb_is_next:
            terms.append(Term(frozenset({root(word)}), WEIGHTS["particle"], light=True))
        elif verb_is_next:
            base = table().get(("V", word), word.removesuffix("s") if skip else word)
            light = base in LIGHT_VERBS
            terms.append(Term(frozenset({root(base)}), WEIGHTS["light" if light else "verb"], base, light))
        else:
            terms.append(Term(frozenset({root(word)}), WEIGHTS["word"]))
        verb_is_next = verb_is_next and word.startswith("{") and not terms
    return Wording(number, tuple(terms))


class WordingMatcher:
    """One written script, ready to be compared with clauses."""

    def __init__(self, script: WrittenScript, enough: float = ENOUGH) -> None:
        self.script, self.enough = script, enough
        slots = slot_roots(script)
        self.wordings: list[Wording] = []
        for number, event in enumerate(script.events):
            texts = [(event.say, event.by), *((text, "") for text in event.wordings), (event.id.replace("-", " "), "")]
            wordings = (wording_of(number, text, slots, skip) for text, skip in texts)
            self.wordings += [wording for wording in wordings if wording.terms]
        self.known = frozenset(stem for wording in self.wordings for term in wording.terms for stem in term.roots)
        self.by_root: dict[str, list[int]] = defaultdict(list)
        for index, wording in enumerate(self.wordings):
            for key in {key for term in wording.terms if term.weight > WEIGHTS["particle"] for key in term.roots}:
                self.by_root[key].append(index)
            if wording.terms[0].verb and wording.terms[0].weight >= WEIGHTS["verb"]:
                for key in alike_verbs(wording.terms[0].verb) - wording.terms[0].roots:
                    self.by_root[key].append(index)

    def likenesses(self, clause: Clause) -> dict[int, float]:
        """Event -> how well the clause tells it, 0 to 1, for those it shares a word with."""
        roots = [root(word) for word in clause.words]
        weighed = {
            key: (WEIGHTS["particle"] if word in PARTICLES else WEIGHTS["light"] if word in LIGHT_VERBS else 1.0)
            * (1.0 if key in self.known else NEW)
            for key, word in zip(roots, clause.words, strict=True)
        }
        whole = sum(weighed.values())
        best: dict[int, float] = {}
        for index in {index for key in roots for index in self.by_root.get(key, ())}:
            wording = self.wordings[index]
            likeness = self.likeness(wording, clause.verb, weighed, whole)
            if likeness > best.get(wording.event, 0.0):
                best[wording.event] = likeness
        return best

    @staticmethod
    def likeness(wording: Wording, verb: str, weighed: dict[str, float], whole: float) -> float:
        """How well a clause fits a wording."""
        held, used, verb_fits = 0.0, 0.0, True
        for term in wording.terms:
            shared = [key for key in term.roots if key in weighed]
            if shared:
                held += term.weight
                used += sum(weighed[key] for key in shared)
            elif term.verb and verb:
                if root(verb) in alike_verbs(term.verb):
                    held += 0.8 * term.weight
                    used += 0.8 * weighed[root(verb)]
                elif verb in LIGHT_VERBS and term.verb in LIGHT_VERBS:
                    held += 0.6 * term.weight
                    used += 0.6 * weighed[root(verb)]
                else:
                    verb_fits = False
        if held < LITTLE or not whole:
            return 0.0
        return (0.6 * held / wording.weight + 0.4 * min(1.0, used / whole)) * (1.0 if verb_fits else OTHER_VERB)

    def event_of(self, clause: Clause) -> int | None:
        """The event a clause tells, None where none is like enough."""
        likeness = self.likenesses(clause)
        best = max(likeness, key=lambda number: (likeness[number], -number), default=None)
        return best if best is not None and likeness[best] >= self.enough else None

    def events_of(self, clauses: Iterable[Clause]) -> list[int | None]:
        """The events that some clauses tell, one for each."""
        return [self.event_of(clause) for clause in clauses]


class WeighedMatcher(WordingMatcher):
    """The same with words weighed by how well they tell the events of the script apart: for counts of tellers and for tables.

    On DeScript's gold sets clauses of one event are put together and kept from others a little better (B-cubed F 0.635 for 0.620).
    """

    def __init__(self, script: WrittenScript, enough: float = ENOUGH_WEIGHED) -> None:
        super().__init__(script, enough)
        self.telling = self.tells_apart()
        self.wordings = [
            Wording(
                wording.event,
                tuple(
                    term._replace(weight=term.weight * max((self.telling[stem] for stem in term.roots), default=1.0))
                    for term in wording.terms
                ),
            )
            for wording in self.wordings
        ]
        self.roots = [frozenset(stem for term in wording.terms for stem in term.roots) for wording in self.wordings]
        self.by_root = defaultdict(list)
        for index, wording in enumerate(self.wordings):
            for key in {key for term in wording.terms for key in term.roots if key not in PARTICLES}:
                self.by_root[key].append(index)
            if wording.terms[0].verb and wording.terms[0].verb not in LIGHT_VERBS:
                for key in alike_verbs(wording.terms[0].verb) - wording.terms[0].roots:
                    self.by_root[key].append(index)

    def tells_apart(self) -> dict[str, float]:
        """Root -> how well it tells the events of the script apart: the root of its inverse frequency among them, 1 for a word of one
        event."""
        events: dict[str, set[int]] = defaultdict(set)
        for wording in self.wordings:
            for term in wording.terms:
                for key in term.roots:
                    events[key].add(wording.event)
        size = len(self.script.events) + 1
        return {
            key: max(COMMON, math.sqrt(math.log(size / len(numbers)) / math.log(size)))
            for key, numbers in events.items()
        }

    def other_way(self, index: int, verb: str, roots: frozenset[str]) -> float:
        """The factor for a clause that leads the other way than a wording."""
        wording, held = self.wordings[index], self.roots[index]
        factor = ASTRAY if (held ^ roots) & AWAY else 1.0
        leaving, coming = motion()
        first = wording.terms[0].roots if wording.terms[0].verb else frozenset[str]()
        out = "out" in held or "out" in roots
        if not out and ((verb in leaving and first & coming) or (verb in coming and first & leaving)):
            factor *= OTHER_WAY
        return factor

    def likenesses(self, clause: Clause) -> dict[int, float]:
        """Event -> how well the clause tells it, 0 to 1, for those it shares a word with."""
        roots = [root(word) for word in clause.words]
        weighed = {
            key: (WEIGHTS["particle"] if word in PARTICLES else WEIGHTS["light"] if word in LIGHT_VERBS else 1.0)
            * self.telling.get(key, NEW)
            for key, word in zip(roots, clause.words, strict=True)
        }
        whole = sum(weighed.values())
        best: dict[int, float] = {}
        verb, held = root(clause.verb) if clause.verb else "", frozenset(roots)
        for index in {index for key in roots for index in self.by_root.get(key, ())}:
            wording = self.wordings[index]
            likeness = self.likeness(wording, clause.verb, weighed, whole) * self.other_way(index, verb, held)
            if likeness > best.get(wording.event, 0.0):
                best[wording.event] = likeness
        return best

    @staticmethod
    def likeness(wording: Wording, verb: str, weighed: dict[str, float], whole: float) -> float:
        """How well a clause fits a wording."""
        held, used, verb_fits, tells = 0.0, 0.0, True, False
        for term in wording.terms:
            shared = [key for key in term.roots if key in weighed]
            if shared:
                held += term.weight
                used += sum(weighed[key] for key in shared)
                tells = tells or not term.light
            elif term.verb and verb:
                if root(verb) in alike_verbs(term.verb):
                    held += 0.8 * term.weight
                    used += 0.8 * weighed[root(verb)]
                    tells = tells or not (term.light or verb in LIGHT_VERBS)
                elif verb in LIGHT_VERBS and term.verb in LIGHT_VERBS:
                    held += 0.6 * term.weight
                    used += 0.6 * weighed[root(verb)]
                else:
                    verb_fits = False
        if not tells or held < LITTLE_WEIGHED or not whole:
            return 0.0
        return (0.6 * held / wording.weight + 0.4 * min(1.0, used / whole)) * (1.0 if verb_fits else OTHER_VERB)


def earlier_events(events: Sequence[WrittenEvent]) -> dict[str, frozenset[str]]:
    """Event -> all that come before it where both happen, by way of others too (also links that are only usual)."""
    ids = {event.id for event in events}  # an event of a joined script may follow one that was left out
    direct = {event.id: [other for other in (*event.after, *event.after_usually) if other in ids] for event in events}
    known: dict[str, frozenset[str]] = {}

    def before(id: str) -> frozenset[str]:
        if id not in known:
            known[id] = frozenset()  # a circle is a fault of the file and is refused there
            known[id] = frozenset(direct[id]).union(*(before(other) for other in direct[id]))
        return known[id]

    return {id: before(id) for id in direct}
