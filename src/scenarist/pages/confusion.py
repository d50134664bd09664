"""The JSON of the table `scenarios` -> HTML: maps of which scenario is taken for which, and what stands around them in the paper.

Wanzare et al. (2019), section 5.3: Table 7 (commonest wrong pairs with PMI), Table 8 (best scenarios), Table 4 and Figure 2 (scenarios, segments
and their numbers a text); for each model that was asked, the paper's figures beside. Rows of a map are the right scenario, columns the claimed
one; scenarios that are confused stand together. Every cell can be pointed at, and chosen with the keyboard through the list beside it.
The JSON of the table `topic-words` -> HTML: the words of each scenario (Table 9).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.pages.layout import escape, page

CELL = 4
NONE = "None"
STYLE = """
.map{display:grid;grid-template-columns:minmax(0,1fr) 18rem;gap:1.2rem}@media(max-width:60rem){.map{grid-template-columns:1fr}}
svg.pairs{width:100%;height:auto;background:var(--card);border:1px solid var(--line)}
svg.pairs rect.p{fill:var(--bad)}svg.pairs rect.r{fill:var(--accent)}svg.pairs rect.on{stroke:var(--ink);stroke-width:1.5}
svg.pairs line{stroke:var(--line)}
ol.pairs{max-height:34rem;overflow:auto;padding-left:0;list-style:none;font-size:.9rem}ol.pairs button{text-align:left;padding:.15rem .3rem;width:100%}
ol.pairs button:hover,ol.pairs button[aria-current=true]{background:var(--card);outline:1px solid var(--line)}
.bars{display:flex;align-items:flex-end;gap:.4rem;height:7rem}.bars div{background:var(--accent);width:2rem;position:relative}
.bars span{position:absolute;bottom:-1.5rem;width:100%;text-align:center;font-size:.8rem}.bars b{position:absolute;top:-1.3rem;width:100%;text-align:center;font-weight:400;font-size:.8rem}
"""
SCRIPT = """
for(const map of document.querySelectorAll('.map')){const say=map.querySelector('.said'),data=DATA[map.dataset.model];
function pick(n,scroll){for(const r of map.querySelectorAll('rect.on'))r.classList.remove('on');
  const r=map.querySelector('rect[data-n="'+n+'"]');if(r)r.classList.add('on');
  for(const b of map.querySelectorAll('button')){const me=b.dataset.n===String(n);b.setAttribute('aria-current',me);if(me&&scroll)b.scrollIntoView({block:'nearest'})}
  if(data[n])say.textContent=data[n]}
for(const b of map.querySelectorAll('button'))b.onclick=()=>pick(b.dataset.n,false);
for(const r of map.querySelectorAll('rect[data-n]'))r.onclick=()=>pick(r.dataset.n,true)}
"""


def confusion_page(form: Mapping[str, Any]) -> str:
    """The whole page."""
    said: dict[str, list[str]] = {}
    parts = [model_part(part, said) for part in form["models"]]
    body = (
        "<h1>Which scenario is taken for which</h1>"
        f"<p class='lead'>Stitched documents, split {escape(form['split'])}. Down: the right scenario; across: the claimed one. Blue: related in the inventory.</p>"
        f"{''.join(parts)}"
        f"<h2>Scenario by scenario (Tables 4 and 8)</h2>{scenarios(form['rows'])}"
        f"<h2>Segments and scenarios a text (Figure 2)</h2>{bars('segments', form['segments_a_text'])}{bars('scenarios', form['scenarios_a_text'])}"
        f"<p class='soft'>{100 * form['several_labels']:.1f} % of the labelled sentences bear several labels (15 % in the paper).</p>"
        f"<p class='sign'>{escape(form['signature'])}</p>"
    )
    return page("Scenarios and their confusions", body, STYLE, SCRIPT, said)


def model_part(part: Mapping[str, Any], said: dict[str, list[str]]) -> str:
    """One model: its map, its commonest wrong pairs, its correlations; what is said of each pair is added to ``said``."""
    name = str(part["model"])
    pairs = [(str(one), str(two), int(count)) for one, two, count in part["pairs"]]
    known = {(one["true"], one["predicted"]): one for one in part["confusions"]}
    said[name] = [sentence(one, two, count, known.get((one, two))) for one, two, count in pairs]
    listed = "".join(
        f'<li><button data-n="{number}" title="{escape(said[name][number])}">{count} · {escape(one)} → {escape(two)}</button></li>'
        for number, (one, two, count) in enumerate(pairs[:300])
    )
    shares = (
        f"{part['errors_with_none']} wrong label assignments, {part['errors']} of them a scenario for a scenario; of these the ten commonest pairs are {100 * part['share_of_ten_commonest']:.0f} % (16 % in the paper), "
        f"the hundred commonest {100 * part['share_of_hundred_commonest']:.0f} % (63 %); {100 * part['share_between_related']:.0f} % are between scenarios the inventory calls related."
    )
    return (
        f"<h2>{escape(name)}</h2><p>{escape(shares)}</p>"
        f"<div class='map' data-model='{escape(name)}'><div>{drawn(pairs, list(part['order']), known)}<p role='status' class='soft said'>Choose a cell or a pair.</p></div>"
        f"<ol class='pairs' aria-label='Pairs of {escape(name)} by number of sentences'>{listed}</ol></div>"
        f"<h3>The commonest wrong pairs (Table 7)</h3>{commonest(part['confusions'][:10])}"
        f"<h3>Correlations (section 5.3)</h3>{correlated(part['correlations'])}"
        "<p class='soft'>Who stands beside whom in a stitched document was drawn: PMI measures the stitching, nothing of life. <code>scenarist bench confusions</code> "
        "has documents whose neighbours are told together in stories, too.</p>"
    )


def sentence(true: str, wrong: str, count: int, more: Mapping[str, Any] | None) -> str:
    """A pair in words."""
    end = f"; PMI {more['pmi']:.2f}" + (f", {more['relation']}" if more["relation"] else "") if more else ""
    return f"{count} sentence{'s' if count != 1 else ''} of “{true}” taken for “{wrong}”{end}"


def drawn(
    pairs: Sequence[tuple[str, str, int]], order: Sequence[str], known: Mapping[tuple[str, str], Mapping[str, Any]]
) -> str:
    """The map as SVG: a square a pair, darker with more sentences; *None* is the first row and column."""
    names = [NONE, *order]
    place = {name: at for at, name in enumerate(names)}
    most = max((count for _, _, count in pairs), default=1)
    squares = []
    for number, (one, two, count) in enumerate(pairs):
        if one in place and two in place:
            kind = "r" if (known.get((one, two)) or {}).get("relation") else "p"
            shade = 0.25 + 0.75 * math.log1p(count) / math.log1p(most)
            squares.append(
                f'<rect class="{kind}" data-n="{number}" x="{CELL * place[two]}" y="{CELL * place[one]}" width="{CELL}" height="{CELL}" opacity="{shade:.2f}">'
                f"<title>{escape(one)} → {escape(two)}: {count}</title></rect>"
            )
    size = CELL * len(names)
    return (
        f'<svg class="pairs" viewBox="0 0 {size} {size}" role="img" aria-label="Map of confusions, {len(names)} by {len(names)}">'
        f'<line x1="0" y1="0" x2="{size}" y2="{size}"/>{"".join(squares)}</svg>'
    )


def commonest(confusions: Sequence[Mapping[str, Any]]) -> str:
    """Table 7."""
    rows = "".join(
        f"<tr><td>{escape(one['true'])}</td><td class='left'>{escape(one['predicted'])}</td><td>{one['sentences']}</td><td>{one['pmi']:.2f}</td><td class='left'>{escape(one['relation'] or '')}</td></tr>"
        for one in confusions
    )
    head = "<thead><tr><th>right</th><th class='left'>claimed</th><th>sentences</th><th>PMI</th><th class='left'>relation</th></tr></thead>"
    return f"<div class='scroll'><table>{head}<tbody>{rows}</tbody></table></div>"


def scenarios(rows: Sequence[Mapping[str, Any]]) -> str:
    """Tables 4 and 8: counts, precision, recall and F1 with intervals."""
    columns = ("count/documents", "count/sentences", "count/segments", "count/sentences-a-segment")
    head = "<th>documents</th><th>sentences</th><th>segments</th><th>length</th><th>precision</th><th>recall</th><th>F1</th>"
    lines = []
    for row in rows:
        cells = [
            f"{row['scores'][one]['value']:.{1 if one.endswith('segment') else 0}f}" if one in row["scores"] else ""
            for one in columns
        ]
        cells += [interval(row["scores"].get(f"{one}/scenario")) for one in ("precision", "recall", "f1")]
        lines.append(f"<tr><td>{escape(row['model'])}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return (
        f"<details><summary>{len(rows)} rows, the best first</summary><div class='scroll'><table><thead><tr><th>scenario</th>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div></details>"
    )


def interval(cell: Mapping[str, Any] | None) -> str:
    """A figure with its interval."""
    if cell is None:
        return ""
    around = f" <small>{cell['low']:.2f} to {cell['high']:.2f}</small>" if cell.get("low") is not None else ""
    return f"{cell['value']:.2f}{around}"


PAPER = {"recall with pmi": -0.33, "f1 with pmi": -0.17, "precision with sentences": 0.50, "f1 with sentences": 0.20}


def correlated(found: Mapping[str, float]) -> str:
    """Pearson's correlations beside the paper's."""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{value:.2f}</td><td>{PAPER.get(name, float('nan')):.2f}</td></tr>"
        for name, value in found.items()
    )
    return f"<table><thead><tr><th></th><th>here</th><th>paper</th></tr></thead><tbody>{rows}</tbody></table>"


def bars(what: str, counts: Mapping[Any, int]) -> str:
    """A histogram."""
    most = max(counts.values(), default=1)
    drawn_bars = "".join(
        f'<div style="height:{100 * count / most:.0f}%"><b>{count}</b><span>{escape(key)}</span></div>'
        for key, count in counts.items()
    )
    return f"<p>Texts by number of {what}</p><div class='bars' role='img' aria-label='{what} a text'>{drawn_bars}</div><br>"


def words_page(form: Mapping[str, Any]) -> str:
    """Table 9: the heaviest words of each scenario, those that the paper prints too in bold."""
    lines = []
    for name, words in sorted(form["words"].items()):
        printed = set(form["printed"].get(name, ()))
        listed = ", ".join(f"<b>{escape(word)}</b>" if word in printed else escape(word) for word in words)
        lines.append(f"<tr><td>{escape(name)}</td><td class='left'>{listed}</td></tr>")
    head = "<thead><tr><th>scenario</th><th class='left'>words</th></tr></thead>"
    body = (
        "<h1>Words of topics (Table 9)</h1><p class='lead'>The ten words of each scenario's prevalent topics, by LDA on MCScript's training stories alone, without names. "
        "Bold: among the ten that the paper prints for it.</p>"
        f"<div class='scroll'><table>{head}<tbody>{''.join(lines)}</tbody></table></div><p class='sign'>{escape(form['signature'])}</p>"
    )
    return page("Words of topics", body, STYLE)
