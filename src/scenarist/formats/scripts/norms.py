"""KnownScript -> CSV of typicality norms, an event a line: for those who make materials of an experiment.

``told`` of ``tellers`` is how often people tell the event, ``happened`` how likely it happened, told or not: two numbers for two questions
(Bower, Black and Turner 1979 asked people for the actions of an activity; what they list is what is told).
"""

from __future__ import annotations

import csv
import io

from scenarist.answers import KnownScript

COLUMNS = (
    "scenario", "event", "phrase", "scene", "by", "source", "told", "tellers", "told_share", "happened", "happens", "silent",
    "place", "one_of", "after", "after_usually", "sub",
)  # fmt: skip


def norms(script: KnownScript) -> str:
    """The table; cells that would run as a formula in a spreadsheet are quoted."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for event in script.events:
        share = event.share
        row = (
            script.scenario, event.id, event.phrase, event.scene, event.by, event.source, event.told, event.tellers,
            "" if share is None else f"{share:.4f}", f"{event.happened:.3f}", event.happens, int(event.silent),
            "" if event.place < 0 else f"{event.place:.3f}", event.one_of, " ".join(event.after), " ".join(event.after_usually),
            event.sub,
        )  # fmt: skip
        writer.writerow(safe(cell) for cell in row)
    return out.getvalue()


def safe(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula.

    >>> safe("=1+1"), safe("eat"), safe(3)
    ("'=1+1", 'eat', 3)
    """
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
