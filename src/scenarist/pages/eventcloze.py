"""FilledChain, ComparedChain, LearnedChains, curves -> HTML: a filled chain with its evidence, models side by side (Chambers 2017, Table 4),
narrative chains in their order (Chambers and Jurafsky 2008), recall by frequency cutoff (Figure 1) and by the number of guesses.

Curves -> lines of text, for a terminal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.answers import ComparedChain, FilledChain, LearnedChains, NarrativeChain
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


def compared_page(compared: ComparedChain) -> str:
    """Models side by side, as in Table 4: the test on the left, a column a model; the answer stands out where it is listed."""
    heads = "".join(f"<th class='left'>{escape(column.model)}</th>" for column in compared.columns)
    rows = []
    for place in range(max((len(column.events) for column in compared.columns), default=0)):
        cells = []
        for column in compared.columns:
            event = column.events[place] if place < len(column.events) else ""
            text = escape(spoken(event)) if event else ""
            right = event and event == compared.answer
            cells.append(f"<td class='left' title='{escape(event)}'>{f'<b>{text} ✓</b>' if right else text}</td>")
        rows.append(f"<tr><td>{place + 1}</td>{''.join(cells)}</tr>")
    if compared.answer:
        ranks = "".join(f"<td class='left'>{rank_text(column.rank)}</td>" for column in compared.columns)
        rows.append(f"<tr><th>rank of {escape(spoken(compared.answer))}</th>{ranks}</tr>")
    notes = "".join(f"<p>{escape(note)}</p>" for note in compared.notes)
    body = (
        f"<h1>One test, several models</h1><p class='lead'>As Table 4 of Chambers (2017); {escape(compared.learned)}</p>"
        f"{chain_strip(compared.chain, compared.gap)}{notes}"
        f"<div class='scroll'><table><thead><tr><th></th>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
    return page("One test, several models", body, STYLE)


def rank_text(rank: float | None) -> str:
    """A rank as it is printed; ties share theirs.

    >>> rank_text(3.0), rank_text(2.5), rank_text(None)
    ('3', '2.5', '')
    """
    return "" if rank is None else f"{rank:,.0f}" if float(rank).is_integer() else f"{rank:,.1f}"


def narrative_page(narrative: LearnedChains) -> str:
    """Narrative chains, each as a picture of its order, with the counts behind every arrow."""
    parts = []
    for number, chain in enumerate(narrative.chains, start=1):
        rows = "".join(
            f"<tr><td class='left'>{escape(spoken(chain.events[first]))}</td><td class='left'>{escape(spoken(chain.events[second]))}</td>"
            f"<td>{share:.0%}</td><td>{times}</td></tr>"
            for first, second, share, times in chain.before
        )
        head = "<thead><tr><th class='left'>first</th><th class='left'>then</th><th>in this order</th><th>times</th></tr></thead>"
        parts.append(
            f"<section id='chain-{number}'><h2>{number}. {escape(', '.join(map(spoken, chain.events[:3])))} …</h2>{chain_picture(chain)}"
            f"<p class='soft'>Mean PMI of its pairs {chain.score:.2f}.</p><details><summary>{len(chain.before)} pairs</summary>"
            f"<table>{head}<tbody>{rows}</tbody></table></details></section>"
        )
    body = (
        f"<h1>Narrative chains</h1><p class='lead'>Events that happen to one and the same protagonist X, in their order (Chambers and Jurafsky 2008). "
        f"{escape(narrative.corpus)}, {narrative.documents:,} documents; {escape(ORDERED[narrative.ordered])}.</p>{''.join(parts)}"
    )
    return page("Narrative chains", body, STYLE)


ORDERED = {
    "text": "ordered by which of two events comes first in texts",
    "classifier": "ordered by a classifier of pairs learned from crowd-written scripts",
}


def chain_picture(chain: NarrativeChain) -> str:
    """A chain as SVG: events down the page, arrows between those whose order is sure, darker where it is surer."""
    high, left, wide = 34, 190, 170
    size = high * len(chain.events) + 12
    parts = []
    sure = [(first, second, share) for first, second, share, _ in chain.before if share >= 0.6]
    for first, second, share in sorted(sure, key=lambda edge: edge[2]):
        top, bottom = 22 + high * first, 22 + high * second
        bend = left + 24 + 36 * (second - first)
        parts.append(
            f'<path d="M{left} {top} Q{bend} {(top + bottom) / 2:.0f} {left} {bottom}" fill="none" stroke="var(--accent)" '
            f'stroke-opacity="{min(1.0, 2 * share - 1):.2f}" stroke-width="1.6" marker-end="url(#tip)"/>'
        )
    for place, (event, count) in enumerate(zip(chain.events, chain.counts, strict=True)):
        parts.append(
            f'<text x="{left - 8}" y="{26 + high * place}" text-anchor="end">{escape(spoken(event))}<tspan style="fill:var(--soft)"> {count:,}</tspan></text>'
        )
    tip = '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 8 4 0 8z" fill="var(--accent)"/></marker></defs>'
    label = escape("In this order: " + "; ".join(map(spoken, chain.events)))
    return f'<svg viewBox="0 0 {left + wide} {size}" width="100%" style="max-width:{left + wide}px" role="img" aria-label="{label}">{tip}{"".join(parts)}</svg>'


def curves_page(form: Mapping[str, Any]) -> str:
    """The JSON of an analysis that has curves and says what their axes are: Chambers's Figure 1, recall by the number of guesses."""
    axes = form["axes"]
    title = TITLES.get(form["table"], form["table"])
    return curve_page(title, form["curves"], axes["x"], axes["y"], form["signature"], log=axes["log"])


