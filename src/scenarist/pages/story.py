"""Interpretation -> HTML: the story with scenario bands, its people in colour, and the unsaid at the margin.

One self-contained page: no network, keyboard and touch, light and dark, readable on a phone and in print.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from scenarist.interpretation import Interpretation, UnsaidEvent
from scenarist.pages.layout import HUES, escape, framed, page
from scenarist.story import Entity, Event, Mention, Segment, Story

Span: TypeAlias = tuple[int, int, str]
"""Start, stop and the tag that opens there."""

PEOPLE = 8
"""Entities that get a colour: those with the most mentions."""

STYLE = """
main{max-width:76rem;overflow-wrap:anywhere}
.meta{display:flex;flex-wrap:wrap;gap:.4rem .6rem;margin:.8rem 0 1.4rem}
.block{display:grid;grid-template-columns:.5rem minmax(0,40rem) minmax(13rem,1fr);column-gap:1.1rem;margin:0 0 .2rem}
.band{border-radius:.3rem;background:var(--line);opacity:.55}
.block.told .band{background:linear-gradient(to bottom,hsl(var(--h) var(--band-s) 52%),hsl(var(--h2) var(--band-s) 52%));opacity:1}
.words{font:1.17rem/1.85 var(--serif);padding:.35rem 0 .7rem;white-space:pre-wrap;overflow-wrap:anywhere}
.tag{display:flex;gap:0 .6rem;align-items:baseline;flex-wrap:wrap;font:600 .8rem/1.4 var(--sans);letter-spacing:.02em;
color:hsl(var(--h) 55% var(--tint-l));margin:.15rem 0 .1rem;white-space:normal}
.tag .more{font-weight:400;color:var(--soft)}.tag .why-words{font-style:italic}
.tag meter{width:3.2rem;height:.5rem;vertical-align:middle}
.who{border-bottom:2px solid hsl(var(--h) 60% 55%);border-radius:2px;cursor:default;transition:background .12s}
.pill.who{border:1.5px solid hsl(var(--h) 60% 55%);border-radius:1rem}
.who.lit{background:hsl(var(--h) var(--band-s) var(--band-l))}
.ev{text-decoration:underline dotted var(--soft) 1px;text-underline-offset:.32em}
.ev.not{text-decoration:line-through dotted var(--bad) 1.5px}
.ev.lit{background:var(--line);border-radius:3px}
.gap{font:600 .68rem/1 var(--sans);vertical-align:.35em;color:hsl(var(--h) 55% var(--tint-l));border:1px dashed currentColor;border-radius:1rem;
padding:.1rem .36rem;margin:0 .22rem 0 .12rem;background:var(--card)}
.gap:hover,.gap.lit{background:hsl(var(--h) var(--band-s) var(--band-l))}
.margin{padding-top:1.75rem}
.margin ol{list-style:none;margin:0;padding:0}
.margin li{margin:0 0 .5rem}
.note{display:grid;grid-template-columns:1.7rem 1fr auto;gap:.2rem;width:100%;text-align:left;font:italic 1rem/1.35 var(--serif);color:var(--soft);
padding:.2rem .4rem;border-radius:0 .4rem .4rem 0;border-left:2px dashed hsl(var(--h) 50% 60%)}
.note .n{font:600 .72rem/1.8 var(--sans);color:hsl(var(--h) 55% var(--tint-l))}
.note .p{font:500 .74rem/1.9 var(--sans);font-variant-numeric:tabular-nums}
.folded{font:italic .86rem/1.4 var(--serif);color:var(--soft);list-style:none;padding:.1rem 0 .1rem 1.9rem}.folded summary{cursor:pointer;font:500 .78rem/1.7 var(--sans)}
.folded ul{margin:.2rem 0;padding-left:1rem}
.note:hover,.note.lit,.note[aria-expanded=true]{background:var(--card);color:var(--ink)}
.why{font:.86rem/1.45 var(--sans);color:var(--soft);padding:.2rem .4rem .5rem 2.2rem;margin:0}
.chains{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:.8rem}
.chain h3{margin:0 0 .3rem;font:600 1rem/1.3 var(--sans)}
.chain .dot{display:inline-block;width:.7rem;height:.7rem;border-radius:50%;background:hsl(var(--h) 60% 55%);margin-right:.45rem}
.chain ol{margin:0;padding-left:1.3rem;font-size:.93rem}
.chain li button{text-align:left}
.chain li button:hover{color:var(--accent)}
.key{font-size:.88rem;color:var(--soft);border-top:1px solid var(--line);margin-top:2.5rem;padding-top:.8rem}
@media (max-width:52rem){.block{grid-template-columns:.4rem minmax(0,1fr)}.margin{grid-column:2;padding:0 0 .9rem}.words{font-size:1.08rem;padding-bottom:.3rem}}
@media print{.why[hidden]{display:block!important}}
"""

SCRIPT = """
const all=(q,r=document)=>[...r.querySelectorAll(q)];
const lit=(q,on)=>all(q).forEach(e=>e.classList.toggle('lit',on));
const both=(e,on)=>{if(e.dataset.who)lit('[data-who="'+e.dataset.who+'"]',on);if(e.dataset.gap)lit('[data-gap="'+e.dataset.gap+'"]',on);
 if(e.dataset.ev)lit('.ev[data-ev="'+e.dataset.ev+'"]',on)};
