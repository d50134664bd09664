"""Rows -> the deep reader of gaps: SmolLM2 with adapters stands at the gap and says which verb, or which script event, is missing.

`python -m training.knowledge.deep --rows FILE --gguf FILE --out FOLDER [--fold 0/2]`; needs torch, transformers and a GPU for a full run (minutes).
One network, two heads: main verbs (every sentence of MCScript, InScript, DeScript and ROCStories taken out in turn) and InScript's labels. Beside
them it learns to tell the sentence that is missing. With ``--fold`` a part of the scenario stories is left out and predicted: what the small
network is taught with, so that no teacher speaks of what it has seen.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional as F

from scenarist.models.gap_text import GAP, PRECEDES, Gap, ids, phrase
from scenarist.models.gguf import Gguf, llama_layers, llama_state, load_tokenizer, rotation

SCALE = 2.0
"""Factor on what the adapters add."""
DROP = 0.1
"""Share of the state at the gap that the heads do not see in training."""
TOLD = 1024
"""Pieces of missing sentences told a step, drawn from all."""
WIDE_TOP, NEAR_TOP, DEV_TOP = 20, 50, 300
"""Answers kept of a gap: of the wide corpora, of the near ones, of dev."""
Ids = npt.NDArray[np.uint16]
NEAR = ("mcscript", "inscript", "inscript-labels")
"""Corpora like the exam's: seen throughout. The others are seen mostly at the beginning (``wide_share``)."""
WEIGHT = {"mcscript": 1.0, "inscript": 1.0, "descript": 0.5, "rocstories": 0.5, "inscript-labels": 1.0}


class Task(NamedTuple):
    """A gap as token ids, what is missing, and what may be said (labels only)."""

    id: str
    corpus: str
    ids: Ids
    key: int
    text: Ids
    allowed: tuple[int, ...] = ()


class Vocabulary(NamedTuple):
    """Verbs and (scenario, label) pairs in the order of the heads."""

    verbs: list[str]
    labels: list[tuple[str, str]]


MATRICES = ("qkv", "o", "gu", "down")


