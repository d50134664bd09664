"""Pair -> HTML: an abstract instruction and its concrete telling with the blanks in colour (Bisk et al. 2019, Table 2).

Also Table 5 as a page: predictions beside the gold words, for any model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scenarist.pages.layout import escape
from scenarist.story import Pair

STYLE = """
.pr{display:grid;grid-template-columns:auto 1fr;gap:.15rem .8rem;margin:.7rem 0;padding:.6rem .9rem;border:1px solid var(--line,#ddd);
border-radius:.6rem;background:var(--card,#fff)}
.pr dt{font:600 .72rem/1.9 var(--sans,sans-serif);letter-spacing:.06em;color:var(--soft,#666);text-transform:uppercase}
.pr dd{margin:0}
.pr b{border-radius:.3rem;padding:0 .25rem;font-weight:600;background:hsl(28 85% 50%/.22)}
.pr b.good{background:hsl(152 60% 42%/.25);color:inherit}.pr b.bad{background:hsl(4 75% 55%/.22);color:inherit}
.pr b.near{background:hsl(48 90% 50%/.3)}
"""


def marked(words: Sequence[str], blanks: Sequence[tuple[int, int]], kinds: Sequence[str] = ()) -> str:
    """Words with each blank in a mark; ``kinds`` gives the class of each blank."""
    parts: list[str] = []
    at = 0
    for number, (start, stop) in enumerate(blanks):
        parts += [escape(word) for word in words[at:start]]
        kind = f' class="{escape(kinds[number])}"' if kinds else ""
        parts.append(f"<b{kind}>{escape(' '.join(words[start:stop]))}</b>")
        at = stop
    parts += [escape(word) for word in words[at:]]
    return " ".join(parts)


def card(pair: Pair) -> str:
    """One pair."""
    return (
        f'<dl class="pr"><dt>abs</dt><dd>{escape(" ".join(pair.abstract))}</dd>'
        f"<dt>con</dt><dd>{marked(pair.concrete, pair.blanks)}</dd></dl>"
    )


def fragment(pair: Pair) -> str:
    """One pair for a notebook cell."""
    return f"<style>{STYLE}</style>{card(pair)}"


def filled_card(pair: Pair, words: Mapping[int, str], kinds: Sequence[str]) -> str:
    """A pair as a model filled it (``words`` by place) beside the gold text."""
    said = [words.get(place, word) for place, word in enumerate(pair.concrete)]
    return (
        f'<dl class="pr"><dt>abs</dt><dd>{escape(" ".join(pair.abstract))}</dd>'
        f"<dt>pred</dt><dd>{marked(said, pair.blanks, kinds)}</dd><dt>gold</dt><dd>{marked(pair.concrete, pair.blanks)}</dd></dl>"
    )


def page(cards: Iterable[str], title: str, lead: str = "") -> str:
    """A page of pairs."""
    from scenarist.pages.layout import page as shell

    return shell(title, f"<h1>{escape(title)}</h1><p class='lead'>{escape(lead)}</p>{''.join(cards)}", style=STYLE)
