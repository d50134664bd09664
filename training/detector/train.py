"""Teachers and the light student, in torch; one GPU and ten minutes: `python training/detector/train.py DATA ENCODER OUT`.

Teacher: a small sentence encoder (all-MiniLM-L6-v2, Apache-2.0), fine-tuned under a recurrent layer over the sentences of a
document and a chain of labels. Student: stems and phrases in a bag per sentence, the same layers on top; it learns from the
labels and from the averaged marginals of the teachers, on made-up documents and on ROCStories without labels. Only the student is
carried in the package.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")]
import crf  # noqa: E402
from documents import Document, Store, free, lesson, watch  # noqa: E402
from measuring import Clock, measure  # noqa: E402

from scenarist.learning.phrases import phrases, stems  # noqa: E402
from scenarist.models.document_network import Chained  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def padded(documents: list[Document]) -> tuple[Tensor, Tensor, Tensor]:
    """Sentence numbers (B, T) with 0 beyond the end, mask, labels."""
    longest = max(len(one.sentences) for one in documents)
    rows = torch.zeros(len(documents), longest, dtype=torch.long)
    labels = torch.zeros_like(rows)
    mask = torch.zeros_like(rows, dtype=torch.bool)
    for at, one in enumerate(documents):
        size = len(one.sentences)
        rows[at, :size] = torch.tensor(one.sentences)
        labels[at, :size] = torch.tensor(one.labels)
        mask[at, :size] = True
    return rows.to(DEVICE), mask.to(DEVICE), labels.to(DEVICE)


class Teacher(nn.Module):
    """Encoder and sequence."""

    def __init__(self, encoder: nn.Module, labels: int, units: int = 256) -> None:
        super().__init__()
        self.encoder = encoder
        self.sequence = Chained(384, units, labels, 0.3)

    def encode(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Word pieces (N, W) -> sentence vectors (N, 384)."""
        size = int(lengths.max())
        ids = ids[:, :size].long()
        inside = torch.arange(size, device=ids.device)[None] < lengths[:, None]
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            states = self.encoder(input_ids=ids, attention_mask=inside.long()).last_hidden_state
        states = states.float() * inside[:, :, None]
        return states.sum(1) / lengths[:, None] * 4.0


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


def spread(vectors: Tensor, mask: Tensor) -> Tensor:
    """Sentence vectors (N, D) into the places of a mask (B, T, D)."""
    out = torch.zeros(*mask.shape, vectors.shape[1], device=vectors.device)
    out[mask] = vectors
    return out


