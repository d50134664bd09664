"""StoryFigures -> HTML: tokens by position, the most frequent events, and titles as a sunburst (Mostafazadeh et al. 2016, Figures 2 to 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from scenarist.pages.layout import HUES, page

STYLE = "svg text{font:12px var(--sans);fill:var(--ink)}svg .grid{stroke:var(--line)}svg .axis{stroke:var(--soft)}"
FEW = 8
"""Words that stand once in their place of the titles and are still drawn one by one; more of them share one grey arc."""
GREY = -1
SHOWN = 12
"""Positions that are drawn; of longer texts the first ones."""


def quantile(sizes: Sequence[tuple[int, int]], share: float) -> int:
    """The least size that so many of the sentences do not exceed.

    >>> quantile([(5, 1), (8, 2), (11, 1)], 0.5), quantile([(5, 1), (8, 2), (11, 1)], 0.25)
    (8, 5)
    """
    total, seen = sum(count for _, count in sizes), 0
    for size, count in sizes:
        seen += count
        if seen >= share * total:
            return size
    return sizes[-1][0]


def spread(found: Any, width: int = 640, height: int = 340) -> str:
    """Figure 2: of each position how many sentences have how many tokens, with quartiles, ends of nine tenths, median and mean."""
    sizes, positions, edge = found.sizes[:SHOWN], found.positions[:SHOWN], 46
    if not sizes:
        return '<p class="soft">This corpus has no sentences.</p>'
    top = max(10, 5 * math.ceil(max(quantile(line, 0.98) for line in sizes) / 5))

    def y(value: float) -> float:
        return height - edge - value / top * (height - 2 * edge)

    parts = [
        f'<line class="grid" x1="{edge}" x2="{width - 10}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        f'<text x="{edge - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick}</text>'
        for tick in range(0, top + 1, 5 if top <= 40 else 10 * math.ceil(top / 100))
    ]
    slot = (width - edge - 10) / len(sizes)
    for number, (line, (place, mean, middle, total)) in enumerate(zip(sizes, positions, strict=True)):
        x, most = edge + slot * (number + 0.5), max(count for _, count in line)
        counts = dict(line)
        half = [(0.44 * slot * counts.get(size, 0) / most, y(size)) for size in range(top + 1)]
        outline = [f"{x + w:.1f} {h:.1f}" for w, h in half] + [f"{x - w:.1f} {h:.1f}" for w, h in reversed(half)]
        low, first, third, high = (quantile(line, share) for share in (0.05, 0.25, 0.75, 0.95))
        text = f"sentence {place}: mean {mean:.2f}, median {middle:g}, half of {total:,} sentences have {first} to {third} tokens, nine tenths {low} to {high}"
        parts.append(
            f'<g><title>{escape(text)}</title><path d="M{"L".join(outline)}Z" fill="hsl({HUES[0]} 60% 60%)" fill-opacity=".45"/>'
            f'<path class="axis" d="M{x:.1f} {y(low):.1f}V{y(high):.1f}" fill="none"/>'
            f'<rect x="{x - 7:.1f}" y="{y(third):.1f}" width="14" height="{max(1.0, y(first) - y(third)):.1f}" fill="hsl({HUES[0]} 60% 40%)"/>'
            f'<path d="M{x - 9:.1f} {y(middle):.1f}h18" stroke="#fff" stroke-width="2"/>'
            f'<circle cx="{x:.1f}" cy="{y(mean):.1f}" r="3" fill="hsl({HUES[1]} 90% 50%)"/></g>'
            f'<text x="{x:.1f}" y="{height - edge + 18}" text-anchor="middle">{place}</text>'
            f'<text x="{x:.1f}" y="{height - edge + 34}" text-anchor="middle">{mean:.1f}</text>'
        )
    axis = f'<line class="axis" x1="{edge}" x2="{width - 10}" y1="{y(0):.1f}" y2="{y(0):.1f}"/>'
    label = '<text x="8" y="20">tokens</text>'
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" style="max-width:100%;height:auto" role="img" aria-label="tokens by sentence position">'
        f"{''.join(parts)}{axis}{label}</svg>"
    )


def bars(rows: list[tuple[str, float, str]]) -> str:
    """Horizontal bars: (name, value, what to print)."""
    top = max((value for _, value, _ in rows), default=1.0) or 1.0
    return "<table>" + "".join(
        f'<tr><th scope="row" style="text-align:right;width:8rem">{escape(name)}</th><td><div style="background:var(--accent);height:1em;'
        f'width:{100 * value / top:.1f}%;min-width:1px" role="img" aria-label="{escape(text)}"></div></td><td style="width:7rem;white-space:nowrap">{escape(text)}</td></tr>'
        for name, value, text in rows
    ) + "</table>"  # fmt: skip


def sunburst(titles: Any, size: int = 520) -> str:
    """Rings of title words from the middle out; each arc is as wide as its share of the titles."""
    total = sum(count for _, count in titles)
    if not total:
        return '<p class="soft">This corpus has no titles.</p>'
    rings: list[tuple[int, float, float, str, int]] = []

    def draw(prefix: tuple[str, ...], part: list[tuple[tuple[str, ...], int]], start: float, hue: int) -> None:
        depth = len(prefix)
        groups: dict[str, list[tuple[tuple[str, ...], int]]] = {}
        for words, count in part:
            if len(words) > depth:
                groups.setdefault(words[depth], []).append((words, count))
        at = start
        once = [word for word, inside in groups.items() if sum(count for _, count in inside) == 1]
        if len(once) > FEW:  # one pale arc for all that stands once
            groups = {word: inside for word, inside in groups.items() if word not in once}
        ranked = sorted(groups.items(), key=lambda one: -sum(count for _, count in one[1]))
        for number, (word, inside) in enumerate(ranked):
            share = sum(count for _, count in inside) / total
            colour = HUES[number % len(HUES)] if depth == 0 else hue
            rings.append((depth, at, share, word, colour))
            if share * total > 1 or depth == 0:
                draw((*prefix, word), inside, at, colour)
            at += share
        if len(once) > FEW:
            rings.append((depth, at, len(once) / total, f"{len(once):,} once", GREY))

    draw((), list(titles), 0.0, HUES[0])
    ring = size / 2 / (max(depth for depth, *_ in rings) + 1.6)

    def arc(depth: int, start: float, share: float, word: str, hue: int) -> str:
        inner, outer = ring * (depth + 0.6), ring * (depth + 1.55)
        a, b = 2 * math.pi * start - math.pi / 2, 2 * math.pi * min(start + share, start + 0.99999) - math.pi / 2
        big = int(share > 0.5)
        corners = [
            (r * math.cos(t) + size / 2, r * math.sin(t) + size / 2)
            for r, t in ((inner, a), (outer, a), (outer, b), (inner, b))
        ]
        (x1, y1), (x2, y2), (x3, y3), (x4, y4) = corners
        shape = f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}A{outer:.1f} {outer:.1f} 0 {big} 1 {x3:.1f} {y3:.1f}L{x4:.1f} {y4:.1f}A{inner:.1f} {inner:.1f} 0 {big} 0 {x1:.1f} {y1:.1f}Z"
        middle, radius = (a + b) / 2, (inner + outer) / 2
        label = ""
        if share * 2 * math.pi * radius > 12:  # words stand along the radius, the right way up
            x, y = radius * math.cos(middle) + size / 2, radius * math.sin(middle) + size / 2
            turn = (math.degrees(middle) + 90) % 180 - 90
            where = f'x="{x:.1f}" y="{y:.1f}" transform="rotate({turn:.1f} {x:.1f} {y:.1f})"'
            label = f'<text {where} font-size="11" fill="#111" text-anchor="middle" dominant-baseline="middle">{escape(word)}</text>'
        return f'<path d="{shape}" fill="hsl({max(hue, 0)} {0 if hue == GREY else 60}% {55 + 7 * depth}%)" stroke="#fff" stroke-width=".5"><title>{escape(word)} {100 * share:.1f} %</title></path>{label}'

    arcs = [arc(*values) for values in rings]
    return f'<svg viewBox="0 0 {size} {size}" width="{size}" style="max-width:100%" role="img" aria-label="title n-grams">{"".join(arcs)}</svg>'


def figures_page(found: Any) -> str:
    """The page of a corpus."""
    events = [
        (event, float(count), f"{count:,} ({100 * count / max(1, found.event_total):.2f} %)")
        for event, count in found.events
    ]
    caption = "Below each position its number and its mean (dot). Shape: how many sentences have so many tokens; bar: half of them, with the median; line: nine tenths."
    share = (
        "Shares are of all events: forms of verbs, and nouns whose first sense is an event or a process. The paper's less than 2 % for <i>go</i> and "
        "<i>get</i> are shares by another count: <code>scenarist bench rocstories</code>."
    )
    titles = f"<p>Mean title length {found.title_length:.1f} tokens.</p>" if found.title_length else ""
    body = (
        f"<h1>{escape(found.corpus)}</h1><p class='lead'>{found.stories:,} stories, split {escape(found.split)}</p>"
        f"<h2>Tokens by sentence position</h2>{spread(found)}<p class='soft'>{caption}</p>"
        f"<h2>The {len(events)} most frequent events</h2><p class='soft'>{share}</p>{bars(events)}"
        f"<h2>How titles begin</h2>{titles}{sunburst(found.titles)}"
    )
    return page(f"{found.corpus}: stories in figures", body, STYLE)
