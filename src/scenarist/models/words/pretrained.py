"""Pairs -> a fine-tuned network on a pretrained language model: what the models of causal.py, head.py and pretrained_transducer.py share.

What is saved is what was learned: adapters, head and marks, a few megabytes; the base model is loaded beside it. Fine-tuning: AdamW, a
short warm-up, then a straight line down to zero; it works for anything with ``loss(rows)``. Which epoch is kept is the caller's
business (``after_epoch``); without it the last one is. A corpus that brings its word lists gives vocabulary and admissible words.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor, nn

from scenarist.contracts import WordLists
from scenarist.errors import BadInput
from scenarist.models.words.base import WordModel
from scenarist.models.words.batches import MARKS, Admissible, Network, PairRow, Vocabulary
from scenarist.models.words.pieces import Marked, WordPieces
from scenarist.networks import checkpoint
from scenarist.networks.adapters import LOW, SINGLE, Lora, Setup
from scenarist.networks.pretrained import gguf_file, load_llama


class Tuning(NamedTuple):
    """How to fine-tune."""

    epochs: int = 4
    size: int = 32
    rate: float = 1e-3
    rank: int = 16
    """Of the adapters."""
    scale: float = 32.0
    decay: float = 0.01
    warm: float = 0.06
    clip: float = 1.0
    cut: int = 100
    """Longer texts are cut in training, never in the exam."""
    average: float = 0.0
    """Decay of a running average of the weights, which is what is measured and kept; 0 for none."""
    head_rate: float = 1.0
    """Factor on the rate for everything that is not part of the pretrained body."""
    seconds: float = 0.0
    """Time for all epochs, 0 for no limit: the rate falls with whichever is further, the steps or the time, and is 0 at the end."""
    seed: int = 1
    device: str = "cpu"


class PretrainedWords(WordModel):
    """Base: adapters on a causal model. ``own``: the settings of the network, which its file knows."""

    tuned = True
    half = True
    """Read in bfloat16 where the device multiplies it, and texts are read on from where they were left."""

    def __init__(
        self,
        weights: str = "",
        variant: str = "",
        device: str = "auto",
        seed: int = 1,
        base: str = "smollm2",
        tuning: Mapping[str, Any] | None = None,
    ) -> None:
        self.trained_on = (base,)
        super().__init__(weights, device, seed, variant)
        self.base = base
        self.tuning = Tuning(**{"seed": seed, "device": self.device, **(tuning or {})})
        self.log: Callable[[str], None] = lambda _: None
        self.own: dict[str, Any] = {}
        self.texts_at_once = 256 if self.device != "cpu" else 32

    def reads(self) -> list[Path]:
        """The weights, and the network they stand on; one from a hub is known by its name."""
        return super().reads() + ([gguf_file()] if self.base == "smollm2" else [])

    def make(self, body: Marked, pieces: WordPieces) -> Any:
        """The network on a body."""
        raise NotImplementedError

    def built(self, adapter: Lora | None) -> Any:
        """The network on the base model with these adapters, or with fresh ones."""
        llama = load_llama(self.base).to(self.device)
        if adapter is None and self.tuned:
            setup = Setup(self.tuning.scale / self.tuning.rank)
            adapter = Lora.fresh(llama, self.tuning.rank, [self.seed], SINGLE, setup=setup)
        pieces = WordPieces(llama.tokenizer, len(llama.embedding), start=llama.start)
        body = Marked(llama, pieces("_")[-1], adapter)
        return self.make(body, pieces).to(self.device)

    def learn(self, rows: Sequence[PairRow], lists: WordLists | None, held: Sequence[PairRow] | None) -> None:
        torch.manual_seed(self.seed)
        self.take_lists(rows, lists)
        network = self.built(None)
        self.network_ = self.tune(network, rows) if self.tuned else network.eval()

    def tune(self, network: Any, rows: Sequence[PairRow]) -> Any:
        """The network, fine-tuned; a share ``redraw`` of the texts is shown with other blanks each time."""
        share, allowed = float(self.own.get("redraw", 0.0)), Admissible(self.whitelist_, network.vocabulary)

        def change(row: PairRow, chance: random.Random) -> PairRow:
            return redraw(row, allowed, chance) if share and chance.random() < share else row

        return tune(network, rows, self.tuning, change, self.log)

    def take_lists(self, rows: Sequence[PairRow], lists: WordLists | None) -> None:
        """Vocabulary and admissible words: the corpus's own; of pairs that bring none, all words of the concrete texts."""
        if lists is not None:
            self.vocabulary_, self.whitelist_ = Vocabulary(lists.vocabulary()), lists.whitelist()
            return
        words = dict.fromkeys(word for row in rows for word in row.concrete)
        self.vocabulary_ = Vocabulary.count(rows, least=1)
        self.whitelist_ = tuple(word for word in words if word not in MARKS)

    def network(self) -> Network:
        logits: Network = self.network_.logits
        return logits

    def save(self, path: Path) -> None:
        assert self.vocabulary_ is not None
        settings = {
            "base": self.base,
            "rank": self.tuning.rank,
            "scale": self.tuning.scale,
            "seed": self.seed,
            **self.own,
        }
        lists = {"vocabulary": self.vocabulary_.words, "whitelist": self.whitelist_}
        checkpoint.save(path, self.name, settings, lists, checkpoint.shrink(learned(self.network_)))

    def load(self, path: Path) -> Self:
        saved = checkpoint.load(path, self.name)
        self.vocabulary_, self.whitelist_ = Vocabulary(saved.vocabulary), saved.whitelist
        self.base, rank = str(saved.settings["base"]), int(saved.settings["rank"])
        self.tuning = self.tuning._replace(rank=rank, scale=float(saved.settings["scale"]))
        self.own = {key: saved.settings.get(key, value) for key, value in self.own.items()}
        self.saved = saved.settings
        network = self.built(Lora.of(saved.state, self.tuning.scale / rank))
        own = {name: weight for name, weight in saved.state.items() if not LOW.fullmatch(name)}
        lost, extra = network.load_state_dict(own, strict=False)
        wanted = {name for name, weight in network.named_parameters() if weight.requires_grad}
        if extra or wanted & set(lost):
            raise BadInput(
                f"{path}: its tensors do not fit the network {self.name} on {self.base}: {sorted([*extra, *wanted & set(lost)])[:3]}"
            )
        network.body.fold(half=self.half and (self.device != "cpu" or bfloat16_products()))
        if self.half and self.device == "cpu":
            network.body.remember = 12_000  # pieces: 300 MB
        self.network_ = network.eval()
        return self


