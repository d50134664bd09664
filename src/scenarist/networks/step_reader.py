"""Steps of an activity -> which of two comes first, and which follows directly: SmolLM2 with an adapter; extra `lm`.

The goal and the steps are read twice, so that the state at the end of a step's second mention has seen all of them. Four small heads
compare the states of two steps. The last step is the goal itself: what it follows directly ends the activity. In what order the steps are
shown must not matter: several orders are read, and the numbers are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.networks.pretrained import smollm2
from scenarist.store.home import release_file

if TYPE_CHECKING:
    from torch import Tensor

    from scenarist.networks.adapters import Lora
    from scenarist.networks.llama import Llama

Array = npt.NDArray[np.float32]
WIDTH = 64
HEADS = ("bq", "bk", "nq", "nk")
"""Before (query, key) and next (query, key)."""
TURN = 1
"""The piece between the two readings."""


class PairLogits(NamedTuple):
    """Log-odds of the first step against the second: (..., n, n)."""

    before: Tensor
    """Antisymmetric."""
    follows: Tensor
    """The second directly after the first."""


class ShownSteps(NamedTuple):
    """Pieces of a text, and where each step's second mention ends."""

    ids: list[int]
    ends: list[int]


@lru_cache(maxsize=1)
def carried_adapter() -> Lora:
    """The released adapter (release file `steps`)."""
    from scenarist.networks import checkpoint
    from scenarist.networks.adapters import Lora

    held = checkpoint.load(release_file("storycloze", "steps.safetensors"), "steps")
    return Lora.of(held.state, held.settings["factor"])


def shown(llama: Llama, goal: str, steps: Sequence[str]) -> ShownSteps:
    """The goal and its steps, twice, in the order given."""
    parts = [llama.encode(f"{step.rstrip('. ')};") for step in steps]
    begin = llama.encode(f"{goal.rstrip('. ')}:")
    once = [piece for part in parts for piece in part]
    ends, place = [], 1 + len(begin) + len(once) + 1
    for part in parts:
        place += len(part)
        ends.append(place - 1)
    return ShownSteps([llama.start, *begin, *once, TURN, *once], ends)


def pair_logits(llama: Llama, adapter: Lora, texts: Sequence[ShownSteps]) -> list[PairLogits]:
    """The numbers of some texts read in one pass, steps in the order shown."""
    import torch

    longest = max(len(text.ids) for text in texts)
    ids = torch.tensor([[*text.ids, *[0] * (longest - len(text.ids))] for text in texts], device=llama.device)
    states = llama.states(ids, adapter=adapter)
    logits = []
    for row, text in enumerate(texts):
        own = torch.nn.functional.dropout(states[row, text.ends].float(), 0.1, adapter.training)
        side = {name: adapter.head(own, name) for name in HEADS}
        before = side["bq"] @ side["bk"].T / WIDTH**0.5
        logits.append(PairLogits(before - before.T, side["nq"] @ side["nk"].T / WIDTH**0.5))
    return logits


def step_odds(
    llama: Llama, adapter: Lora, goal: str, steps: Sequence[str], readings: int = 4, seed: int = 13
) -> tuple[Array, Array]:
    """Log-odds of *before* and of *directly before* (n, n), the mean over several shuffled readings."""
    import torch

    draw = np.random.default_rng([seed, len(steps)])
    turns = [draw.permutation(len(steps)) for _ in range(readings)]
    before, follows = np.zeros((2, len(steps), len(steps)), np.float32)
    with torch.inference_mode():
        texts = [shown(llama, goal, [steps[number] for number in turn]) for turn in turns]
        for turn, logits in zip(turns, pair_logits(llama, adapter, texts), strict=True):
            at = np.ix_(turn, turn)
            before[at] += logits.before.cpu().numpy() / readings
            follows[at] += logits.follows.cpu().numpy() / readings
    return before, follows


def carried_odds(goal: str, steps: Sequence[str], readings: int = 2) -> tuple[Array, Array]:
    """`step_odds` by SmolLM2 and the released adapter."""
    return step_odds(smollm2(), carried_adapter(), goal, steps, readings)
