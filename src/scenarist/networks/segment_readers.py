"""Sentences of one segment -> scores of scenarios: an encoder that reads it alone, and a language model that tells it; extra `deep`.

A *namer* is a network of `document_network` that was taught single segments; the scores of its sentences are added up. A *teller* is
SmolLM2 with adapters, the other way round: how easily do the words come, told under the name of a scenario (Yogatama et al., 2017, on
such classifiers where examples are few)? A *titler* reads the words first and guesses the name; it goes as one of the tellers. They are
asked of the likeliest few only, and not at all where one is far ahead. Trained by `training/detector/namers.py` and `tellers.py`; files:
`scenarist get detector`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from scenarist.networks.label_chain import Array
from scenarist.networks.layers import log_softmax
from scenarist.networks.pretrained import encoder_base, find_released, fingerprint

if TYPE_CHECKING:
    from scenarist.networks.checkpoint import Checkpoint

TRIED = 3
"""Scenarios of a segment that a teller tries."""
HOPE = 1.5
"""What lies further than this below the best before the teller is asked, it would hardly bring back."""
UNTRIED = 4.0
"""Scenarios that no teller tried lie so far below the last that one did."""
NAMED = 16
"""Scenarios whose scores by the namer are told apart; all others lie a little below the last."""
FAR = 255 / 24
"""How far below the best a namer's or a teller's score is told apart from those below it, in nats: so it was when the shares were tuned."""
REMEMBERED = 5000
"""Segments whose scores are remembered."""
BEGIN, NAME_END = 0, 198
"""The piece that begins a text; the one between a scenario's name and the words: a new line."""
MOST = 900
"""Pieces that a teller reads."""
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

    def __init__(self, held: Checkpoint) -> None:
        from scenarist.networks.document_network import restore

        self.kind: str = held.settings["encoder"]
        base, self.tokenizer = encoder_base(self.kind)
        self.network = restore(held, base)

    def scores(self, texts: Sequence[str]) -> Array:
        """Scores of all labels (C,), *None* among them."""
        import torch

        from scenarist.networks.document_network import Pieces

        texts = texts[:TELLS]
        pieces = Pieces([ids or [0] for ids in cut(self.kind, self.tokenizer, texts)], LONGEST)
        with torch.inference_mode():
            ids, owner = pieces.lay([list(range(len(texts)))], self.network.style)
            emission, _, _ = self.network(ids, owner, torch.ones(1, len(texts), dtype=torch.bool))
        return np.asarray(emission[0].numpy().sum(axis=0) / len(texts) ** 0.5)


class SegmentLanguageModel:
    """A language model that tells a segment under a name."""

    def __init__(self, held: Checkpoint) -> None:
        from scenarist.networks.adapters import Lora

        base, self.tokenizer = encoder_base("smollm2")
        self.titles: bool = held.settings.get("titles", False)
        self.llama = base.folded(Lora.of(held.state, held.settings["factor"]))
        self.sharp = float(held.state["sharp"].exp())

    def scores(self, texts: Sequence[str], names: Sequence[str]) -> Array:
        """Log-probability of the words under each of some names (K,), over the root of their number; or of each name after the words."""
        words = [piece for ids in cut("smollm2", self.tokenizer, texts[:TELLS]) for piece in ids[:LONGEST]]
        asked = cut("smollm2", self.tokenizer, [name if self.titles else f"{name}:" for name in names])
        asked = [[*ids, NAME_END] for ids in asked]
        words = words[: MOST - 2 - max(map(len, asked))]
        if self.titles:
            logps = self.llama.logps_of_endings([BEGIN, *words, NAME_END], asked)
            return np.array([self.sharp * float(logp.sum()) for logp in logps])
        logps = self.llama.logps_after([[BEGIN, *name] for name in asked], words)
        return np.array([self.sharp * float(logp.sum()) / max(1, len(words)) ** 0.5 for logp in logps])


@lru_cache(maxsize=4)
def namer(name: str) -> Namer:
    """A namer of the release, loaded once a process."""
    from scenarist.networks.checkpoint import load

    return Namer(load(find_released("detector", name), "document-network"))


@lru_cache(maxsize=4)
def teller(name: str) -> SegmentLanguageModel:
    """A teller of the release, loaded once a process."""
    from scenarist.networks.checkpoint import load

    return SegmentLanguageModel(load(find_released("detector", name), "teller"))


def spread(labels: Array, below: Array, size: int, untried: float = UNTRIED) -> Array:
    """Some labels and how far each lies below the best -> log-chances of all (C,); others below the last, *None* (0) none."""
    levels = np.full(size, -float(below.max()) - untried)
    levels[labels.astype(np.int64)] = -below
    levels[0] = -60.0
    return log_softmax(levels)


def below_best(scores: Array) -> Array:
    """How far each score lies below the best, up to `FAR`.

    >>> below_best(np.array([-1.0, -3.0, -40.0]))
    array([ 0.   ,  2.   , 10.625])
    """
    return np.asarray(np.minimum(scores.max() - scores, FAR))


Scores: TypeAlias = tuple[Array, Array]
"""Some labels, and how far each lies below the best."""


class SegmentReaders:
    """A namer and tellers together; a segment is asked about more than once, so what they said is remembered."""

    def __init__(self, namer: str, tellers: Mapping[str, float]) -> None:
        """``namer``: a file of the release, empty for none; ``tellers``: files, and how much each counts."""
        self.namer, self.tellers = namer, dict(tellers)
        self.named: dict[str, Scores] = {}
        self.told: dict[str, Scores] = {}

    def names(self, texts: Sequence[str], size: int) -> Array:
        """The namer's log-chances of all scenarios (C,); those a user added lie below all it knows."""
        mark = fingerprint(texts)
        if mark not in self.named:
            scores = namer(self.namer).scores(texts)
            labels = np.argsort(-scores, kind="stable")[:NAMED]
            remember(self.named, mark, (labels, below_best(scores)[labels]))
        return spread(*self.named[mark], size, 0.5)

    def tells(self, texts: Sequence[str], scores: Array, names: Sequence[str]) -> Array:
        """The tellers' log-chances (C,), asked of those scenarios that have the best ``scores``."""
        mark = fingerprint(texts)
        if mark not in self.told:
            tried = np.argsort(-scores, kind="stable")[:TRIED]
            tried = tried[scores[tried] >= scores[tried[0]] - HOPE]
            total = np.zeros(len(tried))
            if len(tried) > 1:
                asked = [names[label] for label in tried]
                for name, share in self.tellers.items():
                    total += share * below_best(teller(name).scores(texts, asked))
            remember(self.told, mark, (tried, total - total.min()))
        return spread(*self.told[mark], len(scores))


def remember(scored: dict[str, Scores], mark: str, scores: Scores) -> None:
    """Remember what was said of a segment; not of endlessly many."""
    if len(scored) >= REMEMBERED:
        scored.clear()
    scored[mark] = scores
