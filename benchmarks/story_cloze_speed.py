"""How long do 1,871 questions take through the adapters, on how many cores, and are the answers those that were recorded on the GPU?

    python benchmarks/story_cloze_speed.py [--threads 2] [--limit 300] [--json FILE]

Needs SmolLM2 (scenarist get smollm2), release/storycloze and the corpus storycloze-2016. Goal: under 6 minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

MODELS = ("story-discriminator", "lm-classifier")


def main() -> None:
    """Time both models; margins and answers beside the recorded ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    os.environ["SCENARIST_THREADS"] = str(given.threads)

    import numpy as np

    from scenarist.corpora.storycloze import StoryCloze2016
    from scenarist.models.endings.story_network import story_network
    from scenarist.registry import make
    from scenarist.store.predictions import file_of, read_sections

    stories = list(StoryCloze2016("dev"))[: given.limit]
    asked = [(story.context, story.endings) for story in stories]
    right = np.array([story.answer for story in stories])
    began = time.perf_counter()
    story_network()
    out: dict[str, object] = {
        "items": len(asked),
        "threads": given.threads,
        "load_s": round(time.perf_counter() - began, 1),
    }
    for name, condition in zip(MODELS, ("unlabelled", "labelled"), strict=True):
        began, used = time.perf_counter(), time.process_time()
        margins = np.array([second - first for first, second in make("model", name).many(asked)])
        seconds, cpu = time.perf_counter() - began, time.process_time() - used
        path = file_of("storycloze2016", name)
        (section,) = (
            section
            for section in (read_sections(path) if path else [])
            if (section.header.condition, section.header.seed) == (condition, 1)
        )
        logps = [{g.answer: g.logp for g in section.answers[story.id].prediction.guesses} for story in stories]
        recorded = np.array([logp["1"] - logp["0"] for logp in logps])
        out[name] = {
            "seconds": round(seconds, 1), "cpu_s": round(cpu, 1), "accuracy": round(float(((margins > 0) == right).mean()), 4),
            "accuracy_recorded": round(float(((recorded > 0) == right).mean()), 4),
            "same_answer": round(float(((margins > 0) == (recorded > 0)).mean()), 4),
            "mean_difference": round(float(np.abs(margins - recorded).mean()), 3),
        }  # fmt: skip
        print(name, out[name], flush=True)
    if given.json:
        given.json.write_text(json.dumps(out, indent=2) + "\n")


if __name__ == "__main__":
    main()
