"""A teller: SmolLM2 as a language model that tells a segment under the name of a scenario; the name under which the words come easiest is the guess.

`python training/detector/tellers.py DATA OUT --name teller-1 --base SMOLLM2.gguf --seconds S --readers smollm2-1,minilm-1`

The other way round than readers and namers: log P(words | name of the scenario). Low-rank adapters learn from stretches of stories under their own name and under
those of scenarios that use like words; the chance of the right one among them is to be high (and, a little, the words likely). In the end it tells the segments that readers found under the eight names they hold likeliest: OUT/NAME-names.npz.
"""

from __future__ import annotations

import json
import math
import random
import re
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")]
from deep import DEVICE, attend, cut, state_of  # noqa: E402
from documents import NONE_TRAIN, TOLD_TRAIN, Document, Store, exam_of, stitched, watch  # noqa: E402
from measuring import Clock  # noqa: E402
from namers import LIKELY, kept, of_segments, runs, waited  # noqa: E402

from scenarist.models.document_network import STYLES, Llama, Pieces  # noqa: E402

BESIDE = 3
"""Wrong names beside the right one while learning."""


def alike(store: Store, count: int = 16) -> list[list[int]]:
    """Of each scenario, those whose train stories use the likest words (cosine of tf.idf)."""
    bags: list[Counter[str]] = [Counter() for _ in store.labels]
    for kind in ("told-train", "listed-train", "weak-train"):
        for text in store.texts.get(kind, []):
            for at in range(text.start, text.stop):
                bags[text.label].update(re.findall(r"[a-z]+", store.sentences[at].lower()))
    seen = Counter(word for bag in bags for word in bag)
    place = {word: at for at, word in enumerate(seen)}
    matrix = np.zeros((len(bags), len(place)), np.float32)
    for row, bag in enumerate(bags):
        for word, number in bag.items():
            matrix[row, place[word]] = math.log1p(number) * math.log(len(bags) / seen[word])
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True).clip(1e-9)
    near = matrix @ matrix.T
    np.fill_diagonal(near, -1)
    near[:, 0] = -1
    return [row.tolist() for row in np.argsort(-near, axis=1)[:, :count]]


