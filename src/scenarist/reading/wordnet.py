"""verb -> its synonyms; noun -> its synonyms, kinds and what is above it; does it name an event or a process? Compact tables of
WordNet 3.0, carried in the package.

Bennett (Response processing): two verbs match if one is a lemma of any synset of the other. Bennett (Agreement Metric):
the gloss of a verb is the name of its first synset. Mostafazadeh et al. 2016 (section 3.3): an event is any hyponym of
*event* or *process*. Phrases are written with an underscore (``pick_up``), as the reader writes predicates.
"""

from __future__ import annotations

import gzip
from functools import cache
from typing import NamedTuple

from scenarist.store.home import resource


@cache
def table() -> tuple[tuple[tuple[str, ...], ...], dict[str, tuple[int, ...]]]:
    """All verb synsets, and for each lemma its synsets, most frequent sense first."""
    synsets = tuple(tuple(line.split()) for line in lines("verb-synsets"))
    senses: dict[str, tuple[int, ...]] = {}
    for line in lines("verb-senses"):
        lemma, *numbers = line.split()
        senses[lemma] = tuple(map(int, numbers))
    return synsets, senses


def lines(name: str) -> list[str]:
    """The lines of one carried file."""
    return gzip.decompress(resource(f"wordnet/{name}.txt.gz").read_bytes()).decode("ascii").splitlines()


def key(word: str) -> str:
    """A word as WordNet writes it."""
    return word.strip().lower().replace(" ", "_")


def synonyms(verb: str) -> frozenset[str]:
    """All lemmas of all synsets of a verb, itself included; a verb WordNet does not know has only itself.

    >>> "hold_off" in synonyms("wait"), synonyms("flurble")
    (True, frozenset({'flurble'}))
    """
    synsets, senses = table()
    verb = key(verb)
    return frozenset({verb}.union(*(map(str.lower, synsets[number]) for number in senses.get(verb, ()))))


def match(one: str, other: str) -> bool:
    """Are two verbs the same or synonyms in any sense?

    >>> match("purchase", "buy"), match("buy", "sleep")
    (True, False)
    """
    return key(other) in synonyms(one)


def gloss(verb: str) -> str:
    """The name of a verb's first synset, or the verb itself where WordNet does not know it.

    >>> gloss("purchase")
    'buy'
    """
    synsets, senses = table()
    verb = key(verb)
    return synsets[senses[verb][0]][0].lower() if verb in senses else verb


def is_verb(word: str) -> bool:
    """Does WordNet list it as a verb?"""
    return key(word) in table()[1]


@cache
def phrasal() -> frozenset[tuple[str, str]]:
    """All (verb, adverb) pairs that WordNet lists as one verb: ``("sit", "down")``."""
    return frozenset((parts[0], parts[1]) for lemma in table()[1] if len(parts := lemma.split("_")) == 2)


@cache
def happenings() -> dict[str, str]:
    """Noun -> flags: ``e`` a hyponym of *event*, ``p`` of *process*; a capital where its first sense is."""
    return dict(line.split() for line in lines("happening-nouns"))


def happens(noun: str, first: bool = False) -> bool:
    """Is a noun a hyponym of *event* or *process* in any sense (or in its first sense)?

    >>> happens("wedding"), happens("table"), happens("shower"), happens("shower", first=True)
    (True, False, True, False)
    """
    flags = happenings().get(key(noun), "")
    return any(flag.isupper() for flag in flags) if first else bool(flags)


class NounSynset(NamedTuple):
    """A synset of nouns: its lexicographer file, the line of the synset above it (-1: none), its everyday lemmas."""

    kind: str
    above: int
    lemmas: tuple[str, ...]


KINDS = {
    3: "top", 4: "act", 5: "animal", 6: "artifact", 7: "attribute", 8: "body", 9: "cognition", 10: "communication", 11: "event",
    12: "feeling", 13: "food", 14: "group", 15: "location", 16: "motive", 17: "object", 18: "person", 19: "phenomenon", 20: "plant",
    21: "possession", 22: "process", 23: "quantity", 24: "relation", 25: "shape", 26: "state", 27: "substance", 28: "time",
}  # fmt: skip
"""The lexicographer files of nouns."""


@cache
def nouns() -> tuple[tuple[NounSynset, ...], dict[str, tuple[int, ...]]]:
    """The synsets of everyday nouns, and for each noun its first senses, most frequent first."""
    synsets = []
    for line in lines("noun-synsets"):
        kind, above, *lemmas = line.split()
        synsets.append(NounSynset(KINDS[int(kind)], int(above), tuple(lemmas)))
    senses = {}
    for line in lines("noun-senses"):
        lemma, *numbers = line.split()
        senses[lemma] = tuple(map(int, numbers))
    return tuple(synsets), senses


def noun_synonyms(noun: str, most: int = 3) -> frozenset[str]:
    """All everyday lemmas of a noun's first senses, itself included.

    >>> "auto" in noun_synonyms("car"), noun_synonyms("flurble")
    (True, frozenset({'flurble'}))
    """
    synsets, senses = nouns()
    noun = key(noun)
    return frozenset({noun}.union(*(synsets[number].lemmas for number in senses.get(noun, ())[:most])))


def noun_kinds(noun: str, most: int = 2) -> tuple[str, ...]:
    """What kinds of thing a noun names in its first senses, most frequent first; nothing where WordNet does not know it.

    >>> noun_kinds("waiter")[0], noun_kinds("pizza")[0], noun_kinds("flurble")
    ('person', 'food', ())
    """
    synsets, senses = nouns()
    return tuple(dict.fromkeys(synsets[number].kind for number in senses.get(key(noun), ())[:most]))


def above(noun: str, steps: int = 2, most: int = 2) -> frozenset[str]:
    """The lemmas of the synsets at most so many steps above a noun's first senses.

    >>> "meal" in above("dinner"), "food" in above("hammer")
    (True, False)
    """
    synsets, senses = nouns()
    higher: set[str] = set()
    for number in senses.get(key(noun), ())[:most]:
        for _ in range(steps):
            number = synsets[number].above
            if number < 0:
                break
            higher.update(synsets[number].lemmas)
    return frozenset(higher)
