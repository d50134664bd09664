"""Ranking the 50 best of 200,000 event types for a chain of ten: milliseconds a question on one core, at the median and the 95th
percentile.

    OMP_NUM_THREADS=1 python benchmarks/ranking.py [--types 200000] [--chains 120000] [--questions 300] [--model bigram --model mixture]

Chains are drawn by Zipf's law within topics, so that rows of common events are as long as in real counts; every question is a
chain of ten from the same source with one event more taken out. Times are of the thread's own CPU (a busy machine does not
count), wall time beside it; as ratios in one run, against sorting that many numbers.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from scenarist.learning.event_counts import WINDOW, EventCounts
from scenarist.question import EventGap
from scenarist.registry import make
from scenarist.story import Link

SETTINGS: dict[str, dict[str, Any]] = {
    "unigram": {}, "bigram": {"skip": "all", "smoothing": 1.0}, "pmi-cutoff": {"cutoff": 5}, "mixture": {},
}  # fmt: skip


def chains(types: int, number: int, length: int, rng: np.random.Generator) -> np.ndarray:
    """Chains of a topic's events, mixed with events of all topics: [chains, length]; every type occurs."""
    ranks = np.arange(1, types + 1) ** -1.0
    common = rng.choice(types, size=(number, length), p=ranks / ranks.sum())
    topics = 500
    topic = rng.integers(0, topics, size=(number, 1))
    local = (common // topics) * topics + topic
    mixed = np.where(rng.random((number, length)) < 0.7, np.minimum(local, types - 1), common)
    every = rng.permutation(types)
    mixed.reshape(-1)[rng.choice(mixed.size, types, replace=False)] = every
    return mixed


def timed(function: Callable[[], object], most: int = 1) -> tuple[float, float]:
    """CPU and wall milliseconds."""
    cpu, wall = time.thread_time(), time.perf_counter()
    for _ in range(most):
        function()
    return (time.thread_time() - cpu) * 1000 / most, (time.perf_counter() - wall) * 1000 / most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--types", type=int, default=200_000)
    parser.add_argument("--chains", type=int, default=120_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--model", action="append", choices=sorted(SETTINGS))
    given = parser.parse_args()
    rng = np.random.default_rng(13)
    whole = chains(given.types, given.chains, 11, rng)
    names = [f"v{at // 3}:{('subj', 'obj', 'prep_in')[at % 3]}" for at in range(given.types)]
    start = np.arange(0, whole.size + 1, whole.shape[1])
    counts = EventCounts.of_arrays(names, whole.reshape(-1), start, np.arange(given.chains), [], WINDOW, False)
    values = rng.random(given.types)
    sort = min(timed(lambda: np.sort(values))[0] for _ in range(5))
    asked = []
    for row, gap in zip(
        rng.integers(0, given.chains, given.questions).tolist(),
        rng.integers(0, 11, given.questions).tolist(),
        strict=True,
    ):
        links = tuple(Link.parse(names[at]) for place, at in enumerate(whole[row].tolist()) if place != gap)
        asked.append(EventGap(links, gap))
    found = {"types": len(counts), "pairs": len(counts.pairs), "sort_ms": round(sort, 2), "models": {}}
    for name in given.model or SETTINGS:
        model = make("model", name, **SETTINGS[name]).fit(counts)
        model.answer(asked[0])
        model._scored.clear()
        times = np.array([timed(partial(model.answer, question)) for question in asked])
        cpu, wall = np.percentile(times[:, 0], (50, 95)), np.percentile(times[:, 1], (50, 95))
        found["models"][name] = {
            "cpu_ms_p50": round(cpu[0], 2), "cpu_ms_p95": round(cpu[1], 2), "wall_ms_p50": round(wall[0], 2), "wall_ms_p95": round(wall[1], 2),
            "p95_over_sort": round(cpu[1] / sort, 2),
        }  # fmt: skip
        print(json.dumps({name: found["models"][name]}), flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