class Deep(nn.Module):
    """The pretrained body (as models/smollm2.py runs it) with adapters beside its four packed matrices a layer, and two heads: tables of
    vectors that start as the word pieces of their words.

    Adapters are kept twice, in full precision for the optimizer and as working copies in the body's own: no casts in the graph. Each step adds them
    to their matrices first, which costs less than a second path for every token.
    """

    def __init__(self, file: Gguf, encode: Any, vocabulary: Vocabulary, rank: int, device: str) -> None:
        super().__init__()
        state, meta = llama_state(file), file.metadata
        kind = torch.bfloat16 if device == "cuda" else torch.float32
        self.heads, self.shared = int(meta["llama.attention.head_count"]), int(meta["llama.attention.head_count_kv"])
        self.eps = float(meta["llama.attention.layer_norm_rms_epsilon"])

        def put(*names: str) -> torch.Tensor:
            return torch.from_numpy(np.concatenate([state[name] for name in names])).to(device, kind)

        self.embedding, self.norm = put("model.embed_tokens.weight"), put("model.norm.weight")
        self.size = self.embedding.shape[1]
        self.width = self.size // self.heads
        self.layers = llama_layers(int(meta["llama.block_count"]), put)
        self.cos, self.sin = (one.to(device, kind) for one in rotation(meta, self.width))
        pieces = torch.from_numpy(state["model.embed_tokens.weight"])

        def table(phrases: Sequence[str]) -> nn.Parameter:
            return nn.Parameter(torch.stack([pieces[encode(" " + one)].mean(0) for one in phrases]))

        self.verbs = table([one.replace("_", " ") for one in vocabulary.verbs])
        self.labels = table([phrase(label) for _, label in vocabulary.labels] or ["nothing"])
        self.verbs_bias = nn.Parameter(torch.zeros(len(self.verbs)))
        self.labels_bias = nn.Parameter(torch.zeros(len(self.labels)))
        self.low = nn.ParameterDict()
        for number, layer in enumerate(self.layers):
            for name in MATRICES:
                rows, columns = layer[name].shape
                self.low[f"{number}_{name}_down"] = nn.Parameter(torch.randn(rank, columns) / columns**0.5)
                self.low[f"{number}_{name}_up"] = nn.Parameter(torch.zeros(rows, rank))
        self.to(device)
        self.work = {name: weight.detach().to(kind).requires_grad_() for name, weight in self.low.items()}

    @torch.no_grad()
    def gather(self) -> None:
        """The working copies' gradients to the kept weights."""
        for weight in self.low.values():
            if weight.grad is None:
                weight.grad = torch.zeros_like(weight)
        torch._foreach_copy_([weight.grad for weight in self.low.values()], [self.work[name].grad for name in self.low])
        for copy in self.work.values():
            copy.grad = None

    @torch.no_grad()
    def spread(self) -> None:
        """The kept weights to the working copies."""
        torch._foreach_copy_([self.work[name] for name in self.low], list(self.low.values()))

    def times(self, x: torch.Tensor, number: int, name: str) -> torch.Tensor:
        up, down = (self.work[f"{number}_{name}_{part}"] for part in ("up", "down"))
        return F.linear(x, torch.addmm(self.layers[number][name], up, down, alpha=SCALE))

    def states(self, tokens: torch.Tensor) -> torch.Tensor:
        """(b, t) -> (b, t, d); pads stand at the end, so a causal network never sees them."""
        batch, length = tokens.shape
        heads, shared = self.heads, self.shared
        x = F.embedding(tokens, self.embedding)
        cos, sin = self.cos[:length, None], self.sin[:length, None]  # (t, 1, width)
        for number, layer in enumerate(self.layers):
            a = self.times(F.rms_norm(x, (self.size,), layer["n1"], self.eps), number, "qkv").view(batch, length, heads + 2 * shared, self.width)
            qk, v = a[:, :, : heads + shared], a[:, :, heads + shared :].transpose(1, 2)
            turned = torch.cat([-qk[..., self.width // 2 :], qk[..., : self.width // 2]], -1)
            qk = (qk * cos + turned * sin).transpose(1, 2)
            a = F.scaled_dot_product_attention(qk[:, :heads], qk[:, heads:], v, is_causal=True, enable_gqa=True)
            x = x + self.times(a.transpose(1, 2).reshape(batch, length, self.size), number, "o")
            gate, up = self.times(F.rms_norm(x, (self.size,), layer["n2"], self.eps), number, "gu").chunk(2, -1)
            x = x + self.times(F.silu(gate) * up, number, "down")
        return F.rms_norm(x, (self.size,), self.norm, self.eps)

    def head(self, at_gap: torch.Tensor, labels: bool) -> torch.Tensor:
        """(b, d) -> (b, v)"""
        at_gap = F.dropout(at_gap.float(), DROP, self.training)
        if labels:
            return at_gap @ self.labels.T + self.labels_bias
        return at_gap @ self.verbs.T + self.verbs_bias


def lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def vocabulary(rows: Sequence[dict[str, Any]], least: int) -> Vocabulary:
    """Verbs seen at least so often in train, commonest first, and InScript's labels."""
    counted = Counter(verb for row in rows if row["split"] == "train" for verb in row.get("verbs", ()) if verb)
    labels = sorted({(row["scenario"], row["key"]) for row in rows if row["split"] == "train" and "key" in row})
    return Vocabulary([verb for verb, n in counted.most_common() if n >= least], labels)


def tasks(rows: Sequence[dict[str, Any]], words: Vocabulary, encode: Any, hide: float, seed: int) -> Iterator[Task]:
    """All gaps of some rows; ``hide`` is the share of scenario names that are not told."""
    verb = {one: number for number, one in enumerate(words.verbs)}
    label = {one: number for number, one in enumerate(words.labels)}
    of_scenario: dict[str, list[str]] = defaultdict(list)
    for scenario, one in words.labels:
        of_scenario[scenario].append(one)
    draw = random.Random(seed)
    for row in rows:
        scenario = "" if draw.random() < hide else row["scenario"]
        if "key" in row:
            told = set(row["told"])
            allowed = tuple(label[row["scenario"], one] for one in of_scenario[row["scenario"]] if one not in told)
            gap = Gap(row["scenario"], tuple(row["before"]), tuple(row["after"]))
            yield Task(row["id"], row["corpus"], np.array(ids(gap, encode), np.uint16), label.get((row["scenario"], row["key"]), -1), np.zeros(0, np.uint16), allowed)
            continue
        said = row["sentences"]
        for number, one in enumerate(row["verbs"]):
            if not one or len(said) < 3 or (row["split"] == "train" and one not in verb):
                continue
            gap = Gap(scenario, tuple(said[:number]), tuple(said[number + 1 :]))
            text = np.array([*encode(" " + said[number])[:30], PRECEDES], np.uint16)
            yield Task(f"{row['id']}.{number}", row["corpus"], np.array(ids(gap, encode), np.uint16), verb.get(one, -1), text)


def batches(some: Sequence[Task], tokens: int, seed: int | None) -> list[list[Task]]:
    """Batches of one kind and about one length, in random order (or as they come, for answers)."""
    made: list[list[Task]] = []
    draw = random.Random(seed)
    for labels in (False, True):
        mine = [one for one in some if bool(one.allowed) == labels]
        noise = {id(one): draw.random() * 16 for one in mine} if seed is not None else {}
        mine.sort(key=lambda one: len(one.ids) + len(one.text) + noise.get(id(one), 0.0))
        batch: list[Task] = []
        for one in mine:
            size = len(one.ids) + len(one.text)
            if batch and (len(batch) + 1) * size > tokens:
                made.append(batch)
                batch = []
            batch.append(one)
        if batch:
            made.append(batch)
    if seed is not None:
        draw.shuffle(made)
    return made


class Pool:
    """Batches of some tasks, again and again, each time in another order."""

    def __init__(self, some: Sequence[Task], tokens: int, seed: int) -> None:
        self.tasks, self.tokens, self.seed = some, tokens, seed
        self.held: list[list[Task]] = []
        self.size = len(batches(some, tokens, seed)) if some else 0
        self.given = 0

    def next(self) -> list[Task]:
        """The next batch."""
        if not self.held:
            self.seed += 100
            self.held = batches(self.tasks, self.tokens, self.seed)
        self.given += 1
        return self.held.pop()

    @property
    def seen(self) -> float:
        """How often all of it was given."""
        return self.given / max(1, self.size)


def wide_share(part: float) -> float:
    """How many batches are of the wide corpora, at a part of the training: 0.2 in all."""
    return 0.5 * (1 - 2 * part) if part < 0.4 else 0.17 * (1 - part)


class Batch(NamedTuple):
    """Tasks of one kind as tensors; pads stand at the end, so a causal network never sees them."""

    tokens: torch.Tensor  # (b, t)
    gap: torch.Tensor  # (b,) where the network stands
    key: torch.Tensor  # (b,)
    weight: torch.Tensor  # (b,)
    told: torch.Tensor  # (3, n) row, place and piece of what is told
    mask: torch.Tensor | None  # (b, v) what may not be said (labels)

    @classmethod
    def of(cls, some: Sequence[Task], labels: int, tell: bool, draw: np.random.Generator) -> Batch:
        """``labels``: how many there are; ``tell``: the missing sentences stand behind the gaps."""
        whole = [np.concatenate([one.ids, one.text]) if tell else one.ids for one in some]
        tokens = np.full((len(some), max(map(len, whole))), GAP, np.int64)
        for row, one in zip(tokens, whole, strict=True):
            row[: len(one)] = one
        told = np.zeros((3, 0), np.int64)
        if tell:
            sizes = [len(one.text) for one in some]
            place = np.concatenate([len(one.ids) - 1 + np.arange(len(one.text)) for one in some])
            told = np.stack([np.repeat(np.arange(len(some)), sizes), place, np.concatenate([one.text for one in some])])
            told = draw.permutation(told, axis=1)[:, :TOLD]
        mask = None
        if some[0].allowed:
            mask = np.full((len(some), labels), -1e4, np.float32)
            for number, one in enumerate(some):
                mask[number, list(one.allowed)] = 0
        return cls(
            torch.from_numpy(tokens), torch.tensor([len(one.ids) - 1 for one in some]), torch.tensor([one.key for one in some]),
            torch.tensor([WEIGHT[one.corpus] for one in some]), torch.from_numpy(np.ascontiguousarray(told, np.int64)),
            None if mask is None else torch.from_numpy(mask),
        )  # fmt: skip

    def to(self, device: str) -> Batch:
        """The same where the network is, without waiting for it."""
        if device == "cpu":
            return self
        return Batch(*(one if one is None else one.pin_memory().to(device, non_blocking=True) for one in self))


def ahead(made: Iterator[Batch], size: int = 6) -> Iterator[Batch]:
    """The same, made by another thread while the network works."""
    line: Queue[Batch] = Queue(size)

    def fill() -> None:
        for one in made:
            line.put(one)

    Thread(target=fill, daemon=True).start()
    while True:
        yield line.get()


def scores(net: Deep, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-chances of the head (b, v) and the loss of telling the missing sentences."""
    states = net.states(batch.tokens)
    logits = net.head(states[torch.arange(len(batch.gap), device=batch.gap.device), batch.gap], batch.mask is not None)
    if batch.mask is not None:
        logits = logits + batch.mask
    loss = torch.zeros((), device=logits.device)
    if batch.told.shape[1]:
        row, place, piece = batch.told
        loss = F.cross_entropy((states[row, place] @ net.embedding.T).float(), piece)
    return F.log_softmax(logits, -1), loss


class Answers(NamedTuple):
    """Of some tasks the likeliest answers (n, k), their log-chances, and the key's rank (infinite where it is unknown)."""

    id: np.ndarray
    top: np.ndarray
    logp: np.ndarray
    rank: np.ndarray

    def __str__(self) -> str:
        rank = self.rank
        return f"r@1 {(rank <= 1).mean():.4f} r@10 {(rank <= 10).mean():.4f} mrr {(1 / rank).mean():.4f} n {len(rank)}"


@torch.no_grad()
def answers(net: Deep, some: Sequence[Task], tokens: int, device: str, most: int) -> Answers:
    """What the network says of tasks of one kind, in their order."""
    net.eval()
    number = {id(one): n for n, one in enumerate(some)}
    order: list[int] = []
    found: list[tuple[torch.Tensor, ...]] = []
    for batch in batches(some, tokens, None):
        made = Batch.of(batch, len(net.labels), False, np.random.default_rng(0)).to(device)
        logp, _ = scores(net, made)
        key = logp.gather(1, made.key.clamp(min=0)[:, None])
        rank = torch.where(made.key < 0, torch.inf, 1.0 + (logp > key).sum(1))
        best = logp.topk(min(most, logp.shape[1]), 1)
        found.append((best.indices.short(), best.values.half(), rank))
        order += [number[id(one)] for one in batch]
    net.train()
    top, logp, rank = (torch.cat(part).cpu().numpy() for part in zip(*found, strict=True))
    back = np.argsort(order)
    return Answers(np.array([one.id for one in some]), top[back].astype(np.uint16), logp[back], rank[back])


def left_out(row: dict[str, Any], fold: tuple[int, int] | None) -> bool:
    """Is a story in the fold that is predicted?"""
    return fold is not None and crc32(row["id"].split(".")[0].encode()) % fold[1] == fold[0]


def weights(net: Deep) -> dict[str, np.ndarray]:
    """The learned arrays in half precision."""
    made = {name: getattr(net, name).detach().cpu().numpy().astype(np.float16) for name in ("verbs", "labels", "verbs_bias", "labels_bias")}
    for name, weight in net.low.items():
        factor = SCALE if name.endswith("_up") else 1.0
        made[name.replace("_", ".")] = (weight.detach().cpu().numpy() * factor).astype(np.float16)
    return made


@torch.no_grad()
def resume(net: Deep, path: Path, words: Vocabulary) -> None:
    """Take weights that were kept."""
    with np.load(path) as kept:
        if list(kept["words"]) != words.verbs:
            raise ValueError(f"{path} knows other verbs than these rows.")
        for name in ("verbs", "verbs_bias"):
            getattr(net, name).copy_(torch.from_numpy(kept[name].astype(np.float32)))
        for name, weight in net.low.items():
            factor = SCALE if name.endswith("_up") else 1.0
            weight.copy_(torch.from_numpy(kept[name.replace("_", ".")].astype(np.float32)) / factor)
    net.spread()


def encoder(tokenizer: Any, rows: Sequence[dict[str, Any]]) -> Callable[[str], list[int]]:
    """Text -> token ids; what the rows hold is encoded at once, by all cores."""
    texts = {" " + text for row in rows for name in ("sentences", "before", "after") for text in row.get(name, ())}
    known = dict(zip(texts, (one.ids for one in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)), strict=True))

    def encode(text: str) -> list[int]:
        if text not in known:
            known[text] = tokenizer.encode(text, add_special_tokens=False).ids
        return known[text]

    return encode


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=Path, required=True)
    options.add_argument("--gguf", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--name", default="deep")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--fold", default="", help="e.g. 0/2: leave out and predict this part of the stories")
    options.add_argument("--rank", type=int, default=16)
    options.add_argument("--rate", type=float, default=4e-4)
    options.add_argument("--least", type=int, default=3)
    options.add_argument("--epochs", type=float, default=3, help="how often the near corpora are seen")
    options.add_argument("--labels", choices=("no", "too", "only"), default="no", help="InScript's labels: not, beside the verbs, or alone")
    options.add_argument("--start", type=Path, default=None, help="go on from these weights")
    options.add_argument("--tell", type=float, default=0.3, help="weight of telling the missing sentence")
    options.add_argument("--tokens", type=int, default=16384, help="a step")
    options.add_argument("--seconds", type=float, default=420, help="the schedule ends here at the latest")
    options.add_argument("--wide", action=argparse.BooleanOptionalAction, default=True, help="with --fold, predict ROCStories as well")
    options.add_argument("--smoke", action="store_true")
    args = options.parse_args()
    begun = time.time()

    def log(text: str) -> None:
        print(f"[{time.time() - begun:5.0f} s] {args.name}: {text}", flush=True)

    def save(answered: Answers, name: str, said: Sequence[Any]) -> None:
        np.savez_compressed(args.out / f"{args.name}-{name}.npz", id=answered.id, top=answered.top, logp=answered.logp, rank=answered.rank,
                            words=np.array(said))  # fmt: skip

    args.out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(args.seed)
    fold = tuple(map(int, args.fold.split("/"))) if args.fold else None
    rows = lines(args.rows)
    words = vocabulary(rows, args.least)
    rows = [row for row in rows if args.labels == "too" or ("key" in row) == (args.labels == "only")]
    if args.smoke:
        rows = rows[::499]
    encode = encoder(load_tokenizer(args.gguf), rows)
    train = [row for row in rows if row["split"] == "train" and not left_out(row, fold)]
    dev = list(tasks([row for row in rows if row["split"] == "dev"], words, encode, 0.0, 0))
    held = list(tasks([row for row in rows if row["split"] == "train" and left_out(row, fold)], words, encode, 0.0, 0))
    by_corpus: dict[str, list[Task]] = defaultdict(list)
    for one in tasks(train, words, encode, 0.1, args.seed):
        by_corpus[one.corpus].append(one)
    log(f"{ {name: len(some) for name, some in by_corpus.items()} }, {len(words.verbs)} verbs, dev {len(dev)}, held {len(held)}")
    net = Deep(Gguf(args.gguf), encode, words, args.rank, device)
    if args.start:
        resume(net, args.start, words)
    adapters, heads = list(net.low.values()), [net.verbs, net.labels, net.verbs_bias, net.labels_bias]
    optimizer = torch.optim.AdamW([*adapters, *heads], lr=args.rate, weight_decay=0.01, fused=device == "cuda")
    near = Pool([one for name, some in by_corpus.items() if name in NEAR for one in some], args.tokens, args.seed)
    wide = Pool([one for name, some in by_corpus.items() if name not in NEAR for one in some], args.tokens, args.seed + 1)
    steps = 3 if args.smoke else max(1, round(args.epochs * near.size / (1 - 0.2 * (wide.size > 0))))
    log(f"{near.size} + {wide.size} batches, {steps} steps planned, {sum(p.numel() for p in adapters) / 1e6:.2f} M in adapters")
    asked = {"verbs": [one for one in dev if not one.allowed], "labels": [one for one in dev if one.allowed]}
    done = [0.0]  # part of the schedule, also seen by the thread that makes the batches

    def drawn() -> Iterator[Batch]:
        draw, tell = random.Random(args.seed), np.random.default_rng(args.seed)
        while True:
            pool = wide if wide.size and draw.random() < wide_share(done[0]) else near
            yield Batch.of(pool.next(), len(net.labels), args.tell > 0, tell)

    def check(last: bool = False) -> None:
        for kind, some in asked.items():
            if some:
                found = answers(net, some, args.tokens * 2, device, DEV_TOP)
                log(f"dev {kind} {found}")
                if last:
                    save(found, f"dev-{kind}", words.verbs if kind == "verbs" else words.labels)

    def keep() -> None:
        np.savez_compressed(args.out / f"{args.name}.npz", **weights(net), words=np.array(words.verbs), names=np.array(words.labels),
                            rank=np.int64(args.rank), seed=np.int64(args.seed))  # fmt: skip

    net.train()
    lost, step, start, checks = torch.zeros(2, device=device), 0, time.time(), [0.33, 0.67]
    for batch in ahead(drawn()):
        for group in optimizer.param_groups:
            group["lr"] = args.rate * min(1.0, (step + 1) / 40) * (1 - done[0])
        batch = batch.to(device)
        logp, telling = scores(net, batch)
        loss = (F.nll_loss(logp, batch.key, reduction="none") * batch.weight).mean()
        (loss + args.tell * telling).backward()
        net.gather()
        nn.utils.clip_grad_norm_([*adapters, *heads], 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        net.spread()
        lost += torch.stack([loss.detach(), telling.detach()])
        step += 1
        done[0] = max(step / steps, (time.time() - start) / args.seconds)
        if step % 100 == 0 or args.smoke:
            log(f"step {step} loss and telling {(lost / (1 if args.smoke else 100)).tolist()}")
            lost.zero_()
        if checks and done[0] > checks[0]:
            check()
            if len(checks) == 1 and not fold:
                keep()
            checks.pop(0)
        if done[0] >= 1:
            break
    log(f"{step} steps, {near.seen:.1f} times the near corpora, {wide.seen:.1f} times the wide ones")
    check(last=True)
    if not fold:
        keep()
    for name, some, most in (
        ("held-verbs", [one for one in held if one.corpus in NEAR and not one.allowed], NEAR_TOP),
        ("held-labels", [one for one in held if one.allowed], NEAR_TOP),
        ("held-wide", [one for one in held if one.corpus == "rocstories" and args.wide], WIDE_TOP),
    ):
        if some:
            found = answers(net, some, args.tokens * 2, device, most)
            log(f"{name} {found}")
            save(found, name, words.labels if name == "held-labels" else words.verbs)
    log("done")


if __name__ == "__main__":
    main()
