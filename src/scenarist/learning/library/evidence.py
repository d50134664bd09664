"""Tellings of an activity x its written script -> ScriptEvidence: who tells which event, between which others, with which words.

A telling is a story (its events as the reader gives them) or a list of steps (DeScript). Each clause tells at most one event of the script
(`wordings.py`). What at least some tellers say and no event of the script accounts for is a gap of the library.

Two numbers stand beside each other and are never mixed: `told_share` is how often tellers say it, `likely` how likely it happened, told or
not. People do not tell what goes without saying, so the second one begins with what is written (*always*, *usually*, *sometimes*).
"""

from __future__ import annotations

import gzip
import itertools
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from scenarist.corpora.library import Library
from scenarist.learning.library.learned import as_written
from scenarist.learning.library.wordings import LIGHT_VERBS, Clause, WeighedMatcher, root, slot_roots
from scenarist.learning.script_matches import head_of, resolve_pronouns
from scenarist.learning.scripts import VAGUE, WISHES, occurrences, read, user_scripts
from scenarist.noun import read_jsonl, write_jsonl
from scenarist.script import (
    EventEvidence,
    OrderEvidence,
    Script,
    ScriptEvidence,
    ToldGap,
    WrittenEvent,
    WrittenScript,
)
from scenarist.store.home import resource, write_whole
from scenarist.story import Event, Story

HAPPENS: Mapping[str, float] = {"always": 0.95, "usually": 0.75, "sometimes": 0.3}
"""How likely an event of the library is, by the word of its writer."""
BESIDE = 4
"""Neighbours and fillers kept of an event."""
LEAST = 2
"""What fewer tellers say is not kept."""
GAP_SHARE = 0.1
"""A gap is told by so many of the tellers, at least."""


class ToldClause(NamedTuple):
    """A clause of a telling: the words that count, and how it is counted where no script has it."""

    clause: Clause
    phrases: tuple[str, ...] = ()


class ToldSteps(NamedTuple):
    """One teller's clauses in order."""

    clauses: tuple[ToldClause, ...]
    listed: bool = False
    """A list of steps, no story."""


def clause_of(event: Event) -> Clause:
    """A read event as the words that count: verb, particle, heads of its roles with their prepositions."""
    verb, *particles = event.predicate.split("_")
    words = [verb, *particles]
    for role in event.roles:
        if role.name in ("subj", "agent") and not event.passive:
            continue
        if role.name.startswith("prep_"):
            words.append(role.name.removeprefix("prep_"))
        words += [word for word in role.head.lower().split() if word not in VAGUE]
    return Clause(verb, tuple(words))


def story_telling(story: Story) -> ToldSteps:
    """The clauses of a read story: what it says has happened."""
    heads = {entity.id: head for entity in story.entities if (head := head_of(story, entity))}
    clauses = []
    for event in story.events:
        if event.polarity and event.kind in ("verb", "light") and event.predicate != "be":
            resolved = resolve_pronouns(event, heads)
            clauses.append(ToldClause(clause_of(resolved), tuple(map(str, occurrences(resolved)[:1]))))
    return ToldSteps(tuple(clauses))


def list_telling(steps: Iterable[str]) -> ToldSteps:
    """The clauses of a list of steps."""
    clauses = (Clause.of(step) for step in steps)
    return ToldSteps(tuple(ToldClause(clause) for clause in clauses if clause.words), listed=True)


class Fillers:
    """By which words the participants of a script are called in a clause."""

    def __init__(self, script: WrittenScript) -> None:
        self.by_root: dict[str, list[str]] = defaultdict(list)
        for name, roots in slot_roots(script).items():
            for stem in roots:
                self.by_root[stem].append(name)

    def of(self, clause: Clause) -> Iterator[tuple[str, str]]:
        """(participant, word) for each word that calls just one participant."""
        for word in clause.words[1:]:
            names = self.by_root.get(root(word), ())
            if len(names) == 1:
                yield names[0], word