class Teller:
    """Data, model and training."""

    def __init__(self, options) -> None:  # type: ignore[no-untyped-def]
        self.options = options
        self.store = Store(options.data / "sentences.jsonl.gz", 40 if options.smoke else 0)
        self.exam, self.every = exam_of(options.data, self.store, options.smoke)
        self.pieces = Pieces(cut("smollm2", options.base, self.every))
        self.names = [[*one, 198] for one in cut("smollm2", options.base, [f"{label}:" for label in self.store.labels])]
        self.model = Llama(state_of("smollm2", options.base), causal=True, rank=options.rank).to(DEVICE)
        if DEVICE == "cuda":
            for name, buffer in list(self.model.named_buffers()):
                if buffer.ndim == 2 and name not in ("cos", "sin"):
                    setattr(self.model, name, buffer.to(torch.bfloat16))
        self.sharp = nn.Parameter(torch.zeros((), device=DEVICE))
        self.near = alike(self.store)

    def laid(self, told: list[tuple[Document, list[int]]]) -> tuple[Tensor, Tensor]:
        """Segments, each under several names -> pieces (R, L) and which are of the segment (1), of the name (0) or of neither (-1)."""
        rows = []
        for document, labels in told:
            own = [
                piece
                for at in document.sentences
                for piece in self.pieces.flat[
                    self.pieces.starts[at] : self.pieces.starts[at] + self.pieces.counts[at]
                ].tolist()
            ]
            for label in labels:
                name = [STYLES["smollm2"].begin, *self.names[label]]
                rows.append((name + own[: 900 - len(name)], len(name)))
        longest = max(len(row) for row, _ in rows)
        ids, part = np.zeros((len(rows), longest), np.int64), np.full((len(rows), longest), -1, np.int64)
        for at, (row, name_size) in enumerate(rows):
            ids[at, : len(row)] = row
            part[at, : len(row)] = 1
            part[at, :name_size] = 0
        return torch.from_numpy(ids).to(DEVICE), torch.from_numpy(part).to(DEVICE)

    def words(self, ids: Tensor, part: Tensor, hide: float = 0.0) -> tuple[Tensor, Tensor]:
        """Log-probability of each row's segment given its name (R), and how many pieces it has (R)."""
        shown = ids
        if hide:  # the same words are hidden under every name
            rows = len(ids) // (BESIDE + 1)
            gone = (
                (torch.rand(rows, 1, ids.shape[1], device=DEVICE) < hide).expand(-1, BESIDE + 1, -1).reshape(ids.shape)
            )
            shown = torch.where(gone & (part == 1), STYLES["smollm2"].hide, ids)
        states = self.model(shown, part >= 0)
        wanted = part[:, 1:] == 1
        found, target = states[:, :-1][wanted].to(self.model.words.dtype), ids[:, 1:][wanted]

        def chance(some: Tensor, these: Tensor) -> Tensor:
            scores = nn.functional.linear(some, self.model.words).float()
            return scores.gather(1, these[:, None])[:, 0] - torch.logsumexp(scores, 1)

        made = [
            checkpoint(chance, found[at : at + 3000], target[at : at + 3000], use_reentrant=False)
            if torch.is_grad_enabled()
            else chance(found[at : at + 3000], target[at : at + 3000])
            for at in range(0, len(found), 3000)
        ]
        row = wanted.nonzero()[:, 0]
        total = torch.zeros(len(ids), device=DEVICE).index_add(0, row, torch.cat(made))
        return total, wanted.sum(1)

    def batches(self, rng: random.Random):  # type: ignore[no-untyped-def]
        """Segments with their own label first, then wrong ones; of like length together."""
        while True:
            drawn = []
            for _ in range(256):
                lengths = (20, 40) if rng.random() < 0.1 else (2, 8)
                document = stitched(self.store, rng, TOLD_TRAIN, NONE_TRAIN, (1, 1), lengths, skip=0.4)
                label = document.labels[0]
                wrong = rng.sample(self.near[label][:6], min(2, len(self.near[label][:6]))) + rng.sample(
                    self.near[label], 1
                )
                wrong = [one for one in dict.fromkeys(wrong) if one != label]
                while len(wrong) < BESIDE:
                    other = rng.randrange(1, len(self.store.labels))
                    if other != label and other not in wrong:
                        wrong.append(other)
                drawn.append((document, [label, *wrong]))
            sizes = [int(self.pieces.counts[one.sentences].sum()) + 8 for one, _ in drawn]
            groups: list[list[int]] = [[]]
            for at in sorted(range(len(drawn)), key=sizes.__getitem__):
                if groups[-1] and (len(groups[-1]) + 1) * (BESIDE + 1) * sizes[at] > self.options.budget:
                    groups.append([])
                groups[-1].append(at)
            rng.shuffle(groups)
            for group in groups:
                yield [drawn[at] for at in group]

    def train(self, seconds: float) -> None:
        """Tell, compare, learn."""
        options = self.options
        groups = [{"params": list(self.model.parameters()), "lr": options.rate}, {"params": [self.sharp], "lr": 1e-2}]
        optimiser = torch.optim.AdamW(groups, weight_decay=0.02, fused=DEVICE == "cuda")
        feed = self.batches(random.Random(options.seed))
        clock = Clock(options.steps, seconds, [optimiser])
        looks, seen = [0.5], []
        while clock.next():
            ids, part = self.laid(next(feed))
            total, size = self.words(ids, part, options.hide)
            score = (total / size.sqrt() * self.sharp.exp()).view(-1, BESIDE + 1)
            right = -torch.log_softmax(score, 1)[:, 0].mean()
            own, many = total.view(-1, BESIDE + 1)[:, 0], size.view(-1, BESIDE + 1)[:, 0]
            loss = right - options.fluent * own.sum() / many.sum()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_([*self.model.parameters(), self.sharp], 1.0, foreach=True)
            optimiser.step()
            seen.append(torch.stack([right.detach(), -(own.sum() / many.sum()).detach()]))
            if clock.step % options.every == 0:
                print(
                    options.name,
                    clock.step,
                    round(time.time() - clock.begin),
                    torch.stack(seen[-options.every :]).mean(0).tolist(),
                    round(self.sharp.item(), 3),
                    flush=True,
                )
            if looks and clock.passed() > looks[0]:
                del looks[0]
                self.watched(f"{clock.step}")
        self.watched(f"end {clock.step}")

    @torch.no_grad()
    def compared(self, told: list[tuple[Document, list[int]]], budget: int = 40_000) -> np.ndarray:
        """Scores of each segment's labels (N, K)."""
        sizes = [int(self.pieces.counts[one.sentences].sum()) + 8 for one, _ in told]
        found = np.zeros((len(told), len(told[0][1])), np.float32)
        group: list[int] = []
        order = sorted(range(len(told)), key=sizes.__getitem__)
        for place, at in enumerate(order):
            group.append(at)
            after = sizes[order[place + 1]] if place + 1 < len(order) else 10**9
            if (len(group) + 1) * found.shape[1] * after > budget:
                total, size = self.words(*self.laid([told[one] for one in group]))
                found[group] = (total / size.sqrt() * self.sharp.exp()).view(len(group), -1).float().cpu().numpy()
                group = []
        return found

    def watched(self, when: str) -> None:
        """The share of segments and of whole stories told best under their own name, among those with like words, on made-up dev documents."""
        made = watch(self.store, 101, 0.0, 3 if self.options.smoke else 150)
        told = [
            Document(one.sentences[a:b], one.labels[a:b]) for one in made for a, b, label in runs(one.labels) if label
        ]
        texts = self.store.texts["told-dev"][: 2 if self.options.smoke else None]
        whole = [Document(list(range(t.start, t.stop)), [t.label] * (t.stop - t.start)) for t in texts]
        figures = {}
        for name, some in {"segments": told, "whole": whole}.items():
            scores = self.compared([(one, [one.labels[0], *self.near[one.labels[0]][: LIKELY - 1]]) for one in some])
            figures[name] = round(float((scores.argmax(1) == 0).mean()), 4)
        print(self.options.name, when, json.dumps(figures), flush=True)

    def save(self) -> None:
        """Adapters as int8 with a scale a row."""
        arrays: dict[str, np.ndarray] = {
            "sharp": self.sharp.detach().cpu().numpy(),
            "labels": np.array(self.store.labels),
        }
        for name, value in self.model.learned.items():
            learned = value.detach().float().cpu().numpy()
            scale = np.maximum(np.abs(learned).max(axis=1), 1e-9) / 127
            arrays[f"encoder/{name}"] = np.round(learned / scale[:, None]).astype(np.int8)
            arrays[f"encoder/{name}/scale"] = scale.astype(np.float16 if scale.min() > 1e-6 else np.float32)
        about = {"encoder": "smollm2", "causal": True, "seed": self.options.seed, "tells": True}
        arrays["about"] = np.array(json.dumps(about))
        np.savez_compressed(self.options.out / f"{self.options.name}.npz", **arrays)

    def sit(self) -> None:
        """Tell the segments that readers found under the names they hold likeliest."""
        told = waited(self.options, self.exam)
        scores = self.compared(told)
        order = np.argsort(-scores, axis=1)
        labels = np.take_along_axis(np.array([some for _, some in told]), order, axis=1)
        values = np.take_along_axis(scores, order, axis=1)
        below = np.round((values[:, :1] - values) * 24).clip(max=255)
        kept(self.options, self.every, [one for one, _ in told], labels, below)


def told(teller: Teller) -> None:
    """All stages of a training."""
    teller.train(teller.options.seconds)
    teller.save()
    teller.sit()


def main() -> None:
    """Train, save, tell."""
    parser = of_segments(__doc__)
    parser.add_argument("--fluent", type=float, default=0.3, help="how much the words' own likelihood counts")
    attend(parser.parse_args(), Teller, told)


if __name__ == "__main__":
    main()
