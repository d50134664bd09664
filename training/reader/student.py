"""Labelled sentences -> the reader's network: word and affix vectors, two BiLSTM layers, and small heads (torch, CPU or GPU).

Deep biaffine attention after Dozat and Manning (2017), made small enough to run in numpy: arcs and labels, part of speech
(UPOS/XPOS), entity type and realis read the same states. Learns from gold sentences and, where a teacher's labels are given,
from sentences labelled by a larger network. Departures: hashed affixes and shape instead of characters, no tag embeddings.
"""

from __future__ import annotations

import gzip
import json
import queue
import random
import re
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from training.reader import exchange
from training.reader.augment import manner, noun_or_verb, swapped

Row = dict[str, Any]
KEYS = "tderh"
PREFIXES, SUFFIXES, SHAPES = 4096, 8192, 512
SIZES = {"word": 100, "prefix": 24, "suffix": 40, "shape": 16, "state": 128, "arc": 128, "label": 48}
ROLE = {"nsubj": "s", "nsubj:pass": "s", "nsubj:outer": "s", "obj": "o", "iobj": "o"}


def shape(word: str) -> str:
    """`Mia's` -> `Xx'x`: runs of at most two alike, so that case and digits show."""
    short = re.sub(r"[^\W\d_]", lambda found: "X" if found[0].isupper() else "x", word[:20])
    return re.sub(r"(.)\1\1+", r"\1\1", re.sub(r"\d", "d", short))


def affixes(word: str) -> tuple[int, int, int]:
    """A word -> rows of the hashed tables for its first three and last three letters, and its shape."""
    lower = word.lower()
    return (
        zlib.crc32(lower[:3].encode()) % PREFIXES,
        zlib.crc32(("$" + lower)[-4:].encode()) % SUFFIXES,
        zlib.crc32(shape(word).encode()) % SHAPES,
    )


class Words:
    """Known words, and a number for any form; ``rows[number]`` are its four rows. Number 0 is padding."""

    def __init__(self, words: list[str]) -> None:
        self.words = words  # row 0 is for the unknown
        self.row = {word: place + 1 for place, word in enumerate(words)}
        self.number: dict[str, int] = {}
        self.rows = np.zeros((1024, 4), dtype=np.int64)
        self.lock = threading.Lock()

    def __call__(self, form: str) -> int:
        found = self.number.get(form)
        return self._add(form) if found is None else found

    def _add(self, form: str) -> int:
        with self.lock:  # batches are made by a thread while dev is scored
            number = len(self.number) + 1
            if number == len(self.rows):
                self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
            self.rows[number] = (self.row.get(form.lower().replace("’", "'"), 0), *affixes(form))
            return self.number.setdefault(form, number)


class Batch(NamedTuple):
    """Sentences side by side; ``order`` and ``sizes`` pack their words for a recurrence without a look at the mask."""

    rows: torch.Tensor
    """[B, N, 4]"""
    mask: torch.Tensor
    """[B, N]"""
    order: torch.Tensor
    """[words], places in [B * N]: all first words, longest sentence first, then all second words, ..."""
    sizes: torch.Tensor
    """sentences that have a first word, a second, ...; on the CPU"""


