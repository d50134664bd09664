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
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from scenarist.models.gap_text import GAP, PRECEDES, Gap, ids, phrase
from scenarist.models.gguf import Gguf, llama_layers, llama_state, load_tokenizer, rotation

SCALE = 2.0
"""Factor on what the adapters add."""
NEAR = ("mcscript", "inscript", "inscript-labels")
"""Corpora like the exam's: seen throughout. The others are seen mostly at the beginning (``wide_share``)."""
WEIGHT = {"mcscript": 1.0, "inscript": 1.0, "descript": 0.5, "rocstories": 0.5, "inscript-labels": 1.0}


class Task(NamedTuple):
    """A gap as token ids, what is missing, and what may not be said (labels only)."""

    id: str
    corpus: str
    ids: list[int]
    key: int
    text: list[int]
    allowed: tuple[int, ...] = ()


class Vocabulary(NamedTuple):
    """Verbs and (scenario, label) pairs in the order of the heads."""

    verbs: list[str]
    labels: list[tuple[str, str]]


MATRICES = ("qkv", "o", "gu", "down")


class Deep(nn.Module):
    """The pretrained body (as models/smollm2.py runs it) with adapters beside its four packed matrices a layer, and two heads: tables of
    vectors that start as the word pieces of their words.

    Adapters are kept twice, in full precision for the optimizer and as working copies in the body's own: no casts in the graph.
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
        for name, weight in self.low.items():
            weight.grad = None if self.work[name].grad is None else self.work[name].grad.float()
            self.work[name].grad = None

    @torch.no_grad()
    def spread(self) -> None:
        """The kept weights to the working copies."""
        for name, weight in self.low.items():
            self.work[name].copy_(weight)

    def times(self, x: torch.Tensor, number: int, name: str) -> torch.Tensor:
        low = F.linear(x, self.work[f"{number}_{name}_down"])
        return F.linear(x, self.layers[number][name]) + F.linear(low, self.work[f"{number}_{name}_up"]) * SCALE

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
        at_gap = at_gap.float()
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
            yield Task(row["id"], row["corpus"], ids(gap, encode), label.get((row["scenario"], row["key"]), -1), [], allowed)
            continue
        said = row["sentences"]
        for number, one in enumerate(row["verbs"]):
            if not one or len(said) < 3 or (row["split"] == "train" and one not in verb):
                continue
            gap = Gap(scenario, tuple(said[:number]), tuple(said[number + 1 :]))
            text = [*encode(" " + said[number])[:30], PRECEDES]
            yield Task(f"{row['id']}.{number}", row["corpus"], ids(gap, encode), verb.get(one, -1), text)


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


def padded(batch: Sequence[Task], with_text: bool, device: str) -> torch.Tensor:
    whole = [[*one.ids, *one.text] if with_text else one.ids for one in batch]
    longest = max(map(len, whole))
    return torch.tensor([row + [GAP] * (longest - len(row)) for row in whole], device=device)


def scores(net: Deep, batch: Sequence[Task], device: str, told: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-chances of the head (b, v) and, where ``told``, the loss of telling the missing sentence."""
    tokens = padded(batch, told, device)
    states = net.states(tokens)
    row = torch.arange(len(batch), device=device)
    gap = torch.tensor([len(one.ids) - 1 for one in batch], device=device)
    labels = bool(batch[0].allowed)
    logits = net.head(states[row, gap], labels)
    if labels:
        mask = torch.full_like(logits, -1e4)
        for number, one in enumerate(batch):
            mask[number, list(one.allowed)] = 0
        logits = logits + mask
    loss = torch.zeros((), device=device)
    if told and not labels:
        at = [(n, len(one.ids) - 1 + k, piece) for n, one in enumerate(batch) for k, piece in enumerate(one.text)]
        where = torch.tensor(at, device=device)
        said = states[where[:, 0], where[:, 1]] @ net.embedding.T
        loss = F.cross_entropy(said.float(), where[:, 2])
    return F.log_softmax(logits, -1), loss


@torch.no_grad()
def answers(net: Deep, some: Sequence[Task], tokens: int, device: str) -> dict[str, np.ndarray]:
    """Log-chances (n, v) of tasks of one kind in their order."""
    net.eval()
    number = {id(one): n for n, one in enumerate(some)}
    found: dict[int, np.ndarray] = {}
    for batch in batches(some, tokens, None):
        logp, _ = scores(net, batch, device)
        for one, line in zip(batch, logp.float().cpu().numpy(), strict=True):
            found[number[id(one)]] = line.astype(np.float16)
    net.train()
    logp = np.stack([found[n] for n in range(len(some))]) if some else np.zeros((0, 1), np.float16)
    return {"id": np.array([one.id for one in some]), "logp": logp}


def recall(logp: np.ndarray, keys: Sequence[int]) -> str:
    """recall@1, @10 and MRR of log-chances."""
    ranks = np.array([np.inf if key < 0 else 1 + (line > line[key]).sum() for line, key in zip(logp.astype(np.float32), keys, strict=True)])
    return f"r@1 {(ranks <= 1).mean():.4f} r@10 {(ranks <= 10).mean():.4f} mrr {(1 / ranks).mean():.4f} n {len(ranks)}"


