"""What a model writes into the blanks, beside the gold words: Table 5 of Bisk et al. (2019) as a page, with its kinds of error counted.

The paper names three kinds: a fill that means the same (*fully*, *completely*), a loop (*cut*, *cutting*, *cutting*, ...), and nonsense.
A miss is *the same in other words* if it is a verb synonym in WordNet, another form of the same word, or in one of the few
kitchen pairs below. A text *loops* if one fill stands in three or more of its blanks, more often than in the gold text.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from scenarist import __version__
from scenarist.bench.analyses.kidscook_alignment import Rows
from scenarist.bench.fill_texts import FilledText, fill
from scenarist.bench.ratios import Tally, ratio
from scenarist.bench.sheet import Analysis, FigureRow
from scenarist.bench.sit import data_hash
from scenarist.bench.solver import model_fields
from scenarist.corpora.kidscook import KidsCook
from scenarist.errors import Missing
from scenarist.exams.wordcloze import WordCloze
from scenarist.pages.pair import filled_card, page
from scenarist.reading.wordnet import match
from scenarist.registry import make
from scenarist.signature import sign
from scenarist.story import Pair

PAIRS = 250
ROWS: Rows = {
    "lstm-lm": ("lstm-lm", {}), "seq2seq": ("seq2seq", {}), "seq2seq-attention": ("seq2seq-attention", {}),
    "transducer-summed": ("transducer", {}),
    "transducer-param-summed": ("transducer-param", {}),
}  # fmt: skip
ALIKE = (
    {"pan", "skillet"}, {"pot", "saucepan"}, {"bowl", "dish"}, {"big", "large"}, {"small", "little", "tiny"},
    {"completely", "fully", "entirely"}, {"slowly", "gently", "carefully"},
    {"mixture", "contents"}, {"utensil", "tool"}, {"stove", "burner"}, {"spatula", "turner"},
)  # fmt: skip


def alike(one: str, other: str) -> bool:
    """Do two words mean the same here?

    >>> alike("big", "large"), alike("stirring", "stir"), alike("knife", "spoon")
    (True, True, False)
    """
    if any(one in group and other in group for group in ALIKE):
        return True
    short, long = sorted((one, other), key=len)
    if len(short) >= 3 and long.startswith(short[: max(3, len(short) - 1)]) and len(long) - len(short) <= 4:
        return long[len(short) - 1 :].endswith(("s", "es", "ed", "ing", "ly", "d")) or long == short
    return match(one, other)


class Kinds(NamedTuple):
    """Counts over some texts."""

    blanks: int
    right: int
    alike: int
    """Misses that say the same in other words, all words of the blank."""
    texts: int
    loops: int


def kind(gold: Sequence[str], said: Sequence[str]) -> str:
    """good, near (the same in other words) or bad."""
    if list(gold) == list(said):
        return "good"
    return "near" if all(a == b or alike(a, b) for a, b in zip(gold, said, strict=True)) else "bad"


def kinds_of(pair: Pair, filled: FilledText) -> list[str]:
    """The kind of each blank."""
    return [
        kind(pair.concrete[start:stop], [filled.words[place] for place in range(start, stop)])
        for start, stop in pair.blanks
    ]


def loops(pair: Pair, filled: FilledText) -> bool:
    """Is one fill repeated over three or more blanks, more often than the gold text repeats it?"""
    said = Counter(" ".join(filled.words[place] for place in range(a, b)) for a, b in pair.blanks)
    gold = Counter(" ".join(pair.concrete[a:b]) for a, b in pair.blanks)
    return any(count >= 3 and count > gold[text] for text, count in said.items())


def count(pairs: Sequence[Pair], filled: Sequence[FilledText]) -> Kinds:
    """All of them."""
    kinds = [one for pair, text in zip(pairs, filled, strict=True) for one in kinds_of(pair, text)]
    looping = sum(loops(pair, text) for pair, text in zip(pairs, filled, strict=True))
    return Kinds(len(kinds), kinds.count("good"), kinds.count("near"), len(pairs), looping)


def fills_page(model: str, split: str = "dev", rows: int = 12, seed: int = 13) -> str:
    """Random rows of a split as a model fills them, greedily."""
    pairs = random.Random(seed).sample(list(KidsCook(split=split)), rows)
    solver = make("model", model, weights="kidscook", seed=1).fit(())
    filled = [some[0] for some in fill(solver, pairs)]
    found = count(pairs, filled)
    lead = (
        f"{model}, greedy, {rows} random rows of {split} (seed {seed}): {found.right} of {found.blanks} blanks right (green), "
        f"{found.alike} misses the same in other words (yellow), {found.loops} of {found.texts} texts loop."
    )
    cards = [filled_card(pair, text.words, kinds_of(pair, text)) for pair, text in zip(pairs, filled, strict=True)]
    return page(cards, f"What {model} writes into the blanks", lead)


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:
    """Rows of in-domain models: exact, same in other words, looping texts."""
    every = list(KidsCook(split=split))
    pairs = random.Random(seed).sample(every, min(limit or PAIRS, len(every)))
    rows = []
    for label, (name, settings) in ROWS.items():
        row = FigureRow(label, "ours", {}, {})
        try:
            solver = make("model", name, weights="kidscook", seed=1, **settings).fit(())
            row.who = model_fields(name, {"seed": 1, **settings}, solver)
            filled = [some[0] for some in fill(solver, pairs)]
            found = [(pair, count([pair], [text])) for pair, text in zip(pairs, filled, strict=True)]
            row.scores = {
                "match/greedy": ratio(Tally(kinds.right, kinds.blanks, (pair.id,)) for pair, kinds in found),
                "near/greedy": ratio(Tally(kinds.alike, kinds.blanks, (pair.id,)) for pair, kinds in found),
                "loops/greedy": ratio(Tally(kinds.loops, kinds.texts, (pair.id,)) for pair, kinds in found),
            }
        except Missing as error:
            row.more["problem"] = str(error)
        rows.append(row)
    what = {
        "exam": "wordcloze",
        "data": f"kidscook#{data_hash(WordCloze().set(pairs))}",
        "split": split,
        "seed": seed,
        "v": __version__,
    }
    return Analysis(rows, sign("kidscook-fills", what))
