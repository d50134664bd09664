"""How fast `scenarist read` is: a folder of stories, a cold start, a warm one, and memory.

    python benchmarks/folder.py [--stories 1000] [--sentences 20] [--jobs 2] [--corpus mcscript]

With a corpus, stories are made of its sentences, so that they tell scenarios (which costs); without one, the example stories are
repeated. The command is run as a user runs it, start included. Beside the wall clock stands the time the processors worked, which says what a
busy machine would hide.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
ENDS = re.compile(r"(?<=[.!?])\s+")


def sentences(corpus: str) -> Iterator[str]:
    """Sentences without end, story after story."""
    if corpus:
        from scenarist.registry import make

        texts = [story.text for story in make("corpus", corpus, split="train")]
    else:
        texts = [path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.txt"))]
    while True:
        for text in texts:
            yield from (one for one in ENDS.split(text) if len(one) > 3)


def run(command: list[str]) -> dict[str, float]:
    """Wall and processor seconds of a command, and the largest memory of one process so far."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "seconds": round(time.perf_counter() - begun, 2),
        "processor_s": round(worked, 2),
        "mb": round(after.ru_maxrss / 1024),
    }


def warm(text: str) -> float:
    """Seconds of a story in a process that has read one before; the best of five."""
    import scenarist

    scenarist.read(text)
    spent = []
    for _ in range(5):
        begun = time.perf_counter()
        scenarist.read(text)
        spent.append(time.perf_counter() - begun)
    return round(min(spent), 3)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--stories", type=int, default=1000)
    options.add_argument("--sentences", type=int, default=20)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--corpus", default="", help="a corpus of stories on SCENARIST_DATA")
    args = options.parse_args()
    supply = sentences(args.corpus)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "stories"
        folder.mkdir()
        for number in range(args.stories):
            text = " ".join(next(supply) for _ in range(args.sentences))
            (folder / f"{number:05d}.txt").write_text(text, encoding="utf-8")
        ten = Path(name) / "ten.txt"
        ten.write_text(" ".join(next(supply) for _ in range(10)), encoding="utf-8")
        tool = [sys.executable, "-m", "scenarist", "read"]
        cold = run([*tool, str(ten), "-q"])
        whole = run([*tool, str(folder), "-o", str(Path(name) / "out"), "--jobs", str(args.jobs), "-q"])
        print(json.dumps({
            "stories": args.stories, "sentences": args.sentences, "jobs": args.jobs, "load": round(os.getloadavg()[0], 1),
            "cold_start": cold, "warm_s": warm(ten.read_text(encoding="utf-8")), "folder": whole,
            "stories_per_s": round(args.stories / whole["seconds"], 1),
            "stories_per_processor_s": round(args.stories / whole["processor_s"], 1),
        }))  # fmt: skip


if __name__ == "__main__":
    main()
