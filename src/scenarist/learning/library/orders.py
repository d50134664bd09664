"""What a script says of the order of two of its events: as written, as told, or both; and what the order of all scripts says of two
clauses.

`OrderedScript` gives for each pair of events how likely the first comes before the second (0.5: the script does not say). Written: by
the partial order of the file, then by its scenes. Told: by how many tellers tell one before the other. Both: the written order is worth
some tellers.

`ScriptLibrary` orders clauses of an activity that has no script: each clause is compared with the events of all scripts, and each script in
which two clauses are found votes for its order of them (events that resemble one another keep their order from activity to activity).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from scenarist.learning.library.alignment import ReadyScript
from scenarist.learning.library.learned import PERSON, as_written
from scenarist.learning.library.wordings import Clause, WeighedMatcher, earlier_events
from scenarist.script import OrderEvidence, Participant, Script, ScriptEvidence, WrittenEvent, WrittenScript

Known: TypeAlias = Literal["written", "learned", "both"]
MUST, SCENE, FILE = 0.95, 0.85, 0.6
"""How likely the written order of two events is: by the partial order, by their scenes, by their places in the file alone."""
WORTH = 40.0
"""So many tellers is the written order of two events worth."""
LEARNED = 2.0
"""So many tellers without an order are added to those of a pair."""


MEANING, ENOUGH = 0.3, 0.55
"""The part that nearness in meaning has in how well a clause tells an event, and from where on it does (chosen on DeScript train)."""


class OrderedScript:
    """A script's events with how likely each comes before each other."""

    def __init__(self, script: WrittenScript, before: npt.NDArray[np.float64]) -> None:
        self.script, self.before = script, before
        self.matcher = WeighedMatcher(script)

    @cached_property
    def ready(self) -> ReadyScript:
        """The script with the meanings of its wordings."""
        return ReadyScript(self.script, ScriptEvidence(self.script.scenario))

    def events_of(self, clauses: Sequence[Clause]) -> list[int | None]:
        """The event that each clause tells, by words and by meaning."""
        if not clauses:
            return []
        near = self.ready.meant([" ".join(clause.words) for clause in clauses])
        events: list[int | None] = []
        for clause, meant in zip(clauses, near, strict=True):
            score = MEANING * meant
            for number, likeness in self.matcher.likenesses(clause).items():
                score[number] += (1 - MEANING) * likeness
            best = int(score.argmax())
            events.append(best if score[best] >= ENOUGH else None)
        return events


def written_order(script: WrittenScript) -> npt.NDArray[np.float64]:
    """The order that the file gives.

    The partial order decides, by way of others too; then the scenes; then, weakly, the places in the file.
    """
    events = script.events
    earlier = earlier_events(events)
    scene = {name: number for number, name in enumerate(script.scenes)}
    before = np.full((len(events), len(events)), 0.5)
    for i, first in enumerate(events):
        for j, second in enumerate(events):
            if i == j or (first.one_of and first.one_of == second.one_of):
                continue
            if first.id in earlier[second.id]:
                before[i, j] = MUST
            elif second.id in earlier[first.id]:
                before[i, j] = 1 - MUST
            elif first.scene != second.scene:
                before[i, j] = SCENE if scene[first.scene] < scene[second.scene] else 1 - SCENE
            else:
                before[i, j] = FILE if i < j else 1 - FILE
    return before


def told_order(
    ids: Sequence[str],
    order: Iterable[OrderEvidence],
    prior: npt.NDArray[np.float64] | None = None,
    lists: bool = True,
) -> npt.NDArray[np.float64]:
    """The order in which tellers tell the events; ``prior``: what is known before any is heard; ``lists``: lists of steps count too."""
    number = {id: index for index, id in enumerate(ids)}
    start, worth = (np.full((len(ids), len(ids)), 0.5), LEARNED) if prior is None else (prior, WORTH)
    before = start.copy()
    for pair in order:
        i, j = number[pair.first], number[pair.second]
        ahead, back = pair.stories, pair.stories_back
        if lists:
            ahead, back = ahead + pair.lists, back + pair.lists_back
        before[i, j] = (ahead + worth * start[i, j]) / (ahead + back + worth)
        before[j, i] = 1 - before[i, j]
    return before


def library_order(script: WrittenScript, evidence: ScriptEvidence, lists: bool = True) -> OrderedScript:
    """A script of the library by its file and by its tellers."""
    ids = [event.id for event in script.events]
    return OrderedScript(script, told_order(ids, evidence.order, written_order(script), lists))


def learned_order(script: Script) -> OrderedScript:
    """A learned script: its pairwise order, or where few told both, the mean places of the two in the telling."""
    written = as_written(script)
    place = {event.id: event.place for event in script.events}
    places = np.array([place[event.id] for event in written.events])
    before = 1 / (1 + np.exp(-6.0 * (places[None, :] - places[:, None])))
    number = {event.id: index for index, event in enumerate(written.events)}
    for first, second, weight in script.order:
        if first in number and second in number:
            before[number[first], number[second]] = weight
            before[number[second], number[first]] = 1 - weight
    return OrderedScript(written, before)


