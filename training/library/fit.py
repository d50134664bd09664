"""Judged stories of our own -> the weights of `untold-library`: `python -m training.library.fit`.

Each event of each story's script is one case: does the key accept it? A logistic regression over what is known of it (`unsaid_features`) is
fitted on the stories of this folder (`judged/*.jsonl`) and judged's dev stories; the figures that are printed come from folds over stories. The
scenario is the key's. Writes resources/scripts/reader.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from scenarist.corpora.judged import Judged
from scenarist.exams.judged import JudgedExam
from scenarist.learning.library.alignment import align, place_chances, ready_script
from scenarist.learning.library.story_phrases import slot_wordings
from scenarist.metrics.judged import judge
from scenarist.models.untold.library import DENIED, FEATURES, PLACED, clause_breaks, note_place, unsaid_features
from scenarist.question import Item, Suggestion
from scenarist.story import Sentence

FILE = Path("src/scenarist/resources/scripts/reader.json")
FOLDS, STRENGTH, CHOSEN = 10, 0.1, 5


class UnsaidCase(NamedTuple):
    """An event of a story's script."""

    story: str
    features: Any
    accepted: bool
    in_place: bool
    mass: float
    allowed: bool


def items() -> Iterator[Item]:
    """All judged stories that may be looked at."""
    paths = [Path("src/scenarist/resources/judged/dev.jsonl"), *sorted(Path("training/library/judged").glob("*.jsonl"))]
    for path in paths:
        yield from JudgedExam().set(Judged("dev", path))


def cases(item: Item) -> Iterator[UnsaidCase]:
    """The events of a story's script."""
    key, story = item.key, item.question.story  # type: ignore[union-attr]
    script = ready_script(key.scenarios[0][0])  # type: ignore[union-attr]
    sentences = [Sentence(start, stop) for start, stop in key.sentences]  # type: ignore[union-attr]
    alignment = align(story, sentences, script)
    features, gaps = unsaid_features(alignment, script), place_chances(alignment, script)
    breaks = [clause_breaks(story, sentence) for sentence in sentences]
    for number, event in enumerate(script.script.events):
        place = note_place(sentences, breaks, gaps[:, number])
        wordings = slot_wordings(event, script.participants)
        judgement = judge(Suggestion(wordings[0], place.offset, wordings), key)  # type: ignore[arg-type]
        denied = alignment.denied[:, number].max(initial=0.0) >= DENIED
        yield UnsaidCase(item.id, features[number], judgement.accepted, judgement.in_place, place.mass, not denied)


def main() -> None:
    known = [case for item in items() if item.key.scenarios for case in cases(item)]  # type: ignore[union-attr]
    features = np.array([case.features for case in known])
    accepted = np.array([case.accepted for case in known])
    stories = np.array([case.story for case in known])
    spread = features.std(0)
    spread[-1] = 1.0
    model = LogisticRegression(C=STRENGTH, fit_intercept=False, max_iter=2000)
    chances = np.zeros(len(known))
    for train, left in GroupKFold(FOLDS).split(features, accepted, stories):
        model.fit(features[train] / spread, accepted[train])
        chances[left] = model.predict_proba(features[left] / spread)[:, 1]
    for most, placed_power in ((4, PLACED), (CHOSEN, PLACED), (6, PLACED), (CHOSEN, 0.3), (CHOSEN, 1.0)):
        chosen = []
        for story in dict.fromkeys(stories):
            rows = [row for row in np.nonzero(stories == story)[0] if known[row].allowed]
            chosen += sorted(rows, key=lambda row: -chances[row] * known[row].mass ** placed_power)[:most]
        right = [np.mean([case.accepted for case in picked]) for picked in [[known[row] for row in chosen]]]
        placed = np.mean([known[row].in_place for row in chosen])
        strict = [row for row in chosen if known[row].story.startswith("dev")]
        print(
            f"  judged's dev stories: {accepted[strict].mean():.3f}, {np.mean([known[row].in_place for row in strict]):.3f}"
        )
        print(
            f"{most} a story, place {placed_power}: accepted {right[0]:.3f}, in place {placed:.3f}, said {chances[chosen].mean():.3f}"
        )
    bins = np.minimum((chances * 10).astype(int), 9)
    error = sum(abs(accepted[bins == n].mean() - chances[bins == n].mean()) * (bins == n).mean() for n in set(bins))
    print(f"{len(known)} events of {len(set(stories))} stories; expected calibration error {error:.3f}")
    model.fit(features / spread, accepted)
    weights = dict(zip(FEATURES, (model.coef_[0] / spread).round(4).tolist(), strict=True))
    FILE.write_text(
        json.dumps({"schema": 1, "chance": weights, "how": "python -m training.library.fit"}, indent=1) + "\n"
    )
    print(weights)


if __name__ == "__main__":
    main()
