"""Where -> Segments: the detector with whole-document encoders beside the light network; extra `deep`.

The same chain and the same rules as `detector`. The evidence comes from networks that read the whole document at once
(`document_network`, trained by `training/detector/deep.py`), their scores averaged with the light network's; what a segment tells is
judged also by a network that reads it alone and a language model that tells it (`segment_readers`). Files: `scenarist get detector`.
MiniLM comes from its package (extra `deep`), SmolLM2 from `scenarist get smollm2`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarist.errors import Missing
from scenarist.models.scenarios.detector import Detector, Evidence, plain_runs, read_decision
from scenarist.networks.label_chain import Array, best
from scenarist.networks.pretrained import encoder_base, find_released, gguf_file
from scenarist.networks.segment_readers import SegmentReaders

if TYPE_CHECKING:
    from scenarist.networks.document_network import DocumentNetwork

STRETCH, OVERLAP = 40, 8
"""Longer texts are read in stretches of so many sentences, with so many of their neighbours on either side."""


READ, SHARED, BEYOND = 32, 24, 1.0
"""So many labels of a sentence are told apart by each reader, so many by all together; others lie so far below the last, in nats."""
TELLERS = {"teller-3": 0.6, "titler-1": 0.4}
"""What judges single segments, and how much each counts beside the other."""
WEAK = 0.2
"""A border whose score of a switch is not below this stays in any case."""


class Member:
    """One network with its tokenizer."""

    def __init__(self, path: Path) -> None:
        from scenarist.networks.checkpoint import load
        from scenarist.networks.document_network import restore

        held = load(path, "document-network")
        self.kind: str = held.settings["encoder"]
        base, self.tokenizer = encoder_base(self.kind)
        self.network: DocumentNetwork = restore(held, base)
        self.labels = held.lists["labels"]

    def evidence(self, texts: Sequence[str]) -> Evidence:
        """Scores of a text's sentences, in overlapping stretches where it is long."""
        from scenarist.networks.document_network import Pieces

        ready = [" " + " ".join(one.split()) for one in texts] if self.kind == "smollm2" else list(texts)
        made = self.tokenizer.encode_batch(ready, add_special_tokens=False)
        pieces = Pieces([one.ids or [0] for one in made])
        parts = []
        for start in range(0, len(texts), STRETCH):
            first, last = max(0, start - OVERLAP), min(len(texts), start + STRETCH + OVERLAP)
            part = self.stretch(pieces, range(first, last))
            own = slice(start - first, min(start + STRETCH, len(texts)) - first)
            parts.append((part.emission[own], part.switch[own], part.enter))
        return Evidence(
            np.concatenate([one for one, _, _ in parts]), np.concatenate([one for _, one, _ in parts]), parts[0][2]
        )

    def stretch(self, pieces: Any, rows: range) -> Evidence:
        """Scores of some sentences that are read together."""
        import torch

        with torch.inference_mode():
            ids, owner = pieces.lay([list(rows)], self.network.style)
            emission, switch, enter = self.network(ids, owner, torch.ones(1, len(rows), dtype=torch.bool))
        return Evidence(emission[0].numpy(), switch[0].numpy(), enter.numpy())


@cache
def member(name: str) -> Member:
    """A network of the release, loaded once a process."""
    return Member(find_released("detector", name))


def floored(scores: Array, kept: int) -> Array:
    """Scores (T, C) of which the ``kept`` best of each row stay, and all others lie `BEYOND` below the last of these.

    What a reader says of labels that it hardly thinks of is noise, and 170 labels of it would take their share of every chance.

    >>> floored(np.array([[0.0, -9.0, -1.0, -30.0]]), 2).tolist()
    [[0.0, -2.0, -1.0, -2.0]]
    """
    if scores.shape[1] <= kept:
        return scores
    last = -np.partition(-scores, kept - 1, axis=1)[:, kept - 1 : kept]
    return np.asarray(np.where(scores >= last, scores, last - BEYOND))


