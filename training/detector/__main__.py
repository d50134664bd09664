"""All of `resources/detector` and `resources/topics` from the corpora: `make train-detector`, or `python -m training.detector [--into FOLDER]`.

The steps, each a script of its own that can be run alone: prepare (sentences of the corpora), exam (the dev documents, only to be scored), deep (teachers;
only where there is a GPU, or with --deep; side by side), evidence (their scores of the exam's documents), student, export, segments, sample, topics. Without a GPU the student learns from the labels alone and is some
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
STEPS = ("prepare", "exam", "deep", "evidence", "student", "export", "segments", "sample", "topics")


def commands(options: argparse.Namespace) -> dict[str, list[list[str]]]:
    """The command lines of every step."""
    work, into = options.work, options.into
    data, models = str(work / "data"), work / "models"
    weights = into / "detector"
    smoke = ["--smoke"] if options.smoke else []
    steps = ["--steps", "3"] if options.smoke else []
    bases = {"minilm": str(options.minilm), "smollm2": str(options.smollm2)}
    members = [name for name in options.members.split(",") if name] if options.deep else []
    rates = {
        "minilm": ["--rate", "2e-4", "--budget", "32000", "--lower", "0"],
        "smollm2": ["--rate", "5e-4", "--budget", "20000"],
    }
    times = ["--seconds", str(0.58 * options.seconds), "--more", str(0.42 * options.seconds)]
    deep = [
        [
            "training/detector/deep.py", data, str(models), "--name", name, "--encoder", name.split("-")[0], "--base", bases[name.split("-")[0]],
            "--seed", str(12 + int(name.split("-")[1])), *rates[name.split("-")[0]], "--beside", ",".join(members), *times, *steps, *smoke,
            *(["--budget", "600", "--workers", "1"] if options.smoke else []),
        ]
        for name in members
    ]  # fmt: skip
    taught = ["--teachers", ",".join(members)] if members else []
    variant = "wide" if members else "small"
    evidence = [*(str(models / f"{name}-scores.npz") for name in members)]
    return {
        "prepare": [["-m", "training.detector.prepare", data]],
        "exam": [["-m", "training.detector.exam_documents", data]],
        "deep": deep,
        "evidence": [["-m", "training.detector.keep_evidence", data, str(models / "evidence.npz"), *evidence]]
        if members and not options.smoke
        else [],
        "student": [
            ["training/detector/student.py", data, str(models), *taught, "--variants", variant, *steps, *smoke]
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
    parser.add_argument("--members", default="smollm2-1,smollm2-2,minilm-1", help="the teachers: encoder-number")
    parser.add_argument("--seconds", type=float, default=300, help="for each teacher")
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
