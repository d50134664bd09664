"""Number -> text: a figure has one form in the terminal, on a page and in `score`; and what is said below a table of its rows.

A metric says whether it is a proportion (``Metric.proportion``). Proportions are printed as percentages or as fractions, as the papers of
their exam print them. All else (surprisal, ranks, Pk, kappa, counts) is never printed as a percentage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from functools import cache
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.registry import find, make
from scenarist.signature import pretrained


@cache
def metric_proportion(metric: str) -> bool | None:
    """Is this metric a proportion? None where no metric has this name.

    >>> metric_proportion("recall@50"), metric_proportion("surprisal"), metric_proportion("count_words")
    (True, False, None)
    """
    try:
        return bool(getattr(make("metric", metric), "proportion", False))
    except BadInput:
        return None


class NumberForm(msgspec.Struct, frozen=True):
    """How the figures of a table are printed.

    >>> form = NumberForm()
    >>> form.text(0.9288, "accuracy/2016"), form.text(4.3211, "surprisal/oracle"), form.text(0.0121, "accuracy/2016", sign=True)
    ('92.9', '4.321', '+1.2')
    >>> NumberForm(percent=False, digits=3).text(0.9288, "f1/clean")
    '0.929'
    """

    percent: bool = True
    """Proportions as percentages."""
    digits: int = 1
    """Behind the point of a proportion; other numbers of a table of percentages have two more, so that all are equally precise."""
    plain: tuple[str, ...] = ()
    """Names (or patterns) of an analysis's own columns that are no proportions: ``count_*``."""

    def is_proportion(self, column: str) -> bool:
        """Is the column (``metric/condition``) a proportion?"""
        name = column.partition("/")[0]
        known = metric_proportion(name)
        return not any(fnmatch(name, pattern) for pattern in self.plain) if known is None else known

    def text(self, value: float | None, column: str, sign: bool = False) -> str:
        """A number of a column, with ``sign`` as a difference; nothing where there is none."""
        if value is None:
            return ""
        plus, proportion = "+" if sign else "", self.is_proportion(column)
        if proportion and self.percent:
            return f"{value * 100:{plus}.{self.digits}f}"
        if not proportion and float(value).is_integer() and metric_proportion(column.partition("/")[0]) is None:
            return f"{value:{plus}.0f}"  # a count
        return f"{value:{plus}.{self.digits + 2 if self.percent else self.digits}f}"


def exam_form(exam: str) -> NumberForm:
    """How the papers of an exam print proportions: as percentages, or as fractions where the exam says so (``percent = False``)."""
    try:
        percent = bool(getattr(find("exam", exam), "percent", True))
    except BadInput:  # an exam of somebody else's, set in a folder
        percent = True
    return NumberForm(percent, 1 if percent else 3)


def marked_name(row: Mapping[str, Any]) -> str:
    """The name of a row, with a star where its answers were made before and kept."""
    return f"{row['model']} *" if row.get("recorded") else str(row["model"])


def row_remarks(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is said below a table: how recorded rows are made anew, and the notes of rows; each once."""
    lines = [f"* {row['model']}: recorded; made anew by: {row['made_by']}" for row in rows if row.get("recorded")]
    lines += [
        f"{row['model']}, {condition}: of {counts['n']} answers {counts.get('refused', 0)} were refused and {counts.get('unparsed', 0)} could "
        "not be read; both count as wrong."
        for row in rows
        for condition, counts in row.get("unread", {}).items()
    ]
    lines += [f"{row['model']}: {row['note']}" for row in rows if row.get("note")]
    return list(dict.fromkeys(lines))


def against(test: Mapping[str, Any]) -> str:
    """What a row is compared with, in words.

    >>> against({"reference": "longest", "gain": True}), against({"reference": "bigram"})
    ('gains over the best without the premise (longest)', 'against bigram')
    """
    if test.get("gain"):
        return f"gains over the best without the premise ({test['reference']})"
    return f"against {test['reference']}"


def few_text(sources: int) -> str:
    """What is said at a figure whose interval stands on few sources."""
    return "only 1 source" if sources == 1 else f"only {sources} sources"


def figure_remarks(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is said below a table of its intervals: what they hold and what they do not."""
    figures = [figure for row in rows for figure in row["scores"].values()]
    lines = []
    if any(figure.get("few") for figure in figures):
        lines.append(
            "Figures marked with a number of sources rest on fewer than 20 of them (documents or other texts that items share): their "
            "intervals of 95 % cover less (52 % with 2 sources, 86 % with 7); one source alone has none."
        )
    if any(figure.get("seeds") for figure in figures):
        lines.append(
            "Rows of several seeds: the mean over the seeds; the interval draws the items' sources and holds no variation of seeds, "
            "± is the standard deviation between seeds."
        )
    return [*lines, *contamination_remarks(rows)]


def contamination_remarks(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which rows stand on networks of others, by the signatures of their figures."""
    below: dict[str, list[str]] = {}
    for row in rows:
        signatures = (figure["signature"] for figure in row["scores"].values() if figure.get("signature"))
        for name in dict.fromkeys(name for signature in signatures for name in pretrained(signature)):
            below.setdefault(name, []).append(row["model"])
    return [CONTAMINATION.format(NAMES.get(name, name), ", ".join(models)) for name, models in below.items()]


CONTAMINATION = (
    "Contamination: {} stands below {}. What it read on the web before is not known in full, and these items, with their answers, "
    "may have been among it (docs/reference/contamination.md)."
)
NAMES = {"candidate": "a language model that was handed in"}
