"""Documents -> which of them repeat an earlier one: exactly, or nearly (MinHash over shingles, Broder 1997).

Chambers (2017, section 5) trained on Gigaword "with duplicates removed" without saying how. Exact: the same words. Near: the
signatures of the sets of five-word shingles agree in ``threshold`` of their places. Candidates come from bands of the signature,
so the work grows with the number of documents, not with its square. The first of several is kept.
"""

from __future__ import annotations

import re
from array import array
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
    documents: int = 0
    """How many were looked at."""

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
        number = self._words.get(word)
        if number is None:
            if len(self._words) > 1_000_000:
                self._words.clear()
            number = self._words[word] = int.from_bytes(blake2b(word.encode(), digest_size=4).digest(), "big") >> 1
        return number

    def signature(self, words: list[str]) -> npt.NDArray[np.uint64]:
        """The least hash of all shingles, for each of the hash functions."""
        if not words:
            return np.full(HASHES, PRIME, np.uint64)
        numbers = np.array([self.word(word) for word in words], np.uint64)
        width = min(SHINGLE, len(numbers))
        shingles = np.zeros(len(numbers) - width + 1, np.uint64)
        for offset in range(width):
            shingles = (shingles * np.uint64(1_000_003) + numbers[offset : offset + len(shingles)]) & np.uint64(
                0x7FFFFFFF
            )
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
    """Which sketches repeat an earlier one; documents without words repeat nothing.

    A document takes some 330 bytes at the peak, 4.1 GB for 12.5 million. Only those that share a band with another are compared.
    """
    flat, codes, worded = array("I"), array("Q"), bytearray()
    for sketch in sketches:
        flat.frombytes(sketch.signature.astype(np.uint32).tobytes())
        codes.frombytes(sketch.digest)
        worded.append(int(sketch.signature[0] != PRIME))
    signatures = np.frombuffer(flat, np.uint32).reshape(-1, HASHES)  # [documents, hashes]
    digests = np.frombuffer(codes, np.uint64).reshape(-1, 2)  # [documents, halves]
    places = np.flatnonzero(np.frombuffer(worded, np.uint8))
    again = first_of(digests, places)
    exact = {place: earlier for place, earlier in again.items() if place != earlier}
    near = near_of(
        signatures, np.array([place for place in places.tolist() if place not in exact], np.int64), threshold
    )
    of = sorted((exact | near).items())
    return Duplicates(tuple(sorted(exact)), tuple(sorted(near)), tuple(of), len(worded))


def first_of(digests: npt.NDArray[np.uint64], places: npt.NDArray[np.int64]) -> dict[int, int]:
    """Places whose digest is not theirs alone -> the first place that has it."""
    order = places[np.lexsort((places, digests[places, 1], digests[places, 0]))]
    fresh = np.ones(len(order), bool)
    fresh[1:] = (digests[order[1:]] != digests[order[:-1]]).any(axis=1)
    starts = np.flatnonzero(fresh)
    sizes = np.diff(np.append(starts, len(order)))
    first = np.repeat(order[starts], sizes)
    shared = np.repeat(sizes > 1, sizes)
    return dict(zip(order[shared].tolist(), first[shared].tolist(), strict=True))


def near_of(signatures: npt.NDArray[np.uint32], places: npt.NDArray[np.int64], threshold: float) -> dict[int, int]:
    """Places whose signature agrees with an earlier one that is kept -> that one."""
    rows = HASHES // BANDS
    crowded = np.zeros(len(places), bool)
    for band in range(BANDS):
        keys = band_keys(signatures[places, band * rows : (band + 1) * rows])
        order = np.argsort(keys, kind="stable")
        same = keys[order[1:]] == keys[order[:-1]]
        crowded[order[1:][same]] = crowded[order[:-1][same]] = True
    bands: list[dict[int, list[int]]] = [{} for _ in range(BANDS)]
    copies: dict[int, int] = {}
    for place in places[crowded].tolist():
        signature = signatures[place]
        mates = [
            band.setdefault(int(key), [])
            for band, key in zip(bands, band_keys(signature.reshape(BANDS, rows)), strict=True)
        ]
        candidates = sorted({other for mates_here in mates for other in mates_here})
        like = next((one for one in candidates if (signatures[one] == signature).mean() >= threshold), None)
        if like is not None:
            copies[place] = like
            continue
        for mates_here in mates:
            mates_here.append(place)
    return copies


def band_keys(part: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    """One number for each row of a band."""
    keys = np.zeros(len(part), np.uint64)
    for column in part.T:
        keys = (keys ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys
