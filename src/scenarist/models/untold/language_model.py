"""SentenceGap -> ranked verbs by a language model that was told nothing of scripts: SmolLM2 as it is (extra `lm`).

A verb's score is ln P of its words behind the sentences before the gap and *Then they had to*; a gap at the very beginning has only these
words before it. What comes after the gap is not looked at: a causal model has no place for it. Candidates are the verbs of the carried
tables (``models/untold/network.py``), so that every verb has a rank.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from scenarist.errors import BadInput
from scenarist.models.untold.network import carried_network
from scenarist.networks.layers import log_softmax
from scenarist.networks.llama import Llama, TextTree
from scenarist.networks.pretrained import gguf_file, smollm2
from scenarist.question import Answer, AnyQuestion, Guess, Prediction, Question, SentenceGap
from scenarist.store.home import inside, resource
from scenarist.store.recent import Recent

CUE = "Then they had to"
PIECES = 600
"""Pieces of the text before the gap that are read, the last ones."""
LISTED = 100


class GapLanguageModel:
    """Verbs for a gap by a causal language model."""

    name = "gap-lm"
    learns = "nothing"
    trained_on = ("smollm2", "mcscript", "inscript")
    asks: tuple[type[Question], ...] = (SentenceGap,)

    def __init__(self, verbs: int = 600) -> None:
        """``verbs``: so many of the commonest candidates."""
        if verbs < 1:
            raise BadInput(f"gap-lm: verbs must be at least 1, got {verbs}.")
        self.verbs = verbs
        self._scored: Recent[tuple[str, ...], Any] = Recent(256)

    def reads(self) -> list[Path]:
        """SmolLM2 and the tables that the candidates come from."""
        return [gguf_file(), *inside(resource("knowledge"))]

    def fit(self, data: Iterable[Any]) -> GapLanguageModel:
        """Nothing to learn."""
        return self

    @cached_property
    def candidates(self) -> list[str]:
        """The verbs that are ranked."""
        return list(carried_network("verbs").tables.fillers)[: self.verbs]

    @cached_property
    def network(self) -> Llama:
        """The language model."""
        return smollm2()

    def scores(self, question: AnyQuestion) -> Any:
        """Log-chances of all candidates."""
        if not isinstance(question, SentenceGap):
            raise BadInput(f"gap-lm answers sentence gaps, not {type(question).__name__} questions.")
        before = question.sentences[: question.gap]
        return self._scored.get_or_make(before, lambda: self.read_on(before))

    def read_on(self, before: tuple[str, ...]) -> Any:
        """Log-chances of all candidates behind a text."""
        net = self.network
        text = [piece for sentence in before for piece in net.encode(sentence)][-PIECES:]
        trunk = [net.start, *text, *net.encode(CUE)]
        tree = TextTree.grow(trunk, [net.encode(verb.replace("_", " ")) for verb in self.candidates])
        (branches,) = net.logps_of_trees([tree])
        return log_softmax(np.array([float(pieces.sum()) for pieces in branches]))

    def answer(self, question: AnyQuestion) -> Prediction:
        """The likeliest verbs."""
        logp = self.scores(question)
        best = np.argsort(-logp, kind="stable")[:LISTED]
        rest = max(0.0, 1.0 - float(np.exp(logp[best]).sum()))
        return Prediction(
            "", tuple(Guess(self.candidates[number], float(logp[number])) for number in best), by=self.name, rest=rest
        )

    def logp(self, question: AnyQuestion, answer: Answer) -> float | None:
        """ln P of a verb, None where it is no candidate."""
        logp = self.scores(question)
        return float(logp[self.candidates.index(str(answer))]) if answer in self.candidates else None

    def rank(self, question: AnyQuestion, answer: Answer) -> float | None:
        """The rank of a verb, ties shared; None where it is no candidate."""
        own, logp = self.logp(question, answer), self.scores(question)
        if own is None:
            return None
        return 1.0 + float((logp > own).sum()) + (float((logp == own).sum()) - 1) / 2
