"""What mixing the recorded rows of `timetravel` would give: `python -m training.timetravel_mixes`. Nothing is written.

Log-odds of the original ending in both contexts, from `results/predictions`; interaction and strict as in `metrics/paired.py`.
"""

from __future__ import annotations

import numpy as np

from scenarist.store.predictions import FOLDER, read_sections

CONTEXTS = ("initial", "counterfactual")
Odds = np.ndarray
"""(stories, contexts)."""


def log_odds(row: str) -> Odds:
    """ln P of the original ending less that of the edited one."""
    (section,) = read_sections(FOLDER / f"timetravel-{row}.jsonl.xz")
    odds_by_item: dict[str, float] = {}
    for item, recorded in section.answers.items():
        logp = {str(guess.answer): guess.logp or 0.0 for guess in recorded.prediction.guesses}
        odds_by_item[item] = logp["0"] - logp["1"]
    stories = sorted({item.rpartition(":")[0] for item in odds_by_item})
    return np.array([[odds_by_item[f"{story}:{context}"] for context in CONTEXTS] for story in stories])


def report(name: str, odds: Odds) -> None:
    interaction = (odds[:, 0] > odds[:, 1]).mean()
    strict = ((odds[:, 0] > 0) & (odds[:, 1] < 0)).mean()
    print(f"{name:<44} interaction {interaction:.1%}  strict {strict:.1%}")


def main() -> None:
    plain, alone, shift, tuned = map(log_odds, ("smollm2", "smollm2-pmi", "smollm2-shift", "story-lm-shift"))
    report("mean of smollm2-shift and story-lm-shift", (shift + tuned) / 2)
    for share in (0.5, 0.75, 1.0, 1.25):
        report(f"{share:g} of the prior after the first sentence", plain - share * (plain - shift))
    report("half of that prior, half of the ending's alone", plain - (plain - shift) / 2 - (plain - alone) / 2)


if __name__ == "__main__":
    main()
