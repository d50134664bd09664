"""Count what tellers say of the library's events: `python -m training.library.evidence`.

From the train parts of MCScript, InScript and DeScript on SCENARIST_DATA, through our own reader, and from ROCStories' cased train stories
in which the detector is sure of one scenario (`--rocstories N` of them; 0 leaves them out). Stories that two corpora share are taken out of
train where the other has them in dev. Writes resources/scripts/evidence.jsonl.gz: counts only, no sentence.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from scenarist.corpora.library import Library
from scenarist.learning.library.evidence import (
    FILE,
    ToldSteps,
    count_evidence,
    list_telling,
    story_telling,
    write_evidence,
)
from scenarist.registry import make
from scenarist.story import Story
from scenarist.verbs.detect import segments
from training.knowledge.reading import canonical, held_out, marks

SURE = 0.8
"""A story of no known scenario belongs to one when one segment of so much weight covers most of it."""
MOST_OF_IT = 0.7


def read_stories(name: str, limit: int | None = None, **settings: object) -> Iterator[Story]:
    """The train stories of a corpus through the default reader."""
    stories = [story for story in make("corpus", name, split="train", **settings) if not marks(story.text) & held_out()]
    reader = make("reader", "default")
    for story, read in zip(stories[:limit], reader([story.text for story in stories[:limit]]), strict=True):
        yield msgspec.structs.replace(read, id=story.id, scenario=canonical(story.scenario), source=story.source)


def detected(story: Story) -> str:
    """The one scenario a story tells for the detector, empty where it is not sure."""
    spans = [segment for segment in segments(story) if segment.labels]
    if (
        len(spans) == 1
        and spans[0].labels[0].weight >= SURE
        and (spans[0].stop - spans[0].start) >= MOST_OF_IT * len(story.text)
    ):
        return str(spans[0].names[0])
    return ""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rocstories", type=int, default=16000)
    options.add_argument("--out", type=Path, default=Path("src/scenarist/resources") / FILE)
    args = options.parse_args()
    tellings: dict[str, list[ToldSteps]] = defaultdict(list)
    sources: dict[str, Counter[str]] = defaultdict(Counter)

    def keep(scenario: str, corpus: str, telling: ToldSteps) -> None:
        if scenario and telling.clauses:
            tellings[scenario].append(telling)
            sources[scenario][corpus] += 1

    for corpus in ("mcscript", "inscript"):
        for story in read_stories(corpus):
            keep(story.scenario, corpus, story_telling(story))
    for story in make("corpus", "descript", split="train"):
        keep(canonical(story.scenario), "descript", list_telling(story.of(sentence) for sentence in story.sentences))
    if args.rocstories:
        for story in islice(read_stories("rocstories", cased=True), args.rocstories):
            keep(detected(story), "rocstories", story_telling(story))
    evidence = [
        count_evidence(script, tellings[script.scenario], sorted(sources[script.scenario].items()))
        for script in Library()
        if tellings[script.scenario]
    ]
    write_evidence(args.out, evidence)
    print(f"{len(evidence)} scripts, {sum(map(len, tellings.values()))} tellings, {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
