"""fiction.npz.xz -> skip-thoughts.safetensors: the sentence encoder of the row `skip-thoughts`. A graphics card, minutes.

python -m training.storycloze.skip_thoughts out/storycloze --out out/storycloze --budget 300
"""

from __future__ import annotations

import argparse
import io
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scenarist.models.endings.skip_thoughts import FIRST, Schedule, Sizes, ThoughtEncoder, ThoughtNetwork, learn
from training.storycloze.job import Job


def fiction(folder: Path) -> tuple[list[list[list[int]]], np.ndarray]:
    """The works of `fiction.py` as sentences of word ids, and the words as bytes."""
    file = np.load(io.BytesIO(lzma.decompress((folder / "fiction.npz.xz").read_bytes())))
    flat = (file["low"].astype(np.int64) + 256 * file["high"].astype(np.int64)).tolist()
    ends = np.cumsum(file["lengths"].astype(np.int64)).tolist()
    sentences = [flat[start:stop] for start, stop in zip([0, *ends], ends, strict=False)]
    stops = np.cumsum(file["works"]).tolist()
    return [sentences[start:stop] for start, stop in zip([0, *stops], stops, strict=False)], file["vocabulary"]


def packed(encoder: ThoughtEncoder, vocabulary: np.ndarray) -> dict[str, Any]:
    """Half precision for the recurrent weights, int8 for the words."""
    table = encoder.words.weight.detach().float().cpu()
    scale = table.abs().amax(1).clamp(min=1e-6) / 127
    tensors = {
        "words": (table / scale[:, None]).round().to(torch.int8),
        "words.s": scale,
        "vocabulary": torch.from_numpy(vocabulary.copy()),
    }
    return tensors | {f"reads.{name}": value.detach().half().cpu() for name, value in encoder.reads.named_parameters()}


def main() -> None:
    """Train until the epochs or the seconds are over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path("out/storycloze"))
    parser.add_argument("--budget", type=float, default=300.0)
    parser.add_argument("--epochs", type=float, default=8.0)
    parser.add_argument("--size", type=int, default=1024, help="numbers of a sentence's vector")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args()
    job = Job(given.out, given.budget, given.tiny)
    texts, vocabulary = fiction(given.data)
    job.say(f"{len(texts)} works, {sum(map(len, texts))} sentences")
    if given.tiny:
        texts = [text[:60] for text in texts[:2]]
    torch.manual_seed(given.seed)
    words = bytes(vocabulary).count(b"\n") + 1 + FIRST
    network = ThoughtNetwork(Sizes(words, 300, given.size, 512) if not given.tiny else Sizes(words, 20, 32, 32)).to(
        job.device
    )

    def pack() -> None:
        job.save(
            "skip-thoughts",
            [packed(network.encoder, vocabulary)],
            {"what": "skip-thoughts encoder, fiction", "seed": given.seed},
        )

    saved, seen = False, ""

    def watch(step: int, steps: int, loss: float) -> bool:
        nonlocal saved, seen
        seen = f"{step + 1} steps, loss {loss:.3f}"
        if step % 500 == 0 or step == steps - 1:
            job.say(f"skip-thoughts: step {step}/{steps} loss {loss:.3f}")
        if not saved and job.left() < job.budget / 3:  # in case the machine goes
            saved = True
            pack()
        return False

    batch, seconds = (16, 10.0) if given.tiny else (512, job.left() - 5)
    learn(network, texts, Schedule(given.epochs, batch, 1e-3, seconds), given.seed, job.device, watch)
    job.say(f"skip-thoughts: done {seen}")
    pack()


if __name__ == "__main__":
    main()
