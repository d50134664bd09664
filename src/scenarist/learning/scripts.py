"""Read Stories of one scenario -> Script: event types with their paraphrases, how many tellers mention each, and their order.

An occurrence is a verb with the head of its object or of a prepositional phrase (*order food*, *ask for bill*), never a sentence.
Occurrences that many tellers share become event types; paraphrases are grouped where the verbs are WordNet synonyms (or the same)
and the heads agree, where the places in the telling agree, and where tellers use one *or* the other (Regneri et al. 2010 align
paraphrases by the same three signs). Where annotators say which event is meant (the labels of InScript and DeScript), that decides.
Counts are of tellers, not of mentions: a story that says *wait* five times is one teller.

resources/knowledge -> Scripts: what the package knows of everyday scenarios, learned by ``training/knowledge``.

One JSON line a scenario (gzip), only event types, counts and orders; no corpus sentence. ``SCENARIST_KNOWLEDGE`` names another file
of the same form (made by ``scenarist learn --by-scenario``). The script of a scenario that a user adds is learned in the same way, without
annotators, and lies in the home folder.
"""

from __future__ import annotations

import gzip
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from scenarist.errors import BadInput
from scenarist.inventory import user_file, user_files
from scenarist.noun import Noun, read_jsonl, to_json, write_jsonl
from scenarist.reading.wordnet import synonyms
from scenarist.registry import make
from scenarist.script import EventType, Script
from scenarist.store.home import resource, write_whole
from scenarist.story import Event, Story

BARE = frozenset({"be", "have", "do", "can", "say", "tell", "know", "think", "like", "love", "want", "need", "feel", "seem", "hope", "try",
                  "decide", "start", "begin", "enjoy", "happen", "remember", "let", "use", "make", "get", "take", "put", "give", "see",
                  "keep", "look", "go", "come", "find", "become", "live", "work", "help", "plan", "realize", "notice",
                  "believe"})  # fmt: skip
"""Verbs that say too little without an object."""

WISHES = frozenset({"want", "need", "like", "have", "let", "do"})
"""Verbs that name an event only where no other does."""

VAGUE = frozenset({"thing", "something", "it", "one", "everything", "anything", "way", "time", "day", "lot", "bit", "that", "this", "what",
                   "some", "all", "nothing", "everyone", "people", "other", "kind", "part", "place", "minute", "hour", "them", "him",
                   "her", "me", "us", "you", "he", "she", "they", "i", "we", "who", "which", "there", "here", "myself", "person",
                   "today", "morning", "night", "week", "year", "home", "house", "each", "both", "none", "more", "many",
                   "much"})  # fmt: skip
PHRASES = 16
"""Paraphrases kept of an event type."""
NEAR = 0.22
"""Paraphrases stand at most so far apart in the telling (0 to 1)."""


class Occurrence(NamedTuple):
    """An event as it is counted: verb, preposition (or empty for an object), head (or empty)."""

    verb: str
    preposition: str = ""
    head: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.verb, self.preposition, self.head) if part)


def occurrences(event: Event) -> list[Occurrence]:
    """The ways one event may be counted, most specific first: with object, with each prepositional phrase, bare.

    >>> from scenarist.story import Role
    >>> [str(o) for o in occurrences(Event("order", (Role("subj", "e1", "Ann"), Role("obj", "", "food"), Role("prep_at", "", "counter"))))]
    ['order food', 'order at counter', 'order']
    """
    if event.kind not in ("verb", "light") or event.predicate == "be":
        return []
    occurrences_: list[Occurrence] = []
    object_role = "subj" if event.passive else "obj"
    for role in event.roles:
        head = role.head.lower()
        if (
            not head
            or head in VAGUE
            or not head.replace("_", "").replace("-", "").isalpha()
            or head[0] == "-"
            or len(head) < 2
        ):
            continue
        if role.name == object_role:
            occurrences_.insert(0, Occurrence(event.predicate, "", head))
        elif role.name.startswith("prep_"):
            occurrences_.append(Occurrence(event.predicate, role.name.removeprefix("prep_"), head))
    if event.predicate not in BARE:
        occurrences_.append(Occurrence(event.predicate))
    return occurrences_


class OccurrencePlaces(NamedTuple):
    """One teller's occurrences with the place of the first mention of each."""

    places: dict[Occurrence, float]


def told(story: Story) -> OccurrencePlaces:
    """The occurrences of a story: what happened, at its relative place."""
    events = [event for event in story.events if event.polarity]
    places: dict[Occurrence, float] = {}
    for number, event in enumerate(events):
        for occurrence in occurrences(event):
            places.setdefault(occurrence, number / max(1, len(events) - 1))
    return OccurrencePlaces(places)


