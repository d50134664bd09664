"""Script -> HTML: typical events on a line from first to last, how many tellers mention each, participants, relations."""

from __future__ import annotations

from scenarist.pages.layout import escape, framed, page
from scenarist.script import Scenario, Script

STYLE = """
.line{position:relative;margin:1rem 0 2rem;padding:0;list-style:none;border-left:3px solid var(--line)}
.line li{margin:.35rem 0;padding-left:calc(.8rem + var(--at)*30%);position:relative}
.line .bar{display:inline-block;height:.55rem;border-radius:.3rem;background:hsl(212 60% 55%);width:calc(var(--share)*9rem);margin-right:.5rem;vertical-align:middle}
.line small{margin-left:.4rem}
"""


def body(script: Script, scenario: Scenario | None = None, most: int = 30) -> str:
    """What is known of a scenario."""
    events = sorted(script.events[:most], key=lambda event: event.place)
    lines = "".join(
        f'<li style="--at:{event.place:.2f};--share:{event.share:.2f}"><span class="bar"></span>{escape(event.id.replace("_", " "))}'
        f"<small>{event.share:.0%}, {event.tellers} tellers"
        + (
            f" · {escape(', '.join(p.replace('_', ' ') for p in event.phrases[:7] if p != event.id))}"
            if len(event.phrases) > 1
            else ""
        )
        + "</small></li>"
        for event in events
    )
    people = ", ".join(f"{escape(who)} <small>{n}</small>" for who, n in script.participants)
    relations = "".join(
        f"<li>{escape(kind)}: {escape(other)}</li>" for kind, other in (scenario.relations if scenario else ())
    )
    return (
        f'<h1>{escape(script.scenario)}</h1><p class="lead">What {script.tellers} tellers tell, first to last; bars: how many of them.</p>'
        f'<ol class="line">{lines}</ol><h2>Participants</h2><p>{people}</p>'
        + (f"<h2>Related</h2><ul>{relations}</ul>" if relations else "")
        + f'<p class="sign">learned from {escape(script.evidence)}</p>'
    )


def script_page(script: Script, scenario: Scenario | None = None) -> str:
    """The page of a scenario."""
    return page(script.scenario, body(script, scenario), STYLE)


def fragment(script: Script) -> str:
    """For a notebook cell."""
    return framed(script_page(script), 360 + 26 * min(30, len(script.events)))
