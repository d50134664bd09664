"""A teller: SmolLM2 as a language model that tells a segment under the name of a scenario; the name under which the words come easiest is the guess.

`python -m training.detector.tellers DATA OUT --name teller-1 --base SMOLLM2.gguf --seconds S --readers smollm2-1,minilm-1 [--beside namer-1,teller-1 --more S] [--titles]`

The other way round than readers and namers: log P(words | name of the scenario). Low-rank adapters learn from stretches of stories under their own name and under
those of scenarios that use like words; the chance of the right one among them is to be high (and, a little, the words likely). With ``--titles`` the words come first and the name is to be guessed from them, piece by piece: a *titler*.
With ``--beside`` it then takes the single ROCStories that a namer labelled, judges them under the four likeliest names, and goes on with the mean of what all named there hold likely beside the labels (`namers.py` does the same). In the end it tells the segments that readers found under the eight names they hold likeliest: OUT/NAME-names.npz.
"""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections import Counter

import numpy as np
import torch
from torch import Tensor, nn

from scenarist.networks import checkpoint
from scenarist.networks.document_network import STYLES, Pieces
from scenarist.networks.llama import Llama
from training.detector.deep import DEVICE, FACTOR, attend, cut, learning, placed
from training.detector.documents import NONE_TRAIN, TOLD_TRAIN, Document, Store, exam_of, loose, mixed, stitched, watch
from training.detector.feeding import Taught
from training.detector.measuring import Clock
from training.detector.namers import LIKELY, kept, of_segments, runs, waited
from training.detector.shelf import exchanged, pooled, there, together

