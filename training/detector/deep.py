"""Deep detectors: encoders that read whole documents, trained on endlessly stitched stories; one GPU.

`python -m training.detector.deep DATA OUT --name minilm-1 --encoder minilm|smollm2 --base PATH --seconds S [--beside a,b --more S]`

DATA is what `prepare.py` and `exam_documents.py` wrote. First the network learns from labels. Then, with ``--beside``, it says what it
holds likely on a pool of documents without labels (ROCStories), waits for the others named there, and all go on with the mean of what they said beside
the labels. It leaves OUT/NAME.safetensors (its difference to the base as int8, heads in half precision), its scores on the exam's documents as that file
gives them in OUT/NAME-scores.npz, and its figures in the log. Needs numpy, torch, tokenizers and safetensors.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from scenarist.networks import checkpoint
from scenarist.networks.adapters import Lora, Setup
from scenarist.networks.document_network import (
    DocumentNetwork,
    LlamaEncoder,
    MiniLM,
    Pieces,
    restore,
)
from scenarist.networks.llama import Llama
from training.detector import crf
from training.detector.documents import NONE_TRAIN, Document, Store, exam_of, lesson, mixed, pick, pool, watch
from training.detector.feeding import Batch, Endless, Taught, grouped, laid, stream
from training.detector.measuring import Clock, measure
from training.detector.shelf import exchanged, written

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
torch.backends.cuda.matmul.allow_tf32 = True
FACTOR = 2.0
"""On what the adapters add."""
KIND = "document-network"
KEPT = 32
"""Labels of a sentence whose scores are kept for the exam's documents."""


def base_of(kind: str, base: Path) -> Any:
    """The weights of MiniLM, or SmolLM2."""
    if kind == "minilm":
        from safetensors.numpy import load_file

        found: dict[str, np.ndarray] = load_file(base / "model.safetensors")
        return found
    return Llama.read(base)


def cut(kind: str, base: Path, sentences: list[str]) -> list[list[int]]:
    """Word pieces of sentences."""
    if kind == "minilm":
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
    else:
        from scenarist.networks.gguf import load_tokenizer

        tokenizer = load_tokenizer(base)
        sentences = [" " + " ".join(one.split()) for one in sentences]
    return [one.ids for one in tokenizer.encode_batch(sentences, add_special_tokens=False)]