def count_evidence(
    script: WrittenScript, tellings: Sequence[ToldSteps], sources: Iterable[tuple[str, int]] = ()
) -> ScriptEvidence:
    """What some tellers say of a script."""
    matcher, fillers = WeighedMatcher(script), Fillers(script)
    size = len(script.events)
    in_stories, in_lists = [0] * size, [0] * size
    places: list[list[float]] = [[] for _ in range(size)]
    nexts: Counter[tuple[int, int]] = Counter()
    words: list[Counter[tuple[str, str]]] = [Counter() for _ in range(size)]
    pairs: Counter[tuple[int, int, bool]] = Counter()
    strange: Counter[str] = Counter()
    strange_places: dict[str, list[float]] = defaultdict(list)
    for telling in tellings:
        events = matcher.events_of(clause.clause for clause in telling.clauses)
        first: dict[int, int] = {}
        for place, number in enumerate(events):
            if number is not None:
                first.setdefault(number, place)
        last = max(1, len(events) - 1)
        for number, place in first.items():
            (in_lists if telling.listed else in_stories)[number] += 1
            places[number].append(place / last)
        order = sorted(first, key=lambda number: first[number])
        nexts.update(itertools.pairwise(order))
        pairs.update((a, b, telling.listed) for a, b in itertools.combinations(order, 2))
        filled: dict[int, set[tuple[str, str]]] = defaultdict(set)
        phrases: dict[str, int] = {}
        for place, (clause, number) in enumerate(zip(telling.clauses, events, strict=True)):
            if number is not None:
                filled[number].update(fillers.of(clause.clause))
            elif clause.phrases and clause.clause.verb not in WISHES:
                phrases.setdefault(clause.phrases[0], place)
        for number, pairs_of_words in filled.items():
            words[number].update(pairs_of_words)
        strange.update(phrases.keys())
        for phrase, place in phrases.items():
            strange_places[phrase].append(place / last)
    stories = sum(not telling.listed for telling in tellings)
    ids = [event.id for event in script.events]
    kinds = tuple(
        EventEvidence(
            id, in_stories[number], in_lists[number], round(sum(places[number]) / len(places[number]), 3) if places[number] else -1.0,
            beside(((ids[a], n) for (a, b), n in nexts.items() if b == number)),
            beside(((ids[b], n) for (a, b), n in nexts.items() if a == number)),
            tuple((name, word, n) for (name, word), n in sorted(words[number].items(), key=rank) if n >= LEAST)[: 2 * BESIDE],
        )
        for number, id in enumerate(ids)
    )  # fmt: skip
    gaps = tuple(
        ToldGap(phrase, n, round(sum(strange_places[phrase]) / n, 3))
        for phrase, n in sorted(strange.items(), key=rank)
        if n >= max(LEAST + 1, GAP_SHARE * stories) and (len(phrase.split()) > 1 or phrase not in LIGHT_VERBS)
    )[:20]
    return ScriptEvidence(
        script.scenario, tuple(sources), stories, len(tellings) - stories, kinds, tuple(orders(ids, pairs)), gaps
    )


def rank(pair: tuple[object, int]) -> tuple[int, str]:
    """Commonest first, equals by name."""
    return -pair[1], str(pair[0])