def learned(network: Any) -> dict[str, Tensor]:
    """What a network on adapters learned, under the names it has in a file."""
    state: dict[str, Tensor] = {
        name: weight
        for name, weight in network.named_parameters()
        if weight.requires_grad and not name.startswith("body.adapter.")
    }
    state |= {name: buffer for name, buffer in network.named_buffers() if name == "ratio"}
    state |= network.body.adapter.named()
    return state


def bfloat16_products() -> bool:
    """Does this processor multiply bfloat16 matrices itself?"""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def shorten(row: PairRow, cut: int) -> PairRow:
    """The first words of a long text with the blanks that lie wholly in them."""
    if len(row.concrete) <= cut:
        return row
    return row._replace(
        concrete=row.concrete[:cut], blanks=tuple((a, b) for a, b in row.blanks if b <= cut), fed=row.fed[:cut]
    )


def tune(
    network: Any,
    rows: Sequence[PairRow],
    tuning: Tuning,
    change: Callable[[PairRow, random.Random], PairRow] = lambda row, _: row,
    log: Callable[[str], None] = lambda _: None,
    after_epoch: Callable[[int], bool | None] = lambda _: None,
) -> Any:
    """The network, fine-tuned in place; ``change`` may alter each row anew every time it is shown, ``after_epoch`` may say stop."""
    chance = random.Random(tuning.seed)
    rows = [short for row in rows if (short := shorten(row, tuning.cut)).blanks]
    body: list[nn.Parameter] = []
    own: list[nn.Parameter] = []
    for name, weight in network.named_parameters():
        if weight.requires_grad:
            (own if name.startswith(("head.", "project.", "body.marks")) else body).append(weight)
    groups = [{"params": body, "lr": tuning.rate}, {"params": own, "lr": tuning.rate * tuning.head_rate}]
    optimiser = torch.optim.AdamW(
        [g for g in groups if g["params"]], weight_decay=tuning.decay, betas=(0.9, 0.98), fused=(body or own)[0].is_cuda
    )
    steps = tuning.epochs * -(-len(rows) // tuning.size)
    warm = max(1, int(steps * tuning.warm))
    began, total, count = time.monotonic(), 0.0, 0

    def spent() -> float:
        return (time.monotonic() - began) / tuning.seconds if tuning.seconds else 0.0

    plan = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: max(0.0, min((step + 1) / warm, (steps - step) / max(1, steps - warm), 1 - spent()))
    )
    learned = [*body, *own]
    mean = [weight.detach().clone() for weight in learned] if tuning.average else []
    for epoch in range(tuning.epochs):
        network.train()
        shown = [change(row, chance) for row in rows]
        for group in alike(shown, tuning.size, chance):
            optimiser.zero_grad(set_to_none=True)
            loss = backward(network, group)
            nn.utils.clip_grad_norm_(learned, tuning.clip)
            optimiser.step()
            plan.step()
            count += 1
            if mean:
                torch._foreach_lerp_(
                    mean, [one.detach() for one in learned], 1 - min(tuning.average, count / (count + 9))
                )
            if count % 50 == 0:
                total = float(loss)
            if spent() >= 1:
                break
        log(f"epoch {epoch + 1}: loss {total:.3f} after {time.monotonic() - began:.0f} s")
        network.eval()
        swap(learned, mean)
        stop = after_epoch(epoch + 1)
        if stop or epoch + 1 == tuning.epochs or spent() >= 1:
            break
        swap(learned, mean)
    return network.eval()


