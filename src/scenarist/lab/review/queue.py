"""Study -> what a reviewer looks at: every answer with what was noticed of it, every person with her approval rate, what pages refused.

Noticed are broken and doubtful rules (the page kind says them), the same text twice, nearly the same text (`learning/dedup.py`), pasted
text, a rater who gives one answer to everything. Nothing of it decides: a reviewer does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from sqlalchemy import select

from scenarist.lab.answered import GivenAnswer, given_answers
from scenarist.lab.database.tables import refusals, sessions
from scenarist.lab.kinds import page_kind
from scenarist.lab.review.attention import AttentionCount, attention_counts
from scenarist.lab.review.verdicts import (
    APPROVED,
    REJECTED,
    SENT_BACK,
    WAITING,
    left_out,
    review,
    verdict_on,
    verdicts,
)
from scenarist.lab.roster import OpenStudy
from scenarist.learning.dedup import find_duplicates
from scenarist.question import AnyQuestion

NEAR = 0.6
"""Share of their word shingles from which on two texts are nearly the same."""
PASTED = 60
"""Characters pasted into one answer from which on it is noticed."""
SAME_ANSWERS = 8
"""Answers of a rater from which on it is noticed that all are the same."""
SHOWN = 20
"""Answers on a page of the queue."""


class Submission(NamedTuple):
    """An answer as a reviewer sees it."""

    study: OpenStudy
    given: GivenAnswer
    noticed: tuple[str, ...]
    """What was noticed of it beside others."""
    verdict: str
    feedback: str

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """(name, text) of what was asked and answered."""
        return tuple(page_kind(self.given.kind).lines(self.given.answer, question_of(self.study, self.given)))

    @property
    def flags(self) -> tuple[str, ...]:
        """All that was noticed; the rules of a text are looked at when it is shown."""
        return (*remarks_on(self.study, self.given), *self.noticed)


class PersonRow(NamedTuple):
    """What somebody gave, and what became of it."""

    session: str
    state: str
    answers: int
    approved: int
    sent_back: int
    rejected: int
    waiting: int
    seconds: float
    """Median time of a page."""
    flags: tuple[str, ...]
    left_out: str
    """Why her answers do not count; empty where they do."""

    @property
    def rate(self) -> float | None:
        """Approved of what was decided; None where nothing was."""
        decided = self.approved + self.rejected
        return self.approved / decided if decided else None


class RefusedForm(NamedTuple):
    """What a page did not take."""

    session: str
    page: int
    complaint: str


class ReviewQueue(NamedTuple):
    """All of it."""

    submissions: list[Submission]
    people: list[PersonRow]
    refused: list[RefusedForm]
    refused_count: int

    def waiting(self) -> list[Submission]:
        """What nobody decided yet."""
        return [entry for entry in self.submissions if entry.verdict == WAITING]


def review_queue(study: OpenStudy) -> ReviewQueue:
    """What there is to review in a study."""
    given = [
        answer
        for answer in given_answers(study.database, study.study.name)
        if answer.state not in ("failed", "screened")
    ]
    known = verdicts(study.database, study.study.name)
    twice = repeated(given)
    submissions = []
    for answer in given:
        verdict = verdict_on(known, answer.session, answer.trial, answer.attempt)
        noticed = tuple(twice.get((answer.session, answer.trial), ()))
        submissions.append(Submission(study, answer, noticed, verdict.verdict, verdict.feedback))
    out = left_out(study.database, study.study.name)
    refused, count = refused_forms(study)
    return ReviewQueue(submissions, people_of(submissions, out, attention_counts(study)), refused, count)


def question_of(study: OpenStudy, given: GivenAnswer) -> AnyQuestion | None:
    """The question of an answer, in the version that it was given to."""
    return study.question(given.version, given.condition, given.item)


def remarks_on(study: OpenStudy, given: GivenAnswer) -> tuple[str, ...]:
    """What the page kind notices of an answer, and how it was given."""
    flags = list(page_kind(given.kind).remarks(given.answer, question_of(study, given)))
    if given.flags.get("pasted", 0) >= PASTED:
        flags.append(f"{given.flags['pasted']:.0f} characters were pasted.")
    return tuple(flags)


def repeated(given: Sequence[GivenAnswer]) -> Mapping[tuple[str, int], list[str]]:
    """Answers whose text is that of an earlier one, or nearly so."""
    flags: dict[tuple[str, int], list[str]] = defaultdict(list)
    written = [(answer, text) for answer in given if (text := page_kind(answer.kind).written(answer.answer))]
    if not written:
        return flags
    twins = find_duplicates([text for _, text in written], NEAR)
    exact = set(twins.exact)
    for place, earlier in twins.of:
        answer, other = written[place][0], written[earlier][0]
        whose = "by the same person" if answer.session == other.session else f"by {other.session[:6]}"
        what = "The same text" if place in exact else "Nearly the same text"
        flags[answer.session, answer.trial].append(f"{what} as page {other.trial + 1} {whose}.")
    return flags


def people_of(
    submissions: Sequence[Submission], out: Mapping[str, str], attention: Mapping[str, AttentionCount]
) -> list[PersonRow]:
    """Everybody who answered, with approval rate and what is noticed of all her answers."""
    grouped: dict[str, list[Submission]] = defaultdict(list)
    for entry in submissions:
        grouped[entry.given.session].append(entry)
    rows = []
    for session, listed in grouped.items():
        counts = Counter(entry.verdict for entry in listed)
        times = [entry.given.flags["seconds"] for entry in listed if "seconds" in entry.given.flags]
        rows.append(
            PersonRow(
                session, listed[0].given.state, len(listed), counts[APPROVED], counts[SENT_BACK], counts[REJECTED],
                counts[WAITING], median(times) if times else 0.0,
                habits_of(listed) + remarks_on_attention(attention.get(session)), out.get(session, ""),
            )
        )  # fmt: skip
    return rows


def habits_of(listed: Sequence[Submission]) -> tuple[str, ...]:
    """What is noticed of all answers of a person together."""
    given = [entry.given.answer.answer for entry in listed if page_kind(entry.given.kind).scale]
    if len(given) >= SAME_ANSWERS and len(set(map(repr, given))) == 1:
        return (f"Always says {given[0]} ({len(given)} of {len(given)} answers).",)
    return ()


def remarks_on_attention(count: AttentionCount | None) -> tuple[str, ...]:
    """What is noticed of somebody's attention questions."""
    return (count.remark,) if count is not None and count.remark else ()


def refused_forms(study: OpenStudy, most: int = 50) -> tuple[list[RefusedForm], int]:
    """The last forms that pages did not take, and how many there were."""
    query = (
        select(refusals.c.session, refusals.c.trial, refusals.c.complaint)
        .join(sessions, sessions.c.id == refusals.c.session)
        .where(sessions.c.study == study.study.name)
        .order_by(refusals.c.number.desc())
    )
    with study.database.read() as connection:
        rows = connection.execute(query).all()
    return [RefusedForm(row.session, row.trial + 1, row.complaint) for row in rows[:most]], len(rows)


def approve_clean(study: OpenStudy) -> tuple[int, int]:
    """Approve every waiting answer of which nothing was noticed: (approved, left for a person to look at)."""
    queue = review_queue(study)
    noticed = {row.session for row in queue.people if row.flags or row.left_out}
    waiting = queue.waiting()
    clean = [entry for entry in waiting if not entry.flags and entry.given.session not in noticed]
    for entry in clean:
        review(study.database, entry.given.session, entry.given.trial, entry.given.attempt, APPROVED)
    return len(clean), len(waiting) - len(clean)
