"""JSON of the table `bennett` -> HTML: Figures 2, 3 and 4 as pictures with their intervals and numbers, above the table itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.pages.layout import HUES, escape, page
from scenarist.pages.numbers import NumberForm

STYLE = """
svg{max-width:100%;height:auto}svg text{font:12px var(--sans);fill:var(--ink)}svg .axis{stroke:var(--soft)}svg .grid{stroke:var(--line)}
figure{margin:1rem 0;max-width:44rem}figcaption{color:var(--soft);font-size:.9rem}
td.number small{display:block;white-space:nowrap}
"""
WIDTH, HEIGHT, EDGE = 640, 320, 52
CONDITION_NAMES = {"full": "original text", "caveman": "caveman", "verb-subject": "verb and subject"}


def paint(number: int, light: int = 45) -> str:
    """The colour of a series."""
    return f"hsl({HUES[number % len(HUES)]} 60% {light}%)"


def scale_lines(low: float, high: float, text: Any) -> str:
    """Horizontal grid lines with their values."""
    parts = []
    for step in range(5):
        value = low + (high - low) * step / 4
        y = HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * step / 4
        parts.append(
            f'<line class="grid" x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{y:.1f}" y2="{y:.1f}"/><text x="{EDGE - 6}" y="{y + 4:.1f}" text-anchor="end">{text(value)}</text>'
        )
    return "".join(parts)


def round_top(value: float) -> float:
    """The least top of a scale whose four steps are round numbers.

    >>> round_top(0.32), round_top(0.54), round_top(110)
    (0.4, 0.6, 200.0)
    """
    size = 10.0 ** math.floor(math.log10(max(value, 1e-9)))
    return next(round(step * size, 6) for step in (1.0, 2.0, 4.0, 6.0, 8.0, 10.0) if step * size >= value - 1e-12)


def bar_picture(bars: Sequence[Mapping[str, Any]], what: str) -> str:
    """Bars by condition, a series beside the other, with whiskers of 95 %."""
    conditions = list(dict.fromkeys(bar["condition"] for bar in bars))
    series = list(dict.fromkeys(bar["series"] for bar in bars))
    top = round_top(max([bar["high"] or bar["value"] for bar in bars] + [0.01]))

    def y(value: float) -> float:
        return float(HEIGHT - EDGE - max(0.0, value) / top * (HEIGHT - 2 * EDGE))

    slot = (WIDTH - 2 * EDGE) / max(1, len(conditions))
    width = slot * 0.7 / max(1, len(series))
    parts = [scale_lines(0.0, top, lambda value: f"{100 * value:.0f} %")]
    for bar in bars:
        row, column = conditions.index(bar["condition"]), series.index(bar["series"])
        x = EDGE + slot * row + slot * 0.15 + width * column
        parts.append(
            f'<rect x="{x:.1f}" y="{y(bar["value"]):.1f}" width="{width - 4:.1f}" height="{max(0.0, HEIGHT - EDGE - y(bar["value"])):.1f}" fill="{paint(column)}"><title>{escape(bar["series"])}, {escape(bar["condition"])}: {100 * bar["value"]:.1f} %</title></rect>'
        )
        if bar["low"] is not None:
            middle = x + (width - 4) / 2
            parts.append(
                f'<path d="M{middle:.1f} {y(bar["low"]):.1f}V{y(bar["high"]):.1f}M{middle - 5:.1f} {y(bar["low"]):.1f}h10M{middle - 5:.1f} {y(bar["high"]):.1f}h10" stroke="currentColor" fill="none"/>'
            )
    for row, condition in enumerate(conditions):
        parts.append(
            f'<text x="{EDGE + slot * (row + 0.5):.1f}" y="{HEIGHT - EDGE + 20}" text-anchor="middle">{escape(CONDITION_NAMES.get(condition, condition))}</text>'
        )
    return picture(parts, series, what)


def rank_picture(points: Sequence[Sequence[float]], line: Sequence[Sequence[float]], what: str) -> str:
    """A point a task, the regression line and its band."""
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    span = max(right - left, 1e-9)

    def at(x: float, y: float) -> str:
        return f"{EDGE + (x - left) / span * (WIDTH - 2 * EDGE):.1f} {HEIGHT - EDGE - min(max(y, 0.0), 100.0) / 100 * (HEIGHT - 2 * EDGE):.1f}"

    parts = [scale_lines(0.0, 100.0, lambda value: f"{value:.0f}")]
    if line:
        band = [at(x, high) for x, _, _, high in line] + [at(x, low) for x, _, low, _ in reversed(line)]
        parts.append(
            f'<path d="M{"L".join(band)}Z" fill="{paint(0)}" fill-opacity=".15"/><path d="M{"L".join(at(x, y) for x, y, _, _ in line)}" stroke="{paint(0)}" stroke-width="2" fill="none"/>'
        )
    for x, y in points:
        across, down = at(x, y).split()
        parts.append(
            f'<circle cx="{across}" cy="{down}" r="4" fill="{paint(3)}" fill-opacity=".6"><title>agreement {x:.2f}, rank {y:g}</title></circle>'
        )
    for step in range(5):
        value = left + span * step / 4
        parts.append(
            f'<text x="{EDGE + (WIDTH - 2 * EDGE) * step / 4:.0f}" y="{HEIGHT - EDGE + 20}" text-anchor="middle">{abs(value):.2f}</text>'
        )
    parts.append(
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">agreement of people (1: all said the same)</text>'
    )
    return picture(parts, [], what)


def picture(parts: Sequence[str], series: Sequence[str], what: str) -> str:
    """A picture with its axis and its legend."""
    legend = "".join(
        f'<rect x="{EDGE + 130 * number}" y="10" width="12" height="12" fill="{paint(number)}"/><text x="{EDGE + 18 + 130 * number}" y="20">{escape(name)}</text>'
        for number, name in enumerate(series)
    )
    axis = f'<line class="axis" x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{HEIGHT - EDGE}" y2="{HEIGHT - EDGE}"/>'
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(what)}">{legend}{"".join(parts)}{axis}</svg>'


def interval_text(numbers: NumberForm, cell: Mapping[str, Any], column: str) -> str:
    """A figure with its interval, its p and its n."""
    text = numbers.text(cell["value"], column)
    small = []
    if cell.get("low") is not None:
        small.append(f"{numbers.text(cell['low'], column)} to {numbers.text(cell['high'], column)}")
    if cell.get("p") is not None:
        small.append(f"p = {cell['p']:.3f}")
    if cell.get("n") is not None:
        small.append(f"n = {cell['n']}")
    return text + "".join(f"<small>{escape(part)}</small>" for part in small)


def rows_table(rows: Sequence[Mapping[str, Any]], numbers: NumberForm) -> str:
    """Rows and columns of a table's JSON as HTML, a part for each group of columns that occur together."""
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        kinds = tuple(dict.fromkeys(column.partition("/")[0] for column in row["scores"]))
        groups.setdefault(
            ("ranks",) if "min_rank" in kinds else ("people",) if row["role"] in ("human", "published") else ("rest",),
            [],
        ).append(row)
    tables = []
    for part in groups.values():
        columns = list(dict.fromkeys(column for row in part for column in row["scores"]))
        head = "".join(f"<th>{escape(column).replace('/', '<br>')}</th>" for column in columns)
        body = "".join(
            f"<tr><td class='left'>{escape(row['model'])}<br><small>{escape(row['role'])}</small></td>"
            + "".join(
                f"<td class='number'>{interval_text(numbers, row['scores'][column], column) if column in row['scores'] else ''}</td>"
                for column in columns
            )
            + "</tr>"
            for row in part
        )
        tables.append(
            f"<div class='scroll'><table><thead><tr><th class='left'>row</th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )
    return "".join(tables)


def figure(drawn: str, caption: str) -> str:
    """A picture with what it says."""
    return f"<figure>{drawn}<figcaption>{escape(caption)}</figcaption></figure>"


def bennett_page(form: Mapping[str, Any]) -> str:
    """The table `bennett` as a page."""
    numbers = NumberForm(True, 1, ("min_rank", "effect", "slope", "divergence"))
    drawn = form["figures"]
    body = [
        "<h1>Recovering gaps in stories</h1><p class='lead'>Bennett's study: what people put into gaps, and where models rank it.</p>",
        figure(
            bar_picture(drawn["performance"], "performance by condition"),
            "Figure 2. How often people recover the removed event, by condition; bars over cells, whiskers 95 % (documents drawn whole).",
        ),
        figure(
            bar_picture(drawn["agreement"], "agreement by condition"),
            "Figure 3. How far people agree: one minus the naive entropy over log N, cells of two or more people; whiskers 95 %.",
        ),
    ]
    for name, ranks in drawn["ranks"].items():
        if ranks["points"]:
            which = "Figure 4. " if name == "pmi-2017" else ""
            body.append(
                figure(
                    rank_picture(ranks["points"], ranks["line"], f"rank by agreement, {name}"),
                    f"{which}{name}: best rank of people's verbs or a synonym, by people's agreement, a point a task ({len(ranks['points'])}); 100: not recalled. Line: least squares, band 95 % (tasks drawn).",
                )
            )
    body.append(f"<h2>Numbers</h2>{rows_table(form['rows'], numbers)}")
    tests = "".join(
        f"<li>{escape(test['column'])}: {escape(test['row'])} against {escape(test['reference'])}: {test['difference']:+.1f} ({test['low']:+.1f} to {test['high']:+.1f}), p = {test['p']:.4f}, corrected {test['p_holm']:.4f} ({escape(test['test'])})</li>"
        for test in form.get("tests", ())
    )
    effects = "".join(
        f"<li>{escape(name)}: {escape(text['said'])}</li>"
        for row in form["rows"]
        for group in ("effects", "slopes")
        for name, text in row.get(group, {}).items()
        if row["model"] in ("people", "pmi-2017")
    )
    body.append(
        f"<h2>Tests</h2><ul>{effects}{tests}</ul><h2>Remarks</h2><ul>{''.join(f'<li>{escape(remark)}</li>' for remark in form.get('remarks', ()))}</ul>"
    )
    body.append(f"<p class='sign'>{escape(form['signature'])}</p>")
    return page("Recovering gaps in stories", "".join(body), STYLE)
