"""The light student, in torch: `python -m training.detector.student DATA OUT [--teachers minilm-1,smollm2-1]`.

Stems and phrases in a bag per sentence, a two-way GRU over the sentences, a chain of labels. It learns from labels on endlessly stitched
stories and, where teachers are given (`deep.py --beside`), from what they together hold likely on a pool of documents without labels (ROCStories). Only the
student is carried in the package (`export.py`).
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from scenarist.networks.document_network import Chained
from scenarist.reading.stems import phrases, stems
from training.detector import crf
from training.detector.deep import DEVICE
from training.detector.documents import Document, Store, lesson, pool, watch
from training.detector.feeding import Batch, Endless, Taught, laid, stream
from training.detector.measuring import Clock, measure
from training.detector.shelf import there, together

VARIANTS: dict[str, dict[str, float]] = {
    "main": {"width": 128, "units": 96, "words": 64000},
    "wide": {"width": 192, "units": 128, "words": 42000, "size": 128, "rate": 5e-3},
    "small": {"width": 128, "units": 96, "words": 64000, "size": 24, "rate": 5e-3},
}


class Student(nn.Module):
    """Bag of phrases and sequence."""

    def __init__(self, size: int, labels: int, width: int, units: int, drop: float = 0.35, lose: float = 0.25) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(size, width, mode="sum", sparse=DEVICE == "cpu")
        nn.init.normal_(self.bag.weight, 0, 0.05)
        self.sequence = Chained(width, units, labels, drop)
        self.lose = lose

    def vectors(self, flat: Tensor, starts: Tensor, counts: Tensor) -> Tensor:
        """Phrase numbers in a row, where each sentence starts, how many it has -> sentence vectors (N, D)."""
        weight = torch.ones(len(flat), device=flat.device)
        if self.training:
            weight = (torch.rand(len(flat), device=flat.device) > self.lose).float() / (1 - self.lose)
        return self.bag(flat, starts, per_sample_weights=weight) / counts.clamp(min=1).sqrt()[:, None]


class Bags:
    """The phrases of all sentences, in one flat tensor on the device."""

    def __init__(self, found: list[list[int]]) -> None:
        counts = torch.tensor([len(one) for one in found])
        self.counts = counts.to(DEVICE)
        self.starts = (counts.cumsum(0) - counts).to(DEVICE)
        self.flat = torch.tensor([number for one in found for number in one]).to(DEVICE)

    def of(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The bags of some sentences (N): flat, starts, counts."""
        counts = self.counts[rows]
        starts = counts.cumsum(0) - counts
        owner = torch.repeat_interleave(torch.arange(len(rows), device=DEVICE), counts)
        place = torch.arange(int(counts.sum()), device=DEVICE) - starts[owner] + self.starts[rows][owner]
        return self.flat[place], starts, counts


def cut_up(sentences: list[str]) -> list[list[str]]:
    """The phrases of each sentence."""
    return [phrases(stems(text)) for text in sentences]


def all_phrases(sentences: list[str], workers: int) -> list[list[str]]:
    """The phrases of all sentences, by several processes where there are many."""
    if workers < 2:
        return cut_up(sentences)
    parts = [sentences[at : at + 5000] for at in range(0, len(sentences), 5000)]
    with get_context("fork").Pool(workers) as processes:
        return [one for part in processes.map(cut_up, parts, chunksize=1) for one in part]


