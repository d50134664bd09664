"""Steps listed without sight of the library x its scripts -> how many of them each script has: `python -m training.library.coverage`.

`resources/scripts/steps.jsonl` holds fifteen steps of each activity. A step is covered where it tells an event of the script, by words and
meaning (`learning/library/orders.py`). Beside it stands what the script of another scenario covers: what matching finds where there is
nothing to find.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from scenarist.corpora.library import Library
from scenarist.learning.library.orders import OrderedScript, written_order
from scenarist.learning.library.wordings import Clause

STEPS = Path("src/scenarist/resources/scripts/steps.jsonl")
WORST = 8


def main() -> None:
    steps = {line["scenario"]: line["steps"] for line in map(json.loads, STEPS.read_text("utf-8").splitlines())}
    scripts = [script for script in Library() if script.scenario in steps]
    own: dict[str, float] = {}
    other: list[float] = []
    missed: list[str] = []
    for number, script in enumerate(scripts):
        ordered = OrderedScript(script, written_order(script))
        events = ordered.events_of([Clause.of(step) for step in steps[script.scenario]])
        own[script.scenario] = float(np.mean([event is not None for event in events]))
        missed += [
            f"{script.scenario}: {step}"
            for step, event in zip(steps[script.scenario], events, strict=True)
            if event is None
        ]
        turned = steps[scripts[(number + 7) % len(scripts)].scenario]
        other.append(float(np.mean([event is not None for event in ordered.events_of(list(map(Clause.of, turned)))])))
    print(
        f"{len(own)} scripts: {np.mean(list(own.values())):.3f} of the steps covered, {np.mean(other):.3f} by another scenario's script"
    )
    print(
        "least covered:",
        ", ".join(f"{name} {own[name]:.2f}" for name in sorted(own, key=lambda name: own[name])[:WORST]),
    )
    print(f"{len(missed)} steps in no script, among them:", "; ".join(missed[:: max(1, len(missed) // WORST)]))


if __name__ == "__main__":
    main()
