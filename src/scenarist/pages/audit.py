"""The JSON of the table `storycloze-bias` -> HTML: what the endings alone give away, 2016 and 2018 side by side, and the gain over it.

Every row opens: its seeds, its difference to ending-only with interval and p, and the signature of each figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarist.pages.layout import escape, page
from scenarist.pages.numbers import NumberForm, marked_name, row_remarks

NUMBERS = NumberForm()
"""As the table prints them: percentages with one digit."""

STYLE = """
.bars td{width:34%}.bars th{vertical-align:middle}
.track{position:relative;height:.9rem;background:var(--line);border-radius:.2rem;overflow:hidden}
.track i{position:absolute;inset:0 auto 0 0;background:var(--soft);opacity:.55}.ours .track i{background:var(--good);opacity:.8}
.track b{position:absolute;top:.35rem;height:.2rem;background:var(--ink)}
.big{font:600 2rem/1.1 var(--serif)}.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(14rem,1fr));gap:.8rem}
tr.more td{text-align:left;width:auto}tr.more[hidden]{display:none}
"""
SCRIPT = """
document.querySelectorAll("button.row").forEach(button=>button.addEventListener("click",()=>{
const more=document.getElementById(button.getAttribute("aria-controls"));more.hidden=!more.hidden;
button.setAttribute("aria-expanded",String(!more.hidden));}));
"""


def shown(column: str) -> str:
    """A column's condition: the year."""
    return escape(column.partition("/")[2] or column)


def bar(cell: Mapping[str, Any] | None) -> str:
    """One figure as a bar from chance (50 %) to 100 %, its interval as a line on it."""
    if cell is None or cell.get("value") is None:
        return "<td></td>"
    value, low, high = float(cell["value"]), cell.get("low"), cell.get("high")
    width = min(100.0, max(0.0, 200 * (value - 0.5)))
    line = around = ""
    if low is not None and high is not None:
        start, stop = (min(100.0, max(0.0, 200 * (edge - 0.5))) for edge in (low, high))
        line = f'<b style="left:{start:.1f}%;width:{max(0.4, stop - start):.1f}%"></b>'
        around = f" <small>{NUMBERS.text(low, 'accuracy')} to {NUMBERS.text(high, 'accuracy')}</small>"
    text = NUMBERS.text(value, "accuracy")
    return f'<td><div class="track" role="img" aria-label="{text} %"><i style="width:{width:.1f}%"></i>{line}</div>{text}{around}</td>'


def difference(test: Mapping[str, Any]) -> str:
    """A paired difference in words."""
    p = f", p = {test['p_holm']:.2g}" if test.get("p_holm") is not None else ""
    value, low, high = (NUMBERS.text(test[key], "accuracy", sign=True) for key in ("difference", "low", "high"))
    return f"{value} points ({low} to {high}{p})"


def details(row: Mapping[str, Any], tests: list[Mapping[str, Any]]) -> str:
    """What a row opens to."""
    lines = []
    for column, cell in row["scores"].items():
        seeds = ", ".join(
            f"seed {seed}: {NUMBERS.text(value, column)}" for seed, value in (cell.get("seeds") or {}).items()
        )
        gains = "".join(
            f"; {difference(test)} against {escape(test['reference'])}" for test in tests if test["column"] == column
        )
        lines.append(
            f"<p><b>{shown(column)}</b>, n = {cell.get('n')}{': ' + seeds if seeds else ''}{gains}<br><span class='sign'>{escape(cell.get('signature', ''))}</span></p>"
        )
    return "".join(lines)


def audit_page(sheet: Mapping[str, Any]) -> str:
    """The page of the audit; the headline is the gain of our rows over ending-only."""
    columns = sorted({column for row in sheet["rows"] for column in row["scores"]})
    tests = [test for test in sheet.get("tests", ()) if test.get("difference") is not None]
    head = "".join(f"<th>{shown(column)}</th>" for column in columns)
    rows = []
    for number, row in enumerate(sheet["rows"]):
        mine = [test for test in tests if test["row"] == row["model"]]
        rows.append(
            f'<tr class="{escape(row["role"])}"><th scope="row"><button class="row" aria-expanded="false" aria-controls="more-{number}">{escape(marked_name(row))}</button></th>'
            f"{''.join(bar(row['scores'].get(column)) for column in columns)}</tr>"
            f'<tr class="more" id="more-{number}" hidden><td colspan="{1 + len(columns)}">{details(row, mine)}</td></tr>'
        )
    ours = {row["model"] for row in sheet["rows"] if row["role"] == "ours"}
    cards = "".join(
        f"<div class='card'><div>{escape(test['row'])}, {shown(test['column'])}</div><div class='big {'good' if test['low'] > 0 else ''}'>{NUMBERS.text(test['difference'], 'accuracy', sign=True)}</div>"
        f"<div class='soft'>{difference(test)} over {escape(test['reference'])}</div></div>"
        for test in tests
        if test["row"] in ours
    )
    remarks = "".join(f"<p class='soft'>{escape(remark)}</p>" for remark in row_remarks(sheet["rows"]))
    body = (
        "<h1>What the endings alone give away</h1><p class='lead'>Bars run from chance (50 %) to 100 %, the dark line is the 95 % interval. "
        "Grey rows never see the story; green rows do. Click a row for its seeds, its difference to ending-only and its signatures.</p>"
        f"<h2>Gain over ending-only</h2><div class='cards'>{cards}</div><h2>All rows</h2><div class='scroll'><table class='bars'><thead><tr><th></th>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>{remarks}<p class='sign'>{escape(sheet.get('signature', ''))}</p>"
    )
    return page("Story Cloze: bias audit", body, STYLE, SCRIPT)
