"""Pairs with blanks -> the words a model fills in, all blanks of a text, left to right (Bisk et al. 2019, appendix A.4).

Three ways, each named: ``greedy`` (the best word each time), ``beam`` (``width`` texts kept by the summed log-probability of their
filled words) and ``best-of-samples`` (``width`` texts drawn at a temperature, and the one whose whole text is likeliest kept; so
the words after a blank have a say, which is the paper's reason for it). ``samples`` gives all drawn texts, which is what the
released code counts. All texts go forward together, one word a step.

Abstract -> concrete text, word by word, from a transducer: what `scenarist explain` writes where nothing larger is installed.

The next word's distribution sums over where the prefix may stand in the abstract (the forward variable of eq. 7, one shift-
and-emit step further), so that the text moves along the abstract and ends when it has come to its end. Beam search; a
phrase of three words is not said twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from scenarist.errors import BadInput
from scenarist.models.words import monotonic
from scenarist.models.words.base import WordModel
from scenarist.models.words.batches import Row, batch
from scenarist.models.words.transducer import Transducer
from scenarist.question import WordGap
from scenarist.story import Pair

WAYS = ("greedy", "beam", "best-of-samples", "samples")


class Filled(NamedTuple):
    """A text with words in its blanks (by place) and their summed log-probability."""

    pair: int
    words: dict[int, str]
    logp: float = 0.0

    def text(self, pair: Pair) -> tuple[str, ...]:
        """The whole text as filled."""
        return tuple(self.words.get(place, word) for place, word in enumerate(pair.concrete))


Rate = Callable[[Sequence[tuple[tuple[str, ...], tuple[str, ...]]]], list[float]]
"""(abstract, whole text)s -> their log-probabilities."""


def fill(
    model: WordModel,
    pairs: Sequence[Pair],
    way: str = "greedy",
    width: int = 5,
    temperature: float = 0.1,
    whitelist: str = "kidscook",
    feed: str = "all",
    seed: int = 1,
    rate: Rate | None = None,
) -> list[list[Filled]]:
    """For each pair its filled texts, best first: one, or ``width`` of them for ``samples``."""
    if way not in WAYS:
        raise BadInput(f"a way of filling is one of {', '.join(WAYS)}, not {way!r}.")
    chance = torch.Generator().manual_seed(seed)
    copies = width if way in ("samples", "best-of-samples") else 1
    live = [Filled(at, {}) for at in range(len(pairs)) for _ in range(copies)]
    steps = [
        [(n, place) for n, (start, stop) in enumerate(pair.blanks) for place in range(start, stop)] for pair in pairs
    ]
    for step in range(max((len(one) for one in steps), default=0)):
        going = [one for one in live if step < len(steps[one.pair])]
        resting = [one for one in live if step >= len(steps[one.pair])]
        if not going:
            break
        questions = [gap(pairs[one.pair], *steps[one.pair][step], one.words, whitelist, feed) for one in going]
        table = model.table(questions)[:, :-1]  # #UNK# is never said
        names = model.admissible(whitelist).words
        longer: list[Filled] = []
        for one, line in zip(going, table, strict=True):
            place = steps[one.pair][step][1]
            if way == "beam":
                best = line.topk(width)
                choices = list(zip(best.indices.tolist(), best.values.tolist(), strict=True))
            elif way == "greedy":
                choices = [(int(line.argmax()), float(line.max()))]
            else:
                drawn = int(torch.multinomial((line / temperature).softmax(0), 1, generator=chance))
                choices = [(drawn, float(line[drawn]))]
            longer += [Filled(one.pair, one.words | {place: names[at]}, one.logp + level) for at, level in choices]
        if way == "beam":
            longer = narrow(longer, width)
        live = [*resting, *longer]
    found: list[list[Filled]] = [[] for _ in pairs]
    for one in live:
        found[one.pair].append(one)
    if way == "best-of-samples":
        scores = dict(zip(map(id, live), whole(model, pairs, live, rate), strict=True))
        return [[max(some, key=lambda one: scores[id(one)])] if some else [] for some in found]
    if way == "samples":
        return found
    return [sorted(some, key=lambda one: -one.logp)[:1] for some in found]


def gap(pair: Pair, blank: int, place: int, words: dict[int, str], whitelist: str, feed: str) -> WordGap:
    """The question at a place of a text so far."""
    start, stop = pair.blanks[blank]
    lost = {end - 1 for _, end in pair.blanks[:blank]} if feed == "but-last" else set()
    fed = [at for at in range(place) if at not in lost]
    ranges = [(sum(at < a for at in fed), sum(at < b for at in fed)) for a, b in pair.blanks[:blank]]
    return WordGap(
        pair.abstract, tuple(words.get(at, pair.concrete[at]) for at in fed), left=stop - place, blank=sum(at < start for at in fed),
        whitelist=whitelist, blanks=tuple((a, b) for a, b in ranges if a < b),
    )  # fmt: skip


def narrow(texts: list[Filled], width: int) -> list[Filled]:
    """The best ``width`` texts of each pair."""
    by_pair: dict[int, list[Filled]] = {}
    for one in texts:
        by_pair.setdefault(one.pair, []).append(one)
    return [one for some in by_pair.values() for one in sorted(some, key=lambda one: -one.logp)[:width]]


def whole(model: WordModel, pairs: Sequence[Pair], texts: Sequence[Filled], rate: Rate | None) -> list[float]:
    """The log-probability of whole texts where a model can say it, else of the filled words."""
    rate = rate or getattr(model, "text_logp", None)
    if rate is None:
        return [one.logp for one in texts]
    return rate([(pairs[one.pair].abstract, one.text(pairs[one.pair])) for one in texts])


class Beam(NamedTuple):
    """A text so far, its log-probability and whether it has ended."""

    words: tuple[str, ...]
    logp: float
    ended: bool = False

    @property
    def rate(self) -> float:
        """Log-probability per word, the end included."""
        return self.logp / (len(self.words) + 1)


@torch.no_grad()  # type: ignore[untyped-decorator]
def next_words(network: Transducer, abstract: tuple[str, ...], texts: list[tuple[str, ...]]) -> Tensor:
    """ln p(next word | abstract, text), alignments summed out, (texts, V)."""
    part = batch([Row(abstract, text) for text in texts], network.vocabulary).to(str(network.ratio.device))
    e, d = network.both(part)
    emit, shift = network.transition(e, d)
    before = monotonic.leave(shift)  # (B, n + 1, m)
    alpha = monotonic.first(before, network.free)  # (B, m)
    if part.words.shape[1]:
        word = network.emission.grid(e, d[:, :-1], part.words)
    rows = []
    for number in range(len(texts)):
        state = alpha[number]
        size = int(part.sizes[number])
        for j in range(size):
            state = (state - before[number, j]).logcumsumexp(-1) + before[number, j] + emit[number, j] + word[number, j]
        ahead = (state - before[number, size]).logcumsumexp(-1) + before[number, size] + emit[number, size]  # (m,)
        here = ahead.log_softmax(-1)
        logits = network.emission.at(e[number], d[number, size][None].expand(e.shape[1], -1))  # (m, V)
        rows.append((here[:, None] + logits.log_softmax(-1)).logsumexp(0))
    return torch.stack(rows).cpu()


def tell(
    network: Transducer, abstract: tuple[str, ...], width: int = 4, longest: int = 50, least: int = 12
) -> tuple[str, ...]:
    """The best text that the beam finds."""
    words = network.vocabulary
    barred = [words.unknown, words.pad, words.start, *([words.at["<SEP>"]] if "<SEP>" in words.at else [])]
    beams = [Beam((), 0.0)]
    done: list[Beam] = []
    for step in range(longest):
        scores = next_words(network, abstract, [beam.words for beam in beams])
        scores[:, barred] = -torch.inf
        if step < least:
            scores[:, words.end] = -torch.inf
        longer: list[Beam] = []
        for beam, line in zip(beams, scores, strict=True):
            for level, at in zip(*(part.tolist() for part in line.topk(2 * width)), strict=True):
                if at == words.end:
                    done.append(Beam(beam.words, beam.logp + level, ended=True))
                elif not repeats((*beam.words, words.words[at])):
                    longer.append(Beam((*beam.words, words.words[at]), beam.logp + level))
        beams = sorted(longer, key=lambda beam: -beam.logp)[:width]
        if not beams or len(done) >= 2 * width:
            break
    return max(done or beams, key=lambda beam: beam.rate).words


def repeats(words: tuple[str, ...], size: int = 3) -> bool:
    """Were the last ``size`` words said before?

    >>> repeats(("stir", "the", "soup", "and", "stir", "the", "soup")), repeats(("stir", "the", "soup"))
    (True, False)
    """
    last = words[-size:]
    return any(words[at : at + size] == last for at in range(len(words) - size))
