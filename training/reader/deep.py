"""OntoGUM and LitBank as arrays -> the pair network of the reader `deep` (`training.reader.deep_net`), on a GPU.

`pack` runs here, on our own parses; the rest where only torch, transformers and numpy are installed. Writes one file of low-rank
matrices and heads per run, and the scores of every pair of the dev documents, which `scored` turns into CoNLL F1 here.
"""

from __future__ import annotations

import io
import json
import lzma
import random
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from scenarist.reading.parser.network import ParserNetwork
from training.reader.deep_net import DeepPairs, Encoder, LowRank

VECTOR = 100
"""the last columns of a mention's own numbers are its head's static vector, which does not travel: the carried network has it"""
NETWORK = Path(__file__).parents[2] / "src" / "scenarist" / "resources" / "reader" / "network.npz"
STEPS = 16
"""of 1, in which features that are no yes or no travel"""
FAR = ("sentence 0", "sentence 1", "sentence 2", "sentence 3", "sentence 4-5", "sentence 6-9", "sentence 10-")
DERIVED = (*FAR, "log sentences", "log mentions", "log tokens", "none between")
"""features that follow from where the mentions stand: they do not travel"""
PLACES = ("first", "last", "head", "sentence", "governor")
Doc = dict[str, Any]


def derived(doc: Doc) -> dict[str, np.ndarray]:
    """The features of ``DERIVED``, as `scenarist.reading.coref.pairs` has them (`pack` compares)."""
    mine, its = doc["mine"], doc["its"]
    far = doc["sentence"][mine] - doc["sentence"][its]
    bands = [far == 0, far == 1, far == 2, far == 3, (far > 3) & (far < 6), (far > 5) & (far < 10), far > 9]
    return dict(zip(FAR, bands, strict=True)) | {
        "log sentences": np.log1p(far) / 2,
        "log mentions": np.log1p(mine - its) / 3,
        "log tokens": np.log1p(np.abs(doc["head"][mine] - doc["head"][its])) / 4,
        "none between": mine - its == 1,
    }


def pack(train: Sequence[Any], dev: Sequence[Any], out: Path) -> None:
    """Documents of `training.reader.coreference` -> one file (xz); dev documents come last."""
    from scenarist.reading.coref.pairs import FEATURES

    arrays: dict[str, np.ndarray] = {}
    names: list[str] = []
    words: list[list[str]] = []
    seen = np.concatenate([doc.features for doc in train])
    kept = np.array([name not in DERIVED for name in FEATURES])
    real = kept & ((seen != 0) & (seen != 1)).any(0)
    flag = kept & ~real
    for doc in chain(train, dev):
        here = {key: getattr(doc.mentions, key).astype("int16") for key in PLACES} | {
            "own": doc.own[:, :-VECTOR].astype("float16").T,
            "mine": np.diff(doc.mine, prepend=0).astype("uint8"),
            "its": (doc.mine - doc.its).astype("uint16"),
            "flags": np.packbits(doc.features[:, flag].astype(bool), axis=0).T,
            "reals": np.round((doc.features[:, real] + 1) * STEPS).astype("uint8").T,
            "gold": doc.gold.astype("int16"),
        }
        arrays |= {f"{len(names)}/{key}": np.ascontiguousarray(value) for key, value in here.items()}
        names.append(doc.name)
        words.append(doc.words)
    heads = [doc.mentions.heads for doc in chain(train, dev)]
    meta = {"names": names, "words": words, "heads": heads, "train": len(train), "features": FEATURES}
    meta |= {"reals": np.flatnonzero(real).tolist(), "flags": np.flatnonzero(flag).tolist()}
    plain = io.BytesIO()
    np.savez(plain, meta=np.frombuffer(json.dumps(meta).encode(), dtype="uint8"), **arrays)
    out.write_bytes(lzma.compress(plain.getvalue()))
    for made, doc in zip(chain(*unpack(out)), chain(train, dev), strict=True):
        assert (made["its"] == doc.its).all() and (made["mine"] == doc.mine).all()
        assert np.abs(made["features"] - doc.features).max(initial=0) <= 0.6 / STEPS


