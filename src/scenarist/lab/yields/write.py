"""Database x study -> a folder with a corpus and its card: `scenarist corpus from-study DB STUDY -o DIR`.

The card says which versions of the study it is from, how many people, when, and what was left out and why. It names nobody.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import func, select

from scenarist import __version__
from scenarist.errors import BadInput
from scenarist.lab.answered import given_answers
from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import sessions, studies
from scenarist.lab.files import open_existing, stored_study, studies_in
from scenarist.lab.review.verdicts import APPROVED, KEPT_STATES, WAITING, left_out, verdict_on, verdicts
from scenarist.lab.roster import OpenStudy
from scenarist.lab.yields import ALIASES, YIELDS
from scenarist.noun import Noun, to_json
from scenarist.registry import load
from scenarist.store.home import write_whole

GONE = {"failed": "failed a check", "screened": "did not qualify", "gone": "went away"}


class HarvestedFiles(NamedTuple):
    """What a study gave: files, counts, what was left out for which reason, and a command that goes on with it."""

    files: Mapping[str, Sequence[bytes]]
    counts: Mapping[str, int]
    left_out: Mapping[str, int]
    what: str
    then: tuple[str, ...] = ()


class CollectedVersion(Noun, frozen=True):
    """A version of a study file, and what came of it."""

    version: str
    answers: int
    people: int


class CollectedCorpus(Noun, frozen=True):
    """The card of a corpus that people made."""

    study: str
    title: str
    what: str
    paper: str
    versions: tuple[CollectedVersion, ...]
    people: int
    first: str
    last: str
    """Days of the first and the last answer."""
    counts: tuple[tuple[str, int], ...]
    left_out: tuple[tuple[str, int], ...]
    """Reason -> how many answers, people or cases."""
    settings: tuple[tuple[str, str], ...]
    files: tuple[str, ...]
    then: tuple[str, ...]
    """Commands that go on with it."""
    scenarist: str
    """Version of scenarist."""


def study_that_gives(db: str, name: str) -> OpenStudy:
    """The study of a database by its name, or by what it gives."""
    known = studies_in(db)
    wanted = ALIASES.get(name, "")
    if name in known or not wanted:
        if name not in known:
            raise BadInput(f"{db} has no study {name!r}. It has: {', '.join(known) or 'none yet'}.")
        return stored_study(name, db)
    fitting = [study for other in known if (study := stored_study(other, db)).study.gives == wanted]
    if not fitting:
        raise BadInput(
            f"{db} has no study that gives {wanted!r} (for {name}). It has: {', '.join(known) or 'none yet'}."
        )
    return fitting[-1]


def collect_corpus(db: str, name: str, out: Path, options: Mapping[str, Any] | None = None) -> CollectedCorpus:
    """Write what a study gave, with its card."""
    open_existing(db).close()
    study = study_that_gives(db, name)
    if not study.study.gives:
        raise BadInput(f"{name} gives no corpus; its answers: scenarist lab export {name} --db {db} -o answers")
    given = {key: value for key, value in (options or {}).items() if value not in (None, "")}
    harvest = load(YIELDS[study.study.gives])(study, given)
    if not any(harvest.files.values()):
        raise BadInput(f"{name}: nobody's answers count yet, so there is nothing to write.")
    for file, pieces in harvest.files.items():
        write_whole(out / file, pieces)
    card = card_of(study, harvest, out, given)
    write_whole(out / "card.json", [to_json(card), b"\n"])
    write_whole(out / "CARD.md", [card_text(card).encode()])
    study.note("exported", f"corpus {study.study.gives}")
    study.database.close()
    return card


def card_of(study: OpenStudy, harvest: HarvestedFiles, out: Path, options: Mapping[str, Any]) -> CollectedCorpus:
    """What is said of a corpus."""
    name = study.study.name
    known, out_people = verdicts(study.database, name), left_out(study.database, name)
    answers: Counter[str] = Counter()
    people: dict[str, set[str]] = {}
    reasons: Counter[str] = Counter()
    times = []
    for given in given_answers(study.database, name):
        times.append(given.kept)
        answers[given.version] += 1
        people.setdefault(given.version, set()).add(given.session)
        verdict = verdict_on(known, given.session, given.trial, given.attempt).verdict
        if given.state not in KEPT_STATES:
            reasons[f"answers of people who {GONE.get(given.state, given.state)}"] += 1
        elif given.session in out_people:
            reasons["answers of people whom the reviewer left out"] += 1
        elif verdict == WAITING and study.study.review.needed:
            reasons["answers that wait for a reviewer"] += 1
        elif verdict not in (WAITING, APPROVED):
            reasons[f"answers {verdict}"] += 1
    reasons.update(f"people left out: {reason}" for reason in out_people.values())
    reasons += sessions_left(study.database, name)
    versions = tuple(
        CollectedVersion(version, answers[version], len(people[version]))
        for version in ordered(study.database, name)
        if version in answers
    )
    days = [
        time.strftime("%Y-%m-%d", time.gmtime(moment)) for moment in (min(times, default=0.0), max(times, default=0.0))
    ]
    return CollectedCorpus(
        name, study.study.title, harvest.what, study.study.paper, versions, len(set().union(*people.values())), days[0], days[1],
        tuple(harvest.counts.items()), tuple(sorted((reasons + Counter(dict(harvest.left_out))).items())),
        tuple((key, str(value)) for key, value in options.items()), tuple(str(out / file) for file in harvest.files),
        tuple(line.format(out=out) for line in harvest.then), __version__,
    )  # fmt: skip


def sessions_left(database: Database, study: str) -> Counter[str]:
    """People who gave nothing that counts, by why."""
    query = (
        select(sessions.c.state, func.count())
        .where(sessions.c.study == study, sessions.c.trial_run.is_(False), sessions.c.state.not_in(KEPT_STATES))
        .group_by(sessions.c.state)
    )
    with database.read() as connection:
        return Counter({f"people {state}": int(count) for state, count in connection.execute(query)})


def ordered(database: Database, study: str) -> list[str]:
    """The versions of a study, the first one first."""
    with database.read() as connection:
        query = select(studies.c.version).where(studies.c.name == study).order_by(studies.c.number)
        return list(connection.execute(query).scalars())


def card_text(card: CollectedCorpus) -> str:
    """The card for people."""
    lines = [
        f"# {card.what}",
        "",
        f"Made by `scenarist corpus from-study` from the study `{card.study}` (*{card.title}*).",
        "",
    ]
    if card.paper:
        lines += [f"After {card.paper}.", ""]
    lines += [
        f"People: {card.people}. Answers: {card.first} to {card.last}. scenarist {card.scenarist}.",
        "",
        "## Versions of the study",
        "",
    ]
    lines += ["| version | answers | people |", "| --- | --- | --- |"]
    lines += [f"| `{version.version}` | {version.answers} | {version.people} |" for version in card.versions]
    lines += ["", "## What is in it", "", *(f"- {name}: {count:,}" for name, count in card.counts)]
    lines += ["", "## What was left out", "", *(f"- {reason}: {count:,}" for reason, count in card.left_out)]
    lines += [] if card.left_out else ["Nothing."]
    lines += ["", "## How to go on", "", *(f"    {line}" for line in card.then)] if card.then else []
    settings = ", ".join(f"{name}={value}" for name, value in card.settings)
    return "\n".join([*lines, *(["", f"Settings: {settings}."] if settings else [])]) + "\n"


def read_card(folder: Path) -> CollectedCorpus:
    """The card of a folder."""
    return msgspec.json.decode((folder / "card.json").read_bytes(), type=CollectedCorpus)
