"""Namers: encoders that read one segment and nothing else, and say what it tells; one GPU.

`python -m training.detector.namers DATA OUT --name namer-1 --encoder minilm|smollm2 --base PATH --seconds S [--adapt S] [--beside a,b --more S] --readers smollm2-1,minilm-1`

The readers of whole documents (`deep.py`) find borders well and lose their points at names. A namer is the same network, taught on stretches of stories and on whole ones, with
one label each; the scores of its sentences are added up. With ``--beside`` namers tell one another what they hold likely on single ROCStories. In the end it waits for the readers' scores, takes the segments that they (one by one and together, more and less ready
to say *None*) find in the exam's documents, and says what each tells: OUT/NAME-names.npz, by a hash of the sentences.
"""

from __future__ import annotations

import argparse
import json
import time
from hashlib import sha1
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from scenarist.networks import checkpoint
from scenarist.networks.document_network import restore
from scenarist.networks.label_chain import best
from training.detector.deep import KIND, Course, arguments, attend, placed, scores, taught
from training.detector.documents import Document, alone, loose, watch
from training.detector.feeding import Batch, Taught
from training.detector.shelf import exchanged, there, written

KEPT = 24
"""Labels of a segment whose scores are kept."""
DOUBTS = (0.0, 1.0, 2.0)
LIKELY = 8
"""Scenarios of a segment that a teller tries."""
ORDER = ("tune-clean", "whole", "clean", "tune-noisy", "noisy", "tune-nested", "nested")
FAR = 30.0
"""What the readers hold so many nats below the likeliest, all sentences together, is not tried."""
WEAK, STRONG = 0.4, 0.6
"""A border with less than the first (the score of a switch) may be none; a sentence within a segment that has more than the second may begin another."""


def runs(path: list[int]) -> list[tuple[int, int, int]]:
    """First, last (half open) and label of equal neighbours."""
    found, at = [], 0
    for label, some in groupby(path):
        size = len(list(some))
        found.append((at, at + size, label))
        at += size
    return found


def level(labels: np.ndarray, below: np.ndarray, size: int) -> np.ndarray:
    """Kept scores (N, C) in nats below the best."""
    found = np.repeat(below.max(axis=1, keepdims=True).astype(np.float32) + 12, size, axis=1)
    np.put_along_axis(found, labels.astype(np.int64), below.astype(np.float32), axis=1)
    return np.asarray(-found / 12)


def hesitant(path: list[int], switch: np.ndarray, weak: float, strong: float) -> set[tuple[int, int]]:
    """What else a segment may be where the readers hardly see a border, or nearly one: two neighbours as one, or one cut in two."""
    told = [(start, stop) for start, stop, label in runs(path) if label]
    found = {(one[0], two[1]) for one, two in pairwise(told) if one[1] == two[0] and switch[two[0]] < weak}
    for start, stop in told:
        inner = switch[start + 1 : stop]
        if len(inner) and inner.max() > strong:
            middle = start + 1 + int(inner.argmax())
            found |= {(start, middle), (middle, stop)}
    return found


def segments_of(name: str, documents: list[Document], files: list[Path]) -> list[tuple[Document, list[int]]]:
    """The segments that readers find in some documents, the true ones, and whole stories, with the scenarios the readers hold likeliest: eight, the last of them repeated where the rest lies far below."""
    members = [dict(np.load(one, allow_pickle=False)) for one in files]
    size = len(members[0]["enter"]) if members else 0
    parts = [(level(one[f"{name}/labels"], one[f"{name}/below"], size), one[f"{name}/switch"].astype(np.float32), one["enter"]) for one in members]  # fmt: skip
    if len(parts) > 1:
        parts.append(tuple(np.mean(some, axis=0) for some in zip(*parts, strict=True)))  # type: ignore[arg-type]
    found, first = [], 0
    for one in documents:
        own = slice(first, first + len(one.sentences))
        first = own.stop
        spans = {(start, stop) for start, stop, label in runs(one.labels) if label}
        if name == "whole":
            spans = {(0, len(one.sentences))}
        else:
            for number, (emission, switch, enter) in enumerate(parts):
                for doubt in DOUBTS[1:] if name.endswith("nested") else DOUBTS:
                    lowered = emission[own].copy()
                    lowered[:, 0] -= doubt
                    path = best(lowered, switch[own], enter)
                    spans |= {(start, stop) for start, stop, label in runs(path) if label}
                    if number == len(parts) - 1 and doubt and not name.endswith("nested"):  # of all readers together
                        spans |= hesitant(path, switch[own], WEAK, STRONG)
        for start, stop in sorted(spans):
            told = parts[-1][0][own][start:stop, 1:].sum(axis=0) if parts else np.zeros(LIKELY)
            order = np.argsort(-told, kind="stable")[:LIKELY]
            most = LIKELY - 3 if name.endswith("nested") else LIKELY
            asked = min(most, max(2, int((told[order] >= told[order[0]] - FAR).sum())))
            likely = [*order[:asked], *[order[asked - 1]] * (len(order) - asked)]
            found.append((Document(one.sentences[start:stop], one.labels[start:stop]), [int(at) + 1 for at in likely]))
    return found


def segments_found(exam: dict[str, list[Document]], files: list[Path]) -> list[tuple[Document, list[int]]]:
    """The segments of all documents, each once; those of the sets that are needed first come first."""
    every: dict[tuple[int, ...], tuple[Document, list[int]]] = {}
    for name in sorted(exam, key=lambda one: (ORDER.index(one) if one in ORDER else len(ORDER), one)):
        for one in segments_of(name, exam[name], files):
            every.setdefault(tuple(one[0].sentences), one)
    return list(every.values())


