"""InScript's train stories -> which event of the library each label means: `python -m training.library.labels`.

Each mention of a label is the clause that the default reader finds at its word; the event of the scenario's written script that tells it
best counts. A label keeps the events that a fifth of its mentions tell. Shares only, no sentence. Writes resources/scripts/labels.json; read
by `untold-library` where an event is named by such a label.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from scenarist import inventory
from scenarist.learning.library.alignment import align, ready_script
from scenarist.learning.tellings import is_script
from scenarist.registry import make

FILE = Path("src/scenarist/resources/scripts/labels.json")
EVERY = 3
"""Every third story is read."""
SHARE = 0.2


def main() -> None:
    told: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    stories = [story for number, story in enumerate(make("corpus", "inscript", split="train")) if number % EVERY == 0]
    for story, parse in zip(stories, make("reader", "default")([story.text for story in stories]), strict=True):
        scenario = inventory.find(story.scenario).name
        script = ready_script(scenario)
        alignment = align(parse, parse.sentences, script)
        for event in story.events:
            if is_script(event.label):
                home = next((n for n, s in enumerate(parse.sentences) if s.start <= event.start < s.stop), -1)
                if home >= 0:
                    weights = alignment.told[home]
                    for number in np.nonzero(weights > 0.2)[0]:
                        told[scenario][event.label][script.script.events[int(number)].id] += float(weights[number])  # type: ignore[assignment]
                    told[scenario][event.label][""] += 1
    labels: dict[str, dict[str, dict[str, float]]] = {}
    for scenario, counts in sorted(told.items()):
        rest = Counter[str]()
        for counter in counts.values():
            rest.update(counter)
        for label, counter in sorted(counts.items()):
            lifted = {
                id: count / counter[""]
                for id, count in counter.items()
                if id and count / counter[""] > 2 * rest[id] / rest[""]  # told where the label is, more than anywhere
            }
            best = sorted(lifted, key=lambda id: -lifted[id])[:3]
            kept = {id: round(min(1.0, lifted[id]), 3) for id in best if lifted[id] >= SHARE}
            if kept:
                labels.setdefault(scenario, {})[label] = kept
    FILE.write_text(
        json.dumps({"schema": 1, "how": "python -m training.library.labels", "labels": labels}, indent=1) + "\n"
    )
    print(FILE, sum(map(len, labels.values())), "labels of", len(labels), "scenarios")


if __name__ == "__main__":
    main()
