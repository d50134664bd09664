"""KnownScript -> HTML: the script as a graph, scene by scene, with its two numbers, alternatives and sub-scripts; and the index of all scripts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scenarist.answers import KnownEvent, KnownScript, ScriptSummary
from scenarist.pages.layout import HUES, escape, framed, page
from scenarist.script import Script

WIDTH, HEIGHT, GAP_X, GAP_Y = 226, 62, 18, 30
ACROSS = 4
"""Events side by side in a row."""
HEAD = 30
"""Height of a scene's title."""
LINE = 30
"""Letters on a line of a box."""

STYLE = """
.graph{overflow-x:auto;margin:1rem 0}
.graph svg{display:block;max-width:none;font:12.5px/1.3 var(--sans)}
.graph .scene{fill:var(--card);stroke:var(--line)}
.graph .title{font:600 13px var(--sans);fill:var(--soft)}
.graph .box{fill:var(--paper);stroke:var(--ink);stroke-width:1.4}
.graph .usually{stroke:var(--soft);stroke-width:1}
.graph .sometimes{stroke:var(--soft);stroke-width:1;stroke-dasharray:4 3}
.graph .learned{stroke:var(--accent);stroke-width:1;stroke-dasharray:1 3}
.graph text{fill:var(--ink)}
.graph .silent{font-style:italic;fill:var(--soft)}
.graph .small{font-size:10.5px;fill:var(--soft)}
.graph .told{fill:var(--accent)}
.graph .happened{fill:var(--line)}
.graph path{fill:none;stroke:var(--soft);stroke-width:1.1}
.graph path.maybe{stroke-dasharray:4 3}
.graph path.far{opacity:.3}
.key span{margin-right:1.2rem;white-space:nowrap}
.key i{display:inline-block;width:1.6rem;height:.7rem;border:1.4px solid var(--ink);vertical-align:baseline;margin-right:.35rem;border-radius:2px}
.key .k2{border:1px solid var(--soft)}.key .k3{border:1px dashed var(--soft)}.key .k4{border:1px dotted var(--accent)}
.key .b1{background:var(--accent);border:0;height:.35rem}.key .b2{background:var(--line);border:0;height:.35rem}
td.wide{white-space:normal;max-width:24rem;text-align:left}
"""
LEGEND = (
    '<p class="key soft"><span><i></i>always</span><span><i class="k2"></i>usually</span><span><i class="k3"></i>sometimes</span>'
    '<span><i class="k4"></i>only learned from tellers</span><span><em>italic</em>: happens, hardly anybody says so</span>'
    '<span><i class="b1"></i>how often it is told</span><span><i class="b2"></i>how likely it happened</span></p>'
    '<p class="soft">Two numbers, never mixed up. <b>Told</b> n of m: so many of the people who told this activity mention the event. '
    "<b>Happened</b>: how likely it happened, whether it was told or not; it begins with what the script's writer says (always 95 %, usually "
    "75 %, sometimes 30 %) and rises with those who tell it.</p>"
)


class Box(NamedTuple):
    """Where an event stands in the picture."""

    x: float
    y: float


def rows_of(events: Sequence[KnownEvent]) -> list[list[KnownEvent]]:
    """The events of a scene in rows: each below all that come before it, at most ``ACROSS`` side by side."""
    here = {event.id: event for event in events}
    depth: dict[str, int] = {}

    def deep(id: str, seen: frozenset[str] = frozenset()) -> int:
        if id not in depth:
            event = here[id]
            earlier = [other for other in (*event.after, *event.after_usually) if other in here and other not in seen]
            depth[id] = 1 + max((deep(other, seen | {id}) for other in earlier), default=-1)
        return depth[id]

    levels: dict[int, list[KnownEvent]] = defaultdict(list)
    for event in events:
        levels[deep(event.id)].append(event)
    rows = []
    for level in sorted(levels):
        members = sorted(levels[level], key=lambda event: event.one_of)  # ways that exclude one another side by side
        rows += [members[start : start + ACROSS] for start in range(0, len(members), ACROSS)]
    return rows


def graph(script: KnownScript) -> str:
    """The script as one SVG picture."""
    scenes = [*script.scenes, *([""] if any(not event.scene for event in script.events) else [])]
    boxes: dict[str, Box] = {}
    bands: list[str] = []
    y = 0.0
    width = ACROSS * (WIDTH + GAP_X) + GAP_X
    hue_of = {group: HUES[number % len(HUES)] for number, group in enumerate(groups(script.events))}
    for scene in scenes:
        inside = [event for event in script.events if event.scene == scene]
        if not inside:
            continue
        rows = rows_of(inside)
        height = HEAD + len(rows) * (HEIGHT + GAP_Y)
        title = (
            scene
            if scene not in ("", "all")
            else "told by many, not in the written script"
            if not scene
            else "learned from tellers"
        )
        bands.append(
            f'<rect class="scene" x="0" y="{y:g}" width="{width}" height="{height:g}" rx="10"/>'
            f'<text class="title" x="{GAP_X}" y="{y + 20:g}">{escape(title)}</text>'
        )
        for number, row in enumerate(rows):
            start = GAP_X + (ACROSS - len(row)) * (WIDTH + GAP_X) / 2
            for column, event in enumerate(row):
                boxes[event.id] = Box(start + column * (WIDTH + GAP_X), y + HEAD + number * (HEIGHT + GAP_Y) + 4)
        y += height + 12
    lines = "".join(edges(script, boxes))
    drawn = "".join(box(event, boxes[event.id], hue_of) for event in script.events if event.id in boxes)
    return (
        f'<div class="graph"><svg role="img" aria-label="The script of {escape(script.scenario)} as a graph" width="{width}" height="{y:g}" '
        f'viewBox="0 0 {width} {y:g}"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" style="fill:var(--soft);stroke:none"/></marker></defs>{"".join(bands)}{lines}{drawn}</svg></div>'
    )


