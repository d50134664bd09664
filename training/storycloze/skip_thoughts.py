"""fiction.npz -> skip-thoughts.safetensors: the sentence encoder of the row `skip-thoughts`. A graphics card, minutes.

python -m training.storycloze.skip_thoughts out/storycloze --out out/storycloze --budget 240
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from scenarist.models.thought_network import FIRST, Sizes, ThoughtNetwork, learn
from training.storycloze.job import Job


def main() -> None:
    """Train until the epochs or the seconds are over; half precision for the recurrent weights, int8 for the words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path("out/storycloze"))
    parser.add_argument("--budget", type=float, default=240.0)
    parser.add_argument("--epochs", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args()
    job = Job(given.out, given.budget, given.tiny)
    file = np.load(given.data / "fiction.npz")
    sentences = [part.tolist() for part in np.split(file["ids"].astype(np.int64), np.cumsum(file["lengths"].astype(np.int64))[:-1])]
    ends = np.cumsum(file["works"])
    texts = [sentences[start:stop] for start, stop in zip([0, *ends[:-1]], ends, strict=True)]
    if given.tiny:
        texts = [text[:60] for text in texts[:2]]
    torch.manual_seed(given.seed)
    words = bytes(file["vocabulary"]).count(b"\n") + 1 + FIRST
    network = ThoughtNetwork(Sizes(words)).to(job.device)

    def pack() -> None:
        encoder = network.encoder
        table = encoder.words.weight.detach().float().cpu()
        scale = table.abs().amax(1).clamp(min=1e-6) / 127
        tensors = {"words": (table / scale[:, None]).round().to(torch.int8), "words.s": scale, "vocabulary": torch.from_numpy(file["vocabulary"].copy())}
        tensors |= {f"reads.{name}": value.detach().half().cpu() for name, value in encoder.reads.named_parameters()}
        job.save("skip-thoughts", [tensors], {"what": "skip-thoughts encoder, fiction", "seed": given.seed})

    def watch(step: int, steps: int, loss: float) -> bool:
        if step % 500 == 0 or step == steps - 1:
            job.say(f"skip-thoughts: step {step}/{steps} loss {loss:.3f}")
        return job.left() < 0

    learn(network, texts, given.epochs, batch=256 if not given.tiny else 16, rate=1e-3, seed=given.seed, device=job.device, watch=watch)
    pack()


if __name__ == "__main__":
    main()