def joined(
    path: Sequence[int], none: int, switch: Array, shares: Callable[[int, int], Array], least: float
) -> list[int]:
    """The path without weak borders between two segments that tell one scenario more surely together than two apart.

    ``shares``: the chances of the scenarios for a stretch; ``least``: so many nats surer it must be. Where both are sure of
    themselves, the two together are not judged: they could not be sure enough.
    """
    labels = list(path)
    first = 0
    for one, two in pairwise(plain_runs(path)):
        if none not in (one.label, two.label) and switch[two.first] < WEAK:
            needed = least + switch[two.first]
            needed += sum(np.log(shares(*own).max()) for own in ((first, one.last), (two.first, two.last)))
            if needed < 0:
                both = shares(first, two.last)
                if np.log(both.max()) > needed:
                    labels[first : two.last] = [int(both.argmax())] * (two.last - first)
                    continue
        first = two.first
    return labels


class DeepDetector(Detector):
    """The detector with deeper evidence."""

    name = "deep-detector"
    trained_on = (*Detector.trained_on, "smollm2", "minilm")

    def __init__(
        self,
        members: Sequence[str] = ("minilm-1", "smollm2-1"),
        namer: str = "namer-1",
        tellers: Mapping[str, float] | None = None,
        most: int = 5,
        least: float = 0.1,
        taught: bool = False,
        decision: Mapping[str, float] | None = None,
        weights: str = "",
    ) -> None:
        """``members``: networks of the release that read documents; ``namer``, ``tellers`` with how much each counts: what judges single
        segments (empty: nothing); the rest as in `detector`."""
        self.tellers = dict(TELLERS if tellers is None else tellers)
        super().__init__(weights, most, least, taught=taught, decision=decision)
        if not self.tellers:
            self.decision = read_decision(f"{self.name} without tellers", decision)
        self.members = tuple(members)
        self.namer = namer
        self.segment_readers = SegmentReaders(namer, self.tellers)
        for name in self.members:
            if member(name).labels != self.network.labels[: len(member(name).labels)]:
                raise Missing(
                    f"deep-detector: {name} knows other scenarios than the light detector. "
                    "Get it again with: scenarist get detector --again"
                )

    def reads(self) -> list[Path]:
        """The light network, the members, and SmolLM2 where a member stands on it."""
        deep = [*self.members, *filter(None, [self.namer]), *self.tellers]
        below = [gguf_file()] if any(name.startswith(("smollm2", "namer", "teller", "titler")) for name in deep) else []
        return [*super().reads(), *(find_released("detector", name) for name in deep), *below]

    def evidence(self, texts: Sequence[str]) -> Evidence:
        """The members' scores, averaged, and some of the light network's."""
        plain = super().evidence(texts)
        deep = [member(name).evidence(texts) for name in self.members]
        size, share = plain.emission.shape[1], self.decision.light

        def mixed(light: Array, others: Sequence[Array]) -> Array:
            return np.asarray(share * light + (1 - share) * np.mean(others, axis=0))

        def level(scores: Array) -> Array:
            return np.asarray(scores - scores.max(axis=1, keepdims=True))

        together = floored(level(np.mean([floored(level(one.emission), READ) for one in deep], axis=0)), SHARED)
        missing = size - together.shape[1]  # scenarios a user added: the light network alone speaks of them
        if missing:
            together = np.concatenate([together, np.full((len(together), missing), -20.0)], axis=1)
        return Evidence(
            mixed(level(plain.emission), [together]),
            mixed(plain.switch, [one.switch for one in deep]),
            plain.enter if size != len(deep[0].enter) else mixed(plain.enter, [one.enter for one in deep]),
        )

    def path(self, texts: Sequence[str], emission: Array, seen: Evidence) -> list[int]:
        """The chain's path, but for weak borders that those who read single segments do not see."""

        def shares(first: int, last: int) -> Array:
            return self.shares(texts[first:last], emission[first:last])

        return joined(best(emission, seen.switch, seen.enter), self.none, seen.switch, shares, self.decision.join)

    def judged(self, texts: Sequence[str], emission: Array, weight: float) -> Array:
        """What the chain and the words say, and those that read the segment alone."""
        scores = super().judged(texts, emission, weight)
        if self.namer:
            scores = scores + self.decision.name_weight * self.segment_readers.names(texts, len(scores))
        if self.tellers:
            scores[self.none] = -np.inf
            chances = self.segment_readers.tells(texts, scores, self.network.labels)
            scores = scores + self.decision.tell_weight * chances
        return np.asarray(scores)