def left_out(row: dict[str, Any], fold: tuple[int, int] | None) -> bool:
    """Is a scenario story in the fold that is predicted?"""
    return fold is not None and bool(row["scenario"]) and crc32(row["id"].split(".")[0].encode()) % fold[1] == fold[0]


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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=Path, required=True)
    options.add_argument("--gguf", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--name", default="deep")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--fold", default="", help="e.g. 0/2: leave out and predict this part of the scenario stories")
    options.add_argument("--rank", type=int, default=16)
    options.add_argument("--rate", type=float, default=4e-4)
    options.add_argument("--least", type=int, default=3)
    options.add_argument("--epochs", type=float, default=4, help="how often the near corpora are seen")
    options.add_argument("--labels", action=argparse.BooleanOptionalAction, default=True, help="learn InScript's labels as well")
    options.add_argument("--start", type=Path, default=None, help="go on from these weights")
    options.add_argument("--tell", type=float, default=0.3, help="weight of telling the missing sentence")
    options.add_argument("--tokens", type=int, default=16384)
    options.add_argument("--minutes", type=float, default=7.0, help="the schedule ends here at the latest")
    options.add_argument("--smoke", action="store_true")
    args = options.parse_args()
    begun = time.time()

    def log(text: str) -> None:
        print(f"[{time.time() - begun:5.0f} s] {args.name}: {text}", flush=True)

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(args.seed)
    fold = tuple(map(int, args.fold.split("/"))) if args.fold else None
    tokenizer = load_tokenizer(args.gguf)

    @cache
    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False).ids)

    rows = [row for row in lines(args.rows) if args.labels or "key" not in row]
    words = vocabulary(rows, args.least)
    if args.smoke:
        rows = rows[::499]
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
    optimizer = torch.optim.AdamW([*adapters, *heads], lr=args.rate, weight_decay=0.01)
    near = Pool([one for name, some in by_corpus.items() if name in NEAR for one in some], args.tokens, args.seed)
    wide = Pool([one for name, some in by_corpus.items() if name not in NEAR for one in some], args.tokens, args.seed + 1)
    steps = 2 if args.smoke else round(args.epochs * near.size / (1 - 0.2 * (wide.size > 0)))
    if args.smoke:
        dev, held = dev[:3] + dev[-3:], held[:2] + held[-2:]
    log(f"{near.size} + {wide.size} batches, {steps} steps planned, {sum(p.numel() for p in adapters) / 1e6:.2f} M in adapters")
    limit = args.minutes * 60
    start = time.time()
    lost: list[tuple[float, float]] = []
    checks = [0.33, 0.67]
    mc, labelled = [one for one in dev if not one.allowed], [one for one in dev if one.allowed]

    def check() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        found = tuple(answers(net, some, args.tokens * 2, device) for some in (mc, labelled))
        for kind, some, one in zip(("verbs", "labels"), (mc, labelled), found, strict=True):
            if some:
                log(f"dev {kind} {recall(one['logp'], [task.key for task in some])}")
        return found[0], found[1]

    net.train()
    draw = random.Random(args.seed)
    part, step = 0.0, 0
    while part < 1:
        batch = (wide if wide.size and draw.random() < wide_share(part) else near).next()
        factor = min(1.0, (step + 1) / 40) * (1 - part)
        for group in optimizer.param_groups:
            group["lr"] = args.rate * factor
        logp, telling = scores(net, batch, device, told=args.tell > 0)
        key = torch.tensor([one.key for one in batch], device=device)
        weight = torch.tensor([WEIGHT[one.corpus] for one in batch], device=device)
        loss = (F.nll_loss(logp, key, reduction="none") * weight).mean()
        (loss + args.tell * telling).backward()
        net.gather()
        nn.utils.clip_grad_norm_([*adapters, *heads], 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        net.spread()
        lost.append((float(loss.detach()), float(telling.detach())))
        step += 1
        part = max(step / steps, (time.time() - start) / limit)
        if step % 100 == 0 or args.smoke:
            log(f"step {step} loss {np.mean([a for a, _ in lost]):.3f} telling {np.mean([b for _, b in lost]):.3f}")
            lost = []
        if checks and part > checks[0]:
            checks.pop(0)
            check()
    log(f"{step} steps, {near.seen:.1f} times the near corpora, {wide.seen:.1f} times the wide ones")
    found = check()
    args.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(args.out / f"{args.name}-dev.npz", verbs_id=found[0]["id"], verbs=found[0]["logp"], labels_id=found[1]["id"],
                        labels=found[1]["logp"], words=np.array(words.verbs), names=np.array(words.labels))  # fmt: skip
    if held:
        for kind, some in (("verbs", [t for t in held if not t.allowed]), ("labels", [t for t in held if t.allowed])):
            if not some:
                continue
            told = answers(net, some, args.tokens * 2, device)
            log(f"held {kind} {recall(told['logp'], [one.key for one in some])}")
            top = np.argsort(-told["logp"].astype(np.float32), 1)[:, :50].astype(np.uint16)
            chosen = np.take_along_axis(told["logp"], top, 1)
            said = words.verbs if kind == "verbs" else words.labels
            np.savez_compressed(args.out / f"{args.name}-held-{kind}.npz", id=told["id"], top=top, logp=chosen, words=np.array(said))
    else:
        np.savez_compressed(args.out / f"{args.name}.npz", **weights(net), words=np.array(words.verbs), names=np.array(words.labels),
                            rank=np.int64(args.rank), seed=np.int64(args.seed))  # fmt: skip
    log("done")


if __name__ == "__main__":
    main()
