"""predictions.npz of a training run x release/storycloze/recorded.npz -> did the rebuild land where the release is? Items paired, 95 % intervals.

python -m training.storycloze.compare out/storycloze/predictions.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from scenarist.corpora.storycloze import StoryCloze2016
from scenarist.models.recorded import fingerprint
from training.storycloze.job import SEEDS
from training.storycloze.record import RELEASE

ROWS = ("smollm2-mean", "lm-only-pmi", "story-lm-pmi", "story-discriminator", "story-discriminator-ending-only", "story-rule",
        "story-discriminator + 0.5 story-lm-pmi", "story-discriminator + 1.0 story-lm-pmi", "labelled", "ending-only")  # fmt: skip


def interval(marks: np.ndarray, draws: int = 2000, seed: int = 13) -> tuple[float, float]:
    """The 95 % interval of a mean, items drawn anew.

    >>> interval(np.ones(5))
    (1.0, 1.0)
    """
    dice = np.random.default_rng(seed)
    means = [float(marks[dice.integers(0, len(marks), len(marks))].mean()) for _ in range(draws)]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def even(scores: np.ndarray) -> np.ndarray:
    """Scores [N, 2] or margins [N], so that margins have unit spread.

    >>> even(np.array([-2.0, 2.0])).tolist()
    [-1.0, 1.0]
    """
    wide = scores.astype(np.float64)
    return np.asarray(wide / (wide[:, 1] - wide[:, 0] if wide.ndim == 2 else wide).std())


def main(path: Path) -> None:
    """One line a row: accuracy by seed of both, and the difference of their means over seeds."""
    asked = list(StoryCloze2016("dev"))
    signs = np.array([1 if story.answer == 1 else -1 for story in asked])
    new, old = dict(np.load(path)), dict(np.load(RELEASE))
    places = {bytes(row).hex(): at for at, row in enumerate(old["questions"])}
    at = [places[fingerprint(story.context, story.endings)] for story in asked]

    def marks(margins: np.ndarray) -> np.ndarray:
        right = margins.astype(np.float64) * signs
        return (right > 0) + 0.5 * (right == 0)

    def line(name: str, ours: np.ndarray, theirs: np.ndarray) -> None:
        """Arrays of marks, [seeds, items]."""
        difference = ours.mean(0) - theirs.mean(0)
        low, high = interval(difference)
        each, released = (" ".join(f"{100 * one:.1f}" for one in rows.mean(1)) for rows in (ours, theirs))
        print(
            f"{name}: rebuilt {each}; released {released}; difference {100 * difference.mean():+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
        )

    def margins(name: str) -> tuple[np.ndarray, np.ndarray]:
        values = new[name][: len(asked)]  # 2016 stands first in prepare.py
        return values[:, 1] - values[:, 0], old[name][at]

    for weight in (
        0.5,
        1.0,
    ):  # the rules that were chosen without a label so far (discriminator.py): each part of unit spread
        for kept in (new, old):
            for seed in SEEDS:
                head, spoken = (kept.get(f"{name}-{seed}") for name in ("story-discriminator", "story-lm-pmi"))
                if head is not None and spoken is not None:
                    kept[f"story-discriminator + {weight} story-lm-pmi-{seed}"] = even(head) + weight * even(spoken)
    for row in ROWS:
        both = [margins(f"{row}-{seed}") for seed in SEEDS if f"{row}-{seed}" in new and f"{row}-{seed}" in old]
        if not both:
            continue
        line(row, *(np.stack([marks(pair[side]) for pair in both]) for side in (0, 1)))
        if len(both) > 1:
            line(
                f"{row}, mean of seeds",
                *(marks(np.sum([pair[side] for pair in both], axis=0, dtype=np.float64))[None] for side in (0, 1)),
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
