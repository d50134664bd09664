"""``openai:URL#NAME``: a model on any server that speaks OpenAI's protocol (vLLM, llama.cpp, ollama, hosted) as a candidate.

``score`` asks for a step of the ladder by name; without it the best that the server does is taken (see `networks.addresses.ladder`).
"""

from __future__ import annotations

from scenarist.models.candidates.base import CandidateModel
from scenarist.networks.addresses.base import Scorer
from scenarist.networks.addresses.server import ServedModel


class ServedCandidate(CandidateModel):
    """A model on a server."""

    name = "openai:"

    def __init__(
        self, target: str, how: str = "pmi", score: str = "", shots: int = 0, prompts: str = "v1", words: str = "", see: str = "story",
        concurrency: int = 4,
    ) -> None:  # fmt: skip
        super().__init__(how, "", shots, prompts, words, see)
        self.served = ServedModel(target, score, concurrency)

    def scorer(self) -> Scorer:
        return self.served.ready()
