"""How fast the detector is, after sentences are cut: `python benchmarks/detecting.py [--model detector] [--sentences 100000]`.

Our own sentences, put together at random, as many short texts and as one long one; prints sentences a second of processor time and of the clock, and
the greatest memory. The aim is 1,500 sentences a second on one core.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time

from scenarist.registry import make
from scenarist.story import Story

PARTS = (
    ("I", "My sister", "The old neighbour", "Peter", "A friend of mine", "We all"),
    ("put", "took", "found", "washed", "ordered", "carried", "bought", "opened", "folded", "paid for"),
    ("the shirts", "a ticket", "the cake", "two pizzas", "some flour", "the wet dog", "a new tyre", "the letter", "her hair", "the plane"),
    ("in the kitchen", "at the counter", "before the train came", "with warm water", "after a long wait", "for the party", "on the phone"),
)  # fmt: skip


def sentences(count: int, seed: int = 13) -> list[str]:
    """Made-up sentences."""
    draw = random.Random(seed)
    return [" ".join(draw.choice(part) for part in PARTS) + "." for _ in range(count)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="detector")
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--size", type=int, default=20, help="sentences of a short text")
    options = parser.parse_args()
    lines = sentences(options.sentences)
    short = [Story.from_sentences(str(at), lines[at : at + options.size]) for at in range(0, len(lines), options.size)]
    whole = [Story.from_sentences("long", lines)]
    model = make("model", options.model)
    model.segments(short[0])
    found: dict[str, float] = {}
    for name, stories in (("short", short), ("long", whole)):
        clock, processor = time.perf_counter(), time.process_time()
        for story in stories:
            model.segments(story)
        found[f"{name}_sentences_per_cpu_s"] = round(len(lines) / (time.process_time() - processor))
        found[f"{name}_sentences_per_s"] = round(len(lines) / (time.perf_counter() - clock))
    found["peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