def groups(events: Iterable[KnownEvent]) -> list[str]:
    """The groups of ways that exclude one another."""
    return list(dict.fromkeys(event.one_of for event in events if event.one_of))


def edges(script: KnownScript, boxes: Mapping[str, Box]) -> Iterable[str]:
    """The order, without what follows from other links; across scenes faintly."""
    before = {event.id: (*event.after, *event.after_usually) for event in script.events}
    known: dict[str, frozenset[str]] = {}

    def all_before(id: str) -> frozenset[str]:
        if id not in known:
            known[id] = frozenset()
            known[id] = frozenset(before.get(id, ())).union(*(all_before(other) for other in before.get(id, ())))
        return known[id]

    scene_of = {event.id: event.scene for event in script.events}
    for event in script.events:
        for other in before[event.id]:
            if other not in boxes or any(other in all_before(third) for third in before[event.id] if third != other):
                continue
            start, stop = boxes[other], boxes[event.id]
            x1, y1, x2, y2 = start.x + WIDTH / 2, start.y + HEIGHT, stop.x + WIDTH / 2, stop.y
            bend = max(16.0, min(60.0, abs(y2 - y1) / 2))
            classes = " ".join(
                name
                for name, holds in (("maybe", other in event.after_usually), ("far", scene_of[other] != event.scene))
                if holds
            )
            yield (
                f'<path class="{classes}" marker-end="url(#tip)" '
                f'd="M{x1:g} {y1:g}C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2 - 1:g}"/>'
            )


def box(event: KnownEvent, place: Box, hue_of: Mapping[str, int]) -> str:
    """An event: what is said, its two numbers as bars, its alternatives and its sub-script."""
    kind = "learned" if event.source == "learned" else event.happens or "usually"
    told = f"told by {event.told} of {event.tellers}" if event.tellers else "no telling at hand"
    title = (
        f"{event.phrase}. {told}; happened: {event.happened:.0%}. Known from: {event.source}."
        + (f" One of several ways: {event.one_of}." if event.one_of else "")
        + (f" Script of its own: {event.sub}." if event.sub else "")
        + (f" Wordings: {', '.join(event.wordings)}." if event.wordings else "")
    )
    lines = wrapped(event.phrase)
    text = "".join(
        f'<text x="{place.x + 9:g}" y="{place.y + 17 + 15 * number:g}"{" class=silent" if event.silent else ""}>{escape(line)}</text>'
        for number, line in enumerate(lines)
    ).replace("class=silent", 'class="silent"')
    marks = " · ".join(
        part for part in (f"or: {event.one_of}" if event.one_of else "", f"▸ {event.sub}" if event.sub else "") if part
    )
    bar = WIDTH - 18
    share = event.share or 0.0
    tint = f' style="fill:hsl({hue_of[event.one_of]} var(--band-s) var(--band-l))"' if event.one_of else ""
    return (
        f'<g><title>{escape(title)}</title><rect class="box {kind}" x="{place.x:g}" y="{place.y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6"{tint}/>'
        f'{text}<text class="small" x="{place.x + 9:g}" y="{place.y + HEIGHT - 13:g}">{escape(marks[:40])}</text>'
        f'<rect class="happened" x="{place.x + 9:g}" y="{place.y + HEIGHT - 9:g}" width="{bar * event.happened:.1f}" height="5" rx="2"/>'
        f'<rect class="told" x="{place.x + 9:g}" y="{place.y + HEIGHT - 9:g}" width="{bar * share:.1f}" height="5" rx="2"/></g>'
    )


def wrapped(text: str, lines: int = 2) -> list[str]:
    """A phrase on at most two lines.

    >>> wrapped("the waiter brings the guests the menu with the wines of the house and the day")
    ['the waiter brings the guests', 'the menu with the wines of the …']
    """
    rows = [""]
    for word in text.split():
        if len(rows[-1]) + len(word) + 1 > LINE and rows[-1]:
            if len(rows) == lines:
                rows[-1] += " …"
                break
            rows.append("")
        rows[-1] = f"{rows[-1]} {word}".strip()
    return rows


