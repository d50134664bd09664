"""Text -> stems and phrases: the plain features of the light detector, without a parser.

Words are lower-cased and cut to a light stem (plural, -ing, -ed, doubled consonant, final e), so that *shopping*,
*shopped* and *shops* meet; every pair of neighbouring stems and every pair of neighbouring content stems is a phrase of its own
("stand in the line" holds *stand line*). Stems are cached: a word is cut once in a run.
This file imports nothing but `re`, so that training can use it on a machine without the package's dependencies.
"""

from __future__ import annotations

import itertools
import re
from functools import cache

WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
STOP = frozenset(
    "a an the of to in on at and or but i you he she it we they my your his her its our their me him them us is wa were are "
    "be been am hav ha had do did doe that thi thes thos so then ther a for with from by not if when whil would could can will "
    "just very really didn't don't".split()
)


@cache
def stem(word: str) -> str:
    """The light stem of a lower-case word.

    >>> [stem(word) for word in ("shopping", "shopped", "shops", "parties", "baked", "bus", "dog's")]
    ['shop', 'shop', 'shop', 'party', 'bak', 'bus', 'dog']
    """
    word = word.removesuffix("'s")
    if len(word) > 4 and word.endswith("ing"):
        word = word[:-3]
    elif len(word) > 4 and word.endswith(("ied", "ies")):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("ed"):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word


def stems(text: str) -> list[str]:
    """The stems of a text in order.

    >>> stems("We stopped at the shop’s doors.")
    ['we', 'stop', 'at', 'the', 'shop', 'door']
    """
    return [stem(word) for word in WORD.findall(text.lower().replace("’", "'"))]


def phrases(found: list[str]) -> list[str]:
    """Stems, pairs of neighbours (joined by a space) and pairs of neighbouring content stems (by an underscore).

    >>> phrases(["stand", "in", "the", "line"])
    ['stand', 'in', 'the', 'line', 'stand in', 'in the', 'the line', 'stand_line']
    """
    pairs = [f"{one} {two}" for one, two in itertools.pairwise(found)]
    content = [one for one in found if one not in STOP]
    return found + pairs + [f"{one}_{two}" for one, two in itertools.pairwise(content)]
