"""Item x Prediction -> how much of what a reader calls unsaid a judge accepts, and where; are the scenarios right?

How a suggestion is held against a key. Its phrase (and each other wording it brings) is compared with each wording of the accepted and
the refused events, by the lemmas of their content words (`Wording`):

- two words are one if they share a lemma, or are synonyms in WordNet (verbs in any sense, nouns in their first senses), or one noun is at
  most three steps above the other (*food*, *soup*);
- a wording of the key is met if its first word (its verb, mostly) and at least ``MET`` of its weight are found in the suggestion: content
  words weigh 1, particles, prepositions and light verbs (*get*, *have*, ...) a quarter;
- what the suggestion says beyond it counts against it (half), so that *pay by card* meets *pay by card* before *pay*. Persons do not:
  keys seldom name who acts.

The best met entry decides. An accepted one makes the suggestion accepted; a refused one that is met as well makes it wrong, and so does
none at all. Several suggestions for one accepted event count as one suggestion, the best met one. A suggestion stands *in place* if the
gap it stands in is among the entry's gaps; inside a sentence, where the gap before or after that sentence is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.metrics.base import count, divide
from scenarist.question import Item, JudgedEvent, JudgedKey, Prediction, Suggestion, Suggestions
from scenarist.reading.parser.lemmas import lemma
from scenarist.reading.wordnet import above, noun_kinds, noun_synonyms, synonyms

MET = 0.75
"""The share of a key wording's weight that a suggestion must hold."""
BEYOND = 0.5
"""How much counts what a suggestion says beyond the wording."""
SMALL = frozenset(
    "get have take make do go be give put let come use "
    "up down in on out off away back over through around along into onto from to with by for at of about after before behind under".split()
)
"""Words that weigh a quarter: particles, prepositions, light verbs."""
EMPTY = frozenset(
    "a an the my your his her its our their some any this that these those it he she they we i you him them us me "
    "and or then there 's s own one all".split()
)
"""Words that weigh nothing."""
STEPS = 3
"""How far above a noun another may stand."""
GENERAL = frozenset(
    "thing object artifact entity whole unit instrumentality instrumentation matter substance group person being organism "
    "act action activity event cause agent content structure part way point attribute quality state".split()
)
"""What stands above everything says nothing."""
PARTICLES = frozenset("up down in on out off away back over".split())
FORMS = ("NN", "NNS", "VBZ", "VBD", "VBG")


@lru_cache(maxsize=50_000)
def lemmas_of(word: str) -> frozenset[str]:
    """All lemmas a word may have, whatever its part of speech.

    >>> "order" in lemmas_of("orders"), "bring" in lemmas_of("brought")
    (True, True)
    """
    return (
        frozenset(lemma(word, tag) for tag in FORMS) - {""}
        if not lemma(word, "VBZ") == word == lemma(word, "NNS")
        else (frozenset({word, *(lemma(word, tag) for tag in FORMS)}))
    )


