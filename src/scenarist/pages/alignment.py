"""Alignment -> HTML and terminal: which abstract word each stretch of the concrete text was told from (Bisk et al. 2019, Figure 2).

The abstract stands above, each of its words in its own colour; the concrete text stands below with every stretch in the
colour of its word and the word itself under it. Pointing at a word of either side shows the other (no network, no library).
"""

from __future__ import annotations

from collections.abc import Iterable

from scenarist.pages.layout import HUES, escape
from scenarist.story import Alignment

STYLE = """
.al{margin:.8rem 0 1.4rem}
.al .abs{display:flex;flex-wrap:wrap;gap:.25rem;margin:.2rem 0 .6rem;font-family:var(--serif,serif)}
.al .abs span,.al .seg{border-radius:.35rem;background:hsl(var(--h) var(--band-s,70%) var(--band-l,88%))}
.al .abs span{padding:.1rem .45rem}
.al .abs span.none{background:none;color:var(--soft,#666);border:1px dashed var(--line,#ccc)}
.al .con{line-height:2.9}
.al .seg{position:relative;padding:.15rem .3rem;margin:0 .12rem;box-decoration-break:clone;-webkit-box-decoration-break:clone}
.al .seg.none{background:none}
.al .seg i{display:inline-block;font:normal .72rem/1 var(--sans,sans-serif);color:hsl(var(--h) 60% var(--tint-l,38%));margin-left:.35rem;
vertical-align:sub}
.al b{font-weight:600;text-decoration:underline;text-decoration-thickness:2px;text-underline-offset:3px}
.al:has([data-at]:hover) [data-at]{opacity:.35}
"""


def hue(at: int) -> int:
    """The hue of the abstract word at a place."""
    return HUES[at % len(HUES)]


def hover(count: int) -> str:
    """Rules that light up both sides of a word."""
    return "".join(
        f".al:has([data-at='{at}']:hover) [data-at='{at}']{{opacity:1;outline:2px solid hsl({hue(at)} 60% 50%)}}"
        for at in range(count)
    )


def figure(alignment: Alignment) -> str:
    """One aligned pair; blanks are underlined."""
    pair = alignment.pair
    used = set(alignment.path)
    above = "".join(
        f'<span style="--h:{hue(at)}" data-at="{at}"{"" if at in used else " class=none"}>{escape(word)}</span>'
        for at, word in enumerate(pair.abstract)
    )
    blank = {place for start, stop in pair.blanks for place in range(start, stop)}
    below = []
    for at, start, stop in alignment.spans():
        words = " ".join(
            f"<b>{escape(pair.concrete[place])}</b>" if place in blank else escape(pair.concrete[place])
            for place in range(start, stop)
        )
        if at < 0:
            below.append(f'<span class="seg none">{words}</span>')
        else:
            below.append(
                f'<span class="seg" style="--h:{hue(at)}" data-at="{at}">{words}<i>{escape(pair.abstract[at])}</i></span>'
            )
    by = f"<small>{escape(pair.id)}{' · ' + escape(alignment.by) if alignment.by else ''}</small>"
    return f'<figure class="al">{by}<div class="abs" aria-label="abstract">{above}</div><div class="con">{"".join(below)}</div></figure>'


def fragment(alignment: Alignment) -> str:
    """One alignment for a notebook cell."""
    return f"<style>{STYLE}{hover(len(alignment.pair.abstract))}</style>{figure(alignment)}"


def page(alignments: Iterable[Alignment], title: str, lead: str = "") -> str:
    """A page of alignments."""
    from scenarist.pages.layout import page as shell

    shown = list(alignments)
    most = max((len(one.pair.abstract) for one in shown), default=0)
    body = f"<h1>{escape(title)}</h1><p class='lead'>{escape(lead)}</p>" + "".join(figure(one) for one in shown)
    return shell(title, body, style=STYLE + hover(most))


def text(alignment: Alignment) -> str:
    """The same for a terminal: one line a stretch, the abstract word at the left.

    >>> from scenarist.story import Pair
    >>> pair = Pair("p", ("fry", "egg"), ("heat", "oil", "crack", "it"))
    >>> print(text(Alignment(pair, (0, 0, 1, 1))))
    fry | heat oil
    egg | crack it
    """
    pair = alignment.pair
    spans = alignment.spans()
    wide = max((len(pair.abstract[at]) if at >= 0 else 1 for at, _, _ in spans), default=1)
    return "\n".join(
        f"{(pair.abstract[at] if at >= 0 else '-'):>{wide}} | {' '.join(pair.concrete[start:stop])}"
        for at, start, stop in spans
    )
