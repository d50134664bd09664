"""Text -> a small vector of what it means: the sum of word vectors that were learned to come close to a sentence encoder's.

Made by `training/library/vectors.py` from MiniLM (Wang et al. 2020; Reimers and Gurevych 2019) as teacher. 8 bit numbers, a scale a
word; words
are cut to light stems. A word without a vector says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.library.wordings import root
from scenarist.store.home import resource

Array = npt.NDArray[np.float32]
FILE = "meaning/words.npz"
SCHEMA = 1
WORD = re.compile(r"[a-z][a-z'-]*")
SILENT = frozenset("a an the of to and or my your his her its our their i you he she it we they s t that this".split())
"""Words that are left out."""


def word_roots(text: str, empty: bool = False) -> list[str]:
    """The stems of a text's words; ``empty``: those too that are left out.

    >>> word_roots("The waiter brings us the menu.")
    ['waiter', 'bring', 'us', 'menu']
    """
    words = WORD.findall(text.lower().replace("’", "'"))
    return [root(word.removesuffix("'s")) for word in words if empty or word not in SILENT]


class WordVectors:
    """The vectors by stem."""

    def __init__(self, names: Sequence[str], rows: npt.NDArray[np.int8], scales: Array) -> None:
        self.row = {name: number for number, name in enumerate(names)}
        self.rows, self.scales = rows, scales

    @property
    def width(self) -> int:
        """Numbers in a vector."""
        return int(self.rows.shape[1])

    def sum_of(self, roots: Sequence[str]) -> Array:
        """The sum of some words' vectors (width,), not unit."""
        numbers = [self.row[name] for name in roots if name in self.row]
        return np.asarray(self.scales[numbers] @ self.rows[numbers], np.float32)

    def encode(self, texts: Sequence[str]) -> Array:
        """Unit vectors of texts (N, width); a text without known words is all zeros."""
        sums = np.stack([self.sum_of(word_roots(text)) for text in texts]) if texts else np.zeros((0, self.width))
        return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9), np.float32)


@cache
def carried_vectors() -> WordVectors:
    """The vectors the package carries."""
    with np.load(resource(FILE), allow_pickle=False) as arrays:
        if int(arrays["schema"]) != SCHEMA:
            raise BadInput(f"{FILE}: expected schema {SCHEMA}, found {int(arrays['schema'])}.")
        names = bytes(arrays["words"]).decode().split("\n")
        return WordVectors(names, arrays["rows"], arrays["scales"].astype(np.float32))
