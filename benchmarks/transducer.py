"""Speed of the transducer: ratios within one run, so that the machine does not matter.

    python benchmarks/transducer.py [--repeats 12] [--device cpu]

Forward and backward on a batch of 32 (12 x 40 words) for attention and the transducers; memory of the dynamic programme as
positions x words grow; time to fill the blanks of dev (where the corpus is there).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time

import torch

from scenarist.models.words.batches import Vocabulary, WordBatch
from scenarist.models.words.monotonic import AlignmentScores, log_likelihood
from scenarist.models.words.recurrent import WordNetwork
from scenarist.models.words.seq2seq import Attention
from scenarist.models.words.transducer import Transducer


def batch(size: int, positions: int, words: int, vocabulary: int, device: str) -> WordBatch:
    maker = torch.Generator().manual_seed(7)
    return WordBatch(
        torch.randint(5, vocabulary, (size, positions), generator=maker), torch.full((size,), positions),
        torch.randint(5, vocabulary, (size, words), generator=maker), torch.full((size,), words),
        torch.full((size,), positions), torch.arange(size * (words + 1)),
    ).to(device)  # fmt: skip


def step(network: WordNetwork, part: WordBatch, hard: bool) -> float:
    """Seconds of one forward and backward."""
    if part.words.is_cuda:
        torch.cuda.synchronize()
    began = time.perf_counter()
    network.loss(part, hard).backward()
    if part.words.is_cuda:
        torch.cuda.synchronize()
    return time.perf_counter() - began


def memory(positions: int, words: int) -> int:
    """Numbers that autograd keeps for the backward pass of the dynamic programme."""
    kept = 0

    def count(one: torch.Tensor) -> torch.Tensor:
        nonlocal kept
        kept += one.numel()
        return one

    made = [torch.randn(4, words, positions, requires_grad=True) for _ in range(3)]
    with torch.autograd.graph.saved_tensors_hooks(count, lambda one: one):
        log_likelihood(AlignmentScores(*made), torch.full((4,), positions), torch.full((4,), words))
    return kept // 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=12)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    words = Vocabulary(("#UNK#", "<PAD>", "<S>", "</S>", *(f"w{number}" for number in range(2001))))
    part = batch(32, 12, 40, len(words), given.device)
    rows: dict[str, tuple[WordNetwork, bool]] = {
        "attention": (Attention(words), False),
        "transducer, marginal": (Transducer(words), False),
        "transducer, Viterbi EM": (Transducer(words), True),
        "transducer-param, marginal": (Transducer(words, transitions="parameterised"), False),
        "transducer, marginal, mlp emission": (Transducer(words, emission="mlp"), False),
    }
    times: dict[str, list[float]] = {name: [] for name in rows}
    for network, _ in rows.values():
        network.to(given.device).train()
    for turn in range(given.repeats + 1):  # taken in turns, so that load on the machine falls on all alike
        for name, (network, hard) in rows.items():
            if "mlp" in name and turn > 3:
                continue
            spent = step(network, part, hard)
            if turn:
                times[name].append(spent)
    base = statistics.median(times["attention"])
    found: dict[str, object] = {
        "batch": "32 x (12, 40) words", "device": given.device, "threads": torch.get_num_threads(),
        "milliseconds": {name: round(1000 * statistics.median(some), 1) for name, some in times.items()},
        "ratio_to_attention": {name: round(statistics.median(some) / base, 2) for name, some in times.items()},
        "numbers_kept": {f"{m}x{n}": memory(m, n) for m, n in ((6, 20), (12, 20), (12, 40), (24, 40), (24, 80))},
    }  # fmt: skip
    found |= slots()
    print(json.dumps(found, indent=2))


def slots() -> dict[str, object]:
    """Seconds to fill all blanks of dev with each released in-domain model: on the clock, and of the processor (what a quiet machine takes)."""
    from scenarist.bench.fill_texts import fill
    from scenarist.errors import Missing
    from scenarist.registry import make

    spent: dict[str, dict[str, float]] = {}
    try:
        pairs = list(make("corpus", "kidscook", split="dev"))
        for name in ("seq2seq-attention", "transducer", "transducer-param"):
            model = make("model", name, weights="kidscook", seed=1).fit(())
            began, worked = time.perf_counter(), time.process_time()
            fill(model, pairs)
            spent[name] = {
                "clock": round(time.perf_counter() - began, 1),
                "processor": round(time.process_time() - worked, 1),
            }
    except Missing as error:
        return {"slot_filling": str(error)}
    return {"slot_filling_seconds_whole_dev": spent, "pairs": len(pairs), "load_average": round(os.getloadavg()[0], 1)}


if __name__ == "__main__":
    main()
