"""Deep detectors: encoders that read whole documents, trained on endlessly stitched stories; one GPU.

`python training/detector/deep.py DATA OUT --encoder minilm|smollm2 --base PATH --seconds S`

DATA is what `prepare.py` and `exam_documents.py` wrote. Every model leaves OUT/NAME.npz (its difference to the base as int8, heads in half
precision), its scores on the exam's documents in OUT/NAME-scores.npz, and its figures in the log. Needs numpy, torch, tokenizers and safetensors.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")]
import crf  # noqa: E402
from documents import Document, Store, lesson, watch  # noqa: E402
from measuring import Clock, measure  # noqa: E402

from scenarist.models.document_network import Bert, DocumentNetwork, Llama, Pieces, restored  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def state_of(kind: str, base: Path) -> dict[str, np.ndarray]:
    """The weights of a pretrained encoder."""
    if kind == "minilm":
        from safetensors.numpy import load_file

        found: dict[str, np.ndarray] = load_file(base / "model.safetensors")
        return found
    from scenarist.models.gguf import Gguf, llama_state

    return llama_state(Gguf(base))


def encoder_of(kind: str, base: Path, causal: bool, rank: int) -> Bert | Llama:
    """The pretrained encoder."""
    return Bert(state_of(kind, base)) if kind == "minilm" else Llama(state_of(kind, base), causal, rank)


def cut(kind: str, base: Path, sentences: list[str]) -> list[list[int]]:
    """Word pieces of sentences."""
    if kind == "minilm":
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
    else:
        from scenarist.models.gguf import load_tokenizer

        tokenizer = load_tokenizer(base)
        sentences = [" " + " ".join(one.split()) for one in sentences]
    return [one.ids for one in tokenizer.encode_batch(sentences, add_special_tokens=False)]


def masks(documents: list[Document]) -> tuple[Tensor, Tensor]:
    """Which sentences are there (B, T), and their labels."""
    longest = max(len(one.sentences) for one in documents)
    mask = torch.zeros(len(documents), longest, dtype=torch.bool)
    labels = torch.zeros(len(documents), longest, dtype=torch.long)
    for at, one in enumerate(documents):
        mask[at, : len(one.sentences)] = True
        labels[at, : len(one.sentences)] = torch.tensor(one.labels)
    return mask.to(DEVICE), labels.to(DEVICE)


class Reading:
    """A network and the pieces of all sentences: documents -> scores."""

    def __init__(self, model: DocumentNetwork, pieces: Pieces) -> None:
        self.model, self.pieces = model.to(DEVICE), pieces
        self.bert = isinstance(model.encoder, Bert)
        if DEVICE == "cuda" and not self.bert:
            for name, buffer in list(model.encoder.named_buffers()):
                if buffer.ndim == 2 and name not in ("cos", "sin"):
                    setattr(model.encoder, name, buffer.to(torch.bfloat16))

    def scores(
        self, documents: list[Document], mask: Tensor, hide: float = 0.0, pieces: Pieces | None = None
    ) -> tuple[Tensor, ...]:
        """Emission, switch and enter of documents; ``hide`` of the pieces are hidden."""
        style = self.model.style
        ids, owner = (
            one.to(DEVICE) for one in (pieces or self.pieces).lay([one.sentences for one in documents], style)
        )
        if hide:
            gone = torch.rand(ids.shape, device=DEVICE) < hide * torch.rand(len(ids), 1, device=DEVICE) * 2
            ids = torch.where(gone & (owner >= 0), style.hide, ids)
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda" and self.bert):
            vectors = self.model.vectors(ids, owner)
        placed = torch.zeros(*mask.shape, vectors.shape[1], device=DEVICE)
        placed[mask] = vectors.float()
        found: tuple[Tensor, ...] = self.model.sequence(placed, mask)
        return found


class Course:
    """Data, model and training of one deep detector."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.store = Store(options.data / "sentences.jsonl.gz", 40 if options.smoke else 0)
        with gzip.open(options.data / "exam.json.gz", "rt", encoding="utf-8") as stream:
            exam = json.load(stream)
        extra = len(self.store.sentences)
        number = {label: at for at, label in enumerate(self.store.labels)}
        self.exam = {
            name: [
                Document([extra + at for at in one["sentences"]], [number.get(label, 0) for label in one["labels"]])
                for one in some
            ]
            for name, some in exam["documents"].items()
        }
        if options.smoke:
            self.exam = {name: some[:3] for name, some in self.exam.items()}
        self.pieces = Pieces(cut(options.encoder, options.base, self.store.sentences + exam["sentences"]))
        self.lower = self.pieces
        if options.lower:
            lower = [one.lower().replace("'", "").replace("’", "") for one in self.store.sentences]
            self.lower = Pieces(cut(options.encoder, options.base, lower))
        if options.begin:
            with np.load(options.begin, allow_pickle=False) as file:
                self.model = restored(dict(file), state_of(options.encoder, options.base))
        else:
            encoder = encoder_of(options.encoder, options.base, options.causal, options.rank)
            self.model = DocumentNetwork(encoder, len(self.store.labels))
        self.reading = Reading(self.model, self.pieces)

    def train(self) -> None:
        """Stitch, learn, watch."""
        options = self.options
        rng = random.Random(options.seed)
        groups = [
            {"params": self.model.encoder.parameters(), "lr": options.rate},
            {"params": [*self.model.norm.parameters(), *self.model.sequence.parameters()], "lr": 2e-3},
        ]
        optimiser = torch.optim.AdamW(groups, weight_decay=0.02)
        clock = Clock(options.steps, options.seconds, [optimiser])
        looks = [0.25, 0.5, 0.75]
        waiting: list[list[Document]] = []
        while clock.next():
            self.model.train()
            if not waiting:
                waiting = self.batches([lesson(self.store, rng) for _ in range(4 * options.size)])
                rng.shuffle(waiting)
            documents = waiting.pop()
            mask, labels = masks(documents)
            pieces = self.lower if rng.random() < options.lower else self.pieces
            emission, switch, enter = self.reading.scores(documents, mask, options.hide, pieces)
            total = torch.logsumexp(crf.forward(emission, switch, enter, mask)[:, -1], 1)
            loss = (total - crf.gold(emission, switch, enter, mask, labels)).sum() / mask.sum()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            optimiser.step()
            if clock.step % options.every == 0:
                print(options.name, clock.step, round(time.time() - clock.begin), round(loss.item(), 4), flush=True)
            if looks and clock.passed() > looks[0]:
                del looks[0]
                self.watched(f"{clock.step} {time.time() - clock.begin:.0f}s")
        self.watched(f"end {clock.step} {time.time() - clock.begin:.0f}s")

    def batches(self, documents: list[Document]) -> list[list[Document]]:
        """Documents of like length together, so that padding costs little: at most ``budget`` pieces a batch."""
        length = {id(one): int(self.pieces.counts[one.sentences].sum()) + len(one.sentences) for one in documents}
        found: list[list[Document]] = [[]]
        for one in sorted(documents, key=lambda one: length[id(one)]):
            if found[-1] and (len(found[-1]) + 1) * length[id(one)] > self.options.budget:
                found.append([])
            found[-1].append(one)
        return found

    @torch.no_grad()
    def read(self, documents: list[Document], size: int = 64) -> list[tuple[np.ndarray, np.ndarray]]:
        """Emission (T, C) and switch (T) of each document."""
        self.model.eval()
        found = []
        for at in range(0, len(documents), size):
            some = documents[at : at + size]
            mask, _ = masks(some)
            emission, switch, _ = self.reading.scores(some, mask)
            for row, one in enumerate(some):
                length = len(one.sentences)
                found.append((emission[row, :length].float().cpu().numpy(), switch[row, :length].float().cpu().numpy()))
        return found

    def watched(self, when: str) -> None:
        """Figures on made-up dev documents."""
        count = 3 if self.options.smoke else 300
        sets = {
            "clean": watch(self.store, 13, 0.0, count), "noisy": watch(self.store, 14, 1 / 3, count),
            "whole": [Document(list(range(t.start, t.stop)), [t.label] * (t.stop - t.start)) for t in self.store.texts["told-dev"][: 2 if self.options.smoke else None]],
        }  # fmt: skip
        enter = torch.log_softmax(self.model.sequence.enter.detach(), 0).float().cpu()
        print(self.options.name, when, json.dumps({name: judged(self.read(some), enter, some, name == "whole") for name, some in sets.items()}), flush=True)  # fmt: skip

    def save(self) -> None:
        """The difference to the base as int8 with a scale a row, heads in half precision; scores on the exam's documents."""
        options = self.options
        fresh = Bert(state_of("minilm", options.base)) if options.encoder == "minilm" else None
        arrays: dict[str, np.ndarray] = {}
        for name, value in self.model.encoder.learned.items():
            learned = value.detach().float().cpu().numpy()
            if fresh is not None:
                learned = learned - fresh.learned[name].detach().numpy()
            if learned.ndim == 2:
                scale = np.maximum(np.abs(learned).max(axis=1), 1e-9) / 127
                arrays[f"encoder/{name}"] = np.round(learned / scale[:, None]).astype(np.int8)
                arrays[f"encoder/{name}/scale"] = scale.astype(np.float16 if scale.min() > 1e-6 else np.float32)
            else:
                arrays[f"encoder/{name}"] = learned.astype(np.float16)
        for name, value in self.model.state_dict().items():
            if not name.startswith("encoder."):
                arrays[name] = value.float().cpu().numpy().astype(np.float16)
        arrays["labels"] = np.array(self.store.labels)
        arrays["about"] = np.array(
            json.dumps({"encoder": options.encoder, "causal": options.causal, "seed": options.seed})
        )
        np.savez_compressed(options.out / f"{options.name}.npz", **arrays)

    def sit(self) -> None:
        """Scores on the exam's documents, in fifths below each sentence's best."""
        options = self.options
        arrays = {"enter": torch.log_softmax(self.model.sequence.enter.detach(), 0).float().cpu().numpy()}
        enter = torch.from_numpy(arrays["enter"])
        for name, some in self.exam.items():
            found = self.read(some)
            kept = found[: options.kept or None]
            every = np.concatenate([one for one, _ in kept])
            below = np.clip(every.max(axis=1, keepdims=True) - every, 0, 20.0)  # only differences within a row count
            arrays[f"{name}/below"] = np.round(below * 5).astype(np.uint8)
            arrays[f"{name}/switch"] = np.concatenate([one for _, one in kept]).astype(np.float16)
            print(
                self.options.name,
                "exam",
                name,
                json.dumps(judged(found, enter, some, name.startswith("whole"))),
                flush=True,
            )
        np.savez_compressed(self.options.out / f"{self.options.name}-scores.npz", **arrays)


