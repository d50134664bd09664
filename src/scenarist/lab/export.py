"""Stored answers -> files, streamed: Predictions as JSON lines, a table as CSV, every column described, and who is to be paid.

A cell of the CSV that a spreadsheet would take for a formula begins with an apostrophe; the JSON lines hold every answer as it was given.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sqlalchemy import select

from scenarist.errors import BadInput
from scenarist.lab.answered import as_prediction, given_answers
from scenarist.lab.database.tables import sessions
from scenarist.lab.kinds import page_kind
from scenarist.lab.review.attention import passed
from scenarist.lab.roster import OpenStudy, earlier_versions
from scenarist.noun import to_json

COLUMNS = {
    "person": "session id, drawn by the lab; the same person has one",
    "source": "where she came from: prolific, mturk, link, simulated",
    "state": "complete, active, failed, screened or gone",
    "version": "version of the study: the hash of its file",
    "condition": "condition that the person was in",
    "page": "number of the page in her session, from 1",
    "attempt": "number of the answer on that page; a higher one revises it",
    "last": "yes where this answer counts, no where it was revised",
    "phase": "trial, practice, check, qualification, attention, instructions or questions",
    "kind": "page kind",
    "passed": "yes or no on a page with a right answer: check, qualification, attention; a flag, the lab leaves nobody out for it",
    "item": "item of the exam",
    "stored": "seconds since 1970 when the answer was stored",
    "seconds": "seconds between sending the page and storing the answer",
    "pastes": "how often something was pasted; a flag, no exclusion",
    "pasted": "characters that were pasted",
    "away": "seconds in which the window was hidden",
    "typed": "characters that were typed",
}
"""The columns of every study; the page kind adds its own."""
RISKY = ("=", "+", "-", "@", "\t", "\r")
PLATFORM_CODES = ("completion code", "completion_code", "answer.surveycode", "code")
PLATFORM_IDS = ("participant id", "participant_id", "workerid", "worker id", "id")


def columns(study: OpenStudy) -> dict[str, str]:
    """Every column of the CSV, described."""
    own: dict[str, str] = {}
    versions = [study, *earlier_versions(study.database, study.study.name, study.version)]
    for name in dict.fromkeys(kind for version in versions for kind in version.study.kinds):
        own |= {column: text for column, text in page_kind(name).outputs.items() if column not in COLUMNS}
    return COLUMNS | own


def predictions(study: OpenStudy) -> Iterator[bytes]:
    """The answers that count as Predictions, one a line: what `scenarist score` reads."""
    for given in given_answers(study.database, study.study.name):
        yield to_json(as_prediction(given)) + b"\n"


def harmless(text: str) -> str:
    """A cell that no spreadsheet takes for a formula.

    >>> harmless("=1+1"), harmless("She left.")
    ("'=1+1", 'She left.')
    """
    return f"'{text}" if text.startswith(RISKY) else text


def table(study: OpenStudy) -> Iterator[bytes]:
    """All answers, revisions and tests too, as CSV."""
    names = list(columns(study))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, names, extrasaction="ignore", restval="")
    writer.writeheader()
    for given in given_answers(study.database, study.study.name, phase="", revisions=True):
        question = study.question(given.version, given.condition, given.item)
        own = (
            page_kind(given.kind).columns(given.answer, question)
            if question is not None or given.kind == "notice"
            else {}
        )
        row: dict[str, object] = {
            "person": given.session, "source": given.source, "state": given.state, "version": given.version, "condition": given.condition,
            "page": given.trial + 1, "attempt": given.attempt, "last": "yes" if given.last else "no", "phase": given.phase,
            "kind": given.kind, "passed": passed(study, given), "item": given.item, "stored": round(given.kept, 3), **given.flags,
        }  # fmt: skip
        row |= {name: harmless(text) for name, text in own.items()}
        writer.writerow(row)
        yield buffer.getvalue().encode("utf-8")
        buffer.seek(0)
        buffer.truncate()


def described(study: OpenStudy) -> bytes:
    """The columns as a JSON document beside the CSV (Psych-DS's ``variableMeasured``)."""
    document = {
        "name": study.study.name,
        "description": study.study.title,
        "schemaVersion": "Psych-DS 0.1.0",
        "version": study.version,
        "variableMeasured": [{"name": name, "description": text} for name, text in columns(study).items()],
    }
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


class Reconciled(NamedTuple):
    """A person of the platform's export beside our rows."""

    external: str
    platform: str
    """What the platform says."""
    ours: str
    """What our rows say; empty where we do not know the person."""
    verdict: str


def reconcile(study: OpenStudy, text: str) -> list[Reconciled]:
    """The platform's CSV against the rows: who is paid and missing, who finished and is not on the list."""
    rows = list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))
    if not rows:
        raise BadInput("This is no CSV with a header and at least one row.")
    names = {name.strip().lower(): name for name in rows[0] if name}
    column = next((names[name] for name in PLATFORM_IDS if name in names), None)
    if column is None:
        raise BadInput(f"No column with the ids: expected one of {', '.join(PLATFORM_IDS)}, got {', '.join(names)}.")
    status = next((names[name] for name in ("status", "assignmentstatus") if name in names), None)
    sent = next((names[name] for name in PLATFORM_CODES if name in names), None)
    with study.database.read() as connection:
        query = select(sessions.c.external, sessions.c.state).where(
            sessions.c.study == study.study.name, sessions.c.trial_run.is_(False)
        )
        states: dict[str, str] = {row.external: row.state for row in connection.execute(query)}
    listed = []
    for row in rows:
        external = (row[column] or "").strip()
        code = (row[sent] or "").strip() if sent else ""
        said = (row[status] or "") if status else ""
        listed.append(verdict_on(Reconciled(external, said, states.get(external, ""), ""), code, study.codes))
    seen = {entry.external for entry in listed}
    return listed + [
        Reconciled(external, "", state, "finished here, not on the platform's list")
        for external, state in states.items()
        if state == "complete" and external not in seen
    ]


def verdict_on(entry: Reconciled, code: str, codes: Mapping[str, str]) -> Reconciled:
    """What to do about somebody; ``code`` is the one that was sent, where the export has it."""
    if not entry.ours:
        verdict = "unknown here: withdrew, never began, or another id"
    elif entry.ours == "complete":
        other = code and code.upper() != codes["complete"].upper()
        verdict = "finished: pay" + (f"; the code sent, {code}, is not the one that was shown" if other else "")
    else:
        verdict = f"not finished ({entry.ours}): do not pay on the code alone"
    return entry._replace(verdict=verdict)