def scores(
    model: DocumentNetwork, batch: Batch, hide: float = 0.0, half: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Emission, switch and enter of a batch; on average ``hide`` of the pieces are hidden, more in one document than in another."""
    ids, style = batch.ids, model.style
    if hide:
        gone = torch.rand(ids.shape, device=ids.device) < hide * torch.rand(len(ids), 1, device=ids.device) * 2
        ids = torch.where(gone & (batch.owner >= 0), style.hide, ids)
    with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=half):
        vectors = model.vectors(ids, batch.owner, len(batch.place)).float()
    rows, longest = batch.mask.shape
    placed = torch.zeros(rows * longest, vectors.shape[1], device=ids.device).index_copy(0, batch.place, vectors)
    found: tuple[Tensor, Tensor, Tensor] = model.sequence(placed.view(rows, longest, -1), batch.mask, batch.lengths)
    return found


def placed(model: Any, half: bool = False) -> Any:
    """On the card; with ``half`` the frozen matrices of a llama in half the bits."""
    model = model.to(DEVICE)
    encoder = getattr(model, "encoder", model)
    if isinstance(encoder, LlamaEncoder):
        encoder.llama = encoder.llama.to(DEVICE, torch.bfloat16 if half and DEVICE == "cuda" else None)
    return model


def learning(llama: Llama, causal: bool, rank: int, begin: Path | None, kind: str) -> LlamaEncoder:
    """SmolLM2 with adapters that learn: fresh ones, or those of a file."""
    if begin is None:
        return LlamaEncoder(llama, Lora.fresh(llama, rank, setup=Setup(FACTOR)), causal)
    kept = Lora.of(checkpoint.load(begin, kind).state)
    return LlamaEncoder(llama, Lora(dict(kept.low.items()), {}, Setup(FACTOR)), causal)


class Course:
    """Data, model and training of one deep detector."""

    draw = staticmethod(lesson)
    """What it learns from labels on."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.store = Store(options.data / "sentences.jsonl.gz", 40 if options.smoke else 0)
        self.exam, self.every = exam_of(options.data, self.store, options.smoke)
        self.pieces = Pieces(cut(options.encoder, options.base, self.every))
        lower = [one.lower().replace("'", "").replace("’", "") for one in self.store.sentences] if options.lower else []
        self.lower = Pieces(cut(options.encoder, options.base, lower)) if lower else self.pieces
        self.base = base_of(options.encoder, options.base)
        minilm = options.encoder == "minilm"
        if options.begin:
            self.model = restore(checkpoint.load(options.begin, KIND), self.base)
        else:
            encoder = MiniLM(self.base) if minilm else LlamaEncoder(self.base)
            self.model = DocumentNetwork(encoder, len(self.store.labels))
        if not minilm:
            self.model.encoder = learning(self.base, options.causal, options.rank, options.begin, KIND)
        self.model = placed(self.model, half=True)
        self.half = minilm and (DEVICE == "cuda" or options.half)

    def feed(self, taught: list[Taught] | None = None) -> Endless:
        """Batches of stitched documents with labels, or of documents that teachers have labelled."""
        ways = [(self.pieces, 1 - self.options.lower), (self.lower, self.options.lower)]

        def draw(rng: random.Random) -> Document | Taught:
            return (
                rng.choice(taught) if taught else mixed(self.store, rng, self.draw(self.store, rng), self.options.mix)
            )

        budget, seed = self.options.budget, self.options.seed + 1000 * bool(taught)
        return Endless(draw, ways, self.model.style, budget, seed)

    def train(self, seconds: float, rate: float, what: str, taught: list[Taught] | None = None) -> None:
        """Stitch, learn, watch; every other step from teachers where there are any."""
        options = self.options
        parts = [self.model.encoder.parameters(), [*self.model.norm.parameters(), *self.model.sequence.parameters()]]
        groups = [
            {"params": list(part), "lr": one}
            for part, one in zip(parts, (rate, options.heads * rate / options.rate), strict=True)
        ]
        optimiser = torch.optim.AdamW(groups, weight_decay=0.02, fused=DEVICE == "cuda")
        feeds = [stream(self.feed(), options.workers)]
        if taught:
            feeds.append(stream(self.feed(taught), options.workers))
        next(feeds[0])  # the workers are up before the clock starts
        clock = Clock(options.steps, seconds, [optimiser])
        looks, pieces = [0.33, 0.67], 0
        every = list(self.model.parameters())
        while clock.next():
            self.model.train()
            batch = next(feeds[clock.step % len(feeds)]).to(DEVICE)
            loss = self.loss(batch)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(every, 1.0, foreach=True)
            optimiser.step()
            pieces += batch.ids.numel()
            if clock.step % options.every == 0:
                passed = time.time() - clock.begin
                print(options.name, what, clock.step, round(passed), round(loss.item(), 4), f"{pieces / passed:.0f} pieces/s", flush=True)  # fmt: skip
            if looks and clock.passed() > looks[0]:
                del looks[0]
                self.watched(f"{what} {clock.step} {time.time() - clock.begin:.0f}s")
        self.watched(f"{what} end {clock.step} {time.time() - clock.begin:.0f}s")

    def adapt(self, seconds: float, rate: float) -> None:
        """A llama whose mask was taken off learns to use what comes after a word: hidden pieces are to be told from the state before
        them (BehnamGhader et al., 2024), on the train texts of all corpora, whatever their labels."""
        options = self.options

        def draw(rng: random.Random) -> Document:
            kinds = (
                ("free-train", 0.5),
                ("told-train", 0.3),
                ("told-inscript-train", 0.05),
                *((kind, 0.15 * share) for kind, share in NONE_TRAIN),
            )
            own: list[int] = []
            for _ in range(rng.randint(1, 3)):
                own += self.store.run(pick(kinds, rng), rng, 5, 20)
            return Document(own, [0] * len(own))

        feed = stream(
            Endless(draw, [(self.pieces, 1.0)], self.model.style, options.budget, options.seed + 2000), options.workers
        )
        optimiser = torch.optim.AdamW(
            self.model.encoder.parameters(), lr=rate, weight_decay=0.0, fused=DEVICE == "cuda"
        )
        next(feed)
        clock, encoder, losses = Clock(options.steps, seconds, [optimiser]), self.model.encoder, []
        while clock.next():
            batch = next(feed).to(DEVICE)
            gone = (torch.rand(batch.ids.shape, device=DEVICE) < 0.25) & (batch.owner >= 0)
            states = encoder(torch.where(gone, self.model.style.hide, batch.ids), batch.owner > -2)
            wanted = batch.ids[gone]
            loss = -encoder.llama.logp(states[:, :-1][gone[:, 1:]], wanted).mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(encoder.parameters(), 1.0, foreach=True)
            optimiser.step()
            losses.append(loss.detach())
            if clock.step % options.every == 0:
                print(
                    options.name,
                    "adapt",
                    clock.step,
                    round(time.time() - clock.begin),
                    round(torch.stack(losses[-options.every :]).mean().item(), 3),
                    flush=True,
                )
        print(options.name, "adapt end", clock.step, round(torch.stack(losses[-100:]).mean().item(), 3), flush=True)

    def loss(self, batch: Batch) -> Tensor:
        """What a sentence's labelling costs, by its labels or by what teachers hold likely."""
        score = scores(self.model, batch, self.options.hide, self.half)
        total = crf.log_sum(*score, batch.mask)
        if batch.tops is None:
            expected = crf.gold(*score, batch.mask, batch.labels)
        else:
            expected = crf.expected_score(*score, batch.mask, batch.tops, batch.chances, batch.changes)
        return (total - expected).sum() / len(batch.place)

    @torch.no_grad()
    def said(self, model: DocumentNetwork, documents: list[Document], budget: int = 60_000, half: bool = True) -> list[tuple[list[int], Batch, tuple[Tensor, ...]]]:  # fmt: skip
        """Groups of documents with their scores."""
        model.eval()
        found = []
        for group in grouped(documents, self.pieces, budget):
            batch = laid([documents[at] for at in group], self.pieces, model.style).to(DEVICE)
            found.append((group, batch, scores(model, batch, half=self.half and half)))
        return found

    def labelled(self) -> list[Taught]:
        """The pool with what all teachers together hold likely; waits for them."""
        options = self.options
        documents = pool(self.store, 24 if options.smoke else options.pool)
        sizes = np.cumsum([0, *(len(one.sentences) for one in documents)])
        tops, chances, changes = (np.zeros((sizes[-1], 12), np.uint8), np.zeros((sizes[-1], 12), np.float16), np.zeros(sizes[-1], np.float16))  # fmt: skip
        begin = time.time()
        for at in range(0, len(documents), 2000):
            for group, batch, score in self.said(self.model, documents[at : at + 2000]):
                found = crf.beliefs(*score, batch.mask)
                value, label = (one.cpu().numpy() for one in found.labels.topk(12, dim=2))
                change = found.changes.cpu().numpy()
                for row, one in enumerate(group):
                    own, length = slice(sizes[at + one], sizes[at + one + 1]), int(batch.lengths[row])
                    tops[own], chances[own], changes[own] = (part[row, :length] for part in (label, value, change))
        spent = time.time() - begin
        print(options.name, "pool", len(documents), "documents", round(spent), "s", flush=True)
        said = {"tops": tops, "chances": chances, "changes": changes}
        return exchanged(options, documents, len(self.store.labels), said, options.patience - spent)

    def watched(self, when: str) -> None:
        """Figures on made-up dev documents."""
        count = 3 if self.options.smoke else 300
        sets = {
            "clean": watch(self.store, 101, 0.0, count), "noisy": watch(self.store, 102, 1 / 3, count),
            "whole": [Document(list(range(t.start, t.stop)), [t.label] * (t.stop - t.start)) for t in self.store.texts["told-dev"][: 2 if self.options.smoke else None]],
        }  # fmt: skip
        figures = {name: self.judged(self.said(self.model, some), some, name == "whole") for name, some in sets.items()}
        print(self.options.name, when, json.dumps(figures), flush=True)

    def judged(self, said: list[tuple[list[int], Batch, tuple[Tensor, ...]]], documents: list[Document], whole: bool) -> dict[str, float] | float:  # fmt: skip
        """F1, None F1 and Pk of the best paths; of whole stories the share named rightly."""
        guesses: list[list[int]] = [[] for _ in documents]
        for group, batch, score in said:
            if whole:
                mass = crf.beliefs(*score, batch.mask).labels * batch.mask[:, :, None]
                names = mass.sum(1)[:, 1:].argmax(1).tolist()
                paths = [[name + 1] for name in names]
            else:
                paths = crf.best(*score, batch.mask)
            for at, path in zip(group, paths, strict=True):
                guesses[at] = path
        if whole:
            right = [one[0] == two.labels[0] for one, two in zip(guesses, documents, strict=True)]
            return round(float(np.mean(right)), 4)
        return measure([one.labels for one in documents], guesses)

    def save(self) -> Path:
        """The difference to the base as int8 with a scale a row, heads in half precision."""
        options = self.options
        encoder = self.model.encoder
        if isinstance(encoder, MiniLM):
            fresh = MiniLM(self.base).learned()
            small = checkpoint.shrink({name: value.cpu() - fresh[name] for name, value in encoder.learned().items()})
        else:
            small = encoder.adapter.packed()
        heads = {name: value for name, value in self.model.state_dict().items() if not name.startswith("encoder.")}
        small |= {name: value.half().cpu() for name, value in heads.items()}
        settings = {"encoder": options.encoder, "causal": options.causal, "seed": options.seed, "factor": FACTOR}
        path = Path(options.out / f"{options.name}.safetensors")
        checkpoint.save(path, KIND, settings, {"labels": self.store.labels}, small)
        return path

    def sit(self, path: Path) -> None:
        """Scores of the kept file on the exam's documents: the likeliest labels of each sentence, in twelfths below its best."""
        model = placed(restore(checkpoint.load(path, KIND), self.base))
        arrays = {"enter": torch.log_softmax(model.sequence.enter.detach(), 0).float().cpu().numpy()}
        for name, some in self.exam.items():
            said = self.said(model, some, half=False)
            rows: list[tuple[np.ndarray, ...]] = [()] * len(some)
            for group, batch, (emission, switch, _) in said:
                value, label = emission.topk(KEPT, dim=2)
                below = ((value[:, :, :1] - value) * 12).round().clamp(max=255).byte().cpu().numpy()
                label, switch = label.byte().cpu().numpy(), switch.half().cpu().numpy()  # type: ignore[assignment]
                for row, at in enumerate(group):
                    length = int(batch.lengths[row])
                    rows[at] = label[row, :length], below[row, :length], switch[row, :length]
            for part, values in zip(("labels", "below", "switch"), zip(*rows, strict=True), strict=True):
                arrays[f"{name}/{part}"] = np.concatenate(values)
            print(self.options.name, "exam", name, json.dumps(self.judged(said, some, name == "whole")), flush=True)
        written(path.parent, f"{self.options.name}-scores", arrays)


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """What all trainings of encoders are told."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--name", default="deep")
    parser.add_argument("--encoder", choices=("minilm", "smollm2"), default="minilm")
    parser.add_argument("--base", type=Path, required=True, help="MiniLM's folder or SmolLM2's GGUF file")
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--rate", type=float, default=2e-4, help="of the encoder")
    parser.add_argument("--heads", type=float, default=2e-3, help="of what stands on it")
    parser.add_argument("--budget", type=int, default=24_000, help="pieces a step at most")
    parser.add_argument("--begin", type=Path, help="go on from a model that was kept")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--adapt", type=float, default=0, help="seconds of guessing hidden words first (SmolLM2)")
    parser.add_argument("--seconds", type=float, default=300, help="of learning from labels")
    parser.add_argument("--beside", default="", help="names of all that teach one another, this one among them")
    parser.add_argument("--more", type=float, default=0, help="seconds of learning from labels and from one another")
    parser.add_argument("--patience", type=float, default=200, help="seconds to wait for the others")
    parser.add_argument("--pool", type=int, default=20_000, help="documents without labels")
    parser.add_argument(
        "--mix",
        type=float,
        default=0,
        help="share of stretches (namers, tellers) of which a half is from another story",
    )
    parser.add_argument("--hide", type=float, default=0.12)
    parser.add_argument("--lower", type=float, default=0.1)
    parser.add_argument("--every", type=int, default=200)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--half", action="store_true", help="half precision on a processor too (MiniLM)")
    parser.add_argument("--smoke", action="store_true")
    return parser


def taught(course: Course) -> Path:
    """All stages of a training; the kept model."""
    options = course.options
    if options.adapt and options.encoder == "smollm2":
        course.adapt(options.adapt, options.rate)
    course.train(options.seconds, options.rate, "labels")
    path = course.save()
    if options.beside:
        labelled = course.labelled()
        if options.more:
            course.train(options.more, options.rate / 2, "taught", labelled)
            path = course.save()
    return path


def attend(
    options: argparse.Namespace, make: Callable[[argparse.Namespace], Any], learn: Callable[[Any], None]
) -> None:
    """Load, learn and sit the exam, and say when."""
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    begin = time.time()
    course = make(options)
    print(options.name, DEVICE, vars(options), round(time.time() - begin), "s to load", flush=True)
    learn(course)
    print(options.name, "done", round(time.time() - begin), flush=True)


def main() -> None:
    """Train one model, save it, let it sit the exam."""
    attend(arguments(__doc__).parse_args(), Course, lambda course: course.sit(taught(course)))


if __name__ == "__main__":
    main()