def meanings(stories: Iterable[Story], least: int = 2, share: float = 0.5) -> dict[Occurrence, str]:
    """What annotators say an occurrence means: the label more than half of its labelled mentions have, of at least two."""
    votes: dict[Occurrence, Counter[str]] = defaultdict(Counter)
    for story in stories:
        for event in story.events:
            if event.label:
                for occurrence in occurrences(event):
                    votes[occurrence][event.label] += 1
    labels = {}
    for occurrence, counted in votes.items():
        label, n = counted.most_common(1)[0]
        if n >= least and n > share * counted.total():
            labels[occurrence] = label
    return labels


class PhraseGroup:
    """Occurrences taken for paraphrases of one event."""

    def __init__(
        self, occurrence: Occurrence, tellers: frozenset[int], places: Sequence[float], meaning: str = ""
    ) -> None:
        self.members: Counter[Occurrence] = Counter({occurrence: len(tellers)})
        self.tellers: set[int] = set(tellers)
        self.places = list(places)
        self.meaning = meaning

    @property
    def place(self) -> float:
        return sum(self.places) / len(self.places)

    def told_at(self, telling: OccurrencePlaces) -> float | None:
        """Where a teller says it: the mean of the first mentions of its members (a plan told ahead does not decide), None where nowhere."""
        places = [telling.places[occurrence] for occurrence in self.members if occurrence in telling.places]
        return sum(places) / len(places) if places else None

    def take(self, other: PhraseGroup) -> None:
        self.members.update(other.members)
        self.tellers |= other.tellers
        self.places += other.places


def alike(first: Occurrence, other: Occurrence) -> bool:
    """May two occurrences be paraphrases? Same head and synonymous verbs, or one is the other without its head."""
    if first.verb == other.verb:
        return first.head == other.head or not first.head or not other.head
    if first.head != other.head or not first.head:
        return False
    return first.verb in synonyms(other.verb) or other.verb in synonyms(first.verb) or particle(first.verb, other.verb)


def particle(verb: str, other: str) -> bool:
    """Do two verbs differ in a particle only (*pick* and *pick up*)?"""
    return verb.split("_")[0] == other.split("_")[0]


def grouped(
    tellings: Sequence[OccurrencePlaces], least: int = 2, meant: Mapping[Occurrence, str] = MappingProxyType({})
) -> list[PhraseGroup]:
    """Groups of paraphrases, those of most tellers first; ``meant``: what annotators say of some occurrences."""
    tellers: dict[Occurrence, set[int]] = defaultdict(set)
    places: dict[Occurrence, list[float]] = defaultdict(list)
    for teller, telling in enumerate(tellings):
        for occurrence, place in telling.places.items():
            tellers[occurrence].add(teller)
            places[occurrence].append(place)
    ranked = sorted(
        (o for o in tellers if len(tellers[o]) >= least), key=lambda o: (-len(tellers[o]), not o.head, str(o))
    )
    groups: list[PhraseGroup] = []
    by_verb: dict[str, list[PhraseGroup]] = defaultdict(list)
    by_head: dict[str, list[PhraseGroup]] = defaultdict(list)
    by_meaning: dict[str, PhraseGroup] = {}
    for phrase in ranked:
        fresh = PhraseGroup(phrase, frozenset(tellers[phrase]), places[phrase], meant.get(phrase, ""))
        if fresh.meaning in by_meaning:
            by_meaning[fresh.meaning].take(fresh)
            continue
        near = [*by_verb[phrase.verb], *(by_head[phrase.head] if phrase.head else ())]
        for group in near:
            lead = next(iter(group.members))
            overlap = len(group.tellers & fresh.tellers) / min(len(group.tellers), len(fresh.tellers))
            if abs(group.place - fresh.place) > NEAR or (group.meaning and fresh.meaning):
                continue
            # One mention is counted with its object, with its phrase and bare: the same tellers, the same verb.
            same_event = phrase.verb == lead.verb and overlap > 0.6
            if same_event or (alike(phrase, lead) and overlap < 0.5):
                group.take(fresh)
                if fresh.meaning:
                    group.meaning = fresh.meaning
                    by_meaning[fresh.meaning] = group
                break
        else:
            groups.append(fresh)
            if fresh.meaning:
                by_meaning[fresh.meaning] = fresh
            by_verb[phrase.verb].append(fresh)
            if phrase.head:
                by_head[phrase.head].append(fresh)
    return sorted(groups, key=lambda g: -len(g.tellers))


def name_of(group: PhraseGroup) -> str:
    """How people put it: the commonest member with a head, unless the bare verb is far commoner; wishing and having name no deed."""

    def worth(occurrence: Occurrence) -> tuple[float, bool, str]:
        return (
            group.members[occurrence] * (4.0 if occurrence.head else 1.0) * (0.1 if occurrence.verb in WISHES else 1.0),
            bool(occurrence.preposition),
            str(occurrence),
        )

    return str(max(group.members, key=worth))


