"""Documents -> which of them repeat an earlier one: exactly, or nearly (MinHash over shingles, Broder 1997).

Chambers (2017, section 5) trained on Gigaword "with duplicates removed" without saying how. Exact: the same words. Near: the
signatures of the sets of five-word shingles agree in ``threshold`` of their places. Candidates come from bands of the signature,
so the work grows with the number of documents, not with its square. The first of several is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

HASHES, BANDS, SHINGLE = 64, 16, 5
PRIME = np.uint64((1 << 61) - 1)
WORD = re.compile(r"\w+(?:(?:->|:)\w+)*")
"""A word of a text; an event ``verb:role`` of a chain is one word too."""


class Duplicates(NamedTuple):
    """Places of documents to leave out, in order."""

    exact: tuple[int, ...]
    near: tuple[int, ...]
    of: tuple[tuple[int, int], ...]
    """(place, place of the earlier document it repeats)."""

    @property
    def all(self) -> frozenset[int]:
        """Both kinds."""
        return frozenset(self.exact + self.near)


class Sketch(NamedTuple):
    """What is kept of a document: a digest of its words and its MinHash signature."""

    digest: bytes
    signature: npt.NDArray[np.uint64]


class Sketcher:
    """Text -> Sketch. One word is hashed once, whatever the number of texts."""

    def __init__(self, seed: int = 13) -> None:
        rng = np.random.default_rng(seed)
        self._times = rng.integers(1, 1 << 31, HASHES, dtype=np.uint64)
        self._plus = rng.integers(0, 1 << 31, HASHES, dtype=np.uint64)
        self._words: dict[str, int] = {}

    def __call__(self, text: str) -> Sketch:
        words = [word.lower() for word in WORD.findall(text)]
        digest = blake2b("\x00".join(words).encode(), digest_size=16).digest()
        return Sketch(digest, self.signature(words))

    def word(self, word: str) -> int:
        """A 31-bit number for a word."""
        found = self._words.get(word)
        if found is None:
            if len(self._words) > 1_000_000:
                self._words.clear()
            found = self._words[word] = int.from_bytes(blake2b(word.encode(), digest_size=4).digest(), "big") >> 1
        return found

    def signature(self, words: list[str]) -> npt.NDArray[np.uint64]:
        """The least hash of all shingles, for each of the hash functions."""
        if not words:
            return np.full(HASHES, PRIME, np.uint64)
        numbers = np.array([self.word(word) for word in words], np.uint64)
        width = min(SHINGLE, len(numbers))
        shingles = np.zeros(len(numbers) - width + 1, np.uint64)
        for at in range(width):
            shingles = (shingles * np.uint64(1_000_003) + numbers[at : at + len(shingles)]) & np.uint64(0x7FFFFFFF)
        shingles = np.unique(shingles)
        least = np.full(HASHES, PRIME, np.uint64)
        for start in range(0, len(shingles), 4096):
            part = shingles[start : start + 4096]  # [shingles]
            hashed = (part[:, None] * self._times + self._plus) % PRIME  # [shingles, hashes]
            least = np.minimum(least, hashed.min(axis=0))
        return least


def find_duplicates(texts: Iterable[str], threshold: float = 0.8, seed: int = 13) -> Duplicates:
    """Which texts repeat an earlier one."""
    sketcher = Sketcher(seed)
    return compare_sketches((sketcher(text) for text in texts), threshold)


def compare_sketches(sketches: Iterable[Sketch], threshold: float = 0.8) -> Duplicates:
    """Which sketches repeat an earlier one; documents without words repeat nothing."""
    seen: dict[bytes, int] = {}
    kept: dict[int, npt.NDArray[np.uint64]] = {}
    bands: list[dict[bytes, list[int]]] = [{} for _ in range(BANDS)]
    rows = HASHES // BANDS
    exact: list[int] = []
    near: list[int] = []
    of: list[tuple[int, int]] = []
    for place, sketch in enumerate(sketches):
        if sketch.signature[0] == PRIME:
            continue
        earlier = seen.setdefault(sketch.digest, place)
        if earlier != place:
            exact.append(place)
            of.append((place, earlier))
            continue
        keys = [sketch.signature[at * rows : (at + 1) * rows].tobytes() for at in range(BANDS)]
        candidates = sorted({other for band, key in zip(bands, keys, strict=True) for other in band.get(key, ())})
        like = next((one for one in candidates if (kept[one] == sketch.signature).mean() >= threshold), None)
        if like is not None:
            near.append(place)
            of.append((place, like))
            continue
        kept[place] = sketch.signature
        for band, key in zip(bands, keys, strict=True):
            band.setdefault(key, []).append(place)
    return Duplicates(tuple(exact), tuple(near), tuple(of))