def unpack(path: Path) -> tuple[list[Doc], list[Doc]]:
    """-> train and dev documents: names, words and float or integer arrays."""
    docs, network = [], ParserNetwork(NETWORK)
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as arrays:
        meta = json.loads(arrays["meta"].tobytes())
        for number, name in enumerate(meta["names"]):
            doc: Doc = {key: arrays[f"{number}/{key}"].astype("int64") for key in (*PLACES, "gold", "mine", "its")}
            doc["mine"] = np.cumsum(doc["mine"])
            doc["its"] = doc["mine"] - doc["its"]
            features = np.zeros((len(doc["mine"]), len(meta["features"])), dtype="float32")
            features[:, meta["flags"]] = np.unpackbits(arrays[f"{number}/flags"].T, axis=0, count=len(features))
            features[:, meta["reals"]] = arrays[f"{number}/reals"].T.astype("float32") / STEPS - 1
            for column, values in derived(doc).items():
                features[:, meta["features"].index(column)] = values
            own = arrays[f"{number}/own"].T.astype("float32")
            vectors = network.vectors(meta["heads"][number])
            doc |= {"own": np.concatenate([own, vectors], 1), "features": features}
            doc["governor"] = np.where(doc["governor"] < 0, doc["head"], doc["governor"])
            docs.append(doc | {"name": name, "words": meta["words"][number]})
    return docs[: meta["train"]], docs[meta["train"] :]


def loss_of(scores: torch.Tensor, new: torch.Tensor, doc: Doc, cost_new: float) -> torch.Tensor:
    """Marginal likelihood of the right antecedents, *new* where there is none (as `coreference.loss_of`)."""
    mine, gold = doc["mine"], doc["gold"]
    right = (gold[mine] == gold[doc["its"]]) & (gold[mine] >= 0)
    scores, new = scores.float().clamp(-25, 25), new.float().clamp(-25, 25)
    total = torch.zeros_like(new).index_add(0, mine, scores.exp()) + new.exp()
    good = torch.zeros_like(new).index_add(0, mine, scores.exp() * right)
    first = good <= 0
    good = torch.where(first, new.exp(), good)
    weight = torch.where(gold == -2, 0.0, torch.where(first, cost_new, 1.0))
    return ((total.log() - good.log()) * weight).sum() / weight.sum().clamp(min=1)


def accuracy(scores: np.ndarray, new: np.ndarray, doc: Doc) -> tuple[int, int, int]:
    """(right links, links said, links in the key) where a mention takes its best pair: a quick look while training."""
    mine, its, gold = (doc[key].cpu().numpy() for key in ("mine", "its", "gold"))
    best = np.full(len(gold), -np.inf)
    np.maximum.at(best, mine, scores)
    chosen = (scores >= best[mine]) & (scores > new[mine])
    right = chosen & (gold[mine] == gold[its]) & (gold[mine] >= 0)
    can = np.zeros(len(gold), dtype=bool)
    can[mine[(gold[mine] == gold[its]) & (gold[mine] >= 0)]] = True
    return int(right.sum()), int((chosen & (gold[mine] != -2)).sum()), int(can.sum())