for(const e of all('[data-who],[data-gap],[data-ev]')){for(const t of ['pointerenter','focus'])e.addEventListener(t,()=>both(e,true));
 for(const t of ['pointerleave','blur'])e.addEventListener(t,()=>both(e,false))}
const toggle=(n,on)=>{const b=document.getElementById('note-'+n),w=document.getElementById('why-'+n);if(on===undefined)on=w.hidden;
 w.hidden=!on;b.setAttribute('aria-expanded',on);return b};
for(const b of all('.note'))b.addEventListener('click',()=>toggle(b.dataset.gap));
for(const b of all('.gap'))b.addEventListener('click',()=>{const n=toggle(b.dataset.gap,true);n.scrollIntoView({block:'nearest',behavior:'smooth'});n.focus()});
for(const b of all('.chain button'))b.addEventListener('click',()=>{const e=document.querySelector('.ev[data-ev="'+b.dataset.ev+'"]');
 if(e)e.scrollIntoView({block:'center',behavior:'smooth'})});
document.addEventListener('keydown',e=>{const notes=all('.note');if(!notes.length)return;const i=notes.indexOf(document.activeElement);
 if(e.key==='Escape')notes.forEach(b=>toggle(b.dataset.gap,false));
 if(e.key==='n'||e.key==='p'){const next=notes[(i+(e.key==='n'?1:-1)+notes.length)%notes.length];next.focus();next.scrollIntoView({block:'center'})}});
