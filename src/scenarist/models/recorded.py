"""Choice or Order -> Guesses: answers that were given elsewhere and kept, found by what was asked.

Three seeds of ten folds on a graphics card are minutes there and hours here; their out-of-fold numbers are kept in the release file
`recorded` (one number a question: score of the second ending minus score of the first, by a hash of the question), so that a
table can show all seeds and any reader can test against them. Orders are kept likewise: the best one and its ln P. The row says
that it is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import Any

import numpy as np

from scenarist.errors import BadInput, Missing
from scenarist.models.endings.base import EndingModel
from scenarist.models.endings.story_network import known_seed, release_file
from scenarist.question import AnyQuestion, Guess, Order, Permutation, Prediction

NOT_ASKED = "recorded: this question was not asked when the run was kept; only the validation sets were."


def fingerprint(context: Sequence[str], endings: Sequence[str] = ()) -> str:
    """A hash of a question; nothing can be read back from it."""
    return sha1("\n".join((*context, *endings)).encode("utf-8")).hexdigest()[:16]


@cache
def records() -> dict[str, dict[str, float]]:
    """run -> question -> margin."""
    with np.load(release_file("recorded.npz")) as file:
        questions = [bytes(row).hex() for row in file["questions"]]
        return {
            run: dict(zip(questions, file[run].astype(float).tolist(), strict=True))
            for run in file.files
            if run != "questions" and not run.startswith("order")
        }


@cache
def recorded_orders() -> dict[int, dict[str, tuple[tuple[int, ...], float]]]:
    """seed -> question -> the best order and its ln P."""
    with np.load(release_file("recorded.npz")) as file:
        if "order-questions" not in file.files:
            return {}
        questions = [bytes(row).hex() for row in file["order-questions"]]
        found = {}
        for seed in (
            int(name.split("-")[1]) for name in file.files if name.startswith("order-") and name.endswith("-logp")
        ):
            orders, logps = file[f"order-{seed}"].tolist(), file[f"order-{seed}-logp"].astype(float).tolist()
            found[seed] = {one: (tuple(order), logp) for one, order, logp in zip(questions, orders, logps, strict=True)}
        return found


class Recorded(EndingModel):
    """A kept run of endings."""

    name = "recorded"

    def __init__(self, run: str = "labelled", seed: int = 1) -> None:
        super().__init__()
        self.run, self.seed = run, known_seed(seed)

    def reads(self) -> list[Path]:
        """The kept answers."""
        return [release_file("recorded.npz")]

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        runs = records()
        kept = runs.get(f"{self.run}-{self.seed}") or runs.get(f"{self.run}-1")
        if kept is None:
            known = sorted({name.rsplit("-", 1)[0] for name in runs})
            raise BadInput(f"recorded: there is no run {self.run!r}. Known: {', '.join(known)}.")
        margin = kept.get(fingerprint(context, endings))
        if margin is None:
            raise Missing(NOT_ASKED)
        return [0.0, margin]


class RecordedOrder:
    """A kept run of orders."""

    name = "recorded-order"
    learns = "nothing"

    def __init__(self, seed: int = 1) -> None:
        self.seed = known_seed(seed)

    def reads(self) -> list[Path]:
        """The kept answers."""
        return [release_file("recorded.npz")]

    def fit(self, data: Iterable[Any]) -> RecordedOrder:
        """Nothing to learn."""
        return self

    def answer(self, question: AnyQuestion) -> Prediction:
        if not isinstance(question, Order):
            raise BadInput(
                f"{self.name} puts sentences into order; it cannot answer a question of kind {type(question).__name__}."
            )
        found = recorded_orders().get(self.seed, {}).get(fingerprint(question.sentences))
        if found is None:
            raise Missing(NOT_ASKED)
        order, logp = found[0], min(0.0, found[1])
        return Prediction("", (Guess(Permutation(order), logp),), by=self.name, rest=1.0 - float(np.exp(logp)))
