"""MCScript -> `resources/topics/affinity.npz`: `python -m training.detector.affinity FILE [--check]`.

Topics (the carried ones, over lemmas) and words of its training stories, and texts that tell no scenario: stretches of twelve sentences of EWT, GUM and
short fiction (train). ``--check`` prints how many stories of dev are named rightly, by the paper's features (topics alone) and by ours.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path

from scenarist.formats.plain import sentences
from scenarist.inventory import find
from scenarist.learning.affinity import Affinity
from scenarist.registry import make
from scenarist.story import Story, replace

STRETCH, EACH = 12, 120


def named(split: str) -> list[Story]:
    """The stories of MCScript under the inventory's names."""
    return [replace(story, scenario=find(story.scenario).name) for story in make("corpus", "mcscript", split=split)]


def untold(split: str) -> Iterator[Story]:
    """Stretches of texts that tell no scenario, so many of each corpus."""
    for name in ("ewt", "gum", "short-fiction"):
        for story in itertools.islice(make("corpus", name, split=split), EACH):
            text = story.text[len(story.text) // 2 :][:8_000]
            part = sentences(text)[1 : STRETCH + 1]
            if part:
                yield Story(f"{name}/{story.id}", text[part[0].start : part[-1].stop])


def main() -> None:
    """Learn, check and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    stories, others = named("train"), list(untold("train"))
    for features in ("topics", "topics+words") if options.check else ("topics+words",):
        model = Affinity(features).fit(stories, others)
        if options.check:
            dev = named("dev")
            right = sum(model.rate(story).scenario == story.scenario for story in dev)
            foreign = [model.rate(story).affinity for story in untold("dev")]
            high = sum(value >= 0.5 for value in foreign)
            own = sum(model.rate(story).affinity >= 0.5 for story in dev)
            print(
                f"{features}: {right} of {len(dev)} dev stories named rightly; affinity 0.5 or more: {own} of them, {high} of {len(foreign)} other texts"
            )
    model.save(options.file)


if __name__ == "__main__":
    main()
