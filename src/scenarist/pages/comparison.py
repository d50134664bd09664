"""Scored answers -> HTML: item by item, two systems side by side, filtered by who is right; a click opens the story."""

from __future__ import annotations

from typing import Any

from scenarist.marked import Scored
from scenarist.pages.layout import escape, page
from scenarist.pages.numbers import exam_form
from scenarist.pages.report import STYLE, answer_text, question_text

MOST = 5000

SCRIPT = """
const pick=[document.getElementById('a'),document.getElementById('b')],list=document.getElementById('items'),box=document.getElementById('item');
const count=document.getElementById('count');let show='all';
const el=(tag,text,cls)=>{const e=document.createElement(tag);if(text!==undefined)e.textContent=text;if(cls)e.className=cls;return e};
for(const [k,s] of pick.entries()){for(const [n,sys] of DATA.systems.entries()){const o=el('option',sys.name);o.value=n;s.append(o)}s.value=Math.min(k,DATA.systems.length-1);s.onchange=draw}
function fits(a,b){return show==='all'||show==='ab'&&a&&!b||show==='ba'&&b&&!a||show==='both'&&a&&b||show==='none'&&!a&&!b}
function draw(){
  const [A,B]=pick.map(s=>DATA.systems[+s.value]);list.replaceChildren();let n=0;
  for(const [i,item] of DATA.items.entries()){
    const a=A.right[i],b=B.right[i];if(!fits(a,b))continue;n++;
    const li=el('li'),button=el('button');button.append(el('span',a?'✓':'✗','mark '+(a?'good':'bad')),el('span',b?'✓':'✗','mark '+(b?'good':'bad')),el('span',item.short));
    button.setAttribute('aria-label',`${A.name} ${a?'right':'wrong'}, ${B.name} ${b?'right':'wrong'}: ${item.short}`);
    button.onclick=()=>open(i,A,B);li.append(button);list.append(li);
  }
  count.textContent=n+' of '+DATA.items.length+' items';
}
function open(i,A,B){
  const item=DATA.items[i];box.replaceChildren(el('h2',item.id),el('div',item.text,'text'),el('p','Key: '+item.key));
  for(const s of new Set([A,B])){box.append(el('p',s.name+(s.right[i]?' (right)':' (wrong)')));const ol=el('ol',undefined,'guesses');
    for(const g of s.guesses[i])ol.append(el('li',g));box.append(ol);if(!s.guesses[i].length)box.append(el('p',s.notes[i]||'no answer','soft'))}
  const close=el('button','Close','pill');close.onclick=()=>box.close();box.append(close);box.showModal();
}
for(const b of document.querySelectorAll('nav.filter button'))b.onclick=()=>{show=b.dataset.show;for(const o of document.querySelectorAll('nav.filter button'))o.setAttribute('aria-pressed',o===b);draw()};
draw();
"""


def comparison_page(scored: Scored) -> str:
    """The page of scored predictions."""
    numbers = exam_form(scored.card.exam)
    items = scored.items[:MOST]
    first = next(iter(scored.systems[0].scores))
    systems: list[dict[str, Any]] = []
    for system in scored.systems:
        marks = {mark.item: dict(mark.counts) for mark in system.scores[first].marks}
        given = [system.predictions.get(item.id) for item in items]
        systems.append(
            {
                "name": system.name,
                "right": [marks.get(item.id, {}).get("right", 0.0) >= 0.5 for item in items],
                "guesses": [
                    [guess_text(guess.answer, guess.logp) for guess in prediction.guesses[:5]] if prediction else []
                    for prediction in given
                ],
                "notes": [prediction.note if prediction else "" for prediction in given],
            }
        )
    cards = [
        {
            "id": item.id,
            "short": question_text(item.question)[:110],
            "text": question_text(item.question),
            "key": answer_text(item.key),
        }
        for item in items
    ]
    rows = "".join(
        f"<tr><td>{escape(system.name)}</td>"
        + "".join(
            f"<td>{numbers.text(score.value, name)}<br><small>{numbers.text(score.low, name)} to {numbers.text(score.high, name)}</small></td>"
            for name, score in system.scores.items()
        )
        + "</tr>"
        for system in scored.systems
    )
    heads = "".join(f"<th>{escape(name)}</th>" for name in scored.systems[0].scores)
    buttons = "".join(
        f'<button class="pill" data-show="{key}" aria-pressed="{"true" if key == "all" else "false"}">{text}</button>'
        for key, text in (
            ("all", "all"),
            ("ab", "first right, second wrong"),
            ("ba", "second right, first wrong"),
            ("both", "both right"),
            ("none", "both wrong"),
        )
    )
    card = scored.card
    body = (
        f"<h1>{escape(card.exam)} on {escape(card.corpus)}</h1><p class='lead'>{card.items} items, split {escape(card.split)}; right by {escape(first)}</p>"
        f'<div class="scroll"><table><thead><tr><th>system</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
        '<p><label>first <select id="a"></select></label> <label>second <select id="b"></select></label> <span id="count" class="soft"></span></p>'
        f'<nav class="filter" aria-label="filter">{buttons}</nav><ul id="items"></ul><dialog id="item" aria-label="item"></dialog>'
    )
    return page(f"{card.exam}: answers", body, STYLE, SCRIPT, {"systems": systems, "items": cards})


def guess_text(answer: Any, logp: float | None) -> str:
    """A guess with its log-probability."""
    return answer_text(answer) + ("" if logp is None else f"  (ln P {logp:.2f})")
