"""All of `resources/detector` and `resources/topics` from the corpora: `make train-detector`, or `python -m training.detector [--into FOLDER]`.

The steps, each a script of its own that can be run alone: prepare (sentences of the corpora), exam (the dev documents, only to be scored), deep (readers of documents, a namer and tellers of segments;
only where there is a GPU, or with --deep; side by side), student, export, segments, sample, topics. Without a GPU the student learns from the labels alone and is some
points weaker. ``--from`` goes on at a step; ``--smoke`` does all of it on a fortieth of the data in minutes, to see that it runs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STEPS = ("prepare", "exam", "deep", "student", "export", "segments", "sample", "topics")
MEMBERS = "smollm2-1,minilm-1,namer-1,teller-1,teller-2,teller-3,titler-1"
"""What is trained; the first two tellers are there to teach the others, and are not kept."""


def commands(options: argparse.Namespace) -> dict[str, list[list[str]]]:
    """The command lines of every step."""
    work, into = options.work, options.into
    data, models = str(work / "data"), work / "models"
    weights = into / "detector"
    smoke = ["--smoke"] if options.smoke else []
    steps = ["--steps", "3"] if options.smoke else []
    bases = {"minilm": str(options.minilm), "smollm2": str(options.smollm2)}
    members = [name for name in options.members.split(",") if name] if options.deep else []
    readers = [name for name in members if name.startswith(("smollm2", "minilm"))]
    every = options.seconds
    taught = ",".join(name for name in members if name not in readers)
    reading = f"--more {0.41 * every} --beside {','.join(readers)}"
    naming = f"--more {0.52 * every} --beside {taught} --readers {','.join(readers)} --pool 30000 --rank 16"
    telling = f"tellers --seconds {0.48 * every} {naming}"
    ways = {
        "smollm2": f"deep --encoder smollm2 --rank 24 --rate 4e-4 --budget 12000 --adapt {0.1 * every} --seconds {0.43 * every} {reading}",
        "minilm": f"deep --encoder minilm --rate 2e-4 --budget 24000 --lower 0 --seconds {0.53 * every} {reading}",
        "namer": f"namers --encoder smollm2 --rate 4e-4 --budget 9000 --hide 0.15 --mix 0.2 --adapt {0.12 * every} --seconds {0.36 * every} {naming}",
        "teller-1": f"{telling} --rate 3e-4 --budget 9000 --hide 0.1",
        "teller-2": f"{telling} --rate 3e-4 --budget 9000 --hide 0.15 --mix 0.35",
        "teller-3": f"{telling} --rate 4e-4 --budget 12000 --hide 0.12 --mix 0.2 --wrong 5 --hard 2 --fluent 0.15",
        "titler": f"{telling} --titles --rate 3e-4 --budget 6000 --hide 0.15 --mix 0.35",
    }
    deep = []
    for name in members:
        kind, number = name.split("-")
        script, *how = ways.get(kind, ways.get(name, ways["teller-1"])).split()
        line = [
            "-m",
            f"training.detector.{script}",
            data,
            str(models),
            "--name",
            name,
            "--base",
            bases["minilm" if kind == "minilm" else "smollm2"],
            *how,
        ]
        tiny = ["--budget", "600", "--workers", "1"] if options.smoke else []
        deep.append([*line, "--seed", str(12 + int(number) + 3 * (kind == "titler")), *steps, *smoke, *tiny])
    teachers = ["--teachers", ",".join(readers)] if readers else []
    variant = "wide" if readers else "small"
    course = ["--seconds", str(0.57 * every)] if readers and not options.smoke else steps
    return {
        "prepare": [["-m", "training.detector.prepare", data]],
        "exam": [["-m", "training.detector.exam_documents", data]],
        "deep": deep,
        "student": [
            ["-m", "training.detector.student", data, str(models), *teachers, "--variants", variant, *course, *smoke]
        ],
        "export": [
            [
                "-m",
                "training.detector.export",
                str(models / f"student-{variant}.npz"),
                str(weights),
            ]
        ],
        "segments": [["-m", "training.detector.segment_labels", data, str(weights / "segments.npz"), *smoke]],
        "sample": [["-m", "training.detector.sample", data, str(weights), *smoke]],
        "topics": [
            ["-m", "training.detector.topics", str(into / "topics"), "--words", words, *smoke]
            for words in ("stems", "lemmas")
        ],
    }


def main() -> None:
    """Run the steps."""
    try:
        import torch

        there = torch.cuda.is_available()
    except ModuleNotFoundError:
        there = False
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m training.detector")
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "detector", help="scratch folder")
    parser.add_argument(
        "--into", type=Path, default=ROOT / "src" / "scenarist" / "resources", help="where detector/ and topics/ go"
    )
    parser.add_argument(
        "--deep", action=argparse.BooleanOptionalAction, default=there, help="train teachers (wants a GPU)"
    )
    parser.add_argument("--members", default=MEMBERS, help="what is trained: kind-number")
    parser.add_argument("--seconds", type=float, default=1180, help="for each of them")
    parser.add_argument("--minilm", type=Path, default=Path("minilm"), help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--smollm2", type=Path, default=Path("smollm2.gguf"), help="SmolLM2's GGUF file")
    parser.add_argument("--from", dest="begin", choices=STEPS, default=STEPS[0], help="go on at this step")
    parser.add_argument("--until", choices=STEPS, default=STEPS[-1], help="end after this step")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    for folder in (options.work / "data", options.work / "models", options.into / "detector", options.into / "topics"):
        folder.mkdir(parents=True, exist_ok=True)
    found = commands(options)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    for step in STEPS[STEPS.index(options.begin) : STEPS.index(options.until) + 1]:
        started = []
        for line in found[step]:
            print("==", step, " ".join(line), flush=True)
            started.append(subprocess.Popen([sys.executable, "-u", *line], cwd=ROOT, env=environment))
            if step != "deep":  # teachers wait for one another, so they run side by side
                started[-1].wait()
        if any(one.wait() for one in started):
            raise SystemExit(f"The step {step} failed.")


if __name__ == "__main__":
    main()