@lru_cache(maxsize=50_000)
def meanings(word: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words that say the same as a word, and those above it."""
    own = lemmas_of(word)
    same = own.union(*(synonyms(form) | noun_synonyms(form) for form in own))
    return same, frozenset().union(*(above(form, STEPS) for form in own)) - GENERAL


@lru_cache(maxsize=200_000)
def same_word(first: str, second: str) -> bool:
    """May two words say the same?

    >>> same_word("buys", "purchase"), same_word("dinner", "meal"), same_word("open", "close")
    (True, True, False)
    """
    if first == second or lemmas_of(first) & lemmas_of(second):
        return True
    if first in SMALL or second in SMALL:
        return False
    (same, higher), (other_same, other_higher) = meanings(first), meanings(second)
    own, other = lemmas_of(first), lemmas_of(second)
    return bool(same & other or other_same & own or higher & other or other_higher & own)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a wording that say something, in lower case.

    >>> words_of("The waiter brings Mia the menu.")
    ('waiter', 'brings', 'mia', 'menu')
    """
    bare = "".join(letter if letter.isalnum() or letter in "'’" else " " for letter in text.lower())
    words = (word.replace("’", "'").removesuffix("'s").strip("'") for word in bare.split())
    return tuple(word for word in words if word and word not in EMPTY)


def weight(word: str) -> float:
    """How much a word says."""
    return 0.25 if lemmas_of(word) & SMALL else 1.0


@lru_cache(maxsize=50_000)
def is_person(word: str) -> bool:
    """Does a word name a person, or nothing that WordNet knows (a name)?"""
    kinds = [kind for form in lemmas_of(word) for kind in noun_kinds(form, 1)]
    return "person" in kinds or not (kinds or any(len(synonyms(form)) > 1 for form in lemmas_of(word)))


@lru_cache(maxsize=100_000)
def met(said: str, wording: str) -> float:
    """How well what is said meets a wording of the key, 0 (not) to 1 (says just this).

    >>> met("the waiter brings Mia the menu", "bring menu"), met("Mia pays", "pay by card")
    (1.0, 0.0)
    >>> 0 < met("Mia pays the driver by card", "pay") < met("Mia pays the driver by card", "pay by card")
    True
    """
    words, wanted = words_of(said), words_of(wording)
    if not words or not wanted:
        return 0.0
    held: set[int] = set()
    total = reached = 0.0
    for place, word in enumerate(wanted):
        index = next((n for n, other in enumerate(words) if n not in held and same_word(other, word)), None)
        total += weight(word)
        if index is not None:
            held.add(index)
            reached += weight(word)
        elif place == 0 and weight(word) == 1.0:
            return 0.0
    if reached / total < MET or opposite(words, wanted):
        return 0.0
    beyond = sum(weight(word) for n, word in enumerate(words) if n not in held and not is_person(word))
    return reached / total / (1 + BEYOND * beyond / total)


def opposite(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Has each a particle, and none in common (*turn on*, *turn off*)?"""
    first, second = PARTICLES & {*words}, PARTICLES & {*wanted}
    return bool(first and second and not first & second)


class Judgement(NamedTuple):
    """What becomes of a suggestion: the entry it meets best (None: none), how well, and whether it is accepted and in place."""

    suggestion: Suggestion
    entry: JudgedEvent | None
    met: float
    accepted: bool
    in_place: bool


def best_met(suggestion: Suggestion, entries: tuple[JudgedEvent, ...]) -> tuple[float, JudgedEvent | None]:
    """The entry that a suggestion meets best; another wording counts a little less than the phrase."""
    said = [(suggestion.phrase, 1.0), *((wording, 0.9) for wording in suggestion.wordings)]
    scored = (
        (trust * met(text, wording), -number)
        for number, entry in enumerate(entries)
        for text, trust in said
        for wording in entry.wordings
    )
    score, number = max(scored, default=(0.0, 0))
    return (score, entries[-number]) if score else (0.0, None)


def judge(suggestion: Suggestion, key: JudgedKey) -> Judgement:
    """A suggestion held against a key."""
    good, entry = best_met(suggestion, key.accepted)
    bad, refused = best_met(suggestion, key.refused)
    if entry is None or bad >= good:
        return Judgement(suggestion, refused, bad, False, False)
    return Judgement(suggestion, entry, good, True, bool(gaps_at(suggestion.offset, key) & {*entry.gaps}))


def gaps_at(offset: int, key: JudgedKey) -> set[int]:
    """The gap at a character offset; inside a sentence the ones before and after it.

    >>> key = JudgedKey((), ((0, 10), (11, 20)), (), ())
    >>> gaps_at(0, key), gaps_at(10, key), gaps_at(15, key), gaps_at(20, key)
    ({0}, {1}, {1, 2}, {2})
    """
    for number, (start, stop) in enumerate(key.sentences):
        if offset <= start:
            return {number}
        if offset < stop:
            return {number, number + 1}
    return {len(key.sentences)}


def judgements(item: Item, prediction: Prediction | None) -> tuple[Judgement, ...]:
    """All suggestions of an answer, several for one accepted event as the best met one, in the order of the answer."""
    key, answer = item.key, answer_of(prediction)
    assert isinstance(key, JudgedKey)
    judged = [judge(suggestion, key) for suggestion in answer.suggestions]
    best: dict[int, int] = {}
    for number, judgement in enumerate(judged):
        if judgement.accepted:
            before = best.setdefault(id(judgement.entry), number)
            if judgement.met > judged[before].met:
                best[id(judgement.entry)] = number
    return tuple(
        judgement
        for number, judgement in enumerate(judged)
        if not judgement.accepted or best[id(judgement.entry)] == number
    )


def answer_of(prediction: Prediction | None) -> Suggestions:
    """What a prediction says; a key as the answer of somebody who knows it."""
    answer = prediction.best if prediction is not None else None
    if isinstance(answer, JudgedKey):
        stops = [0, *(stop for _, stop in answer.sentences)]
        suggestions = tuple(Suggestion(event.wordings[0], stops[event.gaps[0]]) for event in answer.accepted)
        return Suggestions(tuple(names[0] for names in answer.scenarios), suggestions)
    return answer if isinstance(answer, Suggestions) else Suggestions()


class Accepted:
    """The share of all suggestions that the judge accepts."""

    name = "accepted"
    higher = True
    proportion = True

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"met": MET}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One story's suggestions, and those that count."""
        judged = judgements(item, prediction)
        return {"right": float(sum(map(self.counts, judged))), "n": float(len(judged))}

    def counts(self, judgement: Judgement) -> bool:
        """Does a suggestion count?"""
        return judgement.accepted

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """Those that count over all."""
        return divide(count(totals, "right"), count(totals, "n"))


class InPlace(Accepted):
    """The share of all suggestions that the judge accepts where they stand."""

    name = "in_place"

    def counts(self, judgement: Judgement) -> bool:
        return judgement.in_place


class SuggestionCount:
    """Suggestions a story, over the stories that tell a scenario."""

    name = "suggestions"
    higher = True
    proportion = False

    def settings(self) -> Mapping[str, object]:
        """Nothing to say."""
        return {}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """The suggestions of a story with a scenario."""
        assert isinstance(item.key, JudgedKey)
        tells = bool(item.key.scenarios)
        return {"suggestions": float(len(judgements(item, prediction))) if tells else 0.0, "n": float(tells)}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The mean."""
        return divide(count(totals, "suggestions"), count(totals, "n"))


class ScenarioRight:
    """Are the scenarios right? The share of told and claimed ones that meet, story by story; where none is told, none may be claimed."""

    name = "scenario"
    higher = True
    proportion = True

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"several": "share"}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One story: found ones over the larger of the two numbers."""
        key = item.key
        assert isinstance(key, JudgedKey)
        if prediction is None:
            return {"right": 0.0, "n": 1.0}
        claimed = dict.fromkeys(answer_of(prediction).scenarios)
        right = sum(any(name in claimed for name in names) for names in key.scenarios)
        most = max(len(claimed), len(key.scenarios))
        return {"right": min(1.0, right / most) if most else 1.0, "n": 1.0}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """Right over stories."""
        return divide(count(totals, "right"), count(totals, "n"))