def join(written: OrderedScript, learned: OrderedScript) -> OrderedScript:
    """The written script with the learned events that it lacks, and with the tellers' phrases for those that it has.

    Orders across the two are the mean orders of what they share.
    """
    clauses = [Clause.of(event.wordings[0] if event.wordings else event.id) for event in learned.script.events]
    told = written.events_of(clauses)
    phrases: dict[int, list[str]] = {}
    for kind, match in zip(learned.script.events, told, strict=True):
        if match is not None:
            phrases.setdefault(match, []).extend(wording for wording in kind.wordings if " " in wording)
    own = tuple(
        msgspec.structs.replace(kind, wordings=tuple(dict.fromkeys((*kind.wordings, *phrases.get(place, ())))))
        for place, kind in enumerate(written.script.events)
    )
    fresh = [number for number, event in enumerate(told) if event is None]
    taken = {event.id for event in written.script.events}
    size, more = len(written.script.events), len(fresh)
    before = np.full((size + more, size + more), 0.5)
    before[:size, :size] = written.before
    before[size:, size:] = learned.before[np.ix_(fresh, fresh)]
    shared: dict[int, list[int]] = {}
    for number, event in enumerate(told):
        if event is not None:
            shared.setdefault(event, []).append(number)
    for event, numbers in shared.items():
        ahead = learned.before[np.ix_(numbers, fresh)].mean(axis=0)
        before[event, size:] = ahead
        before[size:, event] = 1 - ahead
    events = tuple(
        learned.script.events[number]
        if learned.script.events[number].id not in taken
        else renamed(learned.script.events[number])
        for number in fresh
    )
    one_scene = (*written.script.scenes, "all") if "all" not in written.script.scenes else written.script.scenes
    people = written.script.participants
    if PERSON not in {participant.name for participant in people}:
        people = (*people, Participant(PERSON, "person", ("person",)))
    script = WrittenScript(written.script.scenario, one_scene, people, (*own, *events))
    return OrderedScript(script, before)


def renamed(event: WrittenEvent) -> WrittenEvent:
    """A learned event whose name a written one has already."""
    return WrittenEvent(f"{event.id} (learned)", event.scene, event.by, event.say, event.wordings, event.happens)


# what the order of all scripts says of clauses of any activity


class Votes(NamedTuple):
    """What the scripts say of the order of some clauses."""

    ahead: npt.NDArray[np.float64]
    """(n, n): log-odds that the one comes before the other."""
    weight: npt.NDArray[np.float64]
    """(n, n): how much evidence stands behind it."""


class ScriptLibrary:
    """Many ordered scripts, asked for the order of clauses of an activity that may have none."""

    def __init__(self, scripts: Mapping[str, OrderedScript], sharpness: float = 3.0, near: float = 4.0) -> None:
        self.scripts, self.sharpness, self.near = scripts, sharpness, near
        """``near``: how much more the script weighs that resembles the whole activity best."""

    def likenesses(self, clauses: Sequence[Clause]) -> dict[str, npt.NDArray[np.float64]]:
        """Scenario -> (clauses, events): how well each clause tells each event, of scripts that two clauses touch."""
        found: dict[str, npt.NDArray[np.float64]] = {}
        for scenario, ordered in self.scripts.items():
            table = np.zeros((len(clauses), len(ordered.script.events)))
            for row, clause in enumerate(clauses):
                for number, likeness in ordered.matcher.likenesses(clause).items():
                    table[row, number] = likeness
            if (table.max(axis=1, initial=0.0) > 0).sum() >= 2:
                found[scenario] = table
        return found

    def votes(self, clauses: Sequence[Clause], without: Callable[[str], bool] = lambda _: False) -> Votes:
        """The votes of all scripts but those left out."""
        n = len(clauses)
        ahead, weight = np.zeros((n, n)), np.full((n, n), 1e-9)
        tables = {name: table for name, table in self.likenesses(clauses).items() if not without(name)}
        if not tables:
            return Votes(ahead, weight)
        fits = {name: float(np.sort(table.max(axis=1))[::-1].mean()) for name, table in tables.items()}
        top = max(fits.values())
        for name, table in tables.items():
            before = self.scripts[name].before
            sharp = table**self.sharpness  # (n, E)
            odds = np.log(before / (1 - before))  # (E, E)
            worth = math.exp(self.near * (fits[name] - top) / max(top, 1e-9))
            ahead += worth * (sharp @ odds @ sharp.T)
            weight += worth * (sharp @ np.ones_like(odds) @ sharp.T)
        return Votes((ahead - ahead.T) / 2, weight)


def best_order(ahead: npt.NDArray[np.float64]) -> list[int]:
    """The order of n things (at most twelve) in which pairs agree best with their log-odds; exact, over subsets.

    >>> best_order(np.array([[0.0, -2.0, 1.0], [2.0, 0.0, 3.0], [-1.0, -3.0, 0.0]]))
    [1, 0, 2]
    """
    n = len(ahead)
    worth = -np.logaddexp(0.0, -ahead)
    best = np.full(1 << n, -np.inf)
    last = np.zeros(1 << n, dtype=int)
    best[0] = 0.0
    gains = np.zeros((1 << n, n))
    for chosen in range(1, 1 << n):
        low = (chosen & -chosen).bit_length() - 1
        gains[chosen] = gains[chosen & (chosen - 1)] + worth[low]
        for thing in range(n):
            if chosen >> thing & 1:
                rest = chosen ^ (1 << thing)
                value = best[rest] + gains[rest, thing]
                if value > best[chosen]:
                    best[chosen], last[chosen] = value, thing
    order, chosen = [], (1 << n) - 1
    while chosen:
        order.append(int(last[chosen]))
        chosen ^= 1 << order[-1]
    return order[::-1]