class Trainer:
    """Holds the data and trains both."""

    def __init__(self, folder: Path, encoder: Path, every: int = 0) -> None:
        self.store = Store(folder / "sentences.jsonl.gz", every)
        self.encoder = encoder
        self.dev = {"clean": watch(self.store, 13, 0.0), "noisy": watch(self.store, 14, 1 / 3)}
        whole = [
            Document(list(range(t.start, t.stop)), [t.label] * (t.stop - t.start)) for t in self.store.texts["told-dev"]
        ]
        self.dev["whole"] = whole

    def pieces(self) -> None:
        """Word pieces of all sentences, kept on the device."""
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(self.encoder)
        made = tokenizer(self.store.sentences, truncation=True, max_length=56)["input_ids"]
        self.lengths = torch.tensor([len(one) for one in made], device=DEVICE)
        self.ids = torch.zeros(len(made), 56, dtype=torch.int32, device=DEVICE)
        flat = torch.tensor([piece for one in made for piece in one], dtype=torch.int32, device=DEVICE)
        self.ids[torch.arange(56, device=DEVICE)[None] < self.lengths[:, None]] = flat

    @torch.no_grad()
    def check(self, scores: object) -> dict[str, object]:
        """Dev figures of a model; ``scores(rows, mask)`` gives emission, switch, enter."""
        found: dict[str, object] = {}
        for name, documents in self.dev.items():
            guesses, top = [], []
            for at in range(0, len(documents), 100):
                rows, mask, _ = padded(documents[at : at + 100])
                emission, switch, enter = scores(rows, mask)  # type: ignore[operator]
                guesses += crf.best(emission, switch, enter, mask)
                logs, _ = crf.marginals(emission, switch, enter, mask)
                mass = (logs.exp() * mask[:, :, None]).sum(1)
                mass[:, 0] = 0
                top += mass.argmax(1).tolist()
            if name == "whole":
                found[name] = round(
                    float(np.mean([one == doc.labels[0] for one, doc in zip(top, documents, strict=True)])), 4
                )
            else:
                found[name] = measure([doc.labels for doc in documents], guesses)
        return found

    def teach(self, seed: int, steps: int, seconds: float = 0, size: int = 48, rate: float = 2e-4) -> Teacher:
        """Train one teacher."""
        from transformers import AutoModel

        torch.manual_seed(seed)
        rng = random.Random(seed)
        model = Teacher(AutoModel.from_pretrained(self.encoder, dtype=torch.float32), len(self.store.labels)).to(DEVICE)
        groups = [
            {"params": model.encoder.parameters(), "lr": rate},
            {"params": model.sequence.parameters(), "lr": 2e-3},
        ]
        optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
        clock = Clock(steps, seconds, [optimiser])

        def scores(rows: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            some = rows[mask]
            vectors = model.encode(self.ids[some], self.lengths[some])
            return model.sequence(spread(vectors, mask), mask)

        while clock.next():
            model.train()
            rows, mask, labels = padded([lesson(self.store, rng) for _ in range(size)])
            emission, switch, enter = scores(rows, mask)
            total = torch.logsumexp(crf.forward(emission, switch, enter, mask)[:, -1], 1)
            loss = (total - crf.gold(emission, switch, enter, mask, labels)).sum() / mask.sum()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            if clock.step % 500 == 0:
                print("teacher", seed, clock.step, round(time.time() - clock.begin), round(loss.item(), 4), flush=True)
        model.eval()
        print("teacher", seed, clock.step, round(time.time() - clock.begin), json.dumps(self.check(scores)), flush=True)
        return model

    @torch.no_grad()
    def cache(self, model: Teacher) -> Tensor:
        """A teacher's vectors of all sentences, half precision."""
        found = [
            model.encode(self.ids[at : at + 2048], self.lengths[at : at + 2048]).half()
            for at in range(0, len(self.ids), 2048)
        ]
        return torch.cat(found)

    def vocabulary(self, size: int) -> dict[str, int]:
        """The commonest phrases: those of labelled stories count five times."""
        counts: Counter[str] = Counter()
        for kind, texts in self.store.texts.items():
            if kind.endswith("dev"):
                continue
            weight = 5 if kind.startswith("told") else 3 if kind.startswith(("weak", "listed")) else 1
            for text in texts:
                seen = {one for at in range(text.start, text.stop) for one in self.found[at]}
                for one in seen:
                    counts[one] += weight
        kept = sorted((one for one, count in counts.items() if count >= 8), key=lambda one: (-counts[one], one))
        return {one: at for at, one in enumerate(kept[:size])}

    def learn(
        self,
        seed: int,
        steps: int,
        teachers: list[tuple[Teacher, Tensor]],
        width: int,
        units: int,
        words: int,
        seconds: float = 0,
        **more: float,
    ) -> tuple[Student, dict[str, int], dict[str, object]]:
        """Train one student."""
        torch.manual_seed(seed)
        rng = random.Random(seed)
        if not hasattr(self, "found"):
            self.found = [phrases(stems(text)) for text in self.store.sentences]
        vocabulary = self.vocabulary(words)
        bags = Bags([[vocabulary[one] for one in found if one in vocabulary] for found in self.found])
        size = int(more.get("size", 64))
        rate = more.get("rate", 4e-3)
        model = Student(
            len(vocabulary), len(self.store.labels), width, units, more.get("drop", 0.35), more.get("lose", 0.25)
        ).to(DEVICE)
        dense = model.sequence.parameters() if DEVICE == "cpu" else model.parameters()
        optimisers: list[torch.optim.Optimizer] = [
            torch.optim.AdamW(dense, lr=rate, weight_decay=more.get("decay", 0.02))
        ]
        if DEVICE == "cpu":  # a processor has no time for rows that a batch does not touch
            optimisers.append(torch.optim.SparseAdam(model.bag.parameters(), lr=rate))
        clock = Clock(steps, seconds, optimisers)
        figures: dict[str, object] = {}

        def scores(rows: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            return model.sequence(spread(model.vectors(*bags.of(rows[mask])), mask), mask)

        while clock.next():
            model.train()
            unlabelled = bool(teachers) and rng.random() < 0.4
            batch = [free(self.store, rng) if unlabelled else lesson(self.store, rng) for _ in range(size)]
            rows, mask, labels = padded(batch)
            vectors = spread(model.vectors(*bags.of(rows[mask])), mask)
            emission, switch, enter = model.sequence(vectors, mask)
            loss = torch.zeros((), device=DEVICE)
            if teachers:
                logs, total = crf.marginals(emission, switch, enter, mask)
                with torch.no_grad():
                    wanted = torch.zeros_like(logs)
                    for teacher, cached in teachers:
                        made = crf.marginals(*teacher.sequence(cached[rows].float() * mask[:, :, None], mask), mask)[0]
                        wanted += made.exp() / len(teachers)
                gap = (wanted * (wanted.clamp(min=1e-6).log() - logs)).sum(2)
                loss = loss + (gap * mask).sum() / mask.sum()
                linear = torch.log_softmax(model.sequence.direct(vectors), 2)
                loss = loss - 0.2 * ((wanted * linear).sum(2) * mask).sum() / mask.sum()
            else:
                total = torch.logsumexp(crf.forward(emission, switch, enter, mask)[:, -1], 1)
            if not unlabelled:
                loss = loss + (total - crf.gold(emission, switch, enter, mask, labels)).sum() / mask.sum()
            for one in optimisers:
                one.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.sequence.parameters() if DEVICE == "cpu" else model.parameters(), 1.0)
            for one in optimisers:
                one.step()
            if clock.step % 1000 == 0:
                print("student", seed, clock.step, round(time.time() - clock.begin), round(loss.item(), 4), flush=True)
        model.eval()
        figures = self.check(scores)
        print("student", seed, clock.step, round(time.time() - clock.begin), json.dumps(figures), flush=True)
        return model.eval(), vocabulary, figures


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
    parser.add_argument("encoder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--teachers", type=int, default=3)
    parser.add_argument("--teacher-steps", type=int, default=2000)
    parser.add_argument("--student-steps", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument(
        "--seconds", type=float, default=0, help="the whole time: half for the teachers, half for the students"
    )
    parser.add_argument("--variants", default="main")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    begin = time.time()
    trainer = Trainer(options.data, options.encoder, 40 if options.smoke else 0)
    print(
        DEVICE,
        len(trainer.store.sentences),
        "sentences",
        {kind: len(texts) for kind, texts in trainer.store.texts.items()},
        flush=True,
    )
    teachers: list[tuple[Teacher, Tensor]] = []
    if options.teachers:
        trainer.pieces()
    for number in range(options.teachers):
        model = trainer.teach(options.seed + number, options.teacher_steps, 0.45 * options.seconds / options.teachers)
        teachers.append((model, trainer.cache(model)))
        options.out.mkdir(parents=True, exist_ok=True)
    options.out.mkdir(parents=True, exist_ok=True)
    if teachers:

        def ensemble(rows: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            made = [teacher.sequence(cached[rows].float() * mask[:, :, None], mask) for teacher, cached in teachers]
            return tuple(torch.stack(parts).mean(0) for parts in zip(*made, strict=True))  # type: ignore[return-value]

        print("teachers together", json.dumps(trainer.check(ensemble)), flush=True)
    variants = {
        "main": {"width": 144, "units": 128, "words": 64000},
        "alone": {"width": 144, "units": 128, "words": 64000, "taught": 0},
        "small": {"width": 128, "units": 96, "words": 64000, "taught": 0, "size": 24, "rate": 5e-3},
        "narrow": {"width": 96, "units": 96, "words": 64000},
        "wide": {"width": 256, "units": 160, "words": 40000},
    }
    names = options.variants.split(",")
    end = begin + options.seconds
    for at, name in enumerate(names):
        left = max(30.0, (end - time.time() - 20) / (len(names) - at)) if options.seconds else 0
        settings = dict(variants[name])
        taught = settings.pop("taught", 1)
        print("variant", name, settings, round(time.time() - begin), flush=True)
        model, vocabulary, figures = trainer.learn(
            options.seed, options.student_steps, teachers if taught else [], seconds=left, **settings
        )  # type: ignore[arg-type]
        save(options.out / f"student-{name}.npz", model, vocabulary, trainer.store.labels, figures)


if __name__ == "__main__":
    main()
