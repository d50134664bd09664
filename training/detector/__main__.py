"""All of `resources/detector` and `resources/topics` from the corpora: `make train-detector`, or `python -m training.detector [--into FOLDER]`.

The steps, each a script of its own that can be run alone: prepare (sentences of the corpora), exam (the dev documents, only to be scored), deep (readers of documents, namers and a teller of segments;
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
    readers = [name for name in members if name.startswith(("smollm2", "minilm"))]
    namers = [name for name in members if name.startswith("namer")]
    every = options.seconds
    reading = ["--seconds", str(0.58 * every), "--more", str(0.42 * every), "--beside", ",".join(readers)]
    naming = [
        "--more",
        str(0.45 * every),
        "--beside",
        ",".join(namers),
        "--readers",
        ",".join(readers),
        "--pool",
        "30000",
        "--hide",
        "0.15",
        "--rank",
        "16",
    ]
    ways = {
        "smollm2": ["deep.py", "--encoder", "smollm2", "--rank", "24", "--rate", "4e-4", "--budget", "12000", *reading],
        "minilm": ["deep.py", "--encoder", "minilm", "--rate", "2e-4", "--budget", "24000", "--lower", "0", *reading],
        "namer": [
            "namers.py",
            "--encoder",
            "smollm2",
            "--rate",
            "4e-4",
            "--budget",
            "8000",
            "--adapt",
            str(0.15 * every),
            "--seconds",
            str(0.4 * every),
            *naming,
        ],
        "teller": [
            "tellers.py",
            "--rate",
            "3e-4",
            "--budget",
            "9000",
            "--hide",
            "0.1",
            "--rank",
            "16",
            "--seconds",
            str(every),
            "--readers",
            ",".join(readers),
        ],
    }
    deep = []
    for name in members:
        kind, number = name.split("-")
        script, *how = ways[kind]
        line = [
            f"training/detector/{script}",
            data,
            str(models),
            "--name",
            name,
            "--base",
            bases["minilm" if kind == "minilm" else "smollm2"],
            *how,
        ]
        tiny = ["--budget", "600", "--workers", "1"] if options.smoke else []
        deep.append([*line, "--seed", str(12 + int(number)), *steps, *smoke, *tiny])
    taught = ["--teachers", ",".join(readers)] if readers else []
    variant = "wide" if readers else "small"
    evidence = [str(models / f"{name}-scores.npz") for name in readers]
    for kind in ("namer", "teller"):
        evidence += [
            part
            for name in members
            if name.startswith(kind)
            for part in (f"--{kind}", str(models / f"{name}-names.npz"))
        ]
    return {
        "prepare": [["-m", "training.detector.prepare", data]],
        "exam": [["-m", "training.detector.exam_documents", data]],
        "deep": deep,
        "evidence": [["-m", "training.detector.keep_evidence", data, str(models / "evidence.npz"), *evidence]]
        if readers and not options.smoke
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
    parser.add_argument("--members", default="smollm2-1,minilm-1,namer-1,teller-1", help="what is trained: kind-number")
    parser.add_argument("--seconds", type=float, default=600, help="for each of them")
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
