"""Answers -> the statistics of a collection (Mostafazadeh et al. 2016, Tables 2 and 5), of pilots (section 3.1), of guesses, of a merge."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from statistics import fmean, median
from typing import NamedTuple

from scenarist.corpora.adjudication import merge
from scenarist.lab.answered import given_answers, study_items
from scenarist.lab.collected import RIGHT, WRONG, written_cases
from scenarist.lab.review.verdicts import APPROVED, counted_answers, verdict_on, verdicts
from scenarist.lab.roster import OpenStudy
from scenarist.question import Where

CENTS = re.compile(r"(\d+(?:\.\d+)?) cents")
WRITING = {"stories": ("stories", "Table 2"), "endings": ("cases", "Table 5")}


class CrowdRow(NamedTuple):
    """A line of the table: what, ours, and what the paper prints."""

    name: str
    value: str
    published: str = ""


class CrowdTable(NamedTuple):
    """A table with its caption."""

    caption: str
    rows: list[CrowdRow]

    @property
    def printed(self) -> bool:
        """Does the paper print any of it?"""
        return any(row.published for row in self.rows)


PUBLISHED = {
    "stories": ("49,895", "49,255", "932", "52.84", "3,057", "4.80", "2.16", "26"),
    "endings": ("13,500", "", "282", "47.8", "1461", "", "", "10"),
}
SIZE_OF_FINAL_SET = "3,744"
"""Table 5; the text of the paper says 3,742."""


def crowd_tables(study: OpenStudy) -> list[CrowdTable]:
    """The tables that fit what a study collects."""
    tables = []
    if study.study.gives in WRITING:
        tables.append(writing_table(study))
    if study.study.gives == "storycloze":
        tables.append(filter_table(study))
    if study.study.source.make == "pilots":
        tables.append(pilot_table(study))
    if study.study.kind == "adjudicate":
        tables.append(merge_table(study))
    if study.study.source.make == "guesses":
        tables.append(guess_table(study))
    return tables


def writing_table(study: OpenStudy) -> CrowdTable:
    """How much was written, by how many, in what time."""
    what, where = WRITING[study.study.gives]
    name = study.study.name
    known = verdicts(study.database, name)
    counts: Counter[str] = Counter()
    minutes: dict[str, list[float]] = defaultdict(list)
    submitted = 0
    for given in given_answers(study.database, name):
        if given.state in ("failed", "screened"):
            continue
        submitted += 1
        counts[given.session] += 1
        if "seconds" in given.flags:
            minutes[given.session].append(given.flags["seconds"] / 60)
    needed = study.study.review.needed
    approved = sum(
        verdict_on(known, given.session, given.trial, given.attempt).verdict == APPROVED
        for given in given_answers(study.database, name)
    )
    per_person = [fmean(times) for times in minutes.values()]
    pay = CENTS.search(study.study.people.pay)
    values = (
        (f"# submitted {what}", f"{submitted:,}"), (f"# approved {what}", f"{approved:,}" if needed or approved else "no review"),
        ("# people", f"{len(counts):,}"), (f"average # {what} by one person", f"{fmean(counts.values()):.2f}" if counts else "0"),
        (f"max # {what} by one person", f"{max(counts.values(), default=0):,}"),
        ("average work time among people (minutes)", f"{fmean(per_person):.2f}" if per_person else ""),
        ("median work time among people (minutes)", f"{median(per_person):.2f}" if per_person else ""),
        (f"payment for one of the {what} (cents)", pay[1] if pay else "not said in the study"),
    )  # fmt: skip
    rows = [CrowdRow(*pair, printed) for pair, printed in zip(values, PUBLISHED[study.study.gives], strict=True)]
    return CrowdTable(f"The collection, beside {where} of the paper", rows)


def filter_table(study: OpenStudy) -> CrowdTable:
    """The size of the final set by each variant of the filter (Table 5, last line)."""
    from scenarist.lab.yields.storycloze import FILTERS, RATERS, ratings_of

    ratings = ratings_of(study)
    cases = written_cases(study.database, study.study.source.study)
    pairs = [(ratings[f"{case.id}.{RIGHT}"][:RATERS], ratings[f"{case.id}.{WRONG}"][:RATERS]) for case in cases]
    rated = [pair for pair in pairs if len(pair[0]) == len(pair[1]) == RATERS]
    rows = [
        CrowdRow("# cases written", f"{len(cases):,}", "13,500"),
        CrowdRow(f"# with {RATERS} ratings of each ending", f"{len(rated):,}"),
    ]
    rows += [
        CrowdRow(f"# that pass {name!r}", f"{sum(passes(*pair) for pair in rated):,}", SIZE_OF_FINAL_SET if name == "paper" else "")
        for name, passes in FILTERS.items()
    ]  # fmt: skip
    return CrowdTable("The filter, beside Table 5 of the paper", rows)


def merge_table(study: OpenStudy) -> CrowdTable:
    """How much of what annotators marked is settled without an adjudicator (Wanzare et al. 2019, section 3.3)."""
    stories = [item.question.story for item in study.items.values() if isinstance(item.question, Where)]
    merged = [merge(story) for story in stories]
    annotations, settled = sum(story.annotations for story in merged), sum(story.merged for story in merged)
    rows = [
        CrowdRow("# texts", f"{len(merged):,}"),
        CrowdRow("# annotations", f"{annotations:,}"),
        CrowdRow("share merged automatically", f"{settled / annotations:.1%}" if annotations else "", "69 %"),
        CrowdRow("# decisions left", f"{sum(len(story.decisions) for story in merged):,}"),
    ]
    return CrowdTable("The automatic merge, beside section 3.3 of the paper", rows)


def guess_table(study: OpenStudy) -> CrowdTable:
    """How likely the guesses of people and those of the model are, as raters say who did not know whose they are."""
    ratings: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    known = study_items(study.database, study.study.name)
    for given in counted_answers(study.database, study.study.name):
        item = known.get(given.item)
        whose = [tag.removeprefix("by:") for tag in item.tags if tag.startswith("by:")] if item is not None else []
        for name in whose:
            ratings[name][given.item].append(int(str(given.answer.answer)))
    rows = []
    for name, listed in sorted(ratings.items()):
        means = [fmean(steps) for steps in listed.values()]
        count = sum(map(len, listed.values()))
        rows.append(
            CrowdRow(
                name, f"{len(means)} guesses, {count} ratings; mean {fmean(means):.2f}, median {median(means):.2f}"
            )
        )
    return CrowdTable("Whose guesses are likely, from 1 to 5", rows)


def pilot_table(study: OpenStudy) -> CrowdTable:
    """Version by version: the share of stories that all raters accept, and of those on which they agree."""
    ratings: Mapping[str, list[str]] = defaultdict(list)
    for given in counted_answers(study.database, study.study.name):
        if not study.study.draw.people or len(ratings[given.item]) < study.study.draw.people:
            ratings[given.item].append(str(given.answer.answer))
    by_version: dict[str, list[list[str]]] = defaultdict(list)
    for item, listed in ratings.items():
        by_version[item.partition(".")[0]].append(listed)
    rows = []
    for version, rated in by_version.items():
        accepted = sum(set(steps) == {"1"} for steps in rated) / len(rated)
        agreed = sum(len(set(steps)) == 1 for steps in rated) / len(rated)
        text = f"{len(rated)} stories; all raters say 1: {accepted:.1%}; all agree: {agreed:.1%}"
        rows.append(CrowdRow(f"version {version}", text))
    return CrowdTable("The versions of the prompt", rows)
