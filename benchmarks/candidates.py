"""What asking through us costs beside the server's own time: 500 requests, one at a time and eight.

    python -m benchmarks.candidates [--delay 0.05] [--runs 3]

The server here answers after a fixed time, so that its own time is known; each run asks 500 texts for their log-probabilities, once with
a bare connection (the floor: what the same client library and the server need) and once through a candidate, which probes, keeps every
request and answer on the disk, checks the budget and sums. Overhead is (ours - floor) / floor; the goal is 5 %. ``own_work_ms`` is the
processor time of ours for a request, which a busy machine moves little.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from threading import local

from scenarist.networks.addresses.base import Continuations
from scenarist.networks.addresses.server import ServedModel
from tests.candidates.small_server import SmallServer

REQUESTS = 500
own = local()


def bare(url: str, prompt: str) -> None:
    """The same request by a bare connection, one a thread."""
    host, _, path = url.removeprefix("http://").partition("/")
    if not hasattr(own, "line"):
        own.line = http.client.HTTPConnection(host)
    body = {"model": "small", "prompt": prompt, "max_tokens": 1, "echo": True, "logprobs": 1, "temperature": 0}
    own.line.request("POST", f"/{path}/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
    json.loads(own.line.getresponse().read())


Times = tuple[float, float]
"""Seconds by the clock, and of processor time (the small server's threads are in both)."""


def floor(url: str, prompts: list[str], at_once: int) -> Times:
    start, work = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(lambda prompt: bare(url, prompt), prompts))
    return time.perf_counter() - start, time.process_time() - work


def ours(target: str, asked: list[Continuations], at_once: int) -> Times:
    with tempfile.TemporaryDirectory() as home:
        os.environ["SCENARIST_HOME"] = home
        model = ServedModel(target, "echo", at_once).ready()
        start, work = time.perf_counter(), time.process_time()
        model.logps(asked)
        return time.perf_counter() - start, time.process_time() - work


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds that the server takes")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    asked = [Continuations(f"Day {day} came.", (" It rained hard.",)) for day in range(REQUESTS)]
    prompts = [entry.prompt + entry.texts[0] for entry in asked]
    for at_once in (1, 8):
        floors, times = [], []
        with SmallServer(delay=given.delay) as server:
            for _ in range(given.runs):
                floors.append(floor(server.url, prompts, at_once))
                times.append(ours(server.address.removeprefix("openai:"), asked, at_once))
        (best, work), (bare_best, bare_work) = map(min, zip(*times, strict=True)), map(min, zip(*floors, strict=True))
        print(
            json.dumps(
                {
                    "requests": REQUESTS, "at_once": at_once, "server_s": given.delay, "floor_s": round(bare_best, 3),
                    "ours_s": round(best, 3), "overhead": round(best / bare_best - 1, 4),
                    "own_work_ms": round(1000 * (work - bare_work) / REQUESTS, 3),
                }
            )
        )  # fmt: skip


if __name__ == "__main__":
    main()