def beside(counted: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """The commonest neighbours."""
    return tuple((id, n) for id, n in sorted(counted, key=rank) if n >= LEAST)[:BESIDE]


def orders(ids: Sequence[str], pairs: Counter[tuple[int, int, bool]]) -> Iterator[OrderEvidence]:
    """How often each event is told before another, of pairs that two tellers tell."""
    for a, b in itertools.combinations(range(len(ids)), 2):
        counts = (pairs[a, b, False], pairs[b, a, False], pairs[a, b, True], pairs[b, a, True])
        if sum(counts) >= LEAST:
            yield OrderEvidence(ids[a], ids[b], *counts)


# what is carried

FILE = "scripts/evidence.jsonl.gz"


def write_evidence(path: Path, evidence: Iterable[ScriptEvidence]) -> None:
    """Write an evidence file, the same bytes for the same counts."""
    packed = gzip.compress(b"".join(write_jsonl(evidence)), compresslevel=9, mtime=0)
    write_whole(path, [packed])


def read_evidence(path: Path) -> dict[str, ScriptEvidence]:
    """The evidence of a file by scenario."""
    with gzip.open(path, "rb") as lines:
        return {evidence.scenario: evidence for evidence in read_jsonl(lines, ScriptEvidence, str(path))}


@cache
def carried_evidence() -> Mapping[str, ScriptEvidence]:
    """The evidence that is carried with the library, by scenario."""
    return read_evidence(resource(FILE))


class LibraryScript(NamedTuple):
    """A written script and what tellers say of it; one that was learned stands here in the form of a written one."""

    script: WrittenScript
    evidence: ScriptEvidence
    learned: bool = False


LEARNED = "scripts.jsonl.gz"
"""The file of learned scripts in a folder (`scenarist learn --scripts`)."""


def learned_script(script: Script) -> LibraryScript:
    """A learned script in the form of the library's."""
    written = as_written(script)
    kinds = {event.id: event for event in script.events}
    events = tuple(
        EventEvidence(event.id, kinds[event.id].tellers, 0, kinds[event.id].place) for event in written.events
    )
    weights = {(first, second): weight for first, second, weight in script.order}
    order = tuple(
        OrderEvidence(first, second, round(weights[first, second] * n), n - round(weights[first, second] * n), 0, 0)
        for first, second, n in script.together
        if (first, second) in weights
    )
    sources = ((script.evidence or "stories", script.tellers),)
    return LibraryScript(
        written, ScriptEvidence(script.scenario, sources, script.tellers, 0, events, order), learned=True
    )


OWN = "SCENARIST_SCRIPTS"
"""Names a folder of scripts of one's own, which `read` then knows beside the library; `read --scripts` sets it."""


def own_folder() -> str:
    """The folder of scripts of one's own, empty where there is none."""
    return os.environ.get(OWN, "")


@contextmanager
def own_scripts(folder: str | Path) -> Iterator[None]:
    """Read with the scripts of a folder beside the library's, in this process and those it starts."""
    before = os.environ.get(OWN)
    if str(folder):
        library_scripts(str(folder))  # what is wrong with it is said before anything is read
        os.environ[OWN] = str(Path(folder).absolute())
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(OWN, None)
        else:
            os.environ[OWN] = before


@cache
def _carried() -> Mapping[str, LibraryScript]:
    evidence = carried_evidence()
    return {
        script.scenario: LibraryScript(script, evidence.get(script.scenario, ScriptEvidence(script.scenario)))
        for script in Library()
    }


def library_scripts(folder: str = "") -> Mapping[str, LibraryScript]:
    """Scripts by scenario: the library with those of scenarios that the user added, or the scripts of a folder.

    A folder holds script files (``*.toml``), of which nobody tells anything yet, a file of learned scripts, or both.
    """
    if not folder:
        added = user_scripts()
        return {**_carried(), **{name: learned_script(one) for name, one in added.items()}} if added else _carried()
    path = Path(folder)
    file = path / LEARNED if path.is_dir() else path
    scripts = {name: learned_script(one) for name, one in read(file).items()} if file.is_file() else {}
    if path.is_dir() and (not scripts or any(path.glob("*.toml"))):
        scripts |= {
            script.scenario: LibraryScript(script, ScriptEvidence(script.scenario)) for script in Library(target=path)
        }
    return scripts


Origin = Literal["written", "learned", "both"]


def origin(evidence: EventEvidence, learned: bool = False) -> Origin:
    """Where an event of a script is known from: only written, or also told by at least two tellers, or only learned."""
    if learned:
        return "learned"
    return "both" if evidence.in_stories + evidence.in_lists >= LEAST else "written"


def told_share(evidence: ScriptEvidence, number: int) -> float | None:
    """How often tellers say it: the share of stories, None where there is no story."""
    return evidence.events[number].in_stories / evidence.stories if evidence.stories else None


def likely(event: WrittenEvent, evidence: ScriptEvidence, number: int) -> float:
    """How likely it happened, told or not: what is written, raised by those who say it happened."""
    tellers = evidence.stories + evidence.lists
    said = (evidence.events[number].in_stories + evidence.events[number].in_lists) / (tellers + 2) if tellers else 0.0
    return 1.0 - (1.0 - HAPPENS[event.happens]) * (1.0 - said)
