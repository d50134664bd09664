"""The light student, in torch: `python training/detector/student.py DATA OUT [--teachers a.npz,b.npz --minilm FOLDER --smollm2 FILE]`.

Stems and phrases in a bag per sentence, a two-way GRU over the sentences, a chain of labels. It learns from labels on endlessly stitched
stories and, where teachers are given (`deep.py`), from their averaged marginals on a pool of documents, most of them ROCStories without labels. Only the
student is carried in the package (`export.py`).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")]
import crf  # noqa: E402
from deep import DEVICE, Reading, cut, masks, state_of  # noqa: E402
from documents import Document, Store, free, lesson, watch  # noqa: E402
from measuring import Clock, measure  # noqa: E402

from scenarist.learning.phrases import phrases, stems  # noqa: E402
from scenarist.models.document_network import Chained, Pieces, restored  # noqa: E402

VARIANTS: dict[str, dict[str, float]] = {
    "main": {"width": 128, "units": 96, "words": 64000},
    "wide": {"width": 192, "units": 128, "words": 42000, "size": 128, "rate": 5e-3},
    "small": {"width": 128, "units": 96, "words": 64000, "size": 24, "rate": 5e-3},
}
TOP = 8
"""Labels of a sentence that are kept of a teacher's marginals."""


class Taught(NamedTuple):
    """A document with the teachers' likeliest labels (T, TOP) and their chances."""

    document: Document
    labels: np.ndarray
    chances: np.ndarray


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


@torch.no_grad()
def pool_of(store: Store, options: argparse.Namespace, rng: random.Random) -> list[Taught]:
    """Documents labelled by the teachers together, for ``options.pool_seconds``."""
    readings: list[Reading] = []
    kinds: dict[str, tuple[dict[str, np.ndarray], Pieces]] = {}
    for path in options.teachers.split(","):
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        if list(arrays["labels"]) != store.labels:
            raise SystemExit(f"{path}: other labels than the data's.")
        kind = json.loads(str(arrays["about"]))["encoder"]
        if kind not in kinds:
            base = getattr(options, kind)
            kinds[kind] = state_of(kind, base), Pieces(cut(kind, base, store.sentences))
        readings.append(Reading(restored(arrays, kinds[kind][0]).eval(), kinds[kind][1]))
    found: list[Taught] = []
    begin = time.time()
    while time.time() - begin < options.pool_seconds and len(found) < options.pool:
        documents = [free(store, rng) if rng.random() < 0.7 else lesson(store, rng) for _ in range(64)]
        mask, _ = masks(documents)
        made = [reading.scores(documents, mask) for reading in readings]
        emission, switch, enter = (torch.stack(parts).mean(0) for parts in zip(*made, strict=True))
        logs, _ = crf.marginals(emission, switch, enter, mask)
        chances, labels = logs.exp().topk(TOP, dim=2)
        chances, labels = chances.half().cpu().numpy(), labels.short().cpu().numpy()
        for at, one in enumerate(documents):
            size = len(one.sentences)
            found.append(Taught(one, labels[at, :size], chances[at, :size]))
    print("pool", len(found), "documents", round(time.time() - begin), "s", flush=True)
    return found


class School:
    """Holds the data and trains students."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.store = Store(options.data / "sentences.jsonl.gz", 40 if options.smoke else 0)
        self.found = [phrases(stems(text)) for text in self.store.sentences]
        count = 4 if options.smoke else 400
        self.dev = {"clean": watch(self.store, 13, 0.0, count), "noisy": watch(self.store, 14, 1 / 3, count)}
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
        rng = random.Random(seed)
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

        def read(documents: list[Document]) -> tuple[Tensor, ...]:
            mask, labels = masks(documents)
            rows = torch.tensor([at for one in documents for at in one.sentences], device=DEVICE)
            vectors = model.vectors(*bags.of(rows))
            placed = torch.zeros(*mask.shape, vectors.shape[1], device=DEVICE)
            placed[mask] = vectors
            return (*model.sequence(placed, mask), mask, labels, placed)

        while clock.next():
            model.train()
            emission, switch, enter, mask, labels, _ = read([lesson(self.store, rng) for _ in range(size)])
            total = torch.logsumexp(crf.forward(emission, switch, enter, mask)[:, -1], 1)
            loss = (total - crf.gold(emission, switch, enter, mask, labels)).sum() / mask.sum()
            if self.pool:
                some = rng.choices(self.pool, k=size)
                emission, switch, enter, mask, _, placed = read([one.document for one in some])
                logs, _ = crf.marginals(emission, switch, enter, mask)
                tops = torch.from_numpy(np.concatenate([one.labels for one in some]).astype(np.int64)).to(DEVICE)
                wanted = torch.from_numpy(np.concatenate([one.chances for one in some]).astype(np.float32)).to(DEVICE)
                loss = loss - (wanted * logs[mask].gather(1, tops)).sum() / mask.sum()
                linear = torch.log_softmax(model.sequence.direct(placed)[mask], 1)
                loss = loss - 0.2 * (wanted * linear.gather(1, tops)).sum() / mask.sum()
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
    def check(self, read: object) -> dict[str, object]:
        """Dev figures."""
        found: dict[str, object] = {}
        for name, documents in self.dev.items():
            guesses, top = [], []
            for at in range(0, len(documents), 100):
                emission, switch, enter, mask, _, _ = read(documents[at : at + 100])  # type: ignore[operator]
                guesses += crf.best(emission, switch, enter, mask)
                logs, _ = crf.marginals(emission, switch, enter, mask)
                mass = (logs.exp() * mask[:, :, None]).sum(1)
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
    parser.add_argument("--teachers", default="", help="files that deep.py wrote, joined by commas")
    parser.add_argument("--minilm", type=Path, help="MiniLM's folder, where a teacher needs it")
    parser.add_argument("--smollm2", type=Path, help="SmolLM2's GGUF file, where a teacher needs it")
    parser.add_argument("--pool", type=int, default=60_000, help="documents the teachers label at most")
    parser.add_argument("--pool-seconds", type=float, default=150)
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
        school.pool = pool_of(school.store, options, random.Random(options.seed))
    for name in options.variants.split(","):
        model, vocabulary, figures = school.learn(options.seed, options.seconds, VARIANTS[name])
        save(options.out / f"student-{name}.npz", model, vocabulary, school.store.labels, figures)


if __name__ == "__main__":
    main()
