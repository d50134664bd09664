"""FilledChain, curves -> HTML: a filled chain with its evidence (Chambers 2017, Table 4), recall by frequency cutoff (Figure 1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.answers import FilledChain
from scenarist.pages.layout import HUES, escape, page
from scenarist.pages.numbers import NumberForm
from scenarist.story import Link

NUMBERS = NumberForm()
STYLE = """
.chain{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.8rem 0}
.event{border:1px solid var(--line);border-radius:1rem;padding:.1rem .7rem;background:var(--card)}
.hole{border:2px dashed var(--accent);border-radius:1rem;padding:.1rem 1.6rem;color:var(--accent)}
td.event-name{white-space:nowrap;font-weight:600}td.why,td.seen{text-align:left}
.bar{display:block;height:.45rem;border-radius:.3rem;background:var(--accent);min-width:2px}
svg text{font:12px var(--sans);fill:var(--ink)}svg .axis{stroke:var(--line)}svg .grid{stroke:var(--line);stroke-dasharray:2 4}
"""


def spoken(event: str) -> str:
    """An event as the paper writes it, the chain's entity as X.

    >>> spoken("arrest:obj"), spoken("flee:nsubj"), spoken("dine:prep_at")
    ('arrest X', 'X flee', 'dine at X')
    """
    link = Link.parse(event)
    if link.role.startswith(("subj", "nsubj")) and not link.role.startswith("nsubjpass"):
        return f"X {link.predicate}"
    if link.role.startswith("nsubjpass"):
        return f"{link.predicate} X (passive)"
    if link.role == "agent":
        return f"{link.predicate} by X"
    if link.role.startswith("prep_"):
        return f"{link.predicate} {link.role[5:].replace('_', ' ')} X"
    if link.role in ("obj", "dobj", "iobj"):
        return f"{link.predicate} X"
    return event


def chain_strip(events: Sequence[str], gap: int | None) -> str:
    """The chain with its hole."""
    parts = [f'<span class="event" title="{escape(event)}">{escape(spoken(event))}</span>' for event in events]
    if gap is not None:
        parts.insert(gap, '<span class="hole">?</span>')
    else:
        parts.append('<span class="soft">and, at a place not told,</span><span class="hole">?</span>')
    return f'<div class="chain">{"".join(parts)}</div>'


def filled_page(filled: FilledChain) -> str:
    """A filled chain: each candidate with the events that voted for it and where both were seen."""
    best = max((one.logp for one in filled.candidates), default=0.0)
    rows = []
    for place, one in enumerate(filled.candidates, start=1):
        width = 100 * math.exp(max(one.logp - best, -12.0))
        votes = escape(", ".join(one.votes)) or '<span class="soft">frequency alone</span>'
        seen = "<br>".join(escape(text) for text in one.seen)
        rows.append(
            f'<tr><td>{place}</td><td class="event-name left" title="{escape(one.event)}">{escape(spoken(one.event))}</td>'
            f'<td>{one.logp:.2f}<span class="bar" style="width:{width:.1f}%"></span></td>'
            f'<td class="why">{votes}</td><td class="seen"><small>{seen}</small></td></tr>'
        )
    note = f"<p>{escape(filled.note)}</p>" if filled.note else ""
    head = "<tr><th></th><th class='left'>event</th><th>ln P</th><th class='left'>voted for by</th><th class='left'>seen together in</th></tr>"
    body = (
        f"<h1>Which event is missing?</h1><p class='lead'>{escape(filled.model)}; {escape(filled.learned)}</p>"
        f"{chain_strip(filled.chain, filled.gap)}{note}"
        f"<div class='scroll'><table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
    return page("Which event is missing?", body, STYLE)


def cutoff_page(form: Mapping[str, Any]) -> str:
    """Chambers's Figure 1 from the JSON of the table `chambers2017-cutoff`: recall of PMI by frequency cutoff."""
    title = "PMI with a frequency cutoff"
    return curve_page(title, form["curves"], "cutoff", "recall@50", form["signature"], log=True)


def curve_page(
    title: str, curves: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str, signature: str, log: bool = False
) -> str:
    """Curves as one picture and the numbers under it: nothing is drawn without numbers."""
    points = [point for curve in curves.values() for point in curve]
    heads = "".join(f"<th>{escape(name)}</th>" for name in curves)
    values = {name: dict(curve) for name, curve in curves.items()}
    marks = sorted({point[0] for point in points})
    rows = "".join(
        f"<tr><td>{mark:g}</td>"
        + "".join(f"<td>{NUMBERS.text(values[name].get(mark), y)}</td>" for name in curves)
        + "</tr>"
        for mark in marks
    )
    body = (
        f"<h1>{escape(title)}</h1>{curve_picture(curves, x, y, log)}"
        f"<div class='scroll'><table><thead><tr><th>{escape(x)}</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
        f"<p class='sign'>{escape(signature)}</p>"
    )
    return page(title, body, STYLE)


def curve_picture(curves: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str, log: bool = False) -> str:
    """Curves as SVG; ``log`` gives the x axis in powers of ten."""
    points = [point for curve in curves.values() for point in curve]
    if not points:
        return "<p>No points.</p>"
    scale = (lambda value: math.log10(max(value, 0.5))) if log else (lambda value: value)
    xs, ys = [scale(point[0]) for point in points], [point[1] for point in points]
    left, right, high = min(xs), max(xs), max(max(ys), 1e-9) * 1.08
    width, height, edge = 640, 320, 48

    def at(point: tuple[float, float]) -> tuple[float, float]:
        across = (scale(point[0]) - left) / max(right - left, 1e-9)
        return edge + across * (width - 2 * edge), height - edge - point[1] / high * (height - 2 * edge)

    parts = []
    for step in range(5):
        level = high * step / 4
        _, down = at((points[0][0], level))
        parts.append(f'<line class="grid" x1="{edge}" x2="{width - edge}" y1="{down:.1f}" y2="{down:.1f}"/>')
        parts.append(f'<text x="{edge - 6}" y="{down + 4:.1f}" text-anchor="end">{NUMBERS.text(level, y)}</text>')
    for mark in sorted({point[0] for point in points}):
        across, _ = at((mark, 0.0))
        parts.append(f'<text x="{across:.1f}" y="{height - edge + 16}" text-anchor="middle">{mark:g}</text>')
    for number, (name, curve) in enumerate(curves.items()):
        colour = f"hsl({HUES[number % len(HUES)]} 65% 45%)"
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in map(at, curve))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{colour}"/>' for a, b in map(at, curve)]
        parts.append(f'<text x="{edge + 8}" y="{18 + 15 * number}" style="fill:{colour}">{escape(name)}</text>')
    parts.append(f'<text x="{width / 2}" y="{height - 8}" text-anchor="middle">{escape(x)}</text>')
    parts.append(f'<text x="4" y="{edge - 30}">{escape(y)}</text>')
    label = escape(f"{y} by {x}: " + "; ".join(curves))
    return f'<svg viewBox="0 0 {width} {height}" width="100%" style="max-width:{width}px" role="img" aria-label="{label}">{"".join(parts)}</svg>'
