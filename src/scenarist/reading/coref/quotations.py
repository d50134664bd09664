"""Story -> what stands in quotation marks, and who says it: the subject of a verb of saying in the same sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.reading.coref import lexicon as lex
from scenarist.story import Story

Array = npt.NDArray[Any]

_QUOTE_MARKS = {'"': 0, "“": 1, "”": -1, "``": 1, "''": -1, "«": 1, "»": -1}


def quotations(story: Story, lower: list[str]) -> tuple[Array, dict[int, int]]:
    """-> (number of the quotation each token stands in, 0 outside; quotation -> token of its speaker)."""
    number = np.zeros(len(lower), dtype=int)
    inside, count = False, 0
    for one in story.sentences:
        begun = inside
        for place in range(one.first, one.last):
            mark = _QUOTE_MARKS.get(lower[place])
            if mark is not None:
                if mark == 1 or (mark == 0 and not inside):
                    inside, count = True, count + 1
                else:
                    inside = False
            elif inside:
                number[place] = count
        if inside and begun and one.last - one.first > 60:  # a mark was lost: do not quote the rest of the book
            inside = False
    speaking: dict[int, int] = {}
    tokens = story.tokens
    for one in story.sentences:
        quotes = sorted(set(number[one.first : one.last].tolist()) - {0})
        if not quotes:
            continue
        for place in range(one.first, one.last):
            token = tokens[place]
            if (
                token.dep == "nsubj"
                and not number[place]
                and token.head >= 0
                and not number[token.head]
                and tokens[token.head].lemma in lex.SAY
            ):
                for quote in quotes:
                    speaking.setdefault(quote, place)
                break
    return number, speaking
