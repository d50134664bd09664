"""The weights that were carried before a build, and what the build made of each seed -> one table, marked by the same code on dev.

A figure is kept as counts a document, [documents, parts, 4]: right and all of the key, right and all of the answer; so two networks
can be compared on the same documents drawn again and again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from scenarist.metrics.coreference import b_cubed, ceaf, muc
from scenarist.metrics.parsing import CoreF1
from scenarist.reading.coref.pairs import PairScorer
from scenarist.reading.parser.network import ParserNetwork
from scenarist.reading.parser.parse import Parser
from training.reader import coreference, documents, measure, treebank

Counts = dict[str, np.ndarray]
"""figure -> counts a document"""
TREES = ("core arguments, EWT", "core arguments, GUM", "core arguments, GUM fiction", "realis events, LitBank")
LINKS = ("CoNLL, OntoGUM", "CoNLL, its fiction", "CoNLL, LitBank without singletons")


def f1(counts: np.ndarray) -> np.ndarray:
    """Counts summed over documents [..., parts, 4] -> the mean F1 of the parts, in per cent."""
    found, key, right, said = np.moveaxis(counts, -1, 0)
    recall, precision = found / np.maximum(key, 1e-9), right / np.maximum(said, 1e-9)
    mean: np.ndarray = 100 * (2 * recall * precision / np.maximum(recall + precision, 1e-9)).mean(-1)
    return mean


def reader(network: Path) -> Parser:
    """The package's parser with another network."""
    made = Parser()
    made.network = ParserNetwork(network)
    return made


def trees(network: Path, treebanks: Path, litbank: Path) -> Counts:
    """A network on given words and sentence ends."""
    parser, out = reader(network), defaultdict(list)
    for bank in ("EWT", "GUM"):
        for name, blocks in measure.paragraphs(treebanks / f"en_{bank.lower()}-ud-dev.conllu.gz").items():
            story = measure.gold_story(blocks, "\n\n")
            given = next(parser.words([[story.words(one) for one in story.sentences]])).story
            marks = measure.marked(CoreF1(), story, measure.moved(story, given))
            counts = [[marks["right"], marks["gold"], marks["right"], marks["guessed"]]]
            out[f"core arguments, {bank}"].append(counts)
            if bank == "GUM" and treebank.genre(name) == "fiction":
                out["core arguments, GUM fiction"].append(counts)
    for block in treebank.litbank(litbank / "train", dev=True):
        read = next(parser.words([[[word.form for word in sentence] for sentence in block.sentences]]))
        truth = np.array([word.realis == "E" for sentence in block.sentences for word in sentence])
        said = np.array(read.realis) > 0.5
        right = (truth & said).sum()
        out["realis events, LitBank"].append([[right, truth.sum(), right, said.sum()]])
    return {name: np.array(out[name], dtype=float) for name in TREES}


def links(pairs: Path, network: Path, ontogum: Path, litbank: Path) -> Counts:
    """A pair network on the parses of a network."""
    parser, scores = reader(network), coreference.by(PairScorer(pairs).weights)

    def counts(docs: Iterable[coreference.Document]) -> dict[str, list[list[float]]]:
        out = {}
        for doc in docs:
            key = [set(cluster) for cluster in doc.clusters if len(cluster) > 1]
            said = [cluster for cluster in coreference.predict(scores, doc) if len(cluster) > 1]
            out[doc.name] = [list(count(key, said)) for count in (muc, b_cubed, ceaf)]
        return out

    gum = counts(documents.ontogum(parser, ontogum / "dev", non_commercial=True))
    fiction = [made for name, made in gum.items() if "fiction" in name]
    novels = counts(documents.litbank(parser, litbank / "train", dev=True))
    found = (list(gum.values()), fiction, list(novels.values()))
    return {name: np.array(made, dtype=float) for name, made in zip(LINKS, found, strict=True)}


def interval(carried: np.ndarray, rebuilt: Sequence[np.ndarray], draws: int = 5000) -> tuple[float, float]:
    """95 % of the differences (mean of the seeds less the carried one) over documents drawn anew."""
    size = len(carried)
    weights = np.random.default_rng(13).multinomial(size, np.full(size, 1 / size), draws)

    def drawn(counts: np.ndarray) -> np.ndarray:
        return f1((weights @ counts.reshape(size, -1)).reshape(draws, *counts.shape[1:]))

    low, high = np.quantile(np.mean([drawn(one) for one in rebuilt], 0) - drawn(carried), (0.025, 0.975))
    return float(low), float(high)


def verdict(carried: float, seeds: Sequence[float], low: float, high: float) -> str:
    """Where the carried figure stands to the seeds of the build; with one seed there is no spread, only chance."""
    if min(seeds) <= carried <= max(seeds):
        return "among them" if len(seeds) > 1 else "the same"
    side = "below" if carried < min(seeds) else "above"
    if len(seeds) > 1 and abs(carried - np.mean(seeds)) <= 2 * np.std(seeds, ddof=1):
        return f"{side}, within two deviations"
    return f"{side}, no more than chance" if low <= 0 <= high else side


def table(carried: Mapping[str, np.ndarray], rebuilt: Mapping[int, Counts]) -> list[str]:
    """Lines of Markdown; F1 in per cent."""
    seeds = sorted(rebuilt)
    lines = [
        "| F1 | carried | "
        + " | ".join(f"seed {seed}" for seed in seeds)
        + " | mean | deviation | mean - carried | carried is |",
        "|---" * (len(seeds) + 6) + "|",
    ]
    for name, counts in carried.items():
        made = [rebuilt[seed][name] for seed in seeds]
        value, figures = float(f1(counts.sum(0))), [float(f1(one.sum(0))) for one in made]
        low, high = interval(counts, made)
        spread = f"{np.std(figures, ddof=1):.2f}" if len(seeds) > 1 else ""
        cells = [name, f"{value:.1f}", *(f"{one:.1f}" for one in figures), f"{np.mean(figures):.1f}", spread]
        lines.append(f"| {' | '.join(cells)} | {low:.1f} to {high:.1f} | {verdict(value, figures, low, high)} |")
    return lines


def compare(work: Path, resources: Path, treebanks: Path, ontogum: Path, litbank: Path) -> list[str]:
    """The networks and pair networks of all seeds in ``work`` against those in ``work/carried``."""
    old = work / "carried"
    networks = {int(path.stem[-1]): path for path in sorted(work.glob("network?.npz"))}
    pairs = {int(path.stem[-1]): path for path in sorted(work.glob("coreference?.npz"))}
    lines = []
    if networks:
        lines += table(
            trees(old / "network.npz", treebanks, litbank),
            {seed: trees(path, treebanks, litbank) for seed, path in networks.items()},
        )
    if pairs:
        lines += ["", *table(
            links(old / "coreference.npz", old / "network.npz", ontogum, litbank),
            {seed: links(path, resources / "network.npz", ontogum, litbank) for seed, path in pairs.items()},
        )]  # fmt: skip
    return lines or ["nothing to compare: there is no network?.npz and no coreference?.npz in --work"]