"""


def hue_of(names: Sequence[str]) -> dict[str, int]:
    """A hue for each name, in the order of first appearance."""
    return {name: HUES[number % len(HUES)] for number, name in enumerate(dict.fromkeys(names))}


def blocks(story: Story) -> Iterator[tuple[int, int, Segment | None]]:
    """The text cut where segments begin and end: (start, stop, innermost segment or None), without empty blocks."""
    cuts = sorted({0, len(story.text), *(s.start for s in story.segments), *(s.stop for s in story.segments)})
    for start, stop in itertools.pairwise(cuts):
        if not story.text[start:stop].strip():
            continue
        inside = [s for s in story.segments if s.labels and s.start <= start and stop <= s.stop]
        yield start, stop, min(inside, key=lambda s: s.stop - s.start, default=None)


def coloured(story: Story) -> dict[str, int]:
    """The hue of each entity that gets one: the most mentioned, people first; *Ben and I* is Ben, and I."""
    apart = [
        one
        for one in story.entities
        if (not one.members or len(one.mentions) > 1) and called(story, one).lower() not in NOBODY
    ]
    ranked = sorted(apart, key=lambda e: (-len(e.mentions), e.mentions[0].start if e.mentions else 0))
    ranked = [e for e in ranked if len(e.mentions) > 1 or (e.mentions and e.kind in ("person", "animal"))]
    return {entity.id: HUES[number % len(HUES)] for number, entity in enumerate(ranked[:PEOPLE])}


SUBJECTS = {
    "my": "I",
    "me": "I",
    "our": "we",
    "us": "we",
    "his": "he",
    "him": "he",
    "her": "she",
    "their": "they",
    "them": "they",
    "your": "you",
}
"""What somebody is called who is only *my* or *them* in the text."""


SMALL = frozenset(
    {
        "the",
        "a",
        "an",
        "this",
        "these",
        "some",
        "my",
        "our",
        "your",
        "his",
        "her",
        "their",
        "we",
        "you",
        "he",
        "she",
        "they",
        "it",
    }
)
"""Words that are large only where a sentence begins."""
NOBODY = frozenset({"all", "anything", "everything", "nobody", "none", "nothing", "something", "that", "this", "what"})
"""What is spoken of and takes no part."""


def core(story: Story, mention: Mention) -> str:
    """A mention without the clause that follows its head and without a preposition that leads it."""
    tokens = story.tokens
    if not mention.first <= mention.head < mention.last <= len(tokens):
        return story.of(mention)

    def in_clause(at: int) -> bool:
        while mention.head < at < mention.last:
            if tokens[at].dep.startswith("acl"):
                return True
            at = tokens[at].head
        return False

    cases = (
        at
        for at in range(mention.head - 1, mention.first - 1, -1)
        if tokens[at].dep == "case" and tokens[at].head == mention.head
    )
    first = next(cases, mention.first - 1) + 1
    last = next((at for at in range(mention.head + 1, mention.last) if in_clause(at)), mention.last)
    return story.text[tokens[first].start : tokens[last - 1].stop].rstrip(" ,;:–-")


def called(story: Story, entity: Entity) -> str:
    """What to call an entity: its name or its first mention, without a possessive ending; one that is only *my* is *I*."""
    mention = next(
        (one for one in entity.mentions if story.of(one)[:80] == entity.name),
        entity.mentions[0] if entity.mentions else None,
    )
    name = entity.name or entity.id
    if mention is not None and (not entity.name or story.of(mention)[:80] == entity.name):
        name = core(story, mention)
    name = SUBJECTS.get(name.lower(), name).removesuffix("'s").removesuffix("’s")
    first, blank, rest = name.partition(" ")
    return f"{first.lower()}{blank}{rest}" if first.lower() in SMALL else name


class Block(NamedTuple):
    """A stretch of the text, the segment it tells and what goes without saying there."""

    start: int
    stop: int
    segment: Segment | None
    untold: list[UnsaidEvent]


def placed(story: Story, untold: Iterable[UnsaidEvent]) -> list[Block]:
    """The text in blocks, every unsaid event in exactly one: where it belongs, beside its own scenario at a seam."""
    made = [Block(start, stop, segment, []) for start, stop, segment in blocks(story)]
    starts = [block.start for block in made]
    for one in sorted(untold, key=lambda one: one.at):  # at one place in the order in which they come: the script's
        if not made:
            break
        last = max(0, bisect_right(starts, one.at) - 1)
        near = [last, last - 1] if last and one.at == starts[last] else [last]
        own = (at for at in near if (segment := made[at].segment) is not None and segment.names[0] == one.scenario)
        made[next(own, last)].untold.append(one)
    return made


def spans(story: Story, hues: dict[str, int]) -> list[Span]:
    """What is marked in the text, in order: coloured entities and events."""
    opens: list[Span] = []
    for entity in story.entities:
        if entity.id not in hues:
            continue
        name = escape(called(story, entity))
        tag = f'<span class="who" data-who="{escape(entity.id)}" style="--h:{hues[entity.id]}" title="{name}">'
        opens += [(mention.start, mention.stop, tag) for mention in entity.mentions]
    for number, event in enumerate(story.events):
        if event.stop > event.start:
            kind = "ev" if event.realis and event.polarity else "ev not" if not event.polarity else "ev"
            opens.append(
                (event.start, event.stop, f'<span class="{kind}" data-ev="{number}" title="{escape(event.predicate)}">')
            )
    return sorted((one for one in opens if one[0] < one[1]), key=lambda one: (one[0], -one[1], one[2]))


def marked(story: Story, block: Block, opens: Sequence[Span], gaps: Sequence[tuple[int, UnsaidEvent]], hue: int) -> str:
    """A stretch of text with mentions, events and gaps as inert markup; spans that would cross are left out."""
    start, stop = block.start, block.stop
    chosen: list[Span] = []
    closing: list[int] = []
    first, last = (bisect_left(opens, place, key=lambda one: one[0]) for place in (start, stop))
    for begin, end, tag in (one for one in opens[first:last] if one[1] <= stop):
        while closing and closing[-1] <= begin:
            closing.pop()
        if closing and end > closing[-1]:
            continue
        closing.append(end)
        chosen.append((begin, end, tag))
    points: dict[int, tuple[list[str], list[str], list[str]]] = {}
    for begin, end, tag in chosen:
        points.setdefault(begin, ([], [], []))[2].append(tag)
        points.setdefault(end, ([], [], []))[0].append("</span>")
    for number, unsaid in gaps:
        at = min(max(unsaid.at, start), stop)
        while any(begin < at < end for begin, end, _ in chosen):
            at = max(end for begin, end, _ in chosen if begin < at < end)
        label = escape(f"unsaid: {unsaid.phrase}")
        points.setdefault(at, ([], [], []))[1].append(
            f'<button class="gap" data-gap="{number}" style="--h:{hue}" aria-label="{label}" title="{label}">{number}</button>'
        )
    out, at = [], start
    for place in sorted(points):
        out.append(escape(story.text[at:place]))
        for part in points[place]:
            out.extend(part)
        at = place
    out.append(escape(story.text[at:stop]))
    return "".join(out)


def note(number: int, unsaid: UnsaidEvent, hue: int) -> str:
    """One unsaid event at the margin, with the reason behind it."""
    evidence = "".join(f"<br>{escape(line)}" for line in unsaid.reason.evidence)
    return (
        f'<li><button class="note" id="note-{number}" data-gap="{number}" style="--h:{hue}" aria-expanded="false" aria-controls="why-{number}">'
        f'<span class="n">{number}</span><span>{escape(unsaid.phrase)}</span><span class="p">{unsaid.probability:.0%}</span></button>'
        f'<p class="why" id="why-{number}" hidden>{escape(unsaid.reason.text)}{evidence}</p></li>'
    )


def folded_notes(untold: Sequence[UnsaidEvent]) -> str:
    """What would be a third note and more at one place, folded."""
    if not untold:
        return ""
    lines = "".join(
        f"<li>{escape(unsaid.phrase)} <span>{unsaid.probability:.0%}</span><br><small>{escape(unsaid.reason.text)}</small></li>"
        for unsaid in untold
    )
    return f'<li class="folded"><details><summary>{len(untold)} more</summary><ul>{lines}</ul></details></li>'


def part(role: str) -> str:
    """A role in words, where the participant does not simply do it.

    >>> part("subj"), part("obj"), part("prep_into")
    ('', 'undergoes', 'into')
    """
    return {"subj": "", "obj": "undergoes", "iobj": "receives", "attr": "is"}.get(role, role.removeprefix("prep_"))


def done_to(event: Event, entity: str) -> str:
    """The object of an event that somebody else does or has done, empty where it has none (or no word for it)."""
    found = event.role("obj") if not event.passive else None
    return found.head if found is not None and found.entity != entity and found.head.lower() not in NOBODY else ""


def chain_cards(interpretation: Interpretation, hues: dict[str, int]) -> str:
    """What each participant does, in order."""
    story, cards = interpretation.story, []
    known = {entity.id: entity for entity in story.entities if entity.id in hues}
    for chain in interpretation.chains:
        entity = known.get(chain.entity)
        if entity is None or len(chain.links) < 2:
            continue
        lines = []
        for link, place in zip(chain.links, chain.places or (-1,) * len(chain.links), strict=True):
            event = story.events[place] if 0 <= place < len(story.events) else None
            denied = " <small>(not)</small>" if event is not None and not event.polarity else ""
            deed = " ".join(
                filter(None, (link.predicate.replace("_", " "), done_to(event, entity.id) if event is not None else ""))
            )
            lines.append(
                f'<li><button data-ev="{place}">{escape(deed)} <small>{escape(part(link.role))}</small>{denied}</button></li>'
            )
        star = " <small>protagonist</small>" if entity.id == interpretation.protagonist else ""
        name = escape(called(story, entity))
        cards.append(
            f'<section class="card chain" style="--h:{hues[entity.id]}" data-who="{escape(entity.id)}"><h3><span class="dot"></span>{name}{star}</h3>'
            f"<ol>{''.join(lines)}</ol></section>"
        )
    return f'<h2>Who does what</h2><div class="chains">{"".join(cards)}</div>' if cards else ""


def body(interpretation: Interpretation) -> str:
    """The story and everything around it."""
    story = interpretation.story
    hues = coloured(story)
    scenarios = hue_of([name for segment in story.segments for name in segment.names[:1]])
    parts: list[str] = []
    opens = spans(story, hues)
    numbers = itertools.count(1)
    for block in placed(story, interpretation.untold):
        segment = block.segment
        mine = [(next(numbers), one) for one in block.untold if not one.folded]
        hue = scenarios.get(segment.names[0], 212) if segment else 212
        second = hue if segment is None or len(segment.names) < 2 else scenarios.get(segment.names[1], hue)
        tag = ""
        if segment is not None:
            first, *rest = segment.labels
            more = (
                f'<span class="more">also {escape(", ".join(label.name for label in rest[:2]))}</span>' if rest else ""
            )
            why = (
                f'<span class="more why-words" title="the words that decided">{escape(" · ".join(segment.why[:5]))}</span>'
                if segment.why
                else ""
            )
            tag = (
                f'<div class="tag">{escape(first.name)} <span class="more">{first.weight:.0%}</span> {more} {why}</div>'
            )
        text = marked(story, block, opens, mine, hue)
        notes = "".join(note(n, one, scenarios.get(one.scenario, hue)) for n, one in mine)
        notes += folded_notes([one for one in block.untold if one.folded])
        parts.append(
            f'<div class="block{" told" if segment else ""}" style="--h:{hue};--h2:{second}"><div class="band"></div>'
            f'<div class="words">{tag}{text.strip()}</div><aside class="margin" aria-label="unsaid">{f"<ol>{notes}</ol>" if notes else ""}</aside></div>'
        )
    remarks = "".join(f'<p class="card">{escape(remark)}</p>' for remark in interpretation.remarks)
    people = "".join(
        f'<span class="pill who" data-who="{escape(e.id)}" style="--h:{hues[e.id]}" tabindex="0">{escape(called(story, e))}</span>'
        for e in story.entities if e.id in hues
    )  # fmt: skip
    title = escape(story.title or story.id)
    told = len({name for segment in story.segments for name in segment.names[:1]})
    lead = f"{told or 'no known'} scenario{'s' if told > 1 else ''} · {len(story.events)} events · {len(interpretation.untold)} left unsaid"
    return (
        f'<h1>{title}</h1><p class="lead">{lead}</p><div class="meta" aria-label="participants">{people}</div>{remarks}'
        f"<article>{''.join(parts)}</article>{chain_cards(interpretation, hues)}"
        '<p class="key">Bands mark scenarios. Coloured underlines follow one participant, dotted ones are events (struck: did not happen). '
        "Numbers stand where something goes without saying; open a note for the reason. The percentage says how "
        "likely it happened and is not told, not how often people tell it. Keys: n and p move between notes, Enter opens, Esc closes.</p>"
    )


def story_page(interpretation: Interpretation) -> str:
    """The page of an interpretation."""
    return page(interpretation.story.title or "What the story leaves unsaid", body(interpretation), STYLE, SCRIPT)


def fragment(interpretation: Interpretation) -> str:
    """The same for a notebook cell."""
    return framed(story_page(interpretation), 420 + len(interpretation.story.text) // 3)