def judged(
    found: list[tuple[np.ndarray, np.ndarray]], enter: Tensor, documents: list[Document], whole: bool
) -> dict[str, float] | float:
    """F1, None F1 and Pk of the best paths; of whole stories the share named rightly."""
    guesses = []
    for emission, switch in found:
        score = torch.from_numpy(emission)[None], torch.from_numpy(switch)[None], enter
        mask = torch.ones(1, len(emission), dtype=torch.bool)
        if whole:
            logs, _ = crf.marginals(*score, mask)
            mass = logs[0].exp().sum(0)
            mass[0] = 0
            guesses.append([int(mass.argmax())] * len(emission))
        else:
            guesses += crf.best(*score, mask)
    if whole:
        return round(float(np.mean([one[0] == two.labels[0] for one, two in zip(guesses, documents, strict=True)])), 4)
    return measure([one.labels for one in documents], guesses)


def main() -> None:
    """Train one model, save it, let it sit the exam."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--name", default="deep")
    parser.add_argument("--encoder", choices=("minilm", "smollm2"), default="minilm")
    parser.add_argument("--base", type=Path, required=True, help="MiniLM's folder or SmolLM2's GGUF file")
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--size", type=int, default=48)
    parser.add_argument("--budget", type=int, default=12_000, help="pieces a step at most")
    parser.add_argument("--begin", type=Path, help="go on from a model that was kept")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--hide", type=float, default=0.1)
    parser.add_argument("--lower", type=float, default=0.1)
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--kept", type=int, default=400, help="scores of so many documents a set are kept; 0 for all")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    begin = time.time()
    course = Course(options)
    print(options.name, DEVICE, vars(options), round(time.time() - begin), "s to load", flush=True)
    course.train()
    course.save()
    course.sit()
    print(options.name, "done", round(time.time() - begin), flush=True)


if __name__ == "__main__":
    main()