POOL = 12_000
"""Stories without a label that it judges, at most."""
JUDGED = 4
"""Names of a story without a label that it is judged under."""


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
        self.titles: bool = options.titles
        ended = "" if self.titles else ":"
        self.names = [
            [*one, 198] for one in cut("smollm2", options.base, [f"{label}{ended}" for label in self.store.labels])
        ]
        self.model = placed(learning(Llama.read(options.base), True, options.rank, options.begin, "teller"), half=True)
        self.sharp = nn.Parameter(torch.zeros((), device=DEVICE))
        if options.begin:
            self.sharp.data.fill_(float(checkpoint.load(options.begin, "teller").state["sharp"]))
        self.near = alike(self.store)
        self.wrong = 0 if self.titles else options.wrong

    def laid(self, told: list[tuple[Document, list[int]]]) -> tuple[Tensor, Tensor]:
        """Segments, each under several names -> pieces (R, L) and which are to be guessed (1), given (0) or neither (-1)."""
        rows = []
        for document, labels in told:
            own = [STYLES["smollm2"].begin]
            for at in document.sentences:
                start = self.pieces.starts[at]
                own += self.pieces.flat[start : start + self.pieces.counts[at]].tolist()
            for label in labels:
                name = self.names[label]
                if self.titles:
                    rows.append(([*own[: 899 - len(name)], 198, *name], min(len(own), 899 - len(name)) + 1))
                else:
                    rows.append(([own[0], *name, *own[1 : 900 - len(name)]], len(name) + 1))
        longest = max(len(row) for row, _ in rows)
        ids, part = np.zeros((len(rows), longest), np.int64), np.full((len(rows), longest), -1, np.int64)
        for at, (row, given) in enumerate(rows):
            ids[at, : len(row)] = row
            part[at, : len(row)] = 1
            part[at, :given] = 0
        return torch.from_numpy(ids).to(DEVICE), torch.from_numpy(part).to(DEVICE)

    def words(self, ids: Tensor, part: Tensor, hide: float = 0.0) -> tuple[Tensor, Tensor]:
        """Log-probability of what each row is to guess (R), and how many pieces that is (R)."""
        shown = ids
        if hide:  # the same words are hidden under every name
            each = self.wrong + 1
            gone = torch.rand(len(ids) // each, 1, ids.shape[1], device=DEVICE) < hide
            gone = gone.expand(-1, each, -1).reshape(ids.shape) & (part == (0 if self.titles else 1))
            shown = torch.where(gone, STYLES["smollm2"].hide, ids)
        states = self.model(shown, part >= 0)
        wanted = part[:, 1:] == 1
        chances = self.model.llama.logp(states[:, :-1][wanted], ids[:, 1:][wanted])
        total = torch.zeros(len(ids), device=DEVICE).index_add(0, wanted.nonzero()[:, 0], chances)
        return total, wanted.sum(1)

    def lesson(self, rng: random.Random) -> tuple[Document, list[int], list[float]]:
        """A stretch of a story with its own label first, then wrong ones, and how likely each is."""
        lengths = (20, 40) if rng.random() < 0.1 else (2, 8)
        document = stitched(self.store, rng, TOLD_TRAIN, NONE_TRAIN, (1, 1), lengths, skip=0.4)
        document = mixed(self.store, rng, document, self.options.mix)
        label, near = document.labels[0], self.near[document.labels[0]]
        wrong = rng.sample(near[:6], min(self.wrong, 2 + self.options.hard, 6)) + rng.sample(near, 1)
        wrong = [one for one in dict.fromkeys(wrong) if one != label][: self.wrong]
        while len(wrong) < self.wrong:
            other = rng.randrange(1, len(self.store.labels))
            if other != label and other not in wrong:
                wrong.append(other)
        return document, [label, *wrong], [1.0] + [0.0] * self.wrong

    def heard(self, rng: random.Random, taught: list[tuple[Document, list[int], list[float]]]) -> tuple[Document, list[int], list[float]]:  # fmt: skip
        """A story that others have judged; who guesses one name gets one drawn by their chances."""
        document, labels, chances = rng.choice(taught)
        if self.titles:
            return document, rng.choices(labels, chances), [1.0]
        labels, chances = labels[: self.wrong + 1], chances[: self.wrong + 1]
        while len(labels) < self.wrong + 1:
            other = rng.randrange(1, len(self.store.labels))
            if other not in labels:
                labels, chances = [*labels, other], [*chances, 0.0]
        return document, labels, chances

    def batches(self, rng: random.Random, taught: list[tuple[Document, list[int], list[float]]] | None = None):  # type: ignore[no-untyped-def]
        """Segments under some names, of like length together."""
        each = self.wrong + 1
        while True:
            drawn = [self.heard(rng, taught) if taught else self.lesson(rng) for _ in range(256)]
            sizes = [int(self.pieces.counts[one.sentences].sum()) + 8 for one, _, _ in drawn]
            groups: list[list[int]] = [[]]
            for at in sorted(range(len(drawn)), key=sizes.__getitem__):
                if groups[-1] and (len(groups[-1]) + 1) * each * sizes[at] > self.options.budget:
                    groups.append([])
                groups[-1].append(at)
            rng.shuffle(groups)
            for group in groups:
                yield [drawn[at] for at in group]

    def train(self, seconds: float, rate: float, what: str, taught: list[tuple[Document, list[int], list[float]]] | None = None) -> None:  # fmt: skip
        """Tell, compare, learn; every other step from what others hold likely where there is such."""
        options = self.options
        groups = [{"params": list(self.model.parameters()), "lr": rate}]
        if not self.titles:
            groups.append({"params": [self.sharp], "lr": 1e-2 * rate / options.rate})
        optimiser = torch.optim.AdamW(groups, weight_decay=0.02, fused=DEVICE == "cuda")
        feeds = [self.batches(random.Random(options.seed + 500 * bool(taught)))]
        if taught:
            feeds.append(self.batches(random.Random(options.seed + 1000), taught))
        clock = Clock(options.steps, seconds, [optimiser])
        looks, seen = [0.5], []
        self.model.train()
        while clock.next():
            drawn = next(feeds[clock.step % len(feeds)])
            ids, part = self.laid([(document, labels) for document, labels, _ in drawn])
            total, size = self.words(ids, part, options.hide)
            own, many = total.view(-1, self.wrong + 1)[:, 0], size.view(-1, self.wrong + 1)[:, 0]
            if self.titles:
                right = loss = -total.mean()
            else:
                score = (total / size.sqrt() * self.sharp.exp()).view(-1, self.wrong + 1)
                wanted = torch.tensor([chances for _, _, chances in drawn], device=DEVICE)
                right = -(torch.log_softmax(score, 1) * wanted).sum(1).mean()
                loss = right - options.fluent * own.sum() / many.sum()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_([*self.model.parameters(), self.sharp], 1.0, foreach=True)
            optimiser.step()
            seen.append(torch.stack([right.detach(), -(own.sum() / many.sum()).detach()]))
            if clock.step % options.every == 0:
                print(
                    options.name,
                    what,
                    clock.step,
                    round(time.time() - clock.begin),
                    [round(one, 4) for one in torch.stack(seen[-options.every :]).mean(0).tolist()],
                    round(self.sharp.item(), 3),
                    flush=True,
                )
            if looks and clock.passed() > looks[0]:
                del looks[0]
                self.watched(f"{what} {clock.step}")
        self.watched(f"{what} end {clock.step}")

    def labelled(self) -> list[tuple[Document, list[int], list[float]]]:
        """Single stories with what namers and tellers together hold likely, told ones only; waits for the namers, judges, waits for the others."""
        options = self.options
        begin = time.time()
        documents = loose(self.store, 24 if options.smoke else options.pool)
        namers = [one for one in pooled(options) if one.stem.startswith("namer")]
        if len(there(namers, options.patience)) < len(namers):
            print(options.name, "no namer has labelled stories", flush=True)
            return []
        said = together(documents, namers, len(self.store.labels))
        judged = [(at, *likeliest(one)) for at, one in enumerate(said)]
        judged = [one for one in judged if one[3] > 0.5][:POOL]
        scores = self.compared([(documents[at], labels) for at, labels, _, _ in judged])
        chances = torch.softmax(torch.from_numpy(scores), 1).numpy()
        tops, values = (np.stack([getattr(one, part)[0] for one in said]) for part in ("labels", "chances"))
        tops = np.concatenate([tops, np.zeros((len(tops), 12 - tops.shape[1]), tops.dtype)], axis=1)
        values = np.concatenate([values, np.zeros((len(values), 12 - values.shape[1]), values.dtype)], axis=1)
        for (at, labels, namer_said, _), own in zip(judged, chances, strict=True):
            for label, chance in zip(labels, own * sum(namer_said), strict=True):
                values[at][np.flatnonzero(tops[at] == label)[0]] = chance
        sizes = [len(one.sentences) for one in documents]
        tops, values = np.repeat(tops, sizes, axis=0), np.repeat(values, sizes, axis=0)
        spent = time.time() - begin
        print(options.name, "pool", len(judged), "of", len(documents), "stories", round(spent), "s", flush=True)
        own_said = {"tops": tops, "chances": values.astype(np.float16), "changes": np.zeros(len(tops), np.float16)}
        said = exchanged(options, documents, len(self.store.labels), own_said, options.patience - spent)
        found = []
        for at, _, _, _ in judged:
            labels, own, _ = likeliest(said[at])
            found.append((documents[at], labels, [one / max(sum(own), 1e-6) for one in own]))
        return found

    @torch.no_grad()
    def compared(self, told: list[tuple[Document, list[int]]], budget: int = 40_000) -> np.ndarray:
        """Scores of each segment's labels (N, K); a label that is repeated at the end of a list is told once."""
        self.model.eval()
        asked = [tuple(dict.fromkeys(labels)) for _, labels in told]
        sizes = [(int(self.pieces.counts[one.sentences].sum()) + 8) * len(some) for (one, _), some in zip(told, asked, strict=True)]  # fmt: skip
        order = sorted(range(len(told)), key=lambda at: (len(asked[at]), sizes[at]))
        found = np.zeros((len(told), len(told[0][1]) if told else 0), np.float32)
        group: list[int] = []
        for place, at in enumerate(order):
            group.append(at)
            after = order[place + 1] if place + 1 < len(order) else None
            if after is None or len(asked[after]) != len(asked[at]) or (len(group) + 1) * sizes[after] > budget:
                total, size = self.words(*self.laid([(told[one][0], list(asked[one])) for one in group]))
                made = (total / (1 if self.titles else size.sqrt()) * self.sharp.exp()).view(len(group), -1)
                made = torch.cat([made, made[:, -1:].expand(-1, found.shape[1] - made.shape[1])], 1)
                found[group] = made.float().cpu().numpy()
                group = []
        self.model.train()
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
        settings = {
            "encoder": "smollm2",
            "causal": True,
            "seed": self.options.seed,
            "titles": self.titles,
            "factor": FACTOR,
        }
        small = self.model.adapter.packed() | {"sharp": self.sharp.detach().cpu()}
        path = self.options.out / f"{self.options.name}.safetensors"
        checkpoint.save(path, "teller", settings, {"labels": self.store.labels}, small)

    def sit(self) -> None:
        """Tell the segments that readers found under the names they hold likeliest; a file after every quarter, should there be no time for all."""
        told = waited(self.options, self.exam)
        made: list[np.ndarray] = []
        begin, size = time.time(), -(-len(told) // 4) or 1
        for first in range(0, len(told), size):
            made.append(self.compared(told[first : first + size]))
            scores = np.concatenate(made)
            order = np.argsort(-scores, axis=1, kind="stable")
            labels = np.take_along_axis(np.array([some for _, some in told[: len(scores)]]), order, axis=1)
            values = np.take_along_axis(scores, order, axis=1)
            below = np.round((values[:, :1] - values) * 24).clip(max=255)
            kept(self.options, self.every, [one for one, _ in told[: len(scores)]], labels, below)
            print(self.options.name, len(scores), "segments told", round(time.time() - begin), "s", flush=True)


def likeliest(one: Taught) -> tuple[list[int], list[float], float]:
    """The scenarios of a judged story that are held likeliest, their chances, and the chance that it tells any of those that were kept."""
    pairs = sorted(((float(c), int(k)) for k, c in zip(one.labels[0], one.chances[0], strict=True) if k), reverse=True)
    told = sum(chance for chance, _ in pairs)
    pairs = pairs[:JUDGED]
    return [label for _, label in pairs], [chance for chance, _ in pairs], told


def told(teller: Teller) -> None:
    """All stages of a training."""
    options = teller.options
    teller.train(options.seconds, options.rate, "labels")
    teller.save()
    if options.beside:
        labelled = teller.labelled()
        teller.train(options.more, options.rate / 2, "taught", labelled)
        teller.save()
    teller.sit()


def main() -> None:
    """Train, save, tell."""
    parser = of_segments(__doc__)
    parser.add_argument("--fluent", type=float, default=0.3, help="how much the words' own likelihood counts")
    parser.add_argument("--wrong", type=int, default=3, help="wrong names beside the right one while learning")
    parser.add_argument("--hard", type=int, default=0, help="so many more of them are among the six likest")
    parser.add_argument("--titles", action="store_true", help="guess the name from the words")
    attend(parser.parse_args(), Teller, told)


if __name__ == "__main__":
    main()
