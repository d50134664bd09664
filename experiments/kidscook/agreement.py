"""Why do attention weights point to the right abstract word more often than the transducer? The table `kidscook-agreement`.

Alignments of the hand-aligned pairs of dev (Bisk et al. 2019, section 4.2, has spans only), each network read in several ways:
``viterbi``: the best path, as it is used; ``any-order``: each word with the position that emits it best, no path; ``heaviest``: the
heaviest attention weight; ``in-order``: the path with the highest sum that never goes back and may start and end
anywhere. ``-content``: the same where articles, prepositions and full stops of the abstract own nothing. ``monotone-bound`` is the best
that a path can do that never goes back.

Columns: agreement with the hand; of the words that are wrong, the share that points to a function word or a mark, to a content word
before the right ones, and to one behind them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from scenarist import __version__
from scenarist.bench.ratios import Tally, ratio
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.bench.sit import data_hash
from scenarist.bench.solver import model_fields
from scenarist.corpora.kidscook import KidsCook
from scenarist.errors import Missing
from scenarist.exams.wordcloze import WordCloze
from scenarist.learning.alignments import MARKS, read_hand
from scenarist.learning.blanks import STOP
from scenarist.registry import make
from scenarist.signature import sign
from scenarist.store.home import resource
from scenarist.story import Pair

SEED = 1
Hand = Mapping[str, Mapping[int, Collection[int]]]
Path = Sequence[int]
"""For each concrete word a place in the abstract."""
MODELS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "transducer-summed": ("transducer", {}),
    "transducer-summed-both": ("transducer", {"variant": "both"}),
    "seq2seq-attention": ("seq2seq-attention", {}),
    "seq2seq-attention-both": ("seq2seq-attention", {"variant": "both"}),
}


def content(abstract: Sequence[str]) -> list[int]:
    """Places of the content words; all places where there is none.

    >>> content(["cut", "the", "meat", "."])
    [0, 2]
    """
    return [at for at, word in enumerate(abstract) if word not in STOP and word not in MARKS] or list(
        range(len(abstract))
    )


def in_order(scores: Tensor) -> list[int]:
    """The path through (words, places) with the highest sum that never goes back; it starts and ends anywhere."""
    best, backs = scores[0], []
    for line in scores[1:]:
        best, back = best.cummax(0)
        backs.append(back)
        best = best + line
    path = [int(best.argmax())]
    for back in reversed(backs):
        path.append(int(back[path[-1]]))
    return path[::-1]


def heaviest(scores: Tensor) -> list[int]:
    """Each word with its best place."""
    return [int(at) for at in scores.argmax(-1)]


def bound(pair: Pair, links: Mapping[int, Collection[int]]) -> Path:
    """The path that never goes back and meets most of the hand's links."""
    right = torch.zeros(len(pair.concrete), len(pair.abstract))
    for place, good in links.items():
        right[place, list(good)] = 1.0
    return in_order(right)


def spread(pair: Pair, places: Sequence[int]) -> Path:
    """Words spread evenly over the places, whatever they are."""
    return [places[at * len(places) // len(pair.concrete)] for at in range(len(pair.concrete))]


def levels(model: Any, pair: Pair) -> Tensor:
    """How well each place explains each word, ln p or ln weight, (words, places)."""
    if hasattr(model, "weights_of"):
        return torch.tensor(model.weights_of([pair])[0]).clamp(min=1e-9).log()
    network, part = model.network_, model.batch([pair])
    with torch.no_grad():
        seen = network.seen(part)
        e, d = network.both(seen)
        grid: Tensor = network.emission.grid(e, d[:, :-1], seen.words)[0].cpu()  # (n, m)
    return grid if network.printed else grid[:, 1:]  # without <S>


def readings(model: Any) -> dict[str, Callable[[Pair], Path]]:
    """The ways to read a network's alignments."""

    def best(order: Callable[[Tensor], list[int]], sure: bool) -> Callable[[Pair], Path]:
        def path(pair: Pair) -> Path:
            places = content(pair.abstract) if sure else list(range(len(pair.abstract)))
            return [places[at] for at in order(levels(model, pair)[:, places])]

        return path

    plain, ordered = ("heaviest", "in-order") if hasattr(model, "weights_of") else ("any-order", "in-order")
    ways: dict[str, Callable[[Pair], Path]] = {}
    if hasattr(model, "align"):
        ways["viterbi"] = lambda pair: model.align([pair])[0].path
    ways[plain] = best(heaviest, sure=False)
    if not hasattr(model, "align"):
        ways[ordered] = best(in_order, sure=False)
    ways[f"{plain}-content"] = best(heaviest, sure=True)
    ways[f"{ordered}-content"] = best(in_order, sure=True)
    return ways


def judged(pair: Pair, path: Path, links: Mapping[int, Collection[int]]) -> Counter[str]:
    """What became of the hand-linked words of a pair."""
    marks: Counter[str] = Counter()
    own = set(content(pair.abstract))
    for place, good in links.items():
        at = path[place]
        marks["right"] += at in good
        if at not in good:
            marks["function" if at not in own else "before" if at < min(good) else "behind"] += 1
    return marks


def cells(pairs: Sequence[Pair], paths: Sequence[Path], hand: Hand) -> dict[str, Figure]:
    """The columns of a row; pairs are drawn."""
    marks = [judged(pair, path, hand[pair.id]) for pair, path in zip(pairs, paths, strict=True)]
    sources = [(pair.id,) for pair in pairs]
    kinds = ("function", "before", "behind")
    scores = {
        "agreement/hand": ratio(
            Tally(mark["right"], mark.total(), source) for mark, source in zip(marks, sources, strict=True)
        )
    }
    if any(mark[kind] for mark in marks for kind in kinds):
        for kind in kinds:
            scores[f"{kind}/wrong"] = ratio(
                Tally(mark[kind], mark.total() - mark["right"], source)
                for mark, source in zip(marks, sources, strict=True)
            )
    return scores


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:  # noqa: ARG001
    """The rows of `kidscook-agreement`: 24 pairs of dev, the seed whose weights are carried."""
    hand = read_hand(resource("alignments/hand-kidscook-dev.json"))
    pairs = [pair for pair in KidsCook(split=split) if pair.id in hand][:limit]
    floors: Mapping[str, Callable[[Pair], Path]] = {
        "monotone-bound": lambda pair: bound(pair, hand[pair.id]),
        "diagonal": lambda pair: spread(pair, range(len(pair.abstract))),
        "diagonal-content": lambda pair: spread(pair, content(pair.abstract)),
    }
    rows = [
        FigureRow(name, "baseline", cells(pairs, [path(pair) for pair in pairs], hand)) for name, path in floors.items()
    ]
    for name, (target, settings) in MODELS.items():
        try:
            model = make("model", target, weights="kidscook", seed=SEED, **settings).fit(())
        except Missing as error:
            rows.append(FigureRow(name, "ours", {}, {"problem": str(error)}))
            continue
        for way, path in readings(model).items():
            row = FigureRow(f"{name}-{way}", "ours", cells(pairs, [path(pair) for pair in pairs], hand))
            row.who = model_fields(target, {**settings, "read": way}, model)
            rows.append(row)
    what = {
        "exam": "wordcloze", "data": f"kidscook#{data_hash(WordCloze().set(pairs))}", "split": split, "seed": SEED,
        "v": __version__,
    }  # fmt: skip
    return Analysis(rows, sign("kidscook-agreement", what))
