"""Answers to pages with a right answer -> who missed how many attention questions. A flag: the lab leaves nobody out for it."""

from __future__ import annotations

from typing import NamedTuple

from scenarist.lab.answered import GivenAnswer, given_answers
from scenarist.lab.roster import OpenStudy
from scenarist.lab.study import right_answer

ATTENTION = "attention"


class AttentionCount(NamedTuple):
    """Attention questions that somebody answered, and how many of them otherwise than the study says."""

    missed: int
    asked: int

    @property
    def remark(self) -> str:
        """For the reviewer; empty where nothing was missed."""
        return f"Missed {self.missed} of {self.asked} attention questions." if self.missed else ""


def passed(study: OpenStudy, given: GivenAnswer) -> str:
    """Yes or no where the page has a right answer, else nothing."""
    version = study.of_version(given.version)
    step = version.step(given.item) if version is not None else None
    if step is None or not step.right:
        return ""
    return "yes" if right_answer(step, given.answer.answer) else "no"


def attention_counts(study: OpenStudy) -> dict[str, AttentionCount]:
    """Session -> its attention questions, by the last answer to each."""
    counts: dict[str, AttentionCount] = {}
    for given in given_answers(study.database, study.study.name, phase=ATTENTION):
        verdict = passed(study, given)
        if verdict:
            earlier = counts.get(given.session, AttentionCount(0, 0))
            counts[given.session] = AttentionCount(earlier.missed + (verdict == "no"), earlier.asked + 1)
    return counts
