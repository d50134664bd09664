"""Read Stories -> one HTML page: each entity's chain in colour through the text, its events in order, the parse behind each; and a chain alone.

Self-contained: no network. The text and the chains are there without a script; the script adds the parse of an event on hover or
focus, and the keys. Works on a phone, in print, in the dark, and with the keyboard alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scenarist.pages.layout import HUES, escape, page
from scenarist.reading.chains import chains, protagonist
from scenarist.story import Chain, Entity, Event, Link, Story

CAST = 12
"""Entities that get a colour: those with the longest chains."""
KEY = (
    "Coloured underlines follow one entity. Boxed words are events; a struck one is denied, a faded one did not happen in the story. "
    "In the chains a full border is a subject, a dashed one an object, a dotted one another role. "
    "Hover an event, or move to it with Tab or the arrow keys, to see the parse behind it; Enter pins it, Esc lets go; "
    "keys 1 to 9 follow one entity alone."
)

CHAIN_STYLE = """
.steps{display:flex;flex-wrap:wrap;gap:.3rem .15rem;list-style:none;margin:.2rem 0 .4rem;padding:0;align-items:center}
.steps li{display:flex;align-items:center}
.steps li+li::before{content:"";width:.9rem;border-top:2px solid hsl(var(--h,212) 45% 60%);margin:0 .1rem}
.step{border:1.5px solid hsl(var(--h,212) 45% 60%);border-radius:1rem;padding:.05rem
.6rem;background:var(--card,#fff);font-size:.92rem;white-space:nowrap} .step
small{margin-left:.3rem;color:var(--soft,#666)} .step.obj{border-style:dashed}.step.prep{border-style:dotted}
.step.not{text-decoration:line-through}
"""

STYLE = (
    CHAIN_STYLE
    + """
main{max-width:80rem}
.story{display:grid;grid-template-columns:minmax(0,1fr) minmax(17rem,24rem);gap:1rem 2.2rem;align-items:start;margin:0 0 2.5rem}
.head{grid-column:1/-1}
.head h2{margin:.4rem 0 .1rem;font-size:1.3rem}
.warn{border-left:3px solid var(--bad);padding:.2rem .7rem;margin:.5rem 0;color:var(--soft)}
.words{font:1.14rem/2.05 var(--serif);white-space:pre-wrap;overflow-wrap:anywhere}
.who{border-bottom:3px solid hsl(var(--h) 60% 58%);border-radius:2px;transition:background .12s}
.who.lit{background:hsl(var(--h) var(--band-s) var(--band-l))}
.ev{font:inherit;line-height:1.35;color:inherit;border:1px solid var(--line);border-radius:.35rem;padding:0 .22rem;background:var(--card);cursor:pointer}
.ev.not{text-decoration:line-through;text-decoration-color:var(--bad)}
.ev.unreal{opacity:.62;border-style:dotted}
.ev.lit{border-color:hsl(var(--h,212) 60% 50%);box-shadow:0 0 0 2px hsl(var(--h,212) 70% 60%/.45)}
.ev.pin{background:hsl(48 90% var(--band-l))}
.cast{display:flex;flex-direction:column;gap:.5rem;position:sticky;top:.8rem;max-height:calc(100vh - 1.6rem);overflow:auto;padding:.2rem}
.chain{padding:.45rem .7rem .2rem;margin:0;border-left:.35rem solid hsl(var(--h) 55% 58%)}
.chain h3{font:600 .98rem/1.3 var(--sans);margin:0;display:flex;gap:.5rem;align-items:baseline;flex-wrap:wrap}
.chain h3 button{font-weight:600;text-align:left}
.chain.dim,.who.dim{opacity:.3}
.steps button{border-radius:1rem}
.lanes{grid-column:1/-1;overflow-x:auto;border-top:1px solid var(--line);padding-top:.6rem}
.lanes svg{display:block;font:12px var(--sans)}
.lanes text{fill:var(--ink)}.lanes .soft{fill:var(--soft)}
.lanes .rule{stroke:var(--line)}
.lanes circle,.lanes rect.dot{stroke-width:2;cursor:pointer}
#parse{position:fixed;left:50%;bottom:1rem;transform:translateX(-50%);width:min(62rem,calc(100vw - 1.5rem));max-height:46vh;overflow:auto;
background:var(--card);border:1px solid var(--line);border-radius:.7rem;box-shadow:0 .5rem 2rem #0004;padding:.6rem .9rem;z-index:5}
#parse[hidden]{display:none}
#parse h4{margin:0 0 .2rem;font:600 1rem/1.4 var(--sans);display:flex;gap:.6rem;flex-wrap:wrap;align-items:baseline}
#parse .draw{overflow-x:auto}
#parse svg{display:block;font:13px var(--sans)}
#parse text{fill:var(--ink)}#parse .lab{font-size:11px;fill:var(--soft)}#parse .pos{font-size:10px;fill:var(--soft)}
#parse path{fill:none;stroke:var(--line);stroke-width:1.4}#parse path.on{stroke:var(--accent);stroke-width:2}
#parse .on{fill:var(--accent);font-weight:600}#parse path.on{fill:none}
.key{font-size:.88rem;color:var(--soft);border-top:1px solid var(--line);padding-top:.8rem}
@media (max-width:56rem){.story{grid-template-columns:minmax(0,1fr)}.cast{position:static;max-height:none}.words{font-size:1.06rem}}
@media print{#parse{display:none}.cast{position:static;max-height:none}.ev{border-color:#999}}
"""
)

SCRIPT = """
const all=(q,r=document)=>[...r.querySelectorAll(q)],box=document.getElementById('parse');let pinned=null;
const esc=s=>s.replace(/[&<>"]/g,c=>({'&':'&amp;','<':'&lt;','>':'&gt;','"':'&quot;'}[c]));
function draw(s,ev){const D=DATA[s],e=D.events[ev],S=D.sentences[e.s],n=S.w.length,x=[];let at=8;
 for(let i=0;i<n;i++){const w=Math.max(S.w[i].length*7.6,S.d[i].length*6.4,26)+12;x.push(at+w/2);at+=w}
 const span=(i)=>Math.abs(i-S.h[i]);const lev=Array(n).fill(0);const order=[...S.h.keys()].filter(i=>S.h[i]>=0).sort((a,b)=>span(a)-span(b));
 for(const i of order){const a=Math.min(i,S.h[i]),b=Math.max(i,S.h[i]);let m=0;for(const j of order){if(j===i)break;const c=Math.min(j,S.h[j]),d=Math.max(j,S.h[j]);
  if(c>=a&&d<=b||(c<b&&d>a))m=Math.max(m,lev[j])}lev[i]=m+1}
 const top=Math.max(1,...lev)*19+16;const on=new Set([e.t-S.f,...e.r.map(r=>r[2]-S.f)]);let g='';
 for(const i of order){const h=S.h[i],y=top-lev[i]*19,a=x[i],b=x[h]+(i<h?-4:4),hot=h===e.t-S.f&&on.has(i)||i===e.t-S.f;
  g+=`<path class="${hot?'on':''}" d="M${b} ${top} C${b} ${y-6} ${b} ${y-6} ${(a+b)/2} ${y-6} S${a} ${y-6} ${a} ${top}"/><text class="lab ${hot?'on':''}" x="${(a+b)/2}" y="${y-9}" text-anchor="middle">${esc(S.d[i])}</text>`}
 for(let i=0;i<n;i++)g+=`<text class="${on.has(i)?'on':''}" x="${x[i]}" y="${top+16}" text-anchor="middle">${esc(S.w[i])}</text><text class="pos" x="${x[i]}" y="${top+31}" text-anchor="middle">${esc(S.p[i])}</text>`;
 const roles=e.r.map(r=>`<span class="pill">${esc(r[0])}: ${esc(r[1])}</span>`).join(' ');
 const facts=e.f.map(f=>`<small>${esc(f)}</small>`).join(' · ');
 box.innerHTML=`<h4>${esc(e.p)} ${roles}</h4><div>${facts}</div><div class="draw"><svg role="img" aria-label="parse of the sentence" width="${at+8}" height="${top+38}">${g}</svg></div>`;
 box.hidden=false;const d=box.querySelector('.draw');d.scrollLeft=Math.max(0,x[e.t-S.f]-d.clientWidth/2)}
const key=b=>b.dataset.s+'-'+b.dataset.ev;
function show(b,on){for(const e of all(`[data-ev="${b.dataset.ev}"][data-s="${b.dataset.s}"]`)){e.classList.toggle('lit',on);if(b.style.getPropertyValue('--h'))e.style.setProperty('--h',b.style.getPropertyValue('--h'))}
 if(on)draw(b.dataset.s,b.dataset.ev);else if(pinned)draw(pinned.dataset.s,pinned.dataset.ev);else box.hidden=true}
function pin(b){all('.pin').forEach(e=>e.classList.remove('pin'));pinned=pinned&&key(pinned)===key(b)?null:b;
 if(pinned){const t=document.querySelector(`.words [data-ev="${b.dataset.ev}"][data-s="${b.dataset.s}"]`);if(t){t.classList.add('pin');t.scrollIntoView({block:'center',behavior:'smooth'})}draw(b.dataset.s,b.dataset.ev)}else box.hidden=true}
for(const b of all('[data-ev]')){b.addEventListener('pointerenter',()=>show(b,true));b.addEventListener('focus',()=>show(b,true));
 b.addEventListener('pointerleave',()=>show(b,false));b.addEventListener('blur',()=>show(b,false));b.addEventListener('click',()=>pin(b))}
let alone=null;
function follow(s,id){const same=alone&&alone[0]===s&&alone[1]===id;alone=same?null:[s,id];
 for(const e of all(`[data-who][data-s="${s}"]`)){const mine=e.dataset.who===id;e.classList.toggle('dim',!same&&!mine);e.classList.toggle('lit',!same&&mine)}
 for(const e of all(`.chain h3 button[data-s="${s}"]`))e.setAttribute('aria-pressed',!same&&e.dataset.id===id)}
for(const b of all('.chain h3 button'))b.addEventListener('click',()=>follow(b.dataset.s,b.dataset.id));
for(const e of all('.words .who')){const L=on=>{if(!alone)all(`.who[data-who="${e.dataset.who}"][data-s="${e.dataset.s}"]`).forEach(o=>o.classList.toggle('lit',on))};
 e.addEventListener('pointerover',v=>{L(true);v.stopPropagation()});e.addEventListener('pointerout',()=>L(false))}
document.addEventListener('keydown',v=>{if(v.ctrlKey||v.metaKey||v.altKey)return;const f=document.activeElement;
 if(v.key==='Escape'){if(pinned)pin(pinned);if(alone)follow(...alone);box.hidden=true;return}
 if('123456789'.includes(v.key)&&v.key){const root=(f.closest&&f.closest('.story'))||document.querySelector('.story');const b=root&&all('.chain h3 button',root)[+v.key-1];if(b){b.click();b.focus()}return}
 const d={ArrowRight:1,ArrowLeft:-1}[v.key];if(!d||!f.dataset||f.dataset.ev===undefined)return;
 const group=f.closest('.steps,.words');if(!group)return;const list=all('[data-ev]',group),next=list[list.indexOf(f)+d];if(next){next.focus();v.preventDefault()}});
"""


def name_of(story: Story, entity: Entity) -> str:
    """What to call an entity: its name, or the text of its best mention; a long one gives way to a shorter."""
    if not entity.mentions:
        return entity.name or entity.id
    ranked = sorted(entity.mentions, key=lambda one: ({"name": 0, "nominal": 1}.get(one.kind, 2), one.start))
    name = " ".join((entity.name or story.of(ranked[0])).split())
    if len(name) > 26:
        proper = [one for one in ranked if one.kind == ranked[0].kind]
        name = " ".join(min((story.of(one) for one in proper), key=len).split())
    return name


def facts(event: Event) -> list[str]:
    """What is known of an event beside its roles, in words."""
    found = [event.kind]
    found += [event.tense] if event.tense else []
    found += ["passive"] if event.passive else []
    found += [] if event.polarity else ["denied"]
    found += [f"under '{event.modality}'"] if event.modality else []
    found += ["reports speech or thought"] if event.reporting else []
    return [*found, "happened in the story" if event.realis else "did not happen, or is a state"]


def data_of(story: Story) -> dict[str, Any]:
    """What the script needs to draw parses: sentences with events, and the events."""
    home = {}
    for number, sentence in enumerate(story.sentences):
        home.update(dict.fromkeys(range(sentence.first, sentence.last), number))
    used = sorted({home[event.token] for event in story.events if event.token in home})
    place = {number: at for at, number in enumerate(used)}
    sentences = []
    for number in used:
        sentence = story.sentences[number]
        tokens = story.tokens[sentence.first : sentence.last]
        sentences.append({
            "f": sentence.first, "w": [story.of(token) for token in tokens], "p": [token.pos for token in tokens],
            "d": [token.dep for token in tokens],
            "h": [token.head - sentence.first if sentence.first <= token.head < sentence.last else -1 for token in tokens],
        })  # fmt: skip
    events = {
        str(number): {
            "s": place[home[event.token]], "t": event.token, "p": event.predicate.replace("_", " "), "f": facts(event),
            "r": [[role.name, role.head or role.entity, role.token] for role in event.roles],
        }
        for number, event in enumerate(story.events)
        if event.token in home
    }  # fmt: skip
    return {"sentences": sentences, "events": events}


def words(story: Story, number: int, hues: dict[str, int]) -> str:
    """The text with mentions and events marked; of spans that cross, the earlier and longer one is kept."""
    opens: list[tuple[int, int, str, str]] = []
    for entity in story.entities:
        if entity.id in hues:
            name = name_of(story, entity)
            for one in entity.mentions:
                told = escape(f"{name} ({one.why})" if one.why else name)
                tag = f'<span class="who" data-s="{number}" data-who="{escape(entity.id)}" style="--h:{hues[entity.id]}" title="{told}">'
                opens.append((one.start, one.stop, tag, "</span>"))
    for place, event in enumerate(story.events):
        state = (
            " not" if not event.polarity else "" if event.realis or event.kind in ("copula", "adjective") else " unreal"
        )
        tag = f'<button class="ev{state}" data-s="{number}" data-ev="{place}">'
        opens.append((event.start, event.stop, tag, "</button>"))
    parts: list[str] = []
    open_: list[tuple[int, str]] = []
    at = 0
    for start, stop, tag, end in sorted((one for one in opens if one[0] < one[1]), key=lambda one: (one[0], -one[1])):
        while open_ and open_[-1][0] <= start:
            close, ending = open_.pop()
            parts += [escape(story.text[at:close]), ending]
            at = close
        if (open_ and (stop > open_[-1][0] or open_[-1][1] == "</button>")) or start < at:
            continue
        parts += [escape(story.text[at:start]), tag]
        at = start
        open_.append((stop, end))
    while open_:
        close, ending = open_.pop()
        parts += [escape(story.text[at:close]), ending]
        at = close
    return "".join(parts) + escape(story.text[at:])


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


def chain_fragment(chain: Chain) -> str:
    """A chain for a notebook cell."""
    steps = "".join(f"<li>{step(link)}</li>" for link in chain.links)
    label = escape(chain.entity or "chain")
    return f'<style>{CHAIN_STYLE}</style><div><small>{label}</small><ol class="steps" aria-label="{label}">{steps}</ol></div>'


def card(story: Story, number: int, chain: Chain, hue: int, central: bool) -> str:
    """One entity's chain at the side of the text."""
    entity = story.entity(chain.entity)
    name = name_of(story, entity) if entity else chain.entity
    steps = []
    for link, place in zip(chain.links, chain.places, strict=True):
        event = story.events[place]
        mark = "<small>not</small>" if not event.polarity else ""
        button = f'<button data-s="{number}" data-ev="{place}" style="--h:{hue}">{step(link, inside=mark)}</button>'
        steps.append(f"<li>{button}</li>")
    more = " · ".join(part for part in (entity.kind if entity else "", "protagonist" if central else "") if part)
    id = escape(chain.entity)
    return (
        f'<section class="card chain" style="--h:{hue}" data-s="{number}" data-who="{id}"><h3>'
        f'<button data-s="{number}" data-id="{id}" aria-pressed="false">{escape(name)}</button><small>{escape(more)}</small></h3>'
        f'<ol class="steps" aria-label="events of {escape(name)}">{"".join(steps)}</ol></section>'
    )


def lanes(story: Story, number: int, drawn: Sequence[Chain], hues: dict[str, int]) -> str:
    """All chains side by side: one lane an entity, one column an event, in the order of the text."""
    columns = sorted({place for chain in drawn for place in chain.places})
    if len(drawn) < 2 or len(columns) < 2 or len(columns) > 400:
        return ""
    left, wide, high, top = 150, 58, 26, 64
    across = {place: left + 20 + at * wide for at, place in enumerate(columns)}
    parts = []
    for place in columns:
        name = escape(story.events[place].predicate.replace("_", " ")[:16])
        x = across[place]
        parts.append(f'<text class="soft" transform="translate({x - 3} {top - 8}) rotate(-38)">{name}</text>')
        parts.append(f'<line class="rule" x1="{x}" x2="{x}" y1="{top}" y2="{top + high * len(drawn)}"/>')
    for row, chain in enumerate(drawn):
        y, hue = top + high * row + high / 2, hues[chain.entity]
        entity = story.entity(chain.entity)
        name = name_of(story, entity) if entity else chain.entity
        name = escape(name if len(name) < 21 else name[:19] + "…")
        first, last = across[chain.places[0]], across[chain.places[-1]]
        parts.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{name}</text>')
        parts.append(f'<line x1="{first}" x2="{last}" y1="{y}" y2="{y}" stroke="hsl({hue} 50% 60%)" stroke-width="3"/>')
        for link, place in zip(chain.links, chain.places, strict=True):
            fill = f"hsl({hue} 55% 58%)" if link.role in ("subj", "nsubj", "agent") else "var(--card)"
            parts.append(
                f'<circle data-s="{number}" data-ev="{place}" cx="{across[place]}" cy="{y}" r="7" fill="{fill}" '
                f'stroke="hsl({hue} 55% 50%)"><title>{escape(str(link))}</title></circle>'
            )
    width, height = left + 40 + wide * len(columns) + 40, top + high * len(drawn) + 10
    return (
        f'<div class="lanes" tabindex="0" role="img" aria-label="chains of {len(drawn)} entities over {len(columns)} events">'
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}">{"".join(parts)}</svg></div>'
    )


def section(story: Story, number: int, least: int, view: str, named: bool = True) -> str:
    """One story: its text, its chains, its lanes."""
    found = sorted(chains(story, least, view), key=lambda chain: -len(chain))
    drawn = [chain for chain in found if len(chain) > 1][:CAST] or found[:CAST]
    hues = {chain.entity: HUES[at % len(HUES)] for at, chain in enumerate(drawn)}
    central = protagonist(story)
    cards = "".join(
        card(story, number, one, hues[one.entity], central is not None and one.entity == central.id) for one in drawn
    )
    left = len(found) - len(drawn)
    rest = f'<p class="soft">{left} shorter chain{"" if left == 1 else "s"} not drawn</p>' if left else ""
    warnings = "".join(
        f'<p class="warn">{escape(value)}</p>' for name, value in story.notes if name in ("language", "cleaned")
    )
    heading = f"<h2>{escape(story.title or story.id)}</h2>" if named else ""
    lead = f"{len(story.sentences)} sentences · {len(story.events)} events · {len(story.entities)} entities · {len(found)} chains"
    return (
        f'<section class="story" aria-label="{escape(story.title or story.id)}"><div class="head">{heading}'
        f'<p class="lead">{lead}</p>{warnings}</div><article class="words">{words(story, number, hues)}</article>'
        f'<aside class="cast" aria-label="chains">{cards}{rest}</aside>{lanes(story, number, drawn, hues)}</section>'
    )


def events_page(stories: Iterable[Story], title: str = "Events and chains", least: int = 1, view: str = "cj") -> str:
    """The page of one or more read stories."""
    held = list(stories)
    sections = "".join(section(story, number, least, view, len(held) > 1) for number, story in enumerate(held))
    body = f'<h1>{escape(title)}</h1>{sections}<p class="key">{KEY}</p><div id="parse" role="status" aria-live="polite" hidden></div>'
    return page(title, body, STYLE, SCRIPT, [data_of(story) for story in held])


def fragment(story: Story) -> str:
    """A read story for a notebook cell: style, text and chains, no script."""
    from scenarist.pages.layout import framed
    from scenarist.pages.layout import page as whole

    return framed(whole(story.title or story.id, section(story, 0, 1, "cj"), STYLE), 320 + len(story.text) // 4)