class School:
    """Holds the data and trains students."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.store = Store(options.data / "sentences.jsonl.gz", 40 if options.smoke else 0)
        self.found = all_phrases(self.store.sentences, options.workers)
        count = 4 if options.smoke else 400
        self.dev = {"clean": watch(self.store, 101, 0.0, count), "noisy": watch(self.store, 102, 1 / 3, count)}
        self.dev["whole"] = [
            Document(list(range(t.start, t.stop)), [t.label] * (t.stop - t.start)) for t in self.store.texts["told-dev"]
        ]
        self.pool: list[Taught] = []

    def vocabulary(self, size: int) -> dict[str, int]:
        """The commonest phrases: those of labelled stories count five times."""
        counts: Counter[str] = Counter()
        for kind, texts in self.store.texts.items():
            if kind.endswith("dev"):
                continue
            weight = 5 if kind.startswith("told") else 3 if kind.startswith(("weak", "listed")) else 1
            for text in texts:
                for one in {one for at in range(text.start, text.stop) for one in self.found[at]}:
                    counts[one] += weight
        kept = sorted((one for one, count in counts.items() if count >= 8), key=lambda one: (-counts[one], one))
        return {one: at for at, one in enumerate(kept[:size])}

    def learn(
        self, seed: int, seconds: float, settings: dict[str, float]
    ) -> tuple[Student, dict[str, int], dict[str, object]]:
        """Train one student."""
        torch.manual_seed(seed)
        vocabulary = self.vocabulary(int(settings["words"]))
        bags = Bags([[vocabulary[one] for one in found if one in vocabulary] for found in self.found])
        size = self.options.size or int(settings.get("size", 64))
        rate = self.options.rate or settings.get("rate", 4e-3)
        model = Student(
            len(vocabulary), len(self.store.labels), int(settings["width"]), int(settings["units"]),
            settings.get("drop", 0.35), settings.get("lose", 0.25),
        ).to(DEVICE)  # fmt: skip
        if self.options.begin:
            vocabulary_then = json.loads(self.options.begin.with_suffix(".json").read_text(encoding="utf-8"))[
                "vocabulary"
            ]
            with np.load(self.options.begin, allow_pickle=False) as file:
                state = {
                    name: torch.from_numpy(value.astype(np.float32))
                    for name, value in file.items()
                    if name not in ("rows", "scales")
                }
                state["bag.weight"] = torch.from_numpy(file["rows"] * file["scales"][:, None])
            if vocabulary_then != list(vocabulary):
                raise SystemExit(f"{self.options.begin}: other phrases than the data's.")
            model.load_state_dict(state)
        dense = model.sequence.parameters() if DEVICE == "cpu" else model.parameters()
        optimisers: list[torch.optim.Optimizer] = [torch.optim.AdamW(dense, lr=rate, weight_decay=0.02)]
        if DEVICE == "cpu":  # a processor has no time for rows that a batch does not touch
            optimisers.append(torch.optim.SparseAdam(model.bag.parameters(), lr=rate))
        clock = Clock(self.options.steps, seconds, optimisers)

        def read(batch: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
            vectors = model.vectors(*bags.of(batch.ids))
            rows, longest = batch.mask.shape
            placed = torch.zeros(rows * longest, vectors.shape[1], device=DEVICE).index_copy(0, batch.place, vectors)
            placed = placed.view(rows, longest, -1)
            return (*model.sequence(placed, batch.mask, batch.lengths), placed)

        def feed(draw: Callable[[random.Random], Document | Taught], number: int) -> Iterator[Batch]:
            return stream(Endless(draw, [(None, 1.0)], None, size, seed + number), self.options.workers // 2)

        told = feed(lambda rng: lesson(self.store, rng), 0)
        taught = feed(lambda rng: rng.choice(self.pool), 1000) if self.pool else None
        while clock.next():
            model.train()
            batch = next(told).to(DEVICE)
            emission, switch, enter, _ = read(batch)
            total = crf.log_sum(emission, switch, enter, batch.mask)
            loss = (total - crf.gold(emission, switch, enter, batch.mask, batch.labels)).sum() / len(batch.place)
            if taught is not None:
                batch = next(taught).to(DEVICE)
                emission, switch, enter, placed = read(batch)
                total = crf.log_sum(emission, switch, enter, batch.mask)
                expected = crf.expected_score(
                    emission, switch, enter, batch.mask, batch.tops, batch.chances, batch.changes
                )
                loss = loss + (total - expected).sum() / len(batch.place)
                linear = torch.log_softmax(model.sequence.direct(placed), 2).gather(2, batch.tops)
                loss = loss - 0.2 * (linear * batch.chances).sum() / len(batch.place)
            for one in optimisers:
                one.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.sequence.parameters() if DEVICE == "cpu" else model.parameters(), 1.0)
            for one in optimisers:
                one.step()
            if clock.step % 100 == 0:
                print("student", seed, clock.step, round(time.time() - clock.begin), round(loss.item(), 4), flush=True)
        model.eval()
        figures = self.check(read)
        print("student", seed, clock.step, round(time.time() - clock.begin), json.dumps(figures), flush=True)
        return model, vocabulary, figures

    @torch.no_grad()
    def check(self, read: Callable[[Batch], tuple[Tensor, ...]]) -> dict[str, object]:
        """Dev figures."""
        found: dict[str, object] = {}
        for name, documents in self.dev.items():
            guesses, top = [], []
            for at in range(0, len(documents), 100):
                batch = laid(documents[at : at + 100], None, None).to(DEVICE)
                emission, switch, enter, _ = read(batch)
                guesses += crf.best(emission, switch, enter, batch.mask)
                mass = (crf.beliefs(emission, switch, enter, batch.mask).labels * batch.mask[:, :, None]).sum(1)
                mass[:, 0] = 0
                top += mass.argmax(1).tolist()
            if name == "whole":
                right = [one == doc.labels[0] for one, doc in zip(top, documents, strict=True)]
                found[name] = round(float(np.mean(right)), 4)
            else:
                found[name] = measure([doc.labels for doc in documents], guesses)
        return found


def save(path: Path, model: Student, vocabulary: dict[str, int], labels: list[str], figures: dict[str, object]) -> None:
    """Phrase vectors as int8 with a scale a row, the rest in half precision, the vocabulary beside; `export.py` goes on."""
    state = {name: tensor.detach().float().cpu().numpy() for name, tensor in model.state_dict().items()}
    rows = state.pop("bag.weight")
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-8) / 127.0
    halves = {name: array.astype(np.float16) for name, array in state.items()}
    np.savez(path, rows=np.round(rows / scales[:, None]).astype(np.int8), scales=scales.astype(np.float32), **halves)
    path.with_suffix(".json").write_text(
        json.dumps({"labels": labels, "vocabulary": list(vocabulary), "figures": figures})
    )


def main() -> None:
    """Train, watch, save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--teachers",
        default="",
        help="names of models that deep.py trained beside one another, joined by commas; what they said lies in OUT/pool",
    )
    parser.add_argument("--pool", type=int, default=20_000, help="documents they labelled")
    parser.add_argument("--patience", type=float, default=300, help="seconds to wait for them")
    parser.add_argument("--workers", type=int, default=0, help="processes that prepare batches")
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--seconds", type=float, default=0, help="for each student, instead of the steps")
    parser.add_argument("--variants", default="main")
    parser.add_argument("--begin", type=Path, help="go on from a student that was kept")
    parser.add_argument("--size", type=int, default=0, help="documents a step, instead of the variant's")
    parser.add_argument("--rate", type=float, default=0, help="learning rate, instead of the variant's")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    school = School(options)
    counts = {kind: len(texts) for kind, texts in school.store.texts.items()}
    print(DEVICE, len(school.store.sentences), "sentences", counts, flush=True)
    if options.teachers:
        wanted = [options.out / "pool" / f"{name}.npz" for name in options.teachers.split(",")]
        if found := there(wanted, options.patience):
            documents = pool(school.store, 24 if options.smoke else options.pool)
            school.pool = together(documents, found, len(school.store.labels))
    for name in options.variants.split(","):
        model, vocabulary, figures = school.learn(options.seed, options.seconds, VARIANTS[name])
        save(options.out / f"student-{name}.npz", model, vocabulary, school.store.labels, figures)


if __name__ == "__main__":
    main()
