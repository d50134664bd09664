"""Chain -> HTML: one entity's events in order, as a row of steps that needs no script."""

from __future__ import annotations

from scenarist.pages.layout import escape
from scenarist.story import Chain, Link

STYLE = """
.steps{display:flex;flex-wrap:wrap;gap:.3rem .15rem;list-style:none;margin:.2rem 0 .4rem;padding:0;align-items:center}
.steps li{display:flex;align-items:center}
.steps li+li::before{content:"";width:.9rem;border-top:2px solid hsl(var(--h,212) 45% 60%);margin:0 .1rem}
.step{border:1.5px solid hsl(var(--h,212) 45% 60%);border-radius:1rem;padding:.05rem
.6rem;background:var(--card,#fff);font-size:.92rem;white-space:nowrap} .step
small{margin-left:.3rem;color:var(--soft,#666)} .step.obj{border-style:dashed}.step.prep{border-style:dotted}
.step.not{text-decoration:line-through}
"""


def sort_of(role: str) -> str:
    """Subject, object or the rest: how a step is drawn."""
    if role in ("subj", "nsubj", "agent"):
        return "subj"
    return "obj" if role in ("obj", "iobj", "dobj", "nsubjpass") else "prep"


def step(link: Link, extra: str = "", inside: str = "") -> str:
    """One event of a chain."""
    name = escape(link.predicate.replace("_", " "))
    role = escape(link.role.replace("prep_", "")) if link.role else ""
    args = escape(f"({', '.join(one or '·' for one in link.args)})") if link.args else ""
    return f'<span class="step {sort_of(link.role)}"{extra}>{name}<small>{role}{args}</small>{inside}</span>'


def fragment(chain: Chain) -> str:
    """A chain for a notebook cell."""
    steps = "".join(f"<li>{step(link)}</li>" for link in chain.links)
    label = escape(chain.entity or "chain")
    return f'<style>{STYLE}</style><div><small>{label}</small><ol class="steps" aria-label="{label}">{steps}</ol></div>'
