"""Study x people so far -> condition and trials of the next one.

Cells are filled evenly: the condition with the fewest complete and active people, never counting who left, who withdrew or who only
tried it. Items are drawn freely (one of each document, as in Bennett's study), shared out so that each has its number of people, or
dealt to the places of a pool so that every pair of people has the same number of texts in common (Wanzare et al. 2019, Table 2).
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from scenarist.lab.database.tables import sessions, studies, trials
from scenarist.lab.study import TRIALS, Study, StudyStep
from scenarist.question import Item


class Assignment:
    """Who gets what; what an open study does when somebody comes."""

    study: Study
    sets: dict[str, list[Item]]
    steps: dict[str, StudyStep]

    def present(self) -> ColumnElement[bool]:
        """Sessions that count: complete, or seen a short time ago."""
        since = time.time() - self.study.people.active_minutes * 60
        return or_(sessions.c.state == "complete", and_(sessions.c.state == "active", sessions.c.seen >= since))

    def closed(self, connection: Connection) -> list[str]:
        """Conditions that take nobody any more."""
        row = connection.execute(select(studies.c.closed).where(studies.c.version == self.study.version)).scalar_one()
        closed: list[str] = json.loads(row)
        return closed

    def filled(self, connection: Connection) -> Counter[str]:
        """Complete and active people a condition."""
        rows = connection.execute(
            select(sessions.c.condition, func.count())
            .where(sessions.c.study == self.study.name, sessions.c.trial_run.is_(False), self.present())
            .group_by(sessions.c.condition)
        )
        return Counter({row[0]: int(row[1]) for row in rows})

    def least_filled(self, connection: Connection, draw: random.Random) -> str | None:
        """The condition to go on with; None where every one is full or closed."""
        counts, closed = self.filled(connection), self.closed(connection)
        quota = self.study.people.quota
        free = [
            condition
            for condition in self.study.conditions
            if condition not in closed and not (quota and counts[condition] >= quota)
        ]
        if not free:
            return None
        fewest = min(counts[condition] for condition in free)
        return draw.choice([condition for condition in free if counts[condition] == fewest])

    def plan(
        self, connection: Connection, condition: str, draw: random.Random
    ) -> tuple[list[tuple[str, str, str]], dict[str, Any]]:
        """(phase, kind, item) page by page, and what is to be remembered of the draw."""
        drawn, note = self.drawn(connection, condition, draw)
        pages: list[tuple[str, str, str]] = []
        late = {(step.after, name) for name, step in self.steps.items() if step.phase == "attention"}
        for name, step in self.steps.items():
            if step.kind == TRIALS:
                for number, item in enumerate(drawn, start=1):
                    pages.append(("trial", self.study.kind, item))
                    pages += [
                        ("attention", self.steps[key].kind, key) for after, key in sorted(late) if after == number
                    ]
            elif step.phase != "attention":
                pages.append((step.phase, step.kind, name))
        return pages, note

    def fewest_pages(self) -> int:
        """The pages that a person has at least: those of the steps, and the items of the condition that has the fewest."""
        rule = self.study.draw
        counts = []
        for listed in self.sets.values():
            families = Counter(item.group or item.id for item in listed)
            if rule.people and rule.pool:
                count = len(listed) * min(rule.people, rule.pool) // rule.pool
            elif rule.people:
                count = len(listed) if rule.more else 0
            else:
                count = sum(min(number, rule.a_family or number) for number in families.values())
            counts.append(min(rule.number or count, count))
        return min(counts, default=0) + sum(step.kind != TRIALS for step in self.study.steps)

    def drawn(self, connection: Connection, condition: str, draw: random.Random) -> tuple[list[str], dict[str, Any]]:
        """The items of a new person."""
        rule, listed = self.study.draw, self.sets[condition]
        if rule.people and rule.pool:
            return self.slot(connection, listed, draw)
        if rule.people:
            load = self.load(connection)
            order = sorted(listed, key=lambda item: (load[item.id], draw.random()))
            free = [item for item in order if rule.more or load[item.id] < rule.people]
            return [item.id for item in of_each_family(free, rule.a_family)][: rule.number or None], {}
        families: dict[str, list[str]] = defaultdict(list)
        for item in listed:
            families[item.group or item.id].append(item.id)
        names = list(families)
        draw.shuffle(names)
        chosen: list[str] = []
        for name in names:
            members = families[name]
            chosen += draw.sample(members, min(rule.a_family or len(members), len(members)))
        return chosen[: rule.number or None], {}

    def slot(self, connection: Connection, listed: list[Item], draw: random.Random) -> tuple[list[str], dict[str, Any]]:
        """A place in a pool: every set of ``people`` places shares the same number of items (Wanzare et al. 2019, Table 2)."""
        rule = self.study.draw
        notes = connection.execute(
            select(sessions.c.note).where(
                sessions.c.study == self.study.name, sessions.c.trial_run.is_(False), self.present()
            )
        ).scalars()
        taken = Counter(json.loads(note).get("slot", 0) for note in notes)
        place = min(range(rule.pool), key=lambda number: (taken[number], number))
        teams = list(combinations(range(rule.pool), min(rule.people, rule.pool)))
        allotted = [item.id for number, item in enumerate(listed) if place in teams[number % len(teams)]]
        draw.shuffle(allotted)
        return allotted[: rule.number or None], {"slot": place}

    def load(self, connection: Connection) -> Counter[str]:
        """People an item has: who answered it, and who is about to."""
        since = time.time() - self.study.people.active_minutes * 60
        busy = and_(sessions.c.state == "active", sessions.c.seen >= since)
        rows = connection.execute(
            select(trials.c.item, func.count())
            .select_from(trials.join(sessions, trials.c.session == sessions.c.id))
            .where(
                sessions.c.study == self.study.name, sessions.c.trial_run.is_(False), trials.c.phase == "trial",
                or_(trials.c.done.is_(True), busy),
            )
            .group_by(trials.c.item)
        )  # fmt: skip
        return Counter({row[0]: int(row[1]) for row in rows})


def of_each_family(listed: Sequence[Item], most: int) -> list[Item]:
    """The first so many items of each document, in order; all of them where ``most`` is 0."""
    counts: Counter[str] = Counter()
    chosen = []
    for item in listed:
        family = item.group or item.id
        if not most or counts[family] < most:
            counts[family] += 1
            chosen.append(item)
    return chosen
