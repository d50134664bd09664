"""Words of a paragraph -> which of them begin a sentence: a small window network in numpy.

Each word is two hashed rows (itself, its shape); four words to each side decide. Learned by `training.reader.sentences` from the
treebanks' and LitBank's sentence ends, in ordinary spelling and in lower case.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.networks.layers import relu, sigmoid
from scenarist.reading.parser.network import shape

Array = npt.NDArray[Any]
WORDS, SHAPES, SIDE = 8192, 512, 4
LONGEST = 120
"""words of a sentence at most: a longer one is cut where an end is likeliest"""


class Splitter:
    """The carried weights of the window network."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as arrays:
            data = {name: arrays[name].astype(np.float32) for name in arrays.files}
        # the first layer of each window place, applied to the tables once: a word is then a sum of looked-up rows
        width = data["word"].shape[1]
        parts = data["first"].reshape(2 * SIDE + 1, -1, data["first"].shape[1])  # [places, word + shape, hidden]
        self._word = np.einsum("wd,pdh->pwh", data["word"], parts[:, :width])
        self._shape = np.einsum("sd,pdh->psh", data["shape"], parts[:, width:])
        self._bias, self._out, self._end = data["first_bias"], data["out"][:, 0], float(data["out_bias"][0])
        self._cache: dict[str, tuple[int, int]] = {}

    def rows(self, word: str) -> tuple[int, int]:
        """A word -> its rows; row 0 of each table is for the border of the text."""
        found = self._cache.get(word)
        if found is None:
            if len(self._cache) > 200_000:
                self._cache.clear()
            found = self._cache[word] = hashed(word)
        return found

    def chances(self, words: Sequence[str]) -> Array:
        """P(a sentence begins here) for each word; the first always begins one."""
        size = len(words)
        rows = np.zeros((size + 2 * SIDE, 2), dtype=int)
        rows[SIDE : SIDE + size] = [self.rows(word) for word in words]
        hidden = np.tile(self._bias, (size, 1))
        for place in range(2 * SIDE + 1):
            hidden += self._word[place, rows[place : place + size, 0]]
            hidden += self._shape[place, rows[place : place + size, 1]]
        chance = sigmoid(np.clip(relu(hidden) @ self._out + self._end, -30, 30))
        chance[:1] = 1.0
        return np.asarray(chance)

    def __call__(self, words: Sequence[str], spaces: Sequence[bool] = ()) -> list[tuple[int, int]]:
        """-> sentences as (first, last) word, half open; none longer than LONGEST. ``spaces``: does one follow the word?"""
        if not words:
            return []
        shown = directed(words, spaces)
        chance = self.chances(shown)
        if any(
            word[0].isupper() for word in words
        ):  # "Stop!" cried the guard: one sentence, whatever the corpora's splitters said
            for place in range(1, len(words)):
                if shown[place - 1] in CLOSING and words[place][0].islower():
                    chance[place] = 0.0
        starts = [*np.flatnonzero(chance >= 0.5).tolist(), len(words)]
        found: list[tuple[int, int]] = []
        for first, last in itertools.pairwise(starts):
            while last - first > LONGEST:
                middle = first + LONGEST // 2
                cut = middle + int(chance[middle : first + LONGEST].argmax())
                found.append((first, cut))
                first = cut
            found.append((first, last))
        return found


CLOSING = frozenset(("”", "’", "»"))
STRAIGHT = {'"': "“”", "'": "‘’", "``": "““", "''": "””"}


def directed(words: Sequence[str], spaces: Sequence[bool] = ()) -> Sequence[str]:
    """Straight quotation marks made to open or close: by the spaces about them, else by turns.

    >>> directed(['"', "Go", "!", '"', "he", "said"], [False, False, False, True, True, False])
    ['“', 'Go', '!', '”', 'he', 'said']
    """
    if '"' not in words and "'" not in words and "``" not in words and "''" not in words:
        return words
    out = list(words)
    inside = {'"': False, "'": False}
    for place, word in enumerate(words):
        pair = STRAIGHT.get(word)
        if pair is None:
            continue
        mark = word[0] if word != "``" else '"'
        before = place == 0 or not spaces or spaces[place - 1]
        after = not spaces or spaces[place] or place == len(words) - 1
        opens = not inside[mark] if before == after else before
        out[place] = pair[0] if opens else pair[1]
        inside[mark] = opens
    return out


def hashed(word: str) -> tuple[int, int]:
    """Rows of the word table and the shape table."""
    lower = word.lower()
    key = lower if not lower.isdigit() else "0"
    return zlib.crc32(key.encode("utf-8", "replace")) % (WORDS - 1) + 1, zlib.crc32(
        shape(word).encode("utf-8", "replace")
    ) % (SHAPES - 1) + 1
