"""Sentences -> scores of scenarios: a bag of phrases per sentence under a recurrent layer over the text, in numpy.

The carried weights (`resources/detector`): a vector per stem or phrase (int8 with a scale a row), a two-way GRU over the
sentence vectors, a linear layer from both to the labels, and a score for a switch before each sentence. Trained by
`training/detector`. Long texts are cut into overlapping stretches that run side by side, so time grows with the length and
memory stays small.

Sentences and a label -> the words that spoke for it: what each phrase adds to the label's score over the other labels.
The network's score has a part that is a plain sum over phrases (`PhraseNetwork.direct`); only that part is read
here, as it can be said in words. Phrases come in the forms in which they stand in the text.
"""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.networks.layers import sigmoid
from scenarist.reading.stems import STOP, WORD, phrases, stem, stems
from scenarist.store.home import resource

Array: TypeAlias = npt.NDArray[Any]
SCHEMA = 1
STRETCH, OVERLAP = 96, 24
REMEMBERED = 4096
"""Sentences whose phrases are kept at hand: each is asked for several times."""


class Scores(NamedTuple):
    """What the network says of a text's sentences."""

    emission: Array
    """(T, C): score of every label at every sentence."""
    switch: Array
    """(T,): score of a new segment before the sentence."""
    vectors: Array
    """(T, D): the sentences' own vectors."""
    hidden: Array
    """(T, 2 U): the sentences in their context."""


class PhraseNetwork:
    """The weights, and what they compute."""

    def __init__(self, folder: Path) -> None:
        card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
        if card.get("schema") != SCHEMA:
            raise BadInput(f"{folder}: expected detector weights of schema {SCHEMA}, found {card.get('schema')}.")
        self.labels: tuple[str, ...] = tuple(card["labels"])
        self.seen: dict[str, list[int]] = {}
        with gzip.open(folder / "phrases.txt.gz", "rt", encoding="utf-8") as stream:
            self.place = {line.rstrip("\n"): number for number, line in enumerate(stream)}
        with np.load(folder / "weights.npz", allow_pickle=False) as arrays:
            self.rows = arrays["rows"]  # (V, D) int8
            self.scales = arrays["scales"].astype(np.float32)  # (V,)
            rest = {name: arrays[name].astype(np.float32) for name in arrays.files if name not in ("rows", "scales")}
        self.direct, self.direct_bias = rest["direct"], rest["direct_bias"]  # (D, C)
        self.context = rest["context"]  # (2 U, C)
        self.edge, self.edge_bias = rest["edge"], float(rest["edge_bias"])  # (4 U,)
        self.enter = rest["enter"]  # (C,) log-probabilities
        self.gates = {
            side: (
                rest[f"{side}_input"],
                rest[f"{side}_hidden"],
                rest[f"{side}_input_bias"],
                rest[f"{side}_hidden_bias"],
            )
            for side in ("forward", "backward")
        }

    @property
    def width(self) -> int:
        """Numbers in a sentence vector."""
        return int(self.rows.shape[1])

    def numbers(self, text: str) -> list[int]:
        """The known phrases of a sentence."""
        numbers = self.seen.get(text)
        if numbers is None:
            place = self.place
            numbers = [place[phrase] for phrase in phrases(stems(text)) if phrase in place]
            if len(self.seen) >= REMEMBERED:
                self.seen.clear()
            self.seen[text] = numbers
        return numbers

    def encode(self, texts: Sequence[str]) -> Array:
        """The sentences' vectors (T, D)."""
        vectors = np.zeros((len(texts), self.width), dtype=np.float32)
        for row, text in enumerate(texts):
            numbers = self.numbers(text)
            if numbers:
                vectors[row] = self.scales[numbers] @ self.rows[numbers] / np.sqrt(len(numbers))
        return vectors

    def run(self, side: str, inputs: Array) -> Array:
        """One direction of the GRU over (B, T, D) -> (B, T, U)."""
        into, over, bias, hidden_bias = self.gates[side]
        units = over.shape[0]
        batch, size = inputs.shape[:2]
        ready = inputs @ into + bias  # (B, T, 3 U)
        state = np.zeros((batch, units), dtype=np.float32)
        states = np.empty((batch, size, units), dtype=np.float32)
        order = range(size) if side == "forward" else range(size - 1, -1, -1)
        for t in order:
            own = state @ over + hidden_bias
            both = sigmoid(ready[:, t, : 2 * units] + own[:, : 2 * units])
            fresh = np.tanh(ready[:, t, 2 * units :] + both[:, :units] * own[:, 2 * units :])
            state = fresh + both[:, units:] * (state - fresh)
            states[:, t] = state
        return states

    def hide(self, vectors: Array) -> Array:
        """Sentence vectors (T, D) -> states (T, 2 U), in overlapping stretches where the text is long."""
        size = len(vectors)
        if size <= STRETCH:
            batch = vectors[None]
            return np.concatenate([self.run("forward", batch)[0], self.run("backward", batch)[0]], axis=1)
        starts = [*range(0, size - STRETCH, STRETCH - 2 * OVERLAP), size - STRETCH]
        hidden = np.empty((size, self.context.shape[0]), dtype=np.float32)
        for group in range(0, len(starts), 64):
            firsts = starts[group : group + 64]
            block = np.stack([vectors[start : start + STRETCH] for start in firsts])
            states = np.concatenate([self.run("forward", block), self.run("backward", block)], axis=2)
            for number, start in enumerate(firsts):
                low = 0 if start == 0 else OVERLAP
                high = STRETCH if start == starts[-1] else STRETCH - OVERLAP
                hidden[start + low : start + high] = states[number, low:high]
        return hidden

    def scores(self, texts: Sequence[str]) -> Scores:
        """All scores of a text given as sentences."""
        vectors = self.encode(texts)
        hidden = self.hide(vectors) if len(texts) else np.zeros((0, self.context.shape[0]), dtype=np.float32)
        emission = vectors @ self.direct + hidden @ self.context + self.direct_bias
        before = np.concatenate([np.zeros_like(hidden[:1]), hidden[:-1]])
        half = len(self.edge) // 2
        switch = before @ self.edge[:half] + hidden @ self.edge[half:] + self.edge_bias
        return Scores(emission, switch, vectors, hidden)


