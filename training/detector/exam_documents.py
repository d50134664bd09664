"""The exam's stitched documents -> FOLDER/exam.json.gz: `python -m training.detector.exam_documents FOLDER`.

So that a machine without the package's dependencies can score them (never learn from them): the dev documents of table `wanzare2019`, and
whole stories (and documents of another seed to tune on), as sentences with the label of each (the inner one where two are nested).
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

from scenarist.corpora.stitched import Stitched
from scenarist.formats.plain import sentences
from scenarist.inventory import find
from scenarist.registry import make
from scenarist.story import Story

SETS: dict[str, dict[str, float]] = {"clean": {}, "noisy": {"other": 0.3333333333333333}, "nested": {"nested": 0.5}}


def labelled(story: Story, number: dict[str, int]) -> dict[str, object]:
    """A document's sentences, numbered, with labels."""
    spans = story.sentences or sentences(story.text)
    spans = tuple(one for one in spans if one.stop > one.start)
    labels = ["None"] * len(spans)
    if story.scenario:
        labels = [find(story.scenario).name] * len(spans)
    for segment in sorted(story.segments, key=lambda one: one.start - one.stop):
        for at, one in enumerate(spans):
            if segment.start <= one.start and one.stop <= segment.stop:
                labels[at] = segment.labels[0].name
    return {
        "id": story.id,
        "sentences": [number.setdefault(story.of(one), len(number)) for one in spans],
        "labels": labels,
    }


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", default="dev")
    options = parser.parse_args()
    number: dict[str, int] = {}
    made = {
        name: [labelled(story, number) for story in Stitched(options.split, seeds=(13, 14, 15), **settings)]  # type: ignore[arg-type]
        for name, settings in SETS.items()
    }
    for name in ("clean", "noisy", "nested"):  # other draws of the same stories, to choose shares and thresholds on
        made[f"tune-{name}"] = [labelled(one, number) for one in Stitched(options.split, seeds=(101,), **SETS[name])]  # type: ignore[arg-type]
    made["whole"] = [labelled(story, number) for story in make("corpus", "mcscript", split=options.split)]
    with gzip.open(options.folder / "exam.json.gz", "wt", encoding="utf-8") as stream:
        json.dump({"sentences": list(number), "documents": made}, stream, ensure_ascii=False)
    print({name: len(some) for name, some in made.items()}, len(number), "sentences")


if __name__ == "__main__":
    main()
