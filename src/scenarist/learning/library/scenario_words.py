"""Sentences -> how strongly the words of each speak for every script of the library: which activity is told, where nobody names it.

A script's words are those of its participants, of what it says of its events, of its setting (`settings.txt`) and of fifteen steps listed
without sight of it (`steps.jsonl`). A word's gain is the log of how much likelier it is where a twentieth of the words are the script's
than in everyday stories at large (counts of ROCStories' words). Words that the script never uses say nothing, so that oblique tellings
lose nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.library.evidence import library_scripts, own_folder
from scenarist.learning.library.meaning import word_roots
from scenarist.script import WrittenScript
from scenarist.store.home import resource

Array = npt.NDArray[np.float32]
FILE = "scripts/index.npz"
SCHEMA = 1
SLOT = re.compile(r"\{([^{}]*)\}")
SHARE = 0.05
"""The share of a telling's words that are the script's own."""
MOST = 2.0
"""One word speaks for a script with so many nats at most,"""
MOST_IN_SENTENCE = 8.0
"""and one sentence with so many."""
UNSEEN = 40
"""Added to every word's count in everyday stories."""


def script_words(script: WrittenScript, setting: Sequence[str] = (), steps: Sequence[str] = ()) -> Counter[str]:
    """How much each stem is the script's own."""
    counts: Counter[str] = Counter()
    participants = {role.name: role for role in script.participants}
    for event in script.events:
        own: Counter[str] = Counter()
        for text in (event.say, *event.wordings):
            own.update(word_roots(SLOT.sub(" ", text)))
            for name in SLOT.findall(text):
                for rank, word in enumerate(participants[name].words):
                    for stem in word_roots(word):
                        own[stem] += 0.7 / (rank + 1)  # type: ignore[assignment]
        for stem, count in own.items():
            counts[stem] += min(count, 2)
    weighted = [
        (2.0, (word for role in script.participants for word in role.words)),
        (3.0, setting),
        (3.0, [script.scenario]),
        (1.0, steps),
    ]
    for weight, texts in weighted:
        for text in texts:
            for stem in word_roots(text):
                counts[stem] += weight  # type: ignore[assignment]
    return counts


class ScenarioWords:
    """Gains of words by script."""

    def __init__(
        self, names: Sequence[str], words: Sequence[str], gains: Array, often: npt.NDArray[Any], total: float
    ) -> None:
        self.names = tuple(names)
        self.number = {name: place for place, name in enumerate(self.names)}
        self.row = {word: place for place, word in enumerate(words)}
        self.gains = gains  # (words, scripts)
        self.often, self.total = often, total

    @classmethod
    def learn(
        cls, words_of_scripts: Mapping[str, Counter[str]], often: Mapping[str, float], total: float
    ) -> ScenarioWords:
        """The gains of some scripts' words; ``often``: counts of stems in everyday stories, ``total`` of all of them."""
        words = sorted({stem for counts in words_of_scripts.values() for stem in counts})
        gains = np.zeros((len(words), len(words_of_scripts)), np.float32)
        row = {word: place for place, word in enumerate(words)}
        base = np.array([(often.get(word, 0) + UNSEEN) / (total + UNSEEN * len(words)) for word in words])
        for column, counts in enumerate(words_of_scripts.values()):
            whole = sum(counts.values())
            rows = [row[stem] for stem in counts]
            shares = np.array(list(counts.values())) / whole
            gains[rows, column] = MOST * np.tanh(np.log1p(SHARE / (1 - SHARE) * shares / base[rows]) / MOST)
        return cls(list(words_of_scripts), words, gains, np.array([often.get(word, 0) for word in words]), total)

    def with_scripts(self, scripts: Sequence[WrittenScript]) -> ScenarioWords:
        """The same with further scripts; one of a name that is known stands in its place."""
        fresh = {script.scenario: script_words(script) for script in scripts}
        kept = [place for place, name in enumerate(self.names) if name not in fresh]
        often = {word: float(self.often[row]) for word, row in self.row.items()}
        learned = ScenarioWords.learn(fresh, often, self.total)
        words = sorted({*self.row, *learned.row})
        gains = np.zeros((len(words), len(kept) + len(fresh)), np.float32)
        place = {word: row for row, word in enumerate(words)}
        gains[np.ix_([place[word] for word in self.row], range(len(kept)))] = self.gains[:, kept]
        gains[np.ix_([place[word] for word in learned.row], range(len(kept), gains.shape[1]))] = learned.gains
        names = [*(self.names[number] for number in kept), *fresh]
        return ScenarioWords(names, words, gains, np.array([often.get(word, 0.0) for word in words]), self.total)

    def scores(self, texts: Sequence[str]) -> Array:
        """How strongly each text speaks for each script, in nats (texts, scripts)."""
        out = np.zeros((len(texts), len(self.names)), np.float32)
        for number, text in enumerate(texts):
            rows = sorted({self.row[stem] for stem in word_roots(text) if stem in self.row})
            out[number] = self.gains[rows].sum(0)
        return np.asarray(MOST_IN_SENTENCE * np.tanh(out / MOST_IN_SENTENCE), np.float32)

    def save(self, path: Path) -> None:
        """Write the gains: 8 bit, only those that are not 0."""
        flat = np.round(self.gains / MOST * 255).astype(np.uint8)
        rows, columns = np.nonzero(flat)
        np.savez_compressed(
            path, schema=np.int64(SCHEMA), names=packed(self.names), words=packed(list(self.row)),
            starts=np.searchsorted(rows, np.arange(len(self.row) + 1)).astype(np.int32),
            columns=columns.astype(np.uint8 if len(self.names) < 256 else np.uint16), gains=flat[rows, columns],
            often=self.often.astype(np.int32), total=np.float64(self.total),
        )  # fmt: skip

    @classmethod
    def load(cls, path: Path) -> ScenarioWords:
        """The gains of a file."""
        with np.load(path, allow_pickle=False) as arrays:
            if int(arrays["schema"]) != SCHEMA:
                raise BadInput(f"{path}: expected schema {SCHEMA}, found {int(arrays['schema'])}.")
            names, words = (bytes(arrays[name]).decode().split("\n") for name in ("names", "words"))
            gains = np.zeros((len(words), len(names)), np.float32)
            rows = np.repeat(np.arange(len(words)), np.diff(arrays["starts"]))
            gains[rows, arrays["columns"]] = arrays["gains"] * np.float32(MOST / 255)
            return cls(names, words, gains, arrays["often"], float(arrays["total"]))


def packed(names: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Some words as bytes."""
    return np.frombuffer("\n".join(names).encode(), np.uint8)


def carried_words() -> ScenarioWords:
    """The words of the library the package carries, with those of the user's own folder of scripts where there is one."""
    return _carried_words(own_folder())


@cache
def _carried_words(folder: str) -> ScenarioWords:
    words = ScenarioWords.load(resource(FILE))
    return words.with_scripts([own.script for own in library_scripts(folder).values()]) if folder else words


def read_settings(path: Path) -> dict[str, tuple[str, ...]]:
    """The words of each scenario's setting."""
    lines = (line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))
    return {name: tuple(words.split()) for name, _, words in (line.partition(": ") for line in lines)}
