"""Choice -> Guesses: answers that were given elsewhere and kept, found by what was asked.

Three seeds of ten folds on a graphics card are minutes there and hours here; their out-of-fold numbers are kept in the release file
`recorded` (one number a question: score of the second ending minus score of the first, by a hash of the question), so that a
table can show all seeds and any reader can test against them. The row says that it is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha1

import numpy as np

from scenarist.errors import BadInput, Missing
from scenarist.models.endings import EndingModel
from scenarist.models.story_adapters import known_seed, release_file


def fingerprint(context: Sequence[str], endings: Sequence[str]) -> str:
    """A hash of a question; nothing can be read back from it."""
    return sha1("\n".join((*context, *endings)).encode("utf-8")).hexdigest()[:16]


@cache
def records() -> dict[str, dict[str, float]]:
    """run -> question -> margin."""
    with np.load(release_file("recorded.npz")) as file:
        questions = [bytes(row).hex() for row in file["questions"]]
        return {run: dict(zip(questions, file[run].astype(float).tolist(), strict=True)) for run in file.files if run != "questions"}


class Recorded(EndingModel):
    """A kept run."""

    name = "recorded"

    def __init__(self, run: str = "labelled", seed: int = 1) -> None:
        super().__init__()
        self.run, self.seed = run, known_seed(seed)

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        runs = records()
        kept = runs.get(f"{self.run}-{self.seed}") or runs.get(f"{self.run}-1")
        if kept is None:
            known = sorted({name.rsplit("-", 1)[0] for name in runs})
            raise BadInput(f"recorded: there is no run {self.run!r}. Known: {', '.join(known)}.")
        margin = kept.get(fingerprint(context, endings))
        if margin is None:
            raise Missing("recorded: this question was not asked when the run was kept; only the validation sets were.")
        return [0.0, margin]
