"""predictions.npz of a training run x the recorded rows of storycloze2016 -> did the rebuild land where the release is? Items paired, 95 % intervals.

python -m training.storycloze.compare out/storycloze/predictions.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from scenarist.corpora.storycloze import StoryCloze2016
from scenarist.store.predictions import file_of, read_sections

ROWS = {
    "story-discriminator": ("story-discriminator", "unlabelled"), "story-discriminator-ending-only": ("story-discriminator", "ending-only"),
    "story-rule": ("story-rule", "unlabelled"), "labelled": ("lm-classifier", "labelled"), "ending-only": ("lm-classifier", "ending-only"),
}  # fmt: skip
"""What a training run calls its scores, and the row and the condition that they are recorded under."""


def interval(marks: np.ndarray, draws: int = 2000, seed: int = 13) -> tuple[float, float]:
    """The 95 % interval of a mean, items drawn anew.

    >>> interval(np.ones(5))
    (1.0, 1.0)
    """
    dice = np.random.default_rng(seed)
    means = [float(marks[dice.integers(0, len(marks), len(marks))].mean()) for _ in range(draws)]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def recorded_margins(row: str, condition: str, ids: list[str]) -> dict[int, np.ndarray]:
    """seed -> ln P of the second ending minus ln P of the first, by item."""
    path = file_of("storycloze2016", row)
    margins = {}
    for section in read_sections(path) if path else ():
        if section.header.condition == condition:
            logp = [{g.answer: g.logp or 0.0 for g in section.answers[one].prediction.guesses} for one in ids]
            margins[section.header.seed] = np.array([both["1"] - both["0"] for both in logp])
    return margins


def main(path: Path) -> None:
    """One line a row: accuracy by seed of both, and the difference of their means over seeds."""
    stories = list(StoryCloze2016("dev"))
    signs = np.array([1 if story.answer == 1 else -1 for story in stories])
    run = dict(np.load(path))

    def marks(margins: np.ndarray) -> np.ndarray:
        right = margins.astype(np.float64) * signs
        return (right > 0) + 0.5 * (right == 0)

    for name, place in ROWS.items():
        released = recorded_margins(*place, [story.id for story in stories])
        seeds = [seed for seed in released if f"{name}-{seed}" in run]
        if not seeds:
            continue
        scores = [run[f"{name}-{seed}"][: len(stories)] for seed in seeds]  # 2016 stands first in prepare.py
        ours = np.stack([marks(both[:, 1] - both[:, 0]) for both in scores])
        theirs = np.stack([marks(released[seed]) for seed in seeds])
        difference = ours.mean(0) - theirs.mean(0)
        low, high = interval(difference)
        each, before = (" ".join(f"{100 * value:.1f}" for value in rows.mean(1)) for rows in (ours, theirs))
        print(f"{name}: rebuilt {each}; released {before}; difference {100 * difference.mean():+.1f} ({100 * low:+.1f} to {100 * high:+.1f})")  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]))