def script(scenario: str, stories: Iterable[Story], evidence: str = "", least: int = 2, most: int = 60) -> Script:
    """What tellers of one scenario tell."""
    whole = list(stories)
    tellings = [told(story) for story in whole]
    groups = grouped(tellings, least, meanings(whole))[:most]
    names: list[str] = []
    kept: list[PhraseGroup] = []
    for group in groups:
        name = name_of(group)
        if name not in names:
            names.append(name)
            kept.append(group)
    types = tuple(
        EventType(
            name,
            tuple(str(occurrence) for occurrence, _ in group.members.most_common(PHRASES)),
            len(group.tellers),
            round(len(group.tellers) / len(tellings), 4),
            round(group.place, 3),
        )
        for name, group in zip(names, kept, strict=True)
    )
    first = [[group.told_at(telling) for telling in tellings] for group in kept]
    order: list[tuple[str, str, float]] = []
    together: list[tuple[str, str, int]] = []
    for a in range(len(kept)):
        for b in range(a + 1, len(kept)):
            both = [(x, y) for x, y in zip(first[a], first[b], strict=True) if x is not None and y is not None]
            if len(both) < 2:
                continue
            together.append((names[a], names[b], len(both)))
            earlier = sum(x < y for x, y in both) + 0.5 * sum(x == y for x, y in both)
            weight = (earlier + 1) / (len(both) + 2)
            if len(both) >= 3:
                order.append((names[a], names[b], round(weight, 3)))
    return Script(scenario, len(tellings), types, tuple(order), tuple(together), participants(whole), evidence)


def participants(stories: Sequence[Story], most: int = 12) -> tuple[tuple[str, int], ...]:
    """Things and people the tellers name, by tellers: heads of roles, pronouns and vague words left out."""
    counted: Counter[str] = Counter()
    for story in stories:
        heads = {role.head.lower() for event in story.events for role in event.roles if role.head}
        counted.update(head for head in heads if head not in VAGUE and head.isalpha() and len(head) > 2)
    ranked = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))  # the same whatever the order of sets
    return tuple((head, n) for head, n in ranked[:most] if n > 1)


SCHEMA = 1
VARIABLE = "SCENARIST_KNOWLEDGE"
USER_SCRIPT = ".jsonl.gz"
"""How the file of a user's script ends."""


class Head(Noun, frozen=True):
    """First line of a knowledge file."""

    schema: int
    what: str
    evidence: str = ""


def write(path: Path, scripts: Iterable[Script], evidence: str) -> None:
    """Write a knowledge file, the same bytes for the same scripts."""
    lines = [to_json(Head(SCHEMA, "scripts", evidence)) + b"\n", *write_jsonl(scripts)]
    packed = gzip.compress(b"".join(lines), compresslevel=9, mtime=0)
    write_whole(path, [packed])


def read(path: Path) -> dict[str, Script]:
    """The scripts of a knowledge file by scenario."""
    if not path.exists():
        raise BadInput(
            f"There is no knowledge file {path}. Make one with: scenarist learn CORPUS --by-scenario -o FOLDER"
        )
    try:
        with gzip.open(path, "rb") as lines:
            first = next(read_jsonl(lines, Head, str(path)), None)
            if first is None or first.schema != SCHEMA:
                version = "nothing" if first is None else f"schema {first.schema}"
                raise BadInput(f"{path}: expected schema {SCHEMA}, found {version}. Learn it again with this version.")
            return {script.scenario: script for script in read_jsonl(lines, Script, str(path))}
    except (OSError, EOFError) as error:
        raise BadInput(f"{path}: not a knowledge file ({error}).") from error


@cache
def carried() -> Mapping[str, Script]:
    """The knowledge in use: the embedded default, or the file that ``SCENARIST_KNOWLEDGE`` names."""
    given = os.environ.get(VARIABLE)
    return read(Path(given) if given else resource("knowledge/scripts.jsonl.gz"))


def learn_user_script(name: str, texts: Iterable[str]) -> Script:
    """Read the stories of a scenario that a user adds, learn their script and keep it."""
    stories = list(make("reader", "default")(texts))
    evidence = f"{len(stories)} stories of yours"
    learned = script(name, stories, evidence)
    write(user_file(name, USER_SCRIPT), [learned], evidence)
    return learned


def user_scripts() -> dict[str, Script]:
    """The scripts of all scenarios that were added here."""
    paths = (file.path for file in user_files() if file.path.name.endswith(USER_SCRIPT))
    return {name: learned for path in paths for name, learned in read(path).items()}


def known_scripts() -> Mapping[str, Script]:
    """The knowledge in use, and what was learned from the user's own stories."""
    return {**carried(), **user_scripts()}