def body(script: KnownScript) -> str:
    """What is known of a scenario."""
    sources = ", ".join(f"{n} of {escape(corpus)}" for corpus, n in script.sources)
    rows = "".join(
        f'<tr><td>{escape(event.phrase)}</td><td class="left">{escape(event.scene)}</td><td>{told_text(event)}</td><td>{event.happened:.0%}</td>'
        f'<td class="left">{event.source}</td><td class="wide"><small>{escape(", ".join(event.wordings))}</small></td></tr>'
        for event in script.events
    )
    people = "".join(
        f"<li><b>{escape(person.name.replace('_', ' '))}</b> <small>{escape(person.kind)}{', several' if person.many else ''}"
        f"{', with <i>the</i> unannounced' if person.definite else ''}: {escape(', '.join(person.words))}</small></li>"
        for person in script.participants
    )
    subs = "".join(
        f"<li>{escape(event.phrase)}: <b>{escape(event.sub)}</b></li>" for event in script.events if event.sub
    )
    relations = "".join(f"<li>{escape(kind)}: {escape(other)}</li>" for kind, other in script.relations)
    return (
        f'<h1>{escape(script.scenario)}</h1><p class="lead">What happens, told or not, from top to bottom. '
        f"{f'Told by {script.tellers} tellers ({sources}).' if script.tellers else 'Nobody told it at hand: it is only written.'}</p>"
        f"{LEGEND}{graph(script)}"
        f'<h2>Events</h2><div class="scroll"><table><thead><tr><th>event</th><th class="left">scene</th><th>told</th><th>happened</th>'
        f'<th class="left">from</th><th class="left">wordings</th></tr></thead><tbody>{rows}</tbody></table></div>'
        f"<h2>Participants</h2><ul>{people}</ul>"
        + (f"<h2>Scripts inside it</h2><ul>{subs}</ul>" if subs else "")
        + (f"<h2>Related</h2><ul>{relations}</ul>" if relations else "")
        + f'<p class="sign">{escape(script.made or "learned from tellings")}</p>'
    )


def told_text(event: KnownEvent) -> str:
    """How often it is told."""
    return f"{event.told} of {event.tellers}" if event.tellers else "–"


def script_page(script: KnownScript) -> str:
    """The page of a scenario."""
    return page(script.scenario, body(script), STYLE)


FIND = """
const find=document.getElementById('find'),rows=[...document.querySelectorAll('tbody tr')];
find.addEventListener('input',()=>{const word=find.value.toLowerCase();let n=0;
for(const row of rows){const hit=row.dataset.name.includes(word);row.hidden=!hit;n+=hit}
document.getElementById('count').textContent=n+' of '+rows.length+' scripts'});
"""


def index_page(scripts: Sequence[ScriptSummary], links: Mapping[str, str] | None = None, made: str = "") -> str:
    """All scripts on one page; ``links``: scenario -> the page of its script."""
    links = links or {}
    rows = "".join(
        f'<tr data-name="{escape(one.scenario.lower())}"><td>{linked(one.scenario, links)}</td><td>{one.scenes}</td><td>{one.events}</td>'
        f'<td>{one.silent}</td><td>{one.tellers or "–"}</td><td>{one.learned}</td><td class="left">{one.source}</td></tr>'
        for one in scripts
    )
    return page(
        "Everyday scripts",
        f'<h1>Everyday scripts</h1><p class="lead">{len(scripts)} activities that everybody knows: what happens in them, told or not.</p>'
        '<p><label>Find <input id="find" type="search" autocomplete="off"></label> '
        f'<small id="count" aria-live="polite">{len(scripts)} of {len(scripts)} scripts</small></p>'
        '<div class="scroll"><table><thead><tr><th>activity</th><th>scenes</th><th>events</th><th>hardly ever told</th><th>tellers</th>'
        f'<th>told, not written</th><th class="left">from</th></tr></thead><tbody>{rows}</tbody></table></div><p class="sign">{escape(made)}</p>',
        "input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.4rem;padding:.2rem .5rem}",
        FIND,
    )


def linked(name: str, links: Mapping[str, str]) -> str:
    """A scenario's name, with a link where it has a page."""
    return f'<a href="{escape(links[name])}">{escape(name)}</a>' if name in links else escape(name)


def fragment(script: KnownScript | Script) -> str:
    """For a notebook cell."""
    if isinstance(script, Script):
        return framed(learned_page(script), 360)
    return framed(script_page(script), 760)


def learned_page(script: Script) -> str:
    """A learned script as a table: what learning gave, before anybody looked at it."""
    rows = "".join(
        f"<tr><td>{escape(event.id.replace('_', ' '))}</td><td>{event.tellers} of {script.tellers}</td><td>{event.place:.2f}</td>"
        f'<td class="wide">{escape(", ".join(phrase.replace("_", " ") for phrase in event.phrases[:7]))}</td></tr>'
        for event in sorted(script.events, key=lambda event: event.place)
    )
    return page(
        script.scenario,
        f'<h1>{escape(script.scenario)}</h1><p class="lead">What {script.tellers} tellers tell, first to last.</p><div class="scroll"><table>'
        '<thead><tr><th>event</th><th>told</th><th>place</th><th class="left">also put as</th></tr></thead>'
        f'<tbody>{rows}</tbody></table></div><p class="sign">learned from {escape(script.evidence)}</p>',
        STYLE,
    )
