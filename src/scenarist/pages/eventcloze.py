"""FilledChain -> HTML: a filled chain with its evidence (Chambers 2017, Table 4, with what speaks for each prediction)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scenarist.answers import FilledChain
from scenarist.pages.layout import escape, page
from scenarist.story import Link

STYLE = """
.chain{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.8rem 0}
.event{border:1px solid var(--line);border-radius:1rem;padding:.1rem .7rem;background:var(--card)}
.hole{border:2px dashed var(--accent);border-radius:1rem;padding:.1rem 1.6rem;color:var(--accent)}
td.event-name{white-space:nowrap;font-weight:600}td.why,td.seen{text-align:left}
.bar{display:block;height:.45rem;border-radius:.3rem;background:var(--accent);min-width:2px}
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
