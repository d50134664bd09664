"""How fast a detector is, after sentences are cut: `python benchmarks/detecting.py [--model detector] [--sentences 100000]`.

Our own sentences, put together at random, as many short texts and as one long one; prints sentences a second of processor time and of the clock, and
the greatest memory. The aim is 1,500 sentences a second on one core.

`--model deep-detector --documents 12` measures the deep detector instead, on stitched dev documents of 18 to 22 sentences: seconds of
processor time a document (one thread, user time, so that what else the machine does counts for nothing), and the first one with what it
loads. The aim is 3 s.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import sys
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


def whole_documents(model_name: str, count: int) -> None:
    """Seconds of processor time a document of some twenty sentences, all distinct: nothing is remembered from one to the next."""
    stitched = make("corpus", "stitched", split="dev", documents=8 * count, seeds=[77])
    stories = [story for story in stitched if 18 <= len(story.sentences) <= 22][: count + 1]
    seconds = []
    model = None
    for story in stories:
        before = os.times().user
        model = model or make("model", model_name)
        model.segments(story)
        seconds.append(os.times().user - before)
        print(f"{len(story.sentences)} sentences: {seconds[-1]:.2f} s", file=sys.stderr, flush=True)
    first, *others = seconds
    print(
        json.dumps(
            {
                "documents": len(others),
                "sentences": sum(len(story.sentences) for story in stories[1:]),
                "first_with_loading": round(first, 2),
                "mean": round(statistics.mean(others), 2),
                "median": round(statistics.median(others), 2),
                "most": round(max(others), 2),
            }
        )
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="detector")
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--size", type=int, default=20, help="sentences of a short text")
    parser.add_argument("--documents", type=int, default=0, help="measure stitched dev documents instead, so many")
    options = parser.parse_args()
    if options.documents:
        import torch

        torch.set_num_threads(1)
        os.environ["SCENARIST_THREADS"] = "1"  # a second thread that waits for a busy core would be counted as work
        whole_documents(options.model, options.documents)
        return
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