def curve_groups(
    curves: Mapping[str, Sequence[tuple[float, float]]],
) -> dict[str, dict[str, Sequence[tuple[float, float]]]]:
    """Curves by what stands behind the comma of their names: a picture each.

    >>> curve_groups({"pmi, lm-cloze": [], "unigram, lm-cloze": [], "pmi, narrative-cloze": []})
    {'lm-cloze': {'pmi': [], 'unigram': []}, 'narrative-cloze': {'pmi': []}}
    """
    groups: dict[str, dict[str, Sequence[tuple[float, float]]]] = {}
    for name, curve in curves.items():
        short, _, group = name.partition(", ")
        groups.setdefault(group, {})[short] = curve
    return groups


TITLES = {
    "chambers2017-cutoff": "PMI with a frequency cutoff (Figure 1)",
    "chambers2017-recall": "Recall by the number of guesses that are looked at",
}
MARKS = "●○▲△■□◆◇▼▽★☆"


def curve_lines(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    x: str,
    y: str,
    log: bool = False,
    width: int = 64,
    height: int = 12,
) -> list[str]:
    """Curves as lines of text; each has a mark of its own, and where two meet the later one is seen.

    >>> print("\\n".join(curve_lines({"pmi": [(1, 0.0), (10, 0.5), (100, 1.0)]}, "k", "recall", log=True, width=9, height=3)))
    100.0 |        ●
     50.0 |    ●
      0.0 |●
           1   10  100
          k (recall: ● pmi)
    """
    points = [(float(across), float(up)) for curve in curves.values() for across, up in curve]
    if not points:
        return []
    scale = (lambda value: math.log10(max(value, 0.5))) if log else (lambda value: value)
    left, right = min(scale(point[0]) for point in points), max(scale(point[0]) for point in points)
    high = max(max(point[1] for point in points), 1e-9)

    def column(value: float) -> int:
        return round((scale(value) - left) / max(right - left, 1e-9) * (width - 1))

    grid = [[" "] * width for _ in range(height)]
    for mark, curve in zip(itertools.cycle(MARKS), curves.values(), strict=False):
        for across, up in curve:
            grid[height - 1 - round(up / high * (height - 1))][column(across)] = mark
    labels = [NUMBERS.text(high * (height - 1 - row) / max(height - 1, 1), y) for row in range(height)]
    edge = max(map(len, labels))
    lines = [f"{label:>{edge}} |{''.join(cells)}".rstrip() for label, cells in zip(labels, grid, strict=True)]
    below = ""
    for value in sorted({point[0] for point in points}):
        place = column(value) + edge + 2
        if place >= len(below) + (1 if below.strip() else 0):
            below = below.ljust(place) + f"{value:g}"
    named = ", ".join(f"{mark} {name}" for mark, name in zip(itertools.cycle(MARKS), curves, strict=False))
    return [*lines, below, f"{' ' * (edge + 1)}{x} ({y}: {named})"]


def curve_page(
    title: str, curves: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str, signature: str, log: bool = False
) -> str:
    """Curves as pictures, one a group, and the numbers under each: nothing is drawn without numbers."""
    parts = [f"<h1>{escape(title)}</h1>"]
    for group, own in curve_groups(curves).items():
        heads = "".join(f"<th>{escape(name)}</th>" for name in own)
        values = {name: dict(curve) for name, curve in own.items()}
        marks = sorted({point[0] for curve in own.values() for point in curve})
        rows = "".join(
            f"<tr><td>{mark:g}</td>"
            + "".join(f"<td>{NUMBERS.text(values[name].get(mark), y)}</td>" for name in own)
            + "</tr>"
            for mark in marks
        )
        parts.append(f"<h2>{escape(group)}</h2>" if group else "")
        parts.append(
            f"{curve_picture(own, x, y, log)}<div class='scroll'><table><thead><tr><th>{escape(x)}</th>{heads}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div>"
        )
    return page(title, f"{''.join(parts)}<p class='sign'>{escape(signature)}</p>", STYLE)


def curve_picture(curves: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str, log: bool = False) -> str:
    """Curves as SVG; ``log`` gives the x axis in powers of ten."""
    points = [point for curve in curves.values() for point in curve]
    if not points:
        return "<p>No points.</p>"
    scale = (lambda value: math.log10(max(value, 0.5))) if log else (lambda value: value)
    xs, ys = [scale(point[0]) for point in points], [point[1] for point in points]
    left, right, high = min(xs), max(xs), max(max(ys), 1e-9) * 1.08
    if max(ys) <= 1 < high:
        high = 1.0  # of a proportion nothing is above all
    width, height, edge, beside = 640, 340, 48, 170

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
        parts.append(
            f'<text x="{width - 30}" y="{edge + 12 + 18 * number}" style="fill:{colour}">● {escape(name)}</text>'
        )
    parts.append(f'<text x="{width / 2}" y="{height - 8}" text-anchor="middle">{escape(x)}</text>')
    parts.append(f'<text x="4" y="{edge - 22}">{escape(y)}</text>')
    label = escape(f"{y} by {x}: " + "; ".join(curves))
    return f'<svg viewBox="0 0 {width + beside} {height}" width="100%" style="max-width:{width + beside}px" role="img" aria-label="{label}">{"".join(parts)}</svg>'