class Run:
    """One training run."""

    def __init__(
        self, data: Path, encoder: Path, *, seed: int, rank: int, rate: float, epochs: int, device: str, most: int
    ) -> None:
        torch.manual_seed(seed)
        self.rng, self.epochs, self.device = random.Random(seed), epochs, device
        train, dev = (part[:most] for part in unpack(data))
        base = Encoder(encoder, rank)
        for doc in (*train, *dev):
            doc["pieces"] = base.pieces(doc["words"])
            doc["last"] = doc["last"] - 1
            for key in (*PLACES, "own", "mine", "its", "features", "gold"):
                doc[key] = torch.from_numpy(doc[key]).to(device)
        self.train, self.dev = [doc for doc in train if len(doc["mine"])], dev
        self.net = DeepPairs(base, train[0]["own"].shape[1], train[0]["features"].shape[1]).to(device)
        inner = [one for one in base.model.parameters() if one.requires_grad]
        known = {id(one) for one in inner}
        rest = [one for one in self.net.parameters() if one.requires_grad and id(one) not in known]
        self.groups = [{"params": inner, "lr": rate}, {"params": rest, "lr": 1e-3}]
        self.best = -1.0

    def scores(self, doc: Doc) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda"):
            words = self.net.encoder(doc["pieces"])
            places = [doc[key] for key in ("first", "last", "head", "governor")]
            known = self.net.mentions(words, places, doc["own"])
            found: tuple[torch.Tensor, torch.Tensor] = self.net(known, doc["mine"], doc["its"], doc["features"])
        return found

    def fit(self, out: Path, seconds: float, cost_new: float, log: Any = print) -> None:
        """Trains; the epoch with the best links on dev leaves ``out``.npz (weights) and ``out``-dev.npz (scores of the dev documents)."""
        optimizer = torch.optim.AdamW(self.groups, weight_decay=0.03, betas=(0.9, 0.98))
        rates = [group["lr"] for group in optimizer.param_groups]
        steps, step, part, begun = self.epochs * (len(self.train) // 2), 0, 0.0, time.time()
        for epoch in range(self.epochs):
            self.net.train()
            self.rng.shuffle(self.train)
            total = 0.0
            for base in range(0, len(self.train) - 1, 2):
                part = max(step / steps, (time.time() - begun) / seconds)
                for group, rate in zip(optimizer.param_groups, rates, strict=True):
                    group["lr"] = rate * min(1.0, (step + 1) / 60) * max(0.01, 1 - part)
                for doc in self.train[base : base + 2]:
                    loss = loss_of(*self.scores(doc), doc, cost_new) / 2
                    loss.backward()
                    total += float(loss.detach())
                nn.utils.clip_grad_norm_([one for group in self.groups for one in group["params"]], 1.0)
                optimizer.step()
                optimizer.zero_grad()
                step += 1
                if part >= 1:
                    break
            if total != total:
                raise SystemExit(f"{out.name}: the loss is no number")
            log(
                out.name,
                "epoch",
                epoch + 1,
                round(total, 2),
                "s",
                round(time.time() - begun),
                self.look(out),
                flush=True,
            )
            if part >= 1:
                return

    @torch.no_grad()
    def look(self, out: Path) -> dict[str, float]:
        self.net.eval()
        kept, sums = {}, np.zeros(3)
        for number, doc in enumerate(self.dev):
            scores, new = (one.float().cpu().numpy() for one in self.scores(doc))
            kept |= {f"{number}/scores": scores.astype("float16"), f"{number}/new": new.astype("float16")}
            if doc["name"].startswith("GUM"):
                sums += accuracy(scores, new, doc)
        found = float(2 * sums[0] / max(1, sums[1] + sums[2]))
        if found > self.best:
            self.best = found
            np.savez_compressed(out.with_name(out.name + "-dev.npz"), **kept)
            self.save(out)
        return {"links_f1": round(found, 4)}

    def save(self, out: Path) -> None:
        """Heads and low-rank matrices in half precision (a fully trained encoder is not kept)."""
        inner = {f"encoder.{name}" for name, one in self.net.encoder.named_modules() if isinstance(one, LowRank)}
        kept = {
            name: value.detach().cpu().numpy().astype("float16")
            for name, value in self.net.state_dict().items()
            if not name.startswith("encoder.") or name == "encoder.mix" or name.rpartition(".")[0] in inner
        }
        np.savez_compressed(out.with_suffix(".npz"), **kept)


def train_one(
    data: Path,
    encoder: Path,
    out: Path,
    seed: int = 1,
    *,
    rank: int = 32,
    rate: float = 3e-4,
    epochs: int = 7,
    seconds: float = 1e9,
    cost_new: float = 1.0,
    most: int = 10**6,
) -> None:
    """``most`` documents of each part (a smoke test has few)."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    run = Run(data, encoder, seed=seed, rank=rank, rate=rate, epochs=epochs, device=device, most=most)
    run.fit(out, seconds, cost_new)


if __name__ == "__main__":
    import sys

    given = dict(one.split("=", 1) for one in sys.argv[1:])
    kinds = {"seed": int, "rank": int, "rate": float, "epochs": int, "seconds": float, "cost_new": float, "most": int}
    settings = {key: kind(given[key]) for key, kind in kinds.items() if key in given}
    train_one(Path(given["data"]), Path(given["encoder"]), Path(given["out"]), **settings)
