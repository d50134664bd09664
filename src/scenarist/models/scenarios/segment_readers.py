"""Sentences of one segment -> scores of scenarios: an encoder that reads it alone, and a language model that tells it; extra `deep`.

A *namer* is a network of `document_network` that was taught single segments; the scores of its sentences are added up. A *teller* is
SmolLM2 with adapters, the other way round: how easily do the words come, told under the name of a scenario (Yogatama et al., 2017, on
such classifiers where examples are few)? A *titler* reads the words first and guesses the name; it goes as one of the tellers. They
are asked of the likeliest few only. Trained by `training/detector/namers.py` and `tellers.py`; files: `scenarist get detector`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeAlias

import numpy as np

from scenarist.models.scenarios.detector import log_shares
from scenarist.networks.label_chain import Array
from scenarist.networks.pretrained import base_of, fingerprint, release_file

TRIED = 8
"""Scenarios of a segment that a teller tries."""
HOPE = 4.0
"""What lies further than this below the best before the teller is asked, it would hardly bring back."""
NAME_END = 198
"""The piece between a scenario's name and the words: a new line."""
LONGEST = 64
"""Pieces of a sentence that are read."""
TELLS = 40
"""Sentences of a segment that are read: its first ones."""


def cut(kind: str, tokenizer: object, texts: Sequence[str]) -> list[list[int]]:
    """The pieces of sentences, as the training cut them."""
    ready = [" " + " ".join(one.split()) for one in texts] if kind == "smollm2" else list(texts)
    return [one.ids for one in tokenizer.encode_batch(ready, add_special_tokens=False)]  # type: ignore[attr-defined]


class Namer:
    """A network that reads one segment."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        from scenarist.models.scenarios.document_network import restored

        self.kind: str = json.loads(str(arrays["about"]))["encoder"]
        state, self.tokenizer = base_of(self.kind)
        self.network = restored(arrays, state)

    def scores(self, texts: Sequence[str]) -> Array:
        """Scores of all labels (C,), *None* among them."""
        import torch

        from scenarist.models.scenarios.document_network import Pieces

        texts = texts[:TELLS]
        pieces = Pieces([one or [0] for one in cut(self.kind, self.tokenizer, texts)], LONGEST)
        with torch.inference_mode():
            ids, owner = pieces.lay([list(range(len(texts)))], self.network.style)
            emission, _, _ = self.network(ids, owner, torch.ones(1, len(texts), dtype=torch.bool))
        return np.asarray(emission[0].numpy().sum(axis=0) / len(texts) ** 0.5)


class Teller:
    """A language model that tells a segment under a name."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        from scenarist.models.scenarios.document_network import Llama, adapted

        state, self.tokenizer = base_of("smollm2")
        self.titles: bool = json.loads(str(arrays["about"])).get("titles", False)
        self.model = adapted(Llama(state, causal=True, rank=len(arrays["encoder/0-qkv-A"])), arrays)
        self.sharp = float(np.exp(arrays["sharp"]))

    def scores(self, texts: Sequence[str], names: Sequence[str]) -> Array:
        """Log-probability of the words under each of some names (K,), over the root of their number; or of each name after the words."""
        import torch

        from scenarist.models.scenarios.document_network import STYLES

        style = STYLES["smollm2"]
        words = [piece for one in cut("smollm2", self.tokenizer, texts[:TELLS]) for piece in one[:LONGEST]]
        found = []
        for name in cut("smollm2", self.tokenizer, [name if self.titles else f"{name}:" for name in names]):
            own = [*name, NAME_END]
            if self.titles:
                given = [*[style.begin, *words][: style.cap - 1 - len(own)], NAME_END]
                guessed = own
            else:
                given = [style.begin, *own]
                guessed = words[: style.cap - len(given)]
            row = torch.tensor([given + guessed])
            with torch.inference_mode():
                states = self.model(row, torch.ones_like(row, dtype=torch.bool))[0, len(given) - 1 : -1]
                chance = torch.log_softmax(states @ self.model.words.T, 1).gather(1, row[0, len(given) :, None])
            found.append(chance.sum().item() / (1.0 if self.titles else max(1, len(guessed)) ** 0.5))
        return self.sharp * np.array(found)


@cache
def namer(name: str) -> Namer:
    """A namer of the release, loaded once a process."""
    with np.load(release_file(f"{name}.npz"), allow_pickle=False) as file:
        return Namer(dict(file))


@cache
def teller(name: str) -> Teller:
    """A teller of the release, loaded once a process."""
    with np.load(release_file(f"{name}.npz"), allow_pickle=False) as file:
        return Teller(dict(file))


def spread(labels: Array, below: Array, size: int) -> Array:
    """Some labels and how far each lies below the best -> log-chances of all (C,); others a little below the last, *None* (0) none."""
    found = np.full(size, -float(below.max()) - 0.5)
    found[labels.astype(np.int64)] = -below
    found[0] = -60.0
    return log_shares(found)


Scores: TypeAlias = tuple[Array, Array]
"""Some labels, and how far each lies below the best."""


class SegmentNamers:
    """A namer and tellers together; a segment is asked about more than once, so what they said is remembered."""

    def __init__(self, namer: str, tellers: Sequence[str], shares: Sequence[float] | None = None) -> None:
        """``shares``: how much each teller counts; all the same otherwise."""
        self.namer, self.tellers = namer, tuple(tellers)
        self.shares = tuple(shares or [1 / max(1, len(self.tellers))] * len(self.tellers))
        self.named: dict[str, Scores] = {}
        self.told: dict[str, Scores] = {}

    def names(self, texts: Sequence[str], size: int) -> Array:
        """The namer's log-chances of all scenarios (C,)."""
        mark = fingerprint(texts)
        if mark not in self.named:
            scores = namer(self.namer).scores(texts)
            scores = np.append(
                scores, np.full(size - len(scores), np.sort(scores)[-2])
            )  # scenarios a user added: it does not know them
            keep(self.named, mark, (np.arange(size), scores.max() - scores))
        return spread(*self.named[mark], size)

    def tells(self, texts: Sequence[str], scores: Array, names: Sequence[str]) -> Array:
        """The tellers' log-chances (C,), asked of those scenarios that have the best ``scores``."""
        mark = fingerprint(texts)
        if mark not in self.told:
            tried = np.argsort(-scores, kind="stable")[:TRIED]
            tried = tried[scores[tried] >= scores[tried[0]] - HOPE]
            found = np.zeros(1)
            if len(tried) > 1:
                asked = [names[at] for at in tried]
                each = [teller(name).scores(texts, asked) for name in self.tellers]
                found = np.sum([share * one for share, one in zip(self.shares, each, strict=True)], axis=0)
            keep(self.told, mark, (tried, found.max() - found))
        return spread(*self.told[mark], len(scores))


def keep(scored: dict[str, Scores], mark: str, scores: Scores, most: int = 5000) -> None:
    """Remember what was said of a segment; not of endlessly many."""
    if len(scored) >= most:
        scored.clear()
    scored[mark] = scores
