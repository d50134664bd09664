"""The JSON of the table `storycloze-bias` -> HTML: what the endings alone give away, 2016 and 2018 side by side, and the gain over it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from scenarist.pages.shell import page


def bar(cell: Mapping[str, Any] | None, role: str) -> str:
    """One figure as a bar from chance (50 %) to 100 %, with its interval."""
    if cell is None or cell.get("value") is None:
        return "<td></td>"
    value = float(cell["value"])
    low, high = cell.get("low"), cell.get("high")
    width = max(0.0, 200 * (value - 0.5))
    colour = "var(--good)" if role == "ours" else "var(--soft)"
    around = f' <span class="soft">{100 * low:.1f} to {100 * high:.1f}</span>' if low is not None and high is not None else ""
    return f'<td><div style="height:.7em;width:{width:.1f}%;min-width:1px;background:{colour}" role="img" aria-label="{100 * value:.1f} %"></div>{100 * value:.1f}{around}</td>'


def audit_page(sheet: Mapping[str, Any]) -> str:
    """The page of the audit; the headline is the gain of the last row over ending-only."""
    columns = sorted({column for row in sheet["rows"] for column in row["scores"]})
    head = "".join(f"<th>{escape(column.partition('/')[2] or column)}</th>" for column in columns)
    rows = "".join(
        f'<tr><th scope="row">{escape(row["model"])}</th>{"".join(bar(row["scores"].get(column), row["role"]) for column in columns)}</tr>'
        for row in sheet["rows"]
    )
    gains = "".join(
        f"<li><b>{escape(test['row'])}</b> over {escape(test['reference'])}, {escape(test['column'].partition('/')[2])}: "
        f"{100 * test['difference']:+.1f} points ({100 * test['low']:+.1f} to {100 * test['high']:+.1f})</li>"
        for test in sheet.get("tests", ())
        if test["row"] in ("unlabelled", "labelled")
    )
    body = (
        "<h1>What the endings alone give away</h1><p class='lead'>Bars run from chance (50 %) to 100 %. Grey rows never see the story.</p>"
        f"<h2>Gain over ending-only</h2><ul>{gains}</ul><div class='scroll'><table><tr><th></th>{head}</tr>{rows}</table></div>"
        f"<p class='sign'>{escape(str(sheet.get('signature', '')))}</p>"
    )
    return page("Story Cloze: bias audit", body)
