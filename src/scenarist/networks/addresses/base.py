"""What every language model at an address gives: ln P of continuations, or written text, and how it came by them.

An address is ``hf:NAME_OR_FOLDER`` (transformers), ``gguf:FILE`` (our own reader), or ``openai:URL#NAME`` (any server that speaks OpenAI's
protocol). What a server can do is probed, see `ladder`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from scenarist.errors import BadInput

LIKELIHOOD = ("exact", "echo", "prompt-logprobs", "token-grammar", "vocabulary-walk")
"""Steps of the ladder that give ln P of a text."""
STEPS = (*LIKELIHOOD, "letters", "text")


class TextScore(NamedTuple):
    """ln P of a continuation, and how many tokens it has."""

    logp: float
    tokens: int


class Continuations(NamedTuple):
    """A prompt and texts that may follow it."""

    prompt: str
    texts: tuple[str, ...]


class Scorer(Protocol):
    """A language model at an address."""

    @property
    def name(self) -> str:
        """What tables call it: no path, no host."""
        ...

    @property
    def step(self) -> str:
        """Which step of the ladder it stands on."""
        ...

    @property
    def identity(self) -> str:
        """What tells this model from any other under the same name."""
        ...

    @property
    def chat(self) -> str:
        """The chat template that prompts go through; empty for plain text."""
        ...

    def logps(self, asked: Sequence[Continuations]) -> list[list[TextScore]]:
        """ln P of every continuation."""
        ...

    def letters(self, prompts: Sequence[str], letters: Sequence[str]) -> list[list[float]]:
        """ln P of each letter as the next word of each prompt; minus infinity is told as a very low number."""
        ...

    def write(self, prompts: Sequence[str], most: int, schema: dict[str, object] | None = None) -> list[str]:
        """What it writes after each prompt, without chance."""
        ...


CANARIES = (
    Continuations("The cat drank a bowl of", (" milk", " gravel")),
    Continuations("She opened the door with her", (" key", " soup")),
    Continuations("The capital of France is", (" Paris", " banana")),
)
"""Pairs whose order is known: the first is the likelier one."""


def check_scores(scores: Sequence[float], what: str) -> None:
    """Refuse numbers that no likelihoods can be: not finite, above zero, or the same for all choices."""
    if any(not math.isfinite(score) or score > 1e-6 for score in scores):
        raise BadInput(f"{what}: a log-probability must be a finite number below zero, got {list(scores)}.")
    if len(scores) > 1 and len(set(scores)) == 1:
        raise BadInput(
            f"{what}: all choices got the same score ({scores[0]:g}), which no likelihoods are. The server may have ignored the "
            "request: nothing of this run is a result. Try --set score=letters."
        )