@cache
def carried() -> PhraseNetwork:
    """The network inside the package, loaded once."""
    return PhraseNetwork(resource("detector"))


LONGEST = 60
"""Sentences looked at in a long segment."""


def deciding_words(network: PhraseNetwork, texts: Sequence[str], label: int, most: int = 5) -> tuple[str, ...]:
    """The phrases that decided, strongest first."""
    direction = network.direct[:, label] - network.direct.mean(axis=1)
    totals: dict[str, float] = {}
    forms: dict[str, str] = {}
    for text in texts[:LONGEST]:
        found = surface(text)
        known = [(phrase, form, network.place[phrase]) for phrase, form in found if phrase in network.place]
        if not known:
            continue
        rows = [number for _, _, number in known]
        worth = (network.rows[rows] @ direction) * network.scales[rows] / np.sqrt(len(rows))
        for (phrase, form, _), value in zip(known, worth.tolist(), strict=True):
            totals[phrase] = totals.get(phrase, 0.0) + value
            forms.setdefault(phrase, form)
    chosen: list[str] = []
    for phrase in sorted(totals, key=lambda one: (-totals[one], one)):
        words = set(phrase.replace("_", " ").split())
        if totals[phrase] <= 0 or len(chosen) == most:
            break
        if words <= STOP or any(words & set(one.replace("_", " ").split()) - STOP for one in chosen):
            continue
        chosen.append(phrase)
    return tuple(forms[phrase] for phrase in chosen)


def surface(text: str) -> list[tuple[str, str]]:
    """The phrases of a sentence with their forms in the text.

    >>> surface("Stood in lines")[-1], surface("Stood in lines")[2]
    (('stood_lin', 'stood ... lines'), ('lin', 'lines'))
    """
    words = WORD.findall(text.lower().replace("’", "'"))
    stems = [stem(word) for word in words]
    found = list(zip(stems, words, strict=True))
    found += [(f"{stems[at]} {stems[at + 1]}", f"{words[at]} {words[at + 1]}") for at in range(len(words) - 1)]
    content = [at for at, one in enumerate(stems) if one not in STOP]
    for one, two in itertools.pairwise(content):
        joint = " " if two == one + 1 else " ... "
        found.append((f"{stems[one]}_{stems[two]}", words[one] + joint + words[two]))
    return found


def strongest(network: PhraseNetwork, name: str, most: int = 10) -> tuple[str, ...]:
    """The stems and phrases that speak most for a scenario, as the network keeps them; single words first in a tie."""
    if name not in network.labels:
        return ()
    label = network.labels.index(name)
    direction = network.direct[:, label] - network.direct.mean(axis=1)
    worth = (network.rows @ direction) * network.scales
    names = list(network.place)
    chosen: list[str] = []
    for at in np.argsort(-worth, kind="stable"):
        words = set(names[at].replace("_", " ").split()) - STOP
        if words and not any(words & set(one.split()) for one in chosen):
            chosen.append(names[at].replace("_", " "))
        if len(chosen) == most:
            break
    return tuple(chosen)
