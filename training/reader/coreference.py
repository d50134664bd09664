"""Documents with parses and gold clusters -> the pair network of `scenarist.reading.coref.pairs` (torch)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from scenarist.metrics.coreference import b_cubed, ceaf, muc
from scenarist.reading.coref.mentions import Mentions, find
from scenarist.reading.coref.pairs import FEATURES, Pairs, PairScorer, numbers, own, slices
from scenarist.reading.coref.resolve import MARGIN, admitted, link
from scenarist.story import Story


@dataclass
class Document:
    """A document as the network sees it; ``gold[m]`` is the cluster of a candidate, -1 for none, -2 for not annotated."""

    name: str
    mentions: Mentions
    own: np.ndarray
    mine: np.ndarray
    its: np.ndarray
    features: np.ndarray
    gold: np.ndarray
    clusters: list[list[tuple[int, int]]]
    words: list[str]


Said = Callable[[Document], tuple[np.ndarray, np.ndarray]]
"""a document -> the scores of its pairs, and of its mentions being new"""


def document(
    name: str,
    story: Story,
    kinds: Sequence[str],
    clusters: list[list[tuple[int, int]]],
    vectors: Callable[[list[str]], np.ndarray],
    closed: bool,
) -> Document:
    """``closed``: what is not annotated is a singleton (OntoGUM); else it is unknown (LitBank marks six types only)."""
    mentions = find(story, kinds)
    words = [story.of(token) for token in story.tokens]
    where = {span: number for number, cluster in enumerate(clusters) for span in cluster}
    gold = np.array(
        [where.get((int(a), int(b)), -1 if closed else -2) for a, b in zip(mentions.first, mentions.last, strict=True)]
    )
    every = np.arange(len(mentions))
    alone = own(mentions, every, numbers(mentions), vectors(mentions.heads))
    parts = [part.pairs for part in slices(mentions, vectors)]
    none = Pairs(every[:0], every[:0], np.zeros((0, len(FEATURES)), dtype=np.float32))
    made = Pairs(*(np.concatenate(column) for column in zip(none, *parts, strict=True)))
    return Document(name, mentions, alone, made.mine, made.its, made.features, gold, clusters, words)


class PairNet(nn.Module):
    def __init__(self, width: int, hidden: int = 128, deep: int = 48) -> None:
        super().__init__()
        self.new1, self.new2 = nn.Linear(width, 64), nn.Linear(64, 1)
        self.mine, self.its = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.pair = nn.Linear(len(FEATURES), hidden)
        self.deep, self.out = nn.Linear(hidden, deep), nn.Linear(deep, 1)
        self.drop = nn.Dropout(0.3)
        self.weak = nn.Dropout(0.2)

    def forward(
        self, own: torch.Tensor, mine: torch.Tensor, its: torch.Tensor, features: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        own = self.weak(own)
        new = self.new2(self.drop(torch.relu(self.new1(own))))[:, 0]
        hidden = self.drop(torch.relu(self.mine(own)[mine] + self.its(own)[its] + self.pair(features)))
        return self.out(self.drop(torch.relu(self.deep(hidden))))[:, 0], new

    def arrays(self) -> dict[str, np.ndarray]:
        names = {
            "new1.weight": "new1",
            "new1.bias": "new1_bias",
            "new2.weight": "new2",
            "new2.bias": "new2_bias",
            "mine.weight": "mine",
            "its.weight": "its",
            "pair.weight": "pair",
            "pair.bias": "pair_bias",
            "deep.weight": "deep",
            "deep.bias": "deep_bias",
            "out.weight": "out",
            "out.bias": "out_bias",
        }
        return {
            names[key]: (value.T if value.ndim == 2 else value).detach().numpy().astype("float32")
            for key, value in self.state_dict().items()
        }


def loss_of(net: PairNet, doc: Document, cost_new: float) -> torch.Tensor:
    """Marginal likelihood of the right antecedents, *new* included where there is none (Lee et al. 2017)."""
    mine, its = torch.from_numpy(doc.mine), torch.from_numpy(doc.its)
    scores, new = net(torch.from_numpy(doc.own), mine, its, torch.from_numpy(doc.features))
    gold = torch.from_numpy(doc.gold)
    right = (gold[mine] == gold[its]) & (gold[mine] >= 0)
    none = torch.full((len(gold),), -1e9)
    size = len(gold)
    # log-sum-exp per mention over its pairs and *new*; numbers stay small enough to sum plainly
    scores, new = scores.clamp(-25, 25), new.clamp(-25, 25)
    total = torch.zeros(size).index_add(0, mine, scores.exp()) + new.exp()
    good = torch.zeros(size).index_add(0, mine, scores.exp() * right)
    first = good <= 0
    good = torch.where(first, new.exp(), good)
    weight = torch.where(gold == -2, 0.0, torch.where(first, cost_new, 1.0))
    del none
    return ((total.log() - good.log()) * weight).sum() / max(1.0, float(weight.sum()))


def train(
    docs: list[Document],
    dev: list[Document],
    *,
    seed: int = 1,
    epochs: int = 20,
    rate: float = 1e-3,
    cost_new: float = 0.6,
    log: Any = print,
    say: int = 5,
) -> dict[str, np.ndarray]:
    torch.manual_seed(seed)
    rng = random.Random(seed)
    net = PairNet(docs[0].own.shape[1])
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3)
    order = list(docs)
    for epoch in range(epochs):
        rng.shuffle(order)
        net.train()
        total = 0.0
        for group in optimizer.param_groups:
            group["lr"] = rate * (1 - epoch / epochs)
        for base in range(0, len(order), 2):
            loss = sum(loss_of(net, doc, cost_new) for doc in order[base : base + 2] if len(doc.mine)) / 2
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            total += float(loss.detach())
        if epoch % say == say - 1:
            log(
                epoch + 1,
                round(total, 3),
                {key: round(100 * value, 2) for key, value in score(by(net.arrays()), dev).items()},
            )
    return net.arrays()


def by(arrays: dict[str, np.ndarray]) -> Said:
    """Scores by a pair network."""
    scorer = PairScorer.__new__(PairScorer)
    scorer.weights = arrays

    def said(doc: Document) -> tuple[np.ndarray, np.ndarray]:
        my, other, new = scorer.alone(doc.own)
        return scorer.pairs(my, other, doc.mine, doc.its, doc.features), new

    return said


def predict(said: Said, doc: Document, margin: float = MARGIN) -> list[set[tuple[int, int]]]:
    """-> clusters of token spans, singletons kept."""
    scores, new = said(doc)
    good = admitted(doc.mentions, Pairs(doc.mine, doc.its, doc.features), scores, new, margin)
    antecedent, _ = link(doc.mentions, [good], new, {})  # who is called out to in a quotation is left to the reader
    root = list(range(len(antecedent)))
    found: dict[int, set[tuple[int, int]]] = {}
    for place, other in enumerate(antecedent):
        if other >= 0:
            root[place] = root[other]
        found.setdefault(root[place], set()).add((int(doc.mentions.first[place]), int(doc.mentions.last[place])))
    return list(found.values())


def score(
    said: Said,
    docs: list[Document],
    margin: float = MARGIN,
    singletons: bool = False,
    only: str = "",
) -> dict[str, float]:
    """Sums over documents, then F1 (without singletons unless asked for)."""
    sums: dict[str, np.ndarray] = {}
    for doc in docs:
        if only and only not in doc.name:
            continue
        least = 1 if singletons else 2
        key = [set(cluster) for cluster in doc.clusters if len(cluster) >= least]
        response = [cluster for cluster in predict(said, doc, margin) if len(cluster) >= least]
        for name, count in (("muc", muc), ("b3", b_cubed), ("ceaf", ceaf), ("mention", _found)):
            sums[name] = sums.get(name, 0) + np.array(count(key, response))
    out = {}
    for name, (rn, rd, pn, pd) in sums.items():
        recall, precision = rn / max(rd, 1e-9), pn / max(pd, 1e-9)
        out[name] = 2 * recall * precision / max(recall + precision, 1e-9)
        if name == "mention":
            out["mention_r"], out["mention_p"] = recall, precision
    out["conll"] = (out["muc"] + out["b3"] + out["ceaf"]) / 3
    return out


def _found(key: Any, response: Any) -> tuple[float, float, float, float]:
    a, b = {span for cluster in key for span in cluster}, {span for cluster in response for span in cluster}
    return float(len(a & b)), float(len(a)), float(len(a & b)), float(len(b))


def save(arrays: dict[str, np.ndarray], path: Path) -> None:
    np.savez_compressed(path, **{key: value.astype("float16") for key, value in arrays.items()})