def packed(mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mask [B, N] -> ``order`` and ``sizes`` of a Batch."""
    longest_first = np.argsort(-mask.sum(1), kind="stable")
    at, sentence = np.nonzero(mask[longest_first].T)
    return longest_first[sentence] * mask.shape[1] + at, mask.sum(0)


def recurrence(lstm: nn.LSTM, x: torch.Tensor, order: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    """x [B, N, D] through an LSTM that stops at the end of each sentence -> [B, N, 2H], zeros behind the end."""
    packed = nn.utils.rnn.PackedSequence(x.flatten(0, 1).index_select(0, order), sizes)
    states = lstm(packed)[0].data
    spread = states.new_zeros(x.shape[0] * x.shape[1], states.shape[1]).index_copy(0, order, states)
    return spread.view(x.shape[0], x.shape[1], -1)


class Net(nn.Module):
    def __init__(self, vectors: np.ndarray, labels: dict[str, list[str]], dropout: float, state: int) -> None:
        super().__init__()
        size = dict(SIZES, state=state)
        table = torch.zeros(len(vectors) + 1, size["word"])
        table[1:] = torch.tensor(vectors)
        self.word = nn.Embedding.from_pretrained(table, freeze=False)
        self.prefix, self.suffix = nn.Embedding(PREFIXES, size["prefix"]), nn.Embedding(SUFFIXES, size["suffix"])
        self.shape = nn.Embedding(SHAPES, size["shape"])
        for one in (self.prefix, self.suffix, self.shape):
            nn.init.normal_(one.weight, std=0.1)
        wide = size["word"] + size["prefix"] + size["suffix"] + size["shape"]
        self.lstm1 = nn.LSTM(wide, state, 1, batch_first=True, bidirectional=True)
        self.lstm2 = nn.LSTM(2 * state, state, 1, batch_first=True, bidirectional=True)
        out = 2 * state
        self.root = nn.Parameter(torch.randn(out) * 0.1)
        self.tag, self.etype, self.realis = (
            nn.Linear(out, len(labels["t"])),
            nn.Linear(out, len(labels["e"])),
            nn.Linear(out, 2),
        )
        self.arc_dep, self.arc_head = nn.Linear(out, size["arc"]), nn.Linear(out, size["arc"])
        self.label_dep, self.label_head = nn.Linear(out, size["label"]), nn.Linear(out, size["label"])
        self.arc = nn.Parameter(torch.zeros(size["arc"] + 1, size["arc"]))
        self.label = nn.Parameter(torch.zeros(size["label"] + 1, len(labels["d"]), size["label"] + 1))
        self.drop = dropout

    def forward(self, batch: Batch) -> dict[str, Any]:
        rows, mask, order, sizes = batch
        x = torch.cat(
            [self.word(rows[..., 0]), self.prefix(rows[..., 1]), self.suffix(rows[..., 2]), self.shape(rows[..., 3])],
            -1,
        )
        x = self._drop(x)
        for lstm in (self.lstm1, self.lstm2):
            x = self._drop(recurrence(lstm, x, order, sizes))
        z = torch.cat([self.root.expand(len(x), 1, -1), x], 1)  # [B, N+1, 2H]
        dep, head = self._leaky(self.arc_dep(x)), self._leaky(self.arc_head(z))
        arc = (dep @ self.arc[:-1] + self.arc[-1]) @ head.transpose(1, 2)  # [B, N, N+1]
        allowed = torch.cat([torch.ones_like(mask[:, :1]), mask], 1)[:, None, :].expand_as(arc).clone()
        places = torch.arange(mask.shape[1], device=mask.device)
        allowed[:, places, places + 1] = False
        arc = arc.masked_fill(~allowed, -1e9)
        return {
            "t": self.tag(x),
            "e": self.etype(x),
            "r": self.realis(x),
            "h": arc,
            "pair": (self._leaky(self.label_dep(x)), self._leaky(self.label_head(z))),
        }

    def labels(self, pair: tuple[torch.Tensor, torch.Tensor], heads: torch.Tensor) -> torch.Tensor:
        dep, head = pair
        head = head.gather(1, heads.clamp(min=0)[..., None].expand(-1, -1, head.shape[-1]))
        dep = torch.cat([dep, torch.ones_like(dep[..., :1])], -1)
        head = torch.cat([head, torch.ones_like(head[..., :1])], -1)
        return torch.einsum("bni,ioj,bnj->bno", dep, self.label, head)

    def _leaky(self, x: torch.Tensor) -> torch.Tensor:
        return self._drop(F.leaky_relu(x, 0.1))

    def _drop(self, x: torch.Tensor) -> torch.Tensor:
        """One mask for all words of a sentence."""
        if not self.training or not self.drop:
            return x
        keep = torch.full((x.shape[0], 1, x.shape[2]), 1 - self.drop, device=x.device, dtype=x.dtype)
        return x * torch.bernoulli(keep) / (1 - self.drop)


def read(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def prepare(sentences: list[Row], labels: dict[str, list[str]]) -> list[Row]:
    """Label strings -> numbers; heads count from 1, 0 is the root; -100 is unknown."""
    index = {key: {label: place for place, label in enumerate(values)} for key, values in labels.items()}
    for sentence in sentences:
        size = len(sentence["w"])
        for key in "tde":
            found = sentence.get(key)
            sentence[key + "_"] = [-100] * size if found is None else [index[key].get(one, -100) for one in found]
        sentence["h_"] = (
            [0 if head == place else head + 1 for place, head in enumerate(sentence["h"])]
            if "h" in sentence
            else [-100] * size
        )
        sentence["r_"] = [{"E": 0, "O": 1}[one] for one in sentence["r"]] if "r" in sentence else [-100] * size
        sentence["y_"] = np.array([sentence[key + "_"] for key in KEYS], dtype=np.int16)
    return sentences


def batches(sentences: list[Row], size: int, rng: random.Random | None) -> list[list[Row]]:
    order = list(range(len(sentences)))
    if rng:
        rng.shuffle(order)
    chunk = 8192
    order = [
        i
        for base in range(0, len(order), chunk)
        for i in sorted(order[base : base + chunk], key=lambda i: len(sentences[i]["w"]))
    ]
    cut: list[list[Row]] = [[]]
    longest = 0
    for i in order:
        length = len(sentences[i]["w"])
        longest = max(longest, length)
        if cut[-1] and longest * (len(cut[-1]) + 1) > size:
            cut.append([])
            longest = length
        cut[-1].append(sentences[i])
    if rng:
        rng.shuffle(cut)
    return cut


def tensors(
    batch: list[Row], words: Words, rng: random.Random | None, device: str, both: list[str] | None = None
) -> tuple[Batch, dict[str, torch.Tensor]]:
    longest = max(len(sentence["w"]) for sentence in batch)
    forms = np.zeros((len(batch), longest), dtype=np.int32)
    gold = np.full((len(KEYS), len(batch), longest), -100, dtype=np.int64)
    for place, sentence in enumerate(batch):
        size = len(sentence["w"])
        said = sentence["w"]
        if rng:
            said = swapped(said, sentence["t"], both or [], rng) if "t" in sentence else said
            said = manner(said, rng.random())
        if said is not sentence["w"]:
            forms[place, :size] = [words(form) for form in said]
        else:
            if sentence.get("of_") is not words:  # another network numbers its forms otherwise
                sentence["of_"], sentence["x_"] = words, np.array([words(form) for form in said], dtype=np.int32)
            forms[place, :size] = sentence["x_"]
        gold[:, place, :size] = sentence["y_"]
    mask = forms > 0
    rows = words.rows[forms]
    if rng:
        unknown = np.random.default_rng(rng.getrandbits(32)).random(mask.shape) < 0.08
        rows[..., 0][unknown] = 0
    order, sizes = packed(mask)
    given = Batch(onto(rows, device), onto(mask, device), onto(order, device), torch.from_numpy(sizes))
    return given, dict(zip(KEYS, onto(gold, device), strict=True))


def onto(array: np.ndarray, device: str) -> torch.Tensor:
    """An array on the device; a GPU fetches it while it works on."""
    made = torch.from_numpy(array)
    return made.pin_memory().to(device, non_blocking=True) if device == "cuda" else made


def ahead(made: Iterator[Any], many: int = 8) -> Iterator[Any]:
    """The same things, made by a thread some steps before they are wanted."""
    shelf: queue.Queue[Any] = queue.Queue(many)
    end = object()

    def work() -> None:
        try:
            for one in made:
                shelf.put(one)
            shelf.put(end)
        except BaseException as error:  # it is raised where the things are wanted
            shelf.put(error)

    threading.Thread(target=work, daemon=True).start()
    while (one := shelf.get()) is not end:
        if isinstance(one, BaseException):
            raise one
        yield one


def loss_of(scores: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(scores.flatten(0, 1).float(), gold.flatten(), ignore_index=-100, reduction="sum") / (
        (gold >= 0).sum().clamp(min=1)
    )


@torch.no_grad()
def answers(net: Net, sentences: list[Row], words: Words, device: str) -> Iterator[tuple[Row, dict[str, np.ndarray]]]:
    """Each sentence with what the network says of it (heads by plain argmax)."""
    net.eval()
    for batch in batches(sentences, 8000, None):
        out = net(tensors(batch, words, None, device)[0])
        heads = out["h"].argmax(-1)
        said = {key: out[key].argmax(-1) for key in "te"} | {"h": heads, "d": net.labels(out["pair"], heads).argmax(-1)}
        said["r"] = torch.softmax(out["r"], -1)[..., 0]
        arrays = {key: value.cpu().numpy() for key, value in said.items()}
        for place, sentence in enumerate(batch):
            yield sentence, {key: value[place, : len(sentence["w"])] for key, value in arrays.items()}


def score(
    net: Net, sentences: list[Row], words: Words, labels: dict[str, list[str]], device: str
) -> dict[str, dict[str, float]]:
    """Dev figures by group, on given tokens and sentence ends."""
    return tally(answers(net, sentences, words, device), labels)


def triples(heads: Any, deps: list[str], tags: list[str]) -> set[tuple[int, str, int]]:
    """(verb, role, argument); heads count from 1."""
    return {
        (int(head), ROLE[dep], place)
        for place, (head, dep) in enumerate(zip(heads, deps, strict=True))
        if head and dep in ROLE and tags[head - 1].startswith("VERB/")
    }


def tally(
    answered: Iterable[tuple[Row, dict[str, np.ndarray]]], labels: dict[str, list[str]]
) -> dict[str, dict[str, float]]:
    """Rows and answers -> figures by group."""
    count: Counter[tuple[str, str]] = Counter()
    for row, said in answered:
        for group in {row["g"], row["g"].split("-")[0]}:
            if "h" in row:
                tags, deps = [labels["t"][one] for one in said["t"]], [labels["d"][one] for one in said["d"]]
                right = said["h"] == np.array(row["h_"])
                same = np.array([a.split(":")[0] == b.split(":")[0] for a, b in zip(deps, row["d"], strict=True)])
                count[group, "n"] += len(tags)
                count[group, "upos"] += sum(
                    a.split("/")[0] == b.split("/")[0] for a, b in zip(tags, row["t"], strict=True)
                )
                count[group, "uas"] += int(right.sum())
                count[group, "las"] += int((right & same).sum())
                guess, gold = triples(said["h"], deps, tags), triples(row["h_"], row["d"], row["t"])
                count[group, "tp"] += len(guess & gold)
                count[group, "pg"] += len(guess) + len(gold)
            if "e" in row:
                pairs = [(a, labels["e"][b]) for a, b in zip(row["e"], said["e"], strict=True) if a not in ("", "O")]
                count[group, "en"] += len(pairs)
                count[group, "er"] += sum(a == b for a, b in pairs)
            if "r" in row:
                got, true = said["r"] > 0.5, np.array([one == "E" for one in row["r"]])
                count[group, "rtp"] += int((got & true).sum())
                count[group, "rpg"] += int(got.sum() + true.sum())
    figures: dict[str, dict[str, float]] = {}
    for group in sorted({group for group, _ in count}):
        row = figures.setdefault(group, {})
        if count[group, "n"]:
            row |= {key: round(count[group, key] / count[group, "n"], 4) for key in ("upos", "uas", "las")}
            row["core"] = round(2 * count[group, "tp"] / max(1, count[group, "pg"]), 4)
        if count[group, "en"]:
            row["types"] = round(count[group, "er"] / count[group, "en"], 4)
        if count[group, "rpg"]:
            row["realis"] = round(2 * count[group, "rtp"] / count[group, "rpg"], 4)
    return figures


def fit(
    gold: list[Row],
    silver: list[Row],
    dev: list[Row],
    vectors: Path,
    out: Path,
    *,
    seed: int = 1,
    seconds: float = 1e9,
    epochs: float = 12,
    repeat: int = 3,
    batch: int = 3000,
    rate: float = 2e-3,
    dropout: float = 0.33,
    state: int = 128,
    device: str = "cpu",
    log: Any = print,
    every: float = 90,
    start: Path | None = None,
    both: list[str] | None = None,
) -> dict[str, dict[str, float]]:
    """Trains and writes `out` (npz). An epoch is all silver and `repeat` times the gold; the schedule ends at `seconds` at the latest.

    ``start`` is a network to go on from, with its own words and labels; ``both`` are words to put in the place of others (`augment.swapped`).
    """
    rng = random.Random(seed)
    torch.manual_seed(seed)
    labels = {key: sorted({one for sentence in gold for one in sentence.get(key, []) if one}) for key in "tde"}
    if start:
        words, labels, net = load(start, dropout)
    else:
        with np.load(vectors) as arrays:
            words = Words(str(arrays["words"]).split("\n"))
            net = Net(arrays["rows"].astype("float32") * arrays["scale"][:, None], labels, dropout, state)
    prepare(gold, labels), prepare(silver, labels), prepare(dev, labels)
    net = net.to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=rate, betas=(0.9, 0.95), fused=device == "cuda")
    pool = (silver + gold * repeat) if silver else gold
    steps = int(epochs * len(batches(pool, batch, random.Random(0))))
    warm = min(300, steps // 10 + 1)
    average = {name: value.detach().clone() for name, value in net.state_dict().items()}
    begun, step, part, said = time.time(), 0, 0.0, time.time()
    while part < 1.0:
        for given, truth in ahead(tensors(cut, words, rng, device, both) for cut in batches(pool, batch, rng)):
            part = max(step / steps, (time.time() - begun) / seconds)
            if part >= 1.0:
                break
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, (step + 1) / warm) * max(0.02, 1.0 - part)
            net.train()
            found = net(given)
            deps = net.labels(found["pair"], truth["h"])
            loss = (
                loss_of(found["h"], truth["h"])
                + loss_of(deps, truth["d"])
                + loss_of(found["t"], truth["t"])
                + 0.5 * loss_of(found["e"], truth["e"])
                + 0.5 * loss_of(found["r"], truth["r"])
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            step += 1
            if step % 10 == 0:
                decay = min(0.99, step / (step + 100))
                for name, value in net.state_dict().items():
                    average[name].mul_(decay).add_(value, alpha=1 - decay)
            if time.time() - said > every:
                said = time.time()
                log("step", step, "of", steps, "part", round(part, 3), score(net, dev, words, labels, device))
                save(net, words, labels, out)
    net.load_state_dict(average)
    figures = score(net, dev, words, labels, device)
    log("done", step, figures)
    save(net, words, labels, out)
    return figures


def train_one(work: Path, seed: int, seconds: float) -> None:
    """One network from the files of ``work`` -> network{seed}.npz and its dev figures, network{seed}.json.

    With a teacher's labels it is the mean of a long run and a short one that goes on from it (`polish`)."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    gold, dev = read(work / "train.jsonl.gz"), read(work / "dev.jsonl.gz")
    found, out = work / "silver.npz", work / f"network{seed}.npz"
    silver = list(exchange.silver(work / "raw.jsonl.gz", found)) if found.exists() else []
    both = noun_or_verb(chain(gold, silver), verbs(work))
    say = partial(print, f"seed {seed}:", flush=True)
    say(f"{len(gold)} gold sentences, {len(silver)} of the teacher, {len(both)} words of both classes")
    long = work / f"long{seed}.npz" if silver else out
    figures = fit(
        gold,
        silver,
        dev,
        work / "vectors.npz",
        long,
        seed=seed,
        seconds=seconds,
        epochs=12 if silver else 25,
        repeat=4,
        batch=16_000 if silver else 3000,
        rate=4e-3 if silver else 2e-3,
        dropout=0.25 if silver else 0.33,
        device=device,
        both=both,
        log=say,
    )
    if silver:
        short = work / f"short{seed}.npz"
        polish(gold, silver, dev, long, short, both, seconds / 6, device, say)
        mean(long, short, out)
        words, labels, net = load(out)
        figures = score(net.to(device), dev, words, labels, device)
        say("mean of both", figures)
    (work / f"network{seed}.json").write_text(json.dumps(figures), encoding="utf-8")


def verbs(work: Path) -> list[str]:
    """WordNet's verbs of one word, as the stage `rows` left them."""
    path = work / "verbs.txt"
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def rarely(rows: list[Row], share: float = 0.3, least: int = 4) -> list[Row]:
    """The rows that use a word in the rarer of its two classes, noun or verb (*the sailors began to row*)."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for word, tag in zip(row["w"], row["t"], strict=True):
            if tag.startswith(("NOUN/", "VERB/")):
                counts.setdefault(word.lower(), Counter())[tag[:4]] += 1
    rare = {
        (word, kind)
        for word, count in counts.items()
        for kind, number in count.items()
        if count.total() >= least and number <= share * count.total()
    }
    return [
        row
        for row in rows
        if any((word.lower(), tag[:4]) in rare for word, tag in zip(row["w"], row["t"], strict=True))
    ]


def polish(
    gold: list[Row],
    silver: list[Row],
    dev: list[Row],
    start: Path,
    out: Path,
    both: list[str],
    seconds: float,
    device: str,
    log: Any,
) -> None:
    """Goes on from a network for an epoch of gold sentences, the teacher's with rare uses of words, and as many others."""
    rare = rarely(silver)
    others = random.Random(9).sample(silver, min(len(rare), len(silver)))
    log(f"polished on {len(gold)} gold sentences, {len(rare)} with a rare use of a word, {len(others)} others")
    fit(
        gold, rare + others, dev, start, out, seed=9, seconds=seconds, epochs=1, repeat=1, batch=3000, rate=6e-4, dropout=0.2,
        device=device, start=start, both=both, log=log,
    )  # fmt: skip


def mean(one: Path, other: Path, out: Path) -> None:
    """The mean of two networks of one family (one went on from the other): steadier than either (Wortsman et al. 2022)."""
    with np.load(one) as a, np.load(other) as b:
        if str(a["words"]) != str(b["words"]) or str(a["labels"]) != str(b["labels"]):
            raise SystemExit(f"{one} and {other} do not know the same words and labels")
        arrays = {
            name: ((a[name].astype("float32") + b[name].astype("float32")) / 2).astype("float16")
            for name in a.files
            if a[name].dtype == np.float16
        }
        table = sum(half["word/rows"].astype("float32") * half["word/scale"][:, None] for half in (a, b)) / 2
        write(out, arrays, table, str(a["words"]), str(a["labels"]))


def best(work: Path) -> Path:
    """The network with the best dev figures: core arguments on EWT, GUM and its fiction, and realis."""

    def worth(path: Path) -> float:
        found = json.loads(path.read_text(encoding="utf-8"))
        return float(sum(found[group]["core"] for group in ("ewt", "gum", "gum-fiction")) + found["litbank"]["realis"])

    return max(sorted(work.glob("network?.json")), key=worth).with_suffix(".npz")


def load(path: Path, dropout: float = 0.0) -> tuple[Words, dict[str, list[str]], Net]:
    """What `save` wrote -> its words, labels and network."""
    with np.load(path) as arrays:
        labels = json.loads(str(arrays["labels"]))
        known = {
            name.replace("/", "."): torch.tensor(arrays[name].astype("float32"))
            for name in arrays.files
            if arrays[name].dtype == np.float16
        }
        table = arrays["word/rows"].astype("float32") * arrays["word/scale"][:, None]
        words = Words(str(arrays["words"]).split("\n"))
    net = Net(table[1:], labels, dropout, known["lstm1.weight_hh_l0"].shape[1])
    net.load_state_dict(known | {"word.weight": torch.tensor(table)})
    return words, labels, net


def save(net: Net, words: Words, labels: dict[str, list[str]], out: Path) -> None:
    """Half precision, word rows in 8 bits: what `scenarist.reading.net` reads."""
    arrays = {
        name.replace(".", "/"): value.detach().cpu().numpy().astype("float16")
        for name, value in net.state_dict().items()
    }
    table = arrays.pop("word/weight").astype("float32")
    write(out, arrays, table, "\n".join(words.words), json.dumps(labels))


def write(out: Path, arrays: dict[str, np.ndarray], table: np.ndarray, words: str, labels: str) -> None:
    """The file that `scenarist.reading.net` reads; word rows in 8 bits."""
    scale = np.abs(table).max(1) / 127 + 1e-9
    rows = np.round(table / scale[:, None]).astype("int8")
    named = arrays | {"word/rows": rows, "word/scale": scale.astype("float32")}
    np.savez_compressed(out, words=np.array(words), labels=np.array(labels), **named)