def backward(network: Any, group: Sequence[PairRow]) -> torch.Tensor:
    """The loss of a batch and its gradient; where memory runs out, of the first half of it."""
    try:
        loss: torch.Tensor = network.loss(group)
        loss.backward()
        return loss.detach()
    except torch.OutOfMemoryError:
        if len(group) < 4:
            raise
    network.zero_grad(set_to_none=True)
    torch.cuda.empty_cache()
    return backward(network, group[: len(group) // 2])


def swap(weights: Sequence[nn.Parameter], others: Sequence[torch.Tensor]) -> None:
    """Exchange the values of weights with those of others (nothing where there are none)."""
    with torch.no_grad():
        for weight, other in zip(weights, others, strict=False):
            kept = weight.detach().clone()
            weight.copy_(other)
            other.copy_(kept)


def alike(rows: Sequence[PairRow], size: int, chance: random.Random) -> list[list[PairRow]]:
    """Batches of about one length in random order."""
    order = list(range(len(rows)))
    chance.shuffle(order)
    pool, groups = 16 * size, []
    for first in range(0, len(order), pool):
        near = sorted(
            order[first : first + pool], key=lambda index: len(rows[index].abstract) + len(rows[index].concrete)
        )
        groups += [[rows[index] for index in near[index : index + size]] for index in range(0, len(near), size)]
    chance.shuffle(groups)
    return groups


def redraw(row: PairRow, admissible: Admissible, chance: random.Random) -> PairRow:
    """The same text with other blanks: as many of its eligible runs (distinct strings) as were blanked, at random."""
    eligible = [word in admissible.at and word not in row.abstract for word in row.concrete]
    runs, start = [], None
    for place, open_ in enumerate([*eligible, False]):
        if open_ and start is None:
            start = place
        elif not open_ and start is not None:
            runs.append((start, place))
            start = None
    texts = sorted({row.concrete[a:b] for a, b in runs})
    if not texts:
        return row
    kept = set(chance.sample(texts, min(5, len(texts))))
    return row._replace(blanks=tuple((a, b) for a, b in runs if row.concrete[a:b] in kept))
