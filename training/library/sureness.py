"""Judged stories of our own, and texts that tell no script -> how sure `library-detector` is: `python -m training.library.sureness`.

Each run of sentences in which the words of the library see a script, and the light detector none, is one case: is it one of the story's
scenarios? A logistic regression
over `RunEvidence.features`, fitted on the stories of `training/library/judged`, judged's dev stories, some train stories of MCScript, and
passages of fiction (train works) that tell none. The figures that are printed come from folds over stories. Writes
resources/detector/library.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from scenarist import inventory
from scenarist.corpora.judged import Judged
from scenarist.models.scenarios.detector import Detector, read
from scenarist.models.scenarios.library import FEATURES, MENTION, SURE, LibraryDetector, script_runs, whole_run
from scenarist.registry import make
from scenarist.story import Story

FILE = Path("src/scenarist/resources/detector/library.json")
FOLDS, STRENGTH = 10, 1.0
TOLD, FICTION, LENGTHS = 60, 90, (7, 8, 9, 10, 11, 12)
"""Train stories of MCScript; passages of fiction, and how many sentences they have."""


class NamedText(NamedTuple):
    """A text and the scenarios it tells, by any of their names."""

    id: str
    text: str
    names: frozenset[str]


def judged_texts() -> Iterator[NamedText]:
    """Judged stories that may be looked at."""
    paths = [Path("src/scenarist/resources/judged/dev.jsonl"), *sorted(Path("training/library/judged").glob("*.jsonl"))]
    for path in paths:
        for entry in Judged("dev", path):
            names = frozenset(name for names in entry.key.scenarios for name in names)
            yield NamedText(entry.id, entry.story.text, names)


def other_texts() -> Iterator[NamedText]:
    """Train stories of MCScript, and passages of fiction that are taken to tell no script."""
    stories = list(make("corpus", "mcscript", split="train"))
    for story in stories[:: max(1, len(stories) // TOLD)]:
        name = inventory.find(story.scenario).name if inventory.known(story.scenario) else story.scenario
        yield NamedText(f"mcscript {story.id}", story.text, frozenset((name,)))
    works = list(make("corpus", "short-fiction", split="train"))
    for number in range(FICTION):
        work = works[number % len(works)]
        spans, _ = read(work)
        first, length = 20 + number // len(works) * 3 * max(LENGTHS), LENGTHS[number % len(LENGTHS)]
        if len(spans) > first + length:
            text = work.text[spans[first].start : spans[first + length - 1].stop]
            yield NamedText(f"fiction {work.id} {first}", " ".join(text.split()), frozenset())


def main() -> None:
    detector = LibraryDetector()
    rows, right, groups = [], [], []
    told = [*judged_texts(), *other_texts()]
    for text in told:
        story = Story(text.id, text.text)
        _, texts = read(story)
        if any(segment.labels[0].weight >= SURE for segment in Detector.segments(detector, story)):
            continue  # the light detector answers
        scores = detector.words.scores(texts)
        runs = script_runs(scores)
        for run in runs or whole_run(scores, 0, len(texts)):
            if run.last - run.first >= MENTION:
                evidence = detector.run_evidence(texts[run.first : run.last], scores[run.first : run.last], not runs)
                rows.append(evidence.features)
                right.append(detector.words.names[evidence.scripts[0]] in text.names)
                groups.append(text.id)
    features, is_right = np.array(rows), np.array(right)
    spread = features.std(0)
    spread[-1] = 1.0
    model = LogisticRegression(C=STRENGTH, fit_intercept=False, max_iter=2000)
    chances = np.zeros(len(rows))
    for train, left in GroupKFold(FOLDS).split(features, is_right, groups):
        model.fit(features[train] / spread, is_right[train])
        chances[left] = model.predict_proba(features[left] / spread)[:, 1]
    for least in (0.1, 0.2, 0.3, 0.4, 0.5):
        kept = chances >= least
        print(
            f"from {least}: {kept.mean():.2f} kept, {is_right[kept].mean():.2f} right, {is_right[~kept].mean():.2f} of the others"
        )
    bins = np.minimum((chances * 10).astype(int), 9)
    for number in sorted({*bins}):
        here = bins == number
        print(f"  said {chances[here].mean():.2f} right {is_right[here].mean():.2f} of {here.sum()}")
    error = sum(abs(is_right[bins == n].mean() - chances[bins == n].mean()) * (bins == n).mean() for n in {*bins})
    print(f"{len(rows)} runs of {len(told)} texts; expected calibration error {error:.3f}")
    model.fit(features / spread, is_right)
    learned = dict(zip(FEATURES, (model.coef_[0] / spread).round(4).tolist(), strict=True))
    content = {"schema": 1, "weights": learned, "how": "python -m training.library.sureness"}
    FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(learned)


if __name__ == "__main__":
    main()
