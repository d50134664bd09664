"""Abstract -> concrete text, word by word, from a transducer: what `scenarist explain` writes where nothing larger is installed.

The next word's distribution sums over where the prefix may stand in the abstract (the forward variable of eq. 7, one shift-
and-emit step further), so that the text moves along the abstract and ends when it has come to its end. Beam search; a
phrase of three words is not said twice.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from scenarist.models import monotonic
from scenarist.models.transducer import Transducer
from scenarist.models.word_batches import Row, batch


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


def tell(network: Transducer, abstract: tuple[str, ...], width: int = 4, longest: int = 50, least: int = 12) -> tuple[str, ...]:
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
