"""Story with segments -> HTML: the text with a band beside every stretch that tells a scenario.

Nested and overlapping segments get bands side by side; the margin names the scenario, its weight, what else it may be and
the words that decided, which are marked in the text. One self-contained page: no network, light and dark, phone and print.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from scenarist.pages.layout import HUES, escape, framed, page
from scenarist.story import Segment, Story

LANES = 4
"""Bands side by side at most; deeper nesting shares the last."""

STYLE = """
main{max-width:74rem}
.piece{display:grid;grid-template-columns:var(--lanes) minmax(0,42rem) minmax(14rem,1fr);column-gap:1rem}
.lanes{display:flex;gap:.25rem}
.lane{width:.55rem;flex:none}
.lane.on{background:hsl(var(--h) var(--band-s) 55%)}
.lane.first{border-radius:.3rem .3rem 0 0;margin-top:.5rem}.lane.last{border-radius:0 0 .3rem .3rem;margin-bottom:.5rem}
.lane.first.last{border-radius:.3rem}
.lane.lit{outline:2px solid hsl(var(--h) 60% 45%)}
.told{font:1.12rem/1.75 var(--serif);padding:.4rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
.piece.none .told{color:var(--soft)}
mark{background:hsl(var(--h) var(--band-s) var(--band-l));color:inherit;border-radius:.2rem;padding:0 .1em}
.name{font:600 .95rem/1.35 var(--sans);color:hsl(var(--h) 55% var(--tint-l));margin:.5rem 0 0;padding:.3rem .6rem;border-left:3px solid hsl(var(--h) var(--band-s) 55%);
background:var(--card);border-radius:0 .4rem .4rem 0}
.name:focus-visible,.name.lit{box-shadow:0 0 0 1px hsl(var(--h) 60% 55%)}
.name .w{font-weight:400;color:var(--soft);font-variant-numeric:tabular-nums}
.name small{display:block;font-weight:400}
.bar{display:block;height:.28rem;border-radius:.2rem;background:var(--line);margin:.2rem 0}
.bar i{display:block;height:100%;border-radius:.2rem;background:hsl(var(--h) var(--band-s) 55%)}
.legend{display:flex;flex-wrap:wrap;gap:.4rem;margin:.8rem 0 1.2rem}
.legend .pill{border-color:hsl(var(--h) var(--band-s) 55%)}
@media (max-width:50rem){.piece{grid-template-columns:var(--lanes) minmax(0,1fr)}.side{grid-column:2}.told{font-size:1.04rem}}
"""
SCRIPT = """
for(const e of document.querySelectorAll('[data-s]')){const on=v=>document.querySelectorAll('[data-s="'+e.dataset.s+'"]').forEach(x=>x.classList.toggle('lit',v));
for(const t of ['pointerenter','focus'])e.addEventListener(t,()=>on(true));for(const t of ['pointerleave','blur'])e.addEventListener(t,()=>on(false))}
"""


def lanes(segments: Sequence[Segment]) -> list[int]:
    """A lane for each segment, the lowest that is free; segments are given in order of their start.

    >>> lanes([Segment(0, 9), Segment(2, 4), Segment(3, 6), Segment(9, 12)])
    [0, 1, 2, 0]
    """
    ends: list[int] = []
    found = []
    for segment in segments:
        lane = next((at for at, end in enumerate(ends) if end <= segment.start), len(ends))
        ends[lane : lane + 1] = [segment.stop]
        found.append(min(lane, LANES - 1))
    return found


def hues(segments: Sequence[Segment]) -> dict[str, int]:
    """A hue for each first label, in the order of appearance."""
    names = dict.fromkeys(segment.names[0] for segment in segments if segment.labels)
    return {name: HUES[at % len(HUES)] for at, name in enumerate(names)}


def marked(text: str, words: Sequence[str]) -> str:
    """Text made inert, with the deciding words in it marked."""
    parts = sorted({part for word in words for part in word.split(" ... ") if len(part) > 2}, key=len, reverse=True)
    if not parts:
        return escape(text)
    pattern = re.compile(
        r"\b(" + "|".join(re.escape(part).replace("'", "[’']") for part in parts) + r")\b", re.IGNORECASE
    )
    out, at = [], 0
    for found in pattern.finditer(text):
        out += [escape(text[at : found.start()]), "<mark>", escape(found[0]), "</mark>"]
        at = found.end()
    return "".join([*out, escape(text[at:])])


def card(number: int, segment: Segment, hue: int) -> str:
    """What the margin says of a segment."""
    first, *rest = segment.labels
    also = "; ".join(f"{label.name} {label.weight:.0%}" for label in rest)
    why = ", ".join(segment.why)
    return (
        f'<div class="name" tabindex="0" data-s="{number}" style="--h:{hue}">{escape(first.name)} <span class="w">{first.weight:.0%}</span>'
        f'<span class="bar"><i style="width:{max(2, round(100 * min(1.0, first.weight)))}%"></i></span>'
        + (f"<small>by: {escape(why)}</small>" if why else "")
        + (f"<small>also: {escape(also)}</small>" if also else "")
        + "</div>"
    )


def body(story: Story) -> str:
    """The text with its bands."""
    segments = sorted((one for one in story.segments if one.labels), key=lambda one: (one.start, -one.stop))
    lane, hue = lanes(segments), hues(segments)
    width = max(lane, default=-1) + 1
    cuts = sorted({0, len(story.text), *(one.start for one in segments), *(one.stop for one in segments)})
    rows = []
    for start, stop in itertools.pairwise(cuts):
        text = story.text[start:stop]
        if not text.strip():
            continue
        here = [at for at, one in enumerate(segments) if one.start <= start and stop <= one.stop]
        strips = []
        for number in range(width):
            at = next((at for at in reversed(here) if lane[at] == number), None)
            if at is None:
                strips.append('<span class="lane"></span>')
                continue
            edge = (" first" if segments[at].start >= start else "") + (
                " last" if not story.text[stop : segments[at].stop].strip() else ""
            )
            strips.append(f'<span class="lane on{edge}" data-s="{at}" style="--h:{hue[segments[at].names[0]]}"></span>')
        inner = segments[here[-1]] if here else None
        own = hue[inner.names[0]] if inner else 212
        side = "".join(card(at, segments[at], hue[segments[at].names[0]]) for at in here if segments[at].start == start)
        rows.append(
            f'<div class="piece{"" if here else " none"}"><div class="lanes" aria-hidden="true">{"".join(strips)}</div>'
            f'<div class="told" style="--h:{own}">{marked(text.strip(), inner.why if inner else ())}</div><aside class="side">{side}</aside></div>'
        )
    pills = "".join(f'<span class="pill" style="--h:{value}">{escape(name)}</span>' for name, value in hue.items())
    covered = sum(any(one.start <= at.start < one.stop for one in segments) for at in story.sentences)
    lead = (
        f"{len(segments)} segment{'' if len(segments) == 1 else 's'}, {len(hue)} scenario{'' if len(hue) == 1 else 's'}"
    )
    if story.sentences:
        lead += f"; {covered} of {len(story.sentences)} sentences tell one"
    return (
        f'<h1>{escape(story.title or story.id or "A story")}</h1><p class="lead">{lead}.</p><div class="legend">{pills}</div>'
        f'<article style="--lanes:{max(0.8, 0.8 * width):.1f}rem">{"".join(rows)}</article>'
    )


def segment_page(stories: Sequence[Story]) -> str:
    """The page of one or several stories."""
    title = stories[0].title or stories[0].id if len(stories) == 1 else f"{len(stories)} stories"
    return page(f"Scenarios in {title or 'a story'}", "".join(body(story) for story in stories), STYLE, SCRIPT)


def fragment(story: Story) -> str:
    """The same for a notebook cell."""
    return framed(segment_page([story]), 240 + len(story.text) // 3)


def alone(segment: Segment) -> str:
    """One segment without its text, for a notebook cell: its labels with their weights, and the words that decided."""
    inner = card(0, segment, HUES[0]) if segment.labels else "<p>no scenario</p>"
    where = f'<p class="soft">characters {segment.start} to {segment.stop}{" · by " + escape(segment.by) if segment.by else ""}</p>'
    return framed(page("A segment", where + inner, STYLE), 200)