def waited(options: argparse.Namespace, exam: dict[str, list[Document]]) -> list[tuple[Document, list[int]]]:
    """The readers' segments, once they have sat the exam."""
    begin = time.time()
    files = there([options.out / f"{one}-scores.npz" for one in options.readers.split(",") if one], options.wait)
    found = segments_found(exam, files)
    print(options.name, len(found), "segments", [one.stem for one in files], round(time.time() - begin), "s", flush=True)  # fmt: skip
    return found


def kept(options: argparse.Namespace, texts: list[str], segments: list[Document], labels: np.ndarray, below: np.ndarray) -> None:  # fmt: skip
    """Write labels (N, K) of segments and how far below the best they are, by a hash of the sentences."""
    marks = [sha1("\n".join(texts[at] for at in one.sentences).encode()).digest()[:8] for one in segments]
    arrays = {
        "labels": labels.astype(np.uint8), "below": below.astype(np.uint8), "steps": np.array(24),
        "marks": np.frombuffer(b"".join(marks), np.uint8).reshape(-1, 8),
    }  # fmt: skip
    written(options.out, f"{options.name}-names", arrays)


class Namer(Course):
    """Data, model and training of one namer."""

    draw = staticmethod(alone)

    def logits(self, score: tuple[Tensor, ...], batch: Batch) -> Tensor:
        """Scores of the labels of each segment (B, C)."""
        lengths = batch.mask.sum(1, keepdim=True)
        return (score[0] * batch.mask[:, :, None]).sum(1) / lengths.sqrt()

    def loss(self, batch: Batch) -> Tensor:
        """Cross entropy of the label, or of what teachers hold likely."""
        chance = torch.log_softmax(self.logits(scores(self.model, batch, self.options.hide, self.half), batch), 1)
        if batch.tops is None:
            return -chance.gather(1, batch.labels[:, :1]).mean()
        return -(chance.gather(1, batch.tops[:, 0]) * batch.chances[:, 0]).sum(1).mean()  # type: ignore[index]

    @torch.no_grad()
    def named(self, documents: list[Document], half: bool = True) -> np.ndarray:
        """Scores of the labels of some segments (N, C)."""
        found = np.zeros((len(documents), len(self.store.labels)), np.float32)
        for at in range(0, len(documents), 4000):
            for group, batch, score in self.said(self.model, documents[at : at + 4000], half=half):
                found[[at + one for one in group]] = self.logits(score, batch).float().cpu().numpy()
        return found

    def labelled(self) -> list[Taught]:
        """Single stories with what all namers together hold likely; waits for them."""
        options = self.options
        documents = loose(self.store, 24 if options.smoke else options.pool)
        begin = time.time()
        values = torch.softmax(torch.from_numpy(self.named(documents)), 1).topk(12, dim=1)
        sizes = [len(one.sentences) for one in documents]
        tops, chances = (np.repeat(one.numpy(), sizes, axis=0) for one in (values.indices, values.values))
        spent = time.time() - begin
        print(options.name, "pool", len(documents), "stories", round(spent), "s", flush=True)
        said = {"tops": tops.astype(np.uint8), "chances": chances.astype(np.float16), "changes": np.zeros(len(tops), np.float16)}  # fmt: skip
        return exchanged(options, documents, len(self.store.labels), said, options.patience - spent)

    def watched(self, when: str) -> None:
        """The share of sentences and of whole stories named rightly, given the true borders, on made-up dev documents."""
        count = 3 if self.options.smoke else 300
        made = watch(self.store, 101, 0.0, count)
        told = [
            Document(one.sentences[a:b], one.labels[a:b]) for one in made for a, b, label in runs(one.labels) if label
        ]
        texts = self.store.texts["told-dev"][: 2 if self.options.smoke else None]
        whole = [Document(list(range(t.start, t.stop)), [t.label] * (t.stop - t.start)) for t in texts]
        print(
            self.options.name,
            when,
            json.dumps(self.right(told) | {"whole": self.right(whole, True)["segments"]}),
            flush=True,
        )

    def right(self, documents: list[Document], whole: bool = False) -> dict[str, float]:
        """Shares of sentences and segments whose best scenario is the true one; *None* may not be said."""
        guesses = self.named(documents)[:, 1:].argmax(1) + 1
        good = np.array([guess == one.labels[0] for guess, one in zip(guesses, documents, strict=True)])
        sizes = np.array([len(one.sentences) for one in documents])
        return {
            "sentences": round(float((good * sizes).sum() / sizes.sum()), 4),
            "segments": round(float(good.mean()), 4),
        }

    def sit(self, path: Path) -> None:
        """Scores of the segments that the readers found, by hash."""
        options = self.options
        segments = [one for one, _ in waited(options, self.exam)]
        self.model = placed(restore(checkpoint.load(path, KIND), self.base))
        made = self.named(segments, half=False)
        labels = np.argsort(-made, axis=1)[:, :KEPT]
        values = np.take_along_axis(made, labels, axis=1)
        below = np.round((values[:, :1] - values) * 24).clip(max=255)
        kept(options, self.every, segments, labels, below)
        whole = [one for name, some in self.exam.items() if name == "whole" for one in some]
        print(options.name, "exam whole", json.dumps(self.right(whole)), flush=True)


def of_segments(text: str | None) -> argparse.ArgumentParser:
    """The arguments of what is taught single segments."""
    parser = arguments(text)
    parser.add_argument("--readers", default="", help="readers of whole documents whose segments are named")
    parser.add_argument("--wait", type=float, default=300, help="seconds to wait for the readers")
    return parser


def main() -> None:
    """Train one namer, save it, let it name segments."""
    attend(of_segments(__doc__).parse_args(), Namer, lambda course: course.sit(taught(course)))


if __name__ == "__main__":
    main()
