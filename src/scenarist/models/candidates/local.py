"""``hf:NAME_OR_FOLDER`` (transformers) and ``gguf:FILE`` (our own reader): a causal model in this process as a candidate; extra `lm`.

Likelihoods are exact; ``score`` is ``letters`` or ``text`` where it is to be asked in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.models.candidates.base import CandidateModel
from scenarist.networks.addresses.base import Scorer
from scenarist.networks.addresses.local import GgufModel, LibraryScorer, LocalModel

OWN = ("", "letters", "text")


class GgufCandidate(CandidateModel):
    """A GGUF file of the llama family."""

    name = "gguf:"

    def __init__(
        self, target: str, how: str = "pmi", score: str = "", shots: int = 0, prompts: str = "v1", words: str = "", see: str = "story"
    ) -> None:  # fmt: skip
        if score not in OWN:
            raise BadInput(f"A model in this process is scored exactly; `score` is letters or text, not {score!r}.")
        super().__init__(how, score, shots, prompts, words, see)
        self.target = target

    @cached_property
    def local(self) -> LocalModel:
        """The model, loaded when it is first asked."""
        return GgufModel(self.target)

    def scorer(self) -> Scorer:
        return self.local

    def reads(self) -> Sequence[Path]:
        """The file."""
        return [Path(self.target).expanduser()] if Path(self.target).expanduser().is_file() else []


class LibraryCandidate(GgufCandidate):
    """A causal model of transformers."""

    name = "hf:"

    def __init__(
        self, target: str, how: str = "pmi", score: str = "", shots: int = 0, prompts: str = "v1", words: str = "", see: str = "story",
        device: str = "",
    ) -> None:  # fmt: skip
        super().__init__(target, how, score, shots, prompts, words, see)
        self.device = device

    @cached_property
    def local(self) -> LocalModel:
        return LibraryScorer(self.target, self.device)

    def reads(self) -> Sequence[Path]:
        """The files of a folder; a model of a hub is known by its canary."""
        folder = Path(self.target).expanduser()
        return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
