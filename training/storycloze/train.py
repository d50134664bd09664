"""SmolLM2-135M on stories: language model, unlabelled discriminator, labelled folds, ordering. One GPU, minutes.

    python -m training.storycloze.prepare out/storycloze          # tokens and made endings, from SCENARIST_DATA
    SMOLLM2_GGUF=... python -m training.storycloze.train out/storycloze --out out/storycloze --budget 860
    SMOLLM2_GGUF=... python -m training.storycloze.train out/storycloze --stages order --stories release/storycloze/stories.safetensors

`--tiny` runs every stage on a handful of stories, to see on any machine that it runs (LAYERS=1 makes it quick).
"""

from __future__ import annotations

import argparse
import os
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scenarist.networks import checkpoint
from scenarist.networks.adapters import Lora
from scenarist.networks.llama import Llama
from training.storycloze import discriminator, labelled, language_model, ordering
from training.storycloze.data import Data
from training.storycloze.job import SEEDS, Job
from training.storycloze.trees import cloze, head_scores

STAGES = ("lm", "contrast", "rule", "folds", "ending-only", "all", "order")
SHARES = {"lm": 0.17, "contrast": 0.24, "folds": 0.08, "ending-only": 0.05, "all": 0.05, "order": 0.17}
"""How the time for training is shared among the stages that are run. ``folds`` is taken once a seed."""


class Stages:
    """The stages in their order; what one leaves for the next."""

    def __init__(
        self, job: Job, data: Data, gguf: Path, stories: Path | None, asked: Sequence[str], seeds: int
    ) -> None:
        self.job, self.data, self.asked, self.seeds = job, data, asked, seeds
        layers = int(os.environ.get("LAYERS") or 0) or None
        self.net = Llama.read(gguf, layers).to(job.device, job.dtype, whole=True)
        self.stories: Lora | None = None
        if stories:
            held = checkpoint.load(stories, "stories")
            self.stories = Lora.of(held.state, held.settings["factor"], list(map(str, SEEDS))).to(job.device)
        job.say(
            "loaded",
            len(data.train),
            "stories,",
            len(data.items),
            "items",
            torch.cuda.get_device_name() if job.device == "cuda" else "CPU",
        )

    def seconds(self, stage: str) -> float:
        """The budget of one training: its share of two thirds of the time (nearly all where nothing else is run); the rest is for sampling and scoring."""
        total = sum(SHARES.get(name, 0) * (self.seeds if name == "folds" else 1) for name in self.asked)
        part = (0.85 if len(self.asked) == 1 else 0.66) * SHARES[stage] / total
        return max(0.0, min(part * self.job.budget, self.job.left() - 0.05 * self.job.budget))

    def base(self) -> Llama:
        """The network that has read stories: seed 1 of the discriminator folded in."""
        assert self.stories is not None, "this stage needs the stages lm and contrast before it, or --stories FILE"
        return self.net.folded(self.stories)

    def rules(self, tag: str, kept: Mapping[str, str]) -> None:
        """Every way to rank endings by the language model is logged, some are kept: name -> rule."""
        found = language_model.rules(self.job, self.net, self.stories, cloze(self.data))
        for name, scores in found.items():
            self.job.say(f"  {tag} {name}: {self.data.accuracy(scores)}")
        for name, rule in kept.items():
            for seed, scores in zip(SEEDS, found[rule], strict=False):
                self.job.keep(f"{name}-{seed}", scores.astype(np.float32))

    def lm(self) -> None:
        self.rules("smollm2", {"smollm2-mean": "mean", "smollm2-pmi": "pmi1.0", "smollm2-ending-only": "alone"})
        self.stories = language_model.tune(self.job, self.net, self.data, self.seconds("lm"))
        self.rules("lm", {"lm-only-mean": "mean", "lm-only-pmi": "pmi1.0", "lm-only-ending": "alone"})

    def contrast(self) -> None:
        assert self.stories is not None
        began = time.time()
        made = discriminator.sampled(self.job, self.net, self.stories, self.data, self.data.train)
        self.job.say(f"sampled {len(made)} x {len(self.data.train)} endings in {time.time() - began:.0f} s")
        discriminator.contrast(self.job, self.net, self.stories, self.data, made, self.seconds("contrast"))
        self.job.save("stories", self.stories, "language model and discriminator, one a seed", list(map(str, SEEDS)))
        for name, contexts in (("story-discriminator", True), ("story-discriminator-ending-only", False)):
            scores = head_scores(self.job, self.net, self.stories, cloze(self.data, contexts))
            self.job.say(
                f"  {name}: {self.data.accuracy(scores)} mean of seeds {self.data.accuracy(scores.mean(0, keepdims=True))}"
            )
            for at, seed in enumerate(SEEDS):
                self.job.keep(f"{name}-{seed}", scores[at].astype(np.float32))
        self.rules("contrast", {"story-lm-pmi": "pmi1.0"})

    def rule(self) -> None:
        assert self.stories is not None
        discriminator.choose_rule(self.job, self.net, self.stories, self.data)

    def folds(self) -> None:
        assert self.stories is not None
        net, start = self.base(), self.stories.group(0)
        for seed in SEEDS[: self.seeds]:
            lora = labelled.folds(self.job, "labelled", net, self.data, seed, start, self.seconds("folds"))
            self.save_folds(f"folds-{seed}", lora, "labelled folds over stories-1")

    def save_folds(self, name: str, lora: Lora, what: str) -> None:
        """The ten adapters of a seed; the first seed's are published, the others are there for `scenarist bench --record`."""
        self.job.save(name, lora, what, list(map(str, range(labelled.FOLDS))))

    def ending_only(self) -> None:
        seconds = self.seconds("ending-only")
        lora = labelled.folds(self.job, "ending-only", self.base(), self.data, 1, None, seconds, contexts=False)
        self.save_folds("folds-ending-1", lora, "labelled folds over stories-1, endings alone")

    def all(self) -> None:
        assert self.stories is not None
        every = [np.arange(len(self.data.items))]
        lora = labelled.classify(
            self.job, "all", self.base(), self.data, every, 8, [1], self.stories.group(0), self.seconds("all")
        )
        self.job.save("labelled", lora, "labelled over stories-1")

    def order(self) -> None:
        net = self.base()
        lora = ordering.order(self.job, net, self.data, SEEDS, self.seconds("order"))
        self.job.save("ordering", lora, "ordering over stories-1, one a seed", list(map(str, SEEDS)))
        ordering.examine(self.job, net, lora, self.data, SEEDS)


