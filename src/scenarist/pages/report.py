"""A run table (or scored predictions) -> HTML: every row opens its items, right and wrong, with the text they came from.

Takes plain values and nouns of the exam, so that pages know nothing of the bench. At most ``MOST`` items a row and
condition are put on the page, spread evenly; the page says how many there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.metrics.judged import Judgement, judgements
from scenarist.pages.layout import escape, framed, page
from scenarist.pages.numbers import NumberForm, against, exam_form, few_text, figure_remarks, marked_name, row_remarks
from scenarist.question import (
    AboutEvent,
    Answer,
    AnyQuestion,
    Choice,
    Compose,
    EventGap,
    Group,
    Groups,
    Item,
    JudgedKey,
    LeftOut,
    Order,
    Parts,
    Permutation,
    Prediction,
    Rate,
    Read,
    Reading,
    Relate,
    Score,
    Segments,
    SentenceGap,
    Suggestions,
    Unsaid,
    Where,
    WordGap,
)

MOST = 300

STYLE = """
dialog{max-width:46rem;width:calc(100% - 2rem);border:1px solid var(--line);border-radius:.7rem;background:var(--paper);color:var(--ink);padding:1.2rem}
dialog::backdrop{background:rgba(0,0,0,.35)}
#items li{margin:.3rem 0}#items{list-style:none;padding:0}
#items button{width:100%;text-align:left;padding:.35rem .5rem;border-radius:.4rem}
#items button:hover{background:var(--card)}
tr.opens{cursor:pointer}tr.opens:hover,tr.opens:focus{background:var(--card)}
.mark{display:inline-block;width:1.4em;font-weight:700}
.text{font-family:var(--serif);white-space:pre-wrap;margin:.6rem 0}
nav.filter{display:flex;gap:.5rem;flex-wrap:wrap;margin:.5rem 0}
nav.filter button[aria-pressed=true]{background:var(--accent);color:var(--paper)}
ol.guesses{padding-left:1.4rem;margin:.3rem 0}
"""

SCRIPT = """
const list=document.getElementById('items'),head=document.getElementById('items-head'),box=document.getElementById('item');
const el=(tag,text,cls)=>{const e=document.createElement(tag);if(text!==undefined)e.textContent=text;if(cls)e.className=cls;return e};
let now=null,show='all';
function draw(){
  if(!now)return;const row=DATA.rows[now.row];const part=row.parts[now.part];list.replaceChildren();
  head.textContent=row.model+' — '+part.condition+' ('+part.shown.length+' of '+part.total+' items shown)';
  for(const [n,one] of part.shown.entries()){
    if(show==='right'&&!one.right||show==='wrong'&&one.right)continue;
    const item=DATA.items[part.condition][one.id];const li=el('li'),b=el('button');
    b.append(el('span',one.right?'✓':'✗','mark '+(one.right?'good':'bad')),el('span',item.short));
    b.setAttribute('aria-label',(one.right?'right: ':'wrong: ')+item.short);b.onclick=()=>open(part,one,item);li.append(b);list.append(li);
  }
  document.getElementById('part').hidden=false;
}
function open(part,one,item){
  box.replaceChildren();
  box.append(el('h2',one.id),el('div',item.text,'text'));
  box.append(el('p','Key: '+item.key));
  const ol=el('ol',undefined,'guesses');for(const g of one.guesses)ol.append(el('li',g));
  box.append(el('p','Guesses of '+DATA.rows[now.row].model+':'),ol);
  box.append(el('p',one.marks,'sign'));
  const close=el('button','Close','pill');close.onclick=()=>box.close();box.append(close);box.showModal();
}
const show_row=(row,part)=>{now={row,part};draw();document.getElementById('part').scrollIntoView({behavior:'smooth'})};
for(const b of document.querySelectorAll('button.row'))b.onclick=()=>show_row(+b.dataset.row,+b.dataset.part);
for(const r of document.querySelectorAll('tr.opens')){r.onclick=()=>show_row(+r.dataset.row,0);r.onkeydown=e=>{if(e.key==='Enter')r.onclick()}}
for(const b of document.querySelectorAll('nav.filter button'))b.onclick=()=>{show=b.dataset.show;for(const o of document.querySelectorAll('nav.filter button'))o.setAttribute('aria-pressed',o===b);draw()};
"""


def question_text(question: AnyQuestion) -> str:
    """A question as plain text for people."""
    match question:
        case Choice(context=context, choices=choices):
            return "\n".join([*context, *(f"  ({number}) {choice}" for number, choice in enumerate(choices))])
        case EventGap(links=links, gap=gap, choices=choices):
            shown = [str(link) for link in links]
            if gap is not None:
                shown.insert(gap, "____")
            tail = "\none of: " + ", ".join(map(str, choices)) if choices else ""
            return "  ".join(shown) + ("" if gap is not None else "  (position not told)") + tail
        case WordGap(abstract=abstract, prefix=prefix, suffix=suffix):
            return f"{' '.join(abstract)}\n→ {' '.join(prefix)} ____ {' '.join(suffix)}".rstrip()
        case Order(sentences=sentences):
            return "\n".join(f"({number}) {text}" for number, text in enumerate(sentences))
        case Read(text=text):
            return text
        case Where(story=story):
            return story.text
        case Unsaid(story=story, scenario=scenario, place=place):
            return f"{scenario}\n{story.text}\n(before sentence {place})"
        case AboutEvent(story=story, scenario=scenario, event=event, choices=choices):
            what = "told?" if "told" in choices else "where?"
            return f"{scenario}\n{story.text}\n({event}: {what})"
        case LeftOut(story=story):
            return story.text
        case SentenceGap(sentences=sentences, gap=gap):
            return "\n".join([*sentences[:gap], "____", *sentences[gap:]])
        case Rate(text=text, ask_for=ask_for, context=context, low=low, high=high):
            return "\n".join([*context, text, f"{ask_for} ({low} to {high})"])
        case Group(texts=texts, context=context):
            return "\n".join([*context, *(f"({number}) {text}" for number, text in enumerate(texts))])
        case Relate(story=story, first=first, second=second):
            ends = [story.of(story.events[event]) for event in (first, second)]
            return f"{story.text}\n{ends[0]} … {ends[1]}"
        case Compose(ask_for=ask_for, context=context):
            return "\n".join([*context, ask_for])


def answer_text(answer: Answer, question: AnyQuestion | None = None) -> str:
    """An answer as plain text for people."""
    match answer:
        case Segments(segments=segments):
            return (
                "; ".join(f"{one.start}–{one.stop}: {', '.join(one.names) or 'None'}" for one in segments)
                or "no segment"
            )
        case Permutation(order=order):
            return " ".join(map(str, order))
        case Groups(names=texts) | Parts(texts=texts):
            return " / ".join(texts)
        case Reading(story=story):
            return f"{len(story.sentences)} sentences, {len(story.events)} events, {len(story.entities)} entities"
        case Suggestions(scenarios=scenarios, suggestions=suggestions):
            said = "; ".join(f"{one.offset}: {one.phrase}" for one in suggestions)
            return f"{', '.join(scenarios) or 'None'}: {said or 'nothing'}"
        case JudgedKey(scenarios=scenarios, accepted=accepted):
            names = ", ".join(names[0] for names in scenarios) or "None"
            return f"{names}: {'; '.join(entry.event for entry in accepted) or 'nothing'}"
    if isinstance(question, Choice) and answer.isdigit() and int(answer) < len(question.choices):
        return f"({answer}) {question.choices[int(answer)]}"
    return str(answer)


def spread(items: Sequence[Item], most: int = MOST) -> list[Item]:
    """At most ``most`` items, evenly over the list."""
    if len(items) <= most:
        return list(items)
    return [items[number * len(items) // most] for number in range(most)]


def right(item: Item, prediction: Prediction | None) -> bool:
    """Is the first guess the key?"""
    return prediction is not None and prediction.best == item.key


def shown_items(
    items: Sequence[Item], predictions: Mapping[str, Prediction], marks: Mapping[str, Mapping[str, float]]
) -> list[dict[str, Any]]:
    """What a row shows of its items."""
    shown = []
    for item in items:
        one = predictions.get(item.id)
        guesses = [
            answer_text(guess.answer, item.question) + (f"  (log P {guess.logp:.3f})" if guess.logp is not None else "")
            + (f"  because of {', '.join(guess.why)}" if guess.why else "")
            for guess in (one.guesses[:10] if one else ())
        ]  # fmt: skip
        if isinstance(item.key, JudgedKey):
            guesses += [judgement_text(judgement) for judgement in judgements(item, one)]
        counts = ", ".join(f"{key} {count:g}" for key, count in marks.get(item.id, {}).items())
        shown.append({"id": item.id, "right": right(item, one), "guesses": guesses, "marks": counts})
    return shown


def judgement_text(judgement: Judgement) -> str:
    """What becomes of a suggestion, for people."""
    place = "in place" if judgement.in_place else "accepted, elsewhere" if judgement.accepted else "wrong"
    entry = judgement.entry
    why = f" ({entry.why})" if entry is not None and entry.why else ""
    meets = f"meets “{entry.event}”{why}" if entry is not None else "meets nothing"
    return f"{judgement.suggestion.phrase}: {place}; {meets}"


def item_card(item: Item) -> dict[str, str]:
    """What a page shows of an item, whoever answered it."""
    text = question_text(item.question)
    short = " ".join(text.split())
    return {
        "short": short[:110] + ("…" if len(short) > 110 else ""),
        "text": text,
        "key": answer_text(item.key, item.question),
    }


def body_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """The part under a table: buttons for each row and condition, the list of items, the item itself."""
    buttons = "".join(
        f"<li>{escape(row['model'])}: "
        + " · ".join(
            f'<button class="row" data-row="{number}" data-part="{place}">{escape(part["condition"])}</button>'
            for place, part in enumerate(row["parts"])
        )
        + "</li>"
        for number, row in enumerate(rows)
        if row["parts"]
    )
    return (
        f'<h2>Items</h2><p class="soft">Open a row to see what it got right and wrong.</p><ul>{buttons}</ul>'
        '<section id="part" hidden><h2 id="items-head"></h2><nav class="filter" aria-label="filter">'
        '<button class="pill" data-show="all" aria-pressed="true">all</button>'
        '<button class="pill" data-show="right" aria-pressed="false">right</button>'
        '<button class="pill" data-show="wrong" aria-pressed="false">wrong</button></nav>'
        '<ul id="items"></ul></section><dialog id="item" aria-label="item"></dialog>'
    )


def cell(figure: Mapping[str, Any] | None, column: str, numbers: NumberForm) -> str:
    """A number with its interval."""
    if figure is None or figure["value"] is None:
        return "<td></td>"
    text = numbers.text(figure["value"], column)
    if figure.get("low") is not None:
        text += f"<br><small>{numbers.text(figure['low'], column)} to {numbers.text(figure['high'], column)}</small>"
    if figure.get("few"):
        text += f"<br><small class='bad'>{few_text(figure['groups'])}</small>"
    if figure.get("seeds"):
        values = ", ".join(numbers.text(value, column) for value in figure["seeds"].values())
        text += f"<br><small>± {numbers.text(figure['seed_sd'], column)} between seeds: {values}</small>"
    title = f' title="{escape(figure["signature"])}"' if figure.get("signature") else ""
    return f"<td{title}>{text}</td>"


def test_line(test: Mapping[str, Any], numbers: NumberForm) -> str:
    """A paired test in words."""
    difference, low, high = (numbers.text(test[key], test["column"], True) for key in ("difference", "low", "high"))
    return (
        f"<li>{escape(test['column'])}: {escape(test['row'])} {escape(against(test))}: {difference} ({low} to {high}), "
        f"p = {test['p']:.4f}, corrected {test['p_holm']:.4f} <small>({escape(test['test'])})</small></li>"
    )


def card_part(lines: Sequence[tuple[str, str]]) -> str:
    """What is said of a corpus, as a list of heads and texts."""
    body = "".join(f"<dt>{escape(head)}</dt><dd>{escape(text)}</dd>" for head, text in lines)
    return f"<details class='card' open><summary>Card</summary><dl>{body}</dl></details>"


def table_page(parts: Mapping[str, Any]) -> str:
    """The page of a run table."""
    form, numbers = parts["json"], parts["numbers"]
    columns = list(dict.fromkeys(column for row in form["rows"] for column in row["scores"]))
    heads = "".join(f"<th>{escape(column).replace('/', '<br>')}</th>" for column in columns)
    answered = {number for number, row in enumerate(parts["rows"]) if row["predictions"]}
    lines = ""
    for number, row in enumerate(form["rows"]):
        cells = "".join(cell(row["scores"].get(column), column, numbers) for column in columns)
        problem = f'<br><small class="bad">{escape(row["problem"])}</small>' if row.get("problem") else ""
        opens = f' class="opens" data-row="{number}" tabindex="0"' if number in answered else ""
        lines += f'<tr{opens}><td>{escape(marked_name(row))}{problem}</td><td class="left"><small>{escape(row["role"])}</small></td>{cells}</tr>'
    tests = "".join(test_line(test, numbers) for test in form.get("tests", []))
    kept = {condition: spread(items) for condition, items in parts["items"].items()}
    rows = [
        {
            "model": row["model"],
            "parts": [
                {
                    "condition": condition,
                    "total": len(parts["items"][condition]),
                    "shown": shown_items(
                        kept[condition], predictions,
                        next((m for column, m in row["marks"].items() if column.endswith(f"/{condition}")), {}),
                    ),
                }
                for condition, predictions in row["predictions"].items()
            ],
        }
        for row in parts["rows"]
    ]  # fmt: skip
    signatures = "".join(
        f"<li>{escape(row['model'])}, {escape(column)}: <span class='sign'>{escape(one['signature'])}</span></li>"
        for row in form["rows"] for column, one in row["scores"].items() if one.get("signature")
    )  # fmt: skip
    body = (
        (f'<p><a href="{escape(parts["home"])}">All tables</a></p>' if parts.get("home") else "")
        + f'<h1>{escape(parts["title"])}</h1><p class="lead">{escape(parts["paper"])} · split {escape(form["split"])}</p>'
        f'<div class="scroll"><table><thead><tr><th>model</th><th class="left">role</th>{heads}</tr></thead><tbody>{lines}</tbody></table></div>'
        + (f"<p>{escape(parts['note'])}</p>" if parts.get("note") else "")
        + "".join(
            f'<p class="soft">{escape(remark)}</p>'
            for remark in [*row_remarks(form["rows"]), *form.get("remarks", ()), *figure_remarks(form["rows"])]
        )
        + "".join(card_part(card) for card in parts.get("cards", ()))
        + (f"<h2>Paired tests</h2><ul>{tests}</ul>" if tests else "")
        + (body_of(rows) if any(row["parts"] for row in rows) else "")
        + f"<details><summary>Signatures</summary><ul>{signatures}</ul></details><p class='sign'>{escape(form['signature'])}</p>"
    )
    cards = {condition: {item.id: item_card(item) for item in items} for condition, items in kept.items()}
    return page(parts["title"], body, STYLE, SCRIPT, {"rows": rows, "items": cards})


def sheet_fragment(sheet: Any) -> str:
    """A run table for a notebook cell: the numbers without the items."""
    form = sheet.json()
    parts = {
        "json": form,
        "title": sheet.table.title,
        "paper": sheet.table.paper,
        "note": sheet.table.note,
        "numbers": sheet.table.numbers(),
        "items": {},
        "rows": [],
    }
    return framed(table_page(parts), 300 + 64 * len(form["rows"]))


def score_page(
    exam: str,
    data: str,
    items: Sequence[Item],
    systems: Sequence[tuple[str, Sequence[Score], Mapping[str, Prediction]]],
) -> str:
    """The page of scored predictions files."""
    rows: list[dict[str, Any]] = []
    form_rows: list[dict[str, Any]] = []
    for name, scores, predictions in systems:
        form_rows.append({
            "model": name, "role": "",
            "scores": {s.metric: {"value": s.value, "low": s.low, "high": s.high, "n": s.n, "signature": s.signature} for s in scores},
        })  # fmt: skip
        marks = {f"{s.metric}/{exam}": {mark.item: dict(mark.counts) for mark in s.marks} for s in scores}
        rows.append({"model": name, "predictions": {exam: predictions}, "marks": marks})
    form = {"rows": form_rows, "split": data, "signature": ""}
    parts = {"json": form, "title": f"{exam} on {data}", "paper": "", "items": {exam: items}, "rows": rows}
    return table_page({**parts, "numbers": exam_form(exam)})
