"""Pairs with blanks x a word model -> the words it fills in, all blanks of a text, left to right (Bisk et al. 2019, appendix A.4).

Three ways, each named: ``greedy`` (the best word each time), ``beam`` (``width`` texts kept by the summed log-probability of their
filled words) and ``best-of-samples`` (``width`` texts drawn at a temperature, and the one whose whole text is likeliest kept; so
the words after a blank have a say, which is the paper's reason for it). ``samples`` gives all drawn texts, which is what the
released code counts. All texts go forward together, one word a step. The model sees a blank's question, never its key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from scenarist.errors import BadInput
from scenarist.models.words.base import WordModel
from scenarist.question import WordGap
from scenarist.story import Pair

WAYS = ("greedy", "beam", "best-of-samples", "samples")


class FilledText(NamedTuple):
    """A text with words in its blanks (by place) and their summed log-probability."""

    pair: int
    words: dict[int, str]
    logp: float = 0.0

    def text(self, pair: Pair) -> tuple[str, ...]:
        """The whole text as filled."""
        return tuple(self.words.get(place, word) for place, word in enumerate(pair.concrete))


def fill(
    model: WordModel,
    pairs: Sequence[Pair],
    way: str = "greedy",
    width: int = 5,
    temperature: float = 0.1,
    whitelist: str = "kidscook",
    feed: str = "all",
    seed: int = 1,
) -> list[list[FilledText]]:
    """For each pair its filled texts, best first: one, or ``width`` of them for ``samples``."""
    if way not in WAYS:
        raise BadInput(f"a way of filling is one of {', '.join(WAYS)}, not {way!r}.")
    chance = torch.Generator().manual_seed(seed)
    copies = width if way in ("samples", "best-of-samples") else 1
    texts = [FilledText(index, {}) for index in range(len(pairs)) for _ in range(copies)]
    steps = [
        [(blank, place) for blank, (start, stop) in enumerate(pair.blanks) for place in range(start, stop)]
        for pair in pairs
    ]
    for step in range(max((len(places) for places in steps), default=0)):
        going = [text for text in texts if step < len(steps[text.pair])]
        resting = [text for text in texts if step >= len(steps[text.pair])]
        if not going:
            break
        questions = [gap(pairs[text.pair], *steps[text.pair][step], text.words, whitelist, feed) for text in going]
        table = model.table(questions)[:, :-1]  # #UNK# is never said
        names = model.admissible(whitelist).words
        longer: list[FilledText] = []
        for text, line in zip(going, table, strict=True):
            place = steps[text.pair][step][1]
            if way == "beam":
                best = line.topk(width)
                choices = list(zip(best.indices.tolist(), best.values.tolist(), strict=True))
            elif way == "greedy":
                choices = [(int(line.argmax()), float(line.max()))]
            else:
                drawn = int(torch.multinomial((line / temperature).softmax(0), 1, generator=chance))
                choices = [(drawn, float(line[drawn]))]
            longer += [
                FilledText(text.pair, text.words | {place: names[word]}, text.logp + level) for word, level in choices
            ]
        if way == "beam":
            longer = narrow(longer, width)
        texts = [*resting, *longer]
    by_pair: list[list[FilledText]] = [[] for _ in pairs]
    for text in texts:
        by_pair[text.pair].append(text)
    if way == "best-of-samples":
        scores = dict(zip(map(id, texts), text_logps(model, pairs, texts), strict=True))
        return [[max(drawn, key=lambda text: scores[id(text)])] if drawn else [] for drawn in by_pair]
    if way == "samples":
        return by_pair
    return [sorted(kept, key=lambda text: -text.logp)[:1] for kept in by_pair]


def gap(pair: Pair, blank: int, place: int, words: dict[int, str], whitelist: str, feed: str) -> WordGap:
    """The question at a place of a text so far."""
    start, stop = pair.blanks[blank]
    lost = {end - 1 for _, end in pair.blanks[:blank]} if feed == "but-last" else set()
    fed = [index for index in range(place) if index not in lost]
    ranges = [(sum(index < a for index in fed), sum(index < b for index in fed)) for a, b in pair.blanks[:blank]]
    return WordGap(
        pair.abstract, tuple(words.get(index, pair.concrete[index]) for index in fed), left=stop - place,
        blank=sum(index < start for index in fed), whitelist=whitelist, blanks=tuple((a, b) for a, b in ranges if a < b),
    )  # fmt: skip


def narrow(texts: Sequence[FilledText], width: int) -> list[FilledText]:
    """The best ``width`` texts of each pair."""
    by_pair: dict[int, list[FilledText]] = {}
    for text in texts:
        by_pair.setdefault(text.pair, []).append(text)
    return [text for some in by_pair.values() for text in sorted(some, key=lambda text: -text.logp)[:width]]


def text_logps(model: WordModel, pairs: Sequence[Pair], texts: Sequence[FilledText]) -> list[float]:
    """The log-probability of whole texts where a model can say it (``text_logp``), else of the filled words."""
    rate = getattr(model, "text_logp", None)
    if rate is None:
        return [text.logp for text in texts]
    logps: list[float] = rate([(pairs[text.pair].abstract, text.text(pairs[text.pair])) for text in texts])
    return logps
