"""StoryFigures -> HTML: tokens by position, the most frequent events, and titles as a sunburst (Mostafazadeh et al. 2016, Figures 2 to 4)."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from scenarist.pages.layout import HUES, page


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
    found: list[tuple[int, float, float, str, int]] = []

    def draw(prefix: tuple[str, ...], part: list[tuple[tuple[str, ...], int]], start: float, hue: int) -> None:
        depth = len(prefix)
        groups: dict[str, list[tuple[tuple[str, ...], int]]] = {}
        for words, count in part:
            if len(words) > depth:
                groups.setdefault(words[depth], []).append((words, count))
        at = start
        for number, (word, inside) in enumerate(
            sorted(groups.items(), key=lambda one: -sum(count for _, count in one[1]))
        ):
            share = sum(count for _, count in inside) / total
            colour = HUES[number % len(HUES)] if depth == 0 else hue
            found.append((depth, at, share, word, colour))
            if share * total > 1 or depth == 0:
                draw((*prefix, word), inside, at, colour)
            at += share

    draw((), list(titles), 0.0, HUES[0])
    ring = size / 2 / (max(depth for depth, *_ in found) + 1.6)

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
        return f'<path d="{shape}" fill="hsl({hue} 60% {55 + 7 * depth}%)" stroke="#fff" stroke-width=".5"><title>{escape(word)} {100 * share:.1f} %</title></path>{label}'

    arcs = [arc(*one) for one in found]
    return f'<svg viewBox="0 0 {size} {size}" width="{size}" style="max-width:100%" role="img" aria-label="title n-grams">{"".join(arcs)}</svg>'


def figures_page(found: Any) -> str:
    """The page of a corpus."""
    positions = [(f"sentence {at}", size, f"{size:.2f} (median {middle:g})") for at, size, middle, _ in found.positions]
    events = [
        (event, float(count), f"{count:,} ({100 * count / max(1, found.event_total):.2f} %)")
        for event, count in found.events
    ]
    titles = f"<p>Mean title length {found.title_length:.1f} tokens.</p>" if found.title_length else ""
    body = (
        f"<h1>{escape(found.corpus)}</h1><p class='lead'>{found.stories:,} stories, split {escape(found.split)}</p>"
        f"<h2>Tokens by sentence position</h2>{bars(positions)}<h2>The {len(events)} most frequent events</h2>{bars(events)}"
        f"<h2>How titles begin</h2>{titles}{sunburst(found.titles)}"
    )
    return page(f"{found.corpus}: stories in figures", body)