def main() -> None:
    """Run the stages asked for; one that fails is logged and the others go on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of prepare")
    parser.add_argument("--out", type=Path, default=Path("out/storycloze"))
    parser.add_argument("--stages", default=",".join(STAGES), help="some of " + ",".join(STAGES))
    parser.add_argument(
        "--stories", type=Path, help="a stories.safetensors to start from, where lm and contrast are not run"
    )
    parser.add_argument("--gguf", type=Path, help="SmolLM2; else where scenarist get puts it")
    parser.add_argument("--fold-seeds", type=int, default=len(SEEDS), help="how many seeds of the ten folds")
    parser.add_argument("--budget", type=float, default=860.0, help="seconds")
    parser.add_argument(
        "--again", action="store_true", help="compute states again on the way back: a tenth of the memory, slower"
    )
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args()
    if given.gguf is None:
        from scenarist.networks.pretrained import gguf_file

        given.gguf = gguf_file()
    job = Job(given.out, given.budget, given.tiny)
    names = given.stages.split(",")
    stages = Stages(job, Data(given.data, given.tiny), given.gguf, given.stories, names, given.fold_seeds)
    stages.net.again = given.again
    failed: list[str] = []
    for name in names:
        began = time.time()
        stage: Any = getattr(stages, name.replace("-", "_"))
        try:
            stage()
        except Exception:
            failed.append(name)
            job.say(f"{name} FAILED\n{traceback.format_exc()}")
        job.say(f"== {name} {time.time() - began:.1f} s; {job.left():.0f} s left")
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
