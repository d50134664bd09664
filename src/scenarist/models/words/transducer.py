"""WordGap -> Prediction by the segment-to-segment transducer (Yu, Buys and Blunsom 2016; Bisk et al. 2019, appendix A).

Each concrete word is emitted from one abstract position; the alignment is monotonic, hard and latent. Transitions are
``fixed`` (one shift probability, the ratio of lengths) or ``parameterised`` (eq. 5, from both states). The encoder state is
used for emission (and transition) only, never fed to the decoder. Training: the marginal likelihood first, then
batched Viterbi EM (``hard``): the best alignments of the batch are taken as observed.

The ways to emit a word stand in emissions.py.

Slot filling. ``slots="marginal"`` (ours): the model's own next-word distribution, alignments of the prefix summed out.
``slots="viterbi"`` (A.4): the Viterbi alignment of the prefix is predicted anew at each blank. Fixed: the blank shares the
alignment of the word before it. Parameterised: from there it advances while shift > 0.5.

A network with ``start="free"`` lets the first word start from any position at no cost, and ``shift`` sets the fixed probability of a
shift: the released code has such a start and one half, the paper says the ratio of lengths (``shift=0``) and nothing of the start.

``TransducerModel.tell`` writes a whole concrete text: the next word's distribution sums over where the prefix may stand in the
abstract (the forward variable of eq. 7, one shift-and-emit step further), so that the text moves along the abstract and ends
when it has come to its end. Beam search; a phrase of three words is not said twice.

Departure: the abstract begins with ``<S>`` and the concrete text ends with ``</S>``, which is the "last word" that is
tied to the last position. ``printed`` takes both marks away, as the paper has it: the last word itself is tied to the last word of the
abstract, and the fixed probability of a shift is that of the pair's own lengths where the text is whole (while a text is filled, its
length is not known, and it is that of all pairs).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from scenarist.errors import BadInput
from scenarist.models.words import monotonic
from scenarist.models.words.base import alignment
from scenarist.models.words.batches import Network, PairRow, Vocabulary, WordBatch, batch
from scenarist.models.words.emissions import EMISSIONS, MlpEmission, ProductEmission
from scenarist.models.words.in_domain import InDomain
from scenarist.models.words.monotonic import AlignmentScores
from scenarist.models.words.recurrent import NetworkShape, WordNetwork
from scenarist.story import Alignment, Pair

SLOTS = ("marginal", "viterbi")


class Transducer(WordNetwork):
    """p(word | abstract up to its aligned position, words before it), alignment summed out or best."""

    aligned = True

    def __init__(
        self,
        vocabulary: Vocabulary,
        shape: NetworkShape | None = None,
        vectors: Tensor | None = None,
        transitions: str = "fixed",
        emission: str = "product",
        start: str = "first",
        shift: float = 0.0,
        printed: bool = False,
    ) -> None:
        if start not in ("first", "free") or not 0.0 <= shift < 1.0:
            raise BadInput(
                f"transducer: expected start 'first' or 'free' and shift from 0 to 1, got {start!r} and {shift}"
            )
        if transitions not in ("fixed", "parameterised") or emission not in EMISSIONS:
            raise BadInput(
                f"transducer: expected transitions 'fixed' or 'parameterised' and emission {' or '.join(EMISSIONS)}, "
                f"got {transitions!r} and {emission!r}"
            )
        shape = shape or NetworkShape()
        super().__init__(vocabulary, shape, vectors)
        self.transitions, self.free, self.given, self.printed = transitions, start == "free", shift, printed
        self.slots = "marginal"
        self.read_abstract()
        kind = EMISSIONS[emission]
        self.emission: MlpEmission | ProductEmission = kind(shape.hidden, shape.hidden, self.layer, len(vocabulary))
        if transitions == "parameterised":
            self.of_encoder = nn.Linear(shape.hidden, shape.hidden)
            self.of_decoder = nn.Linear(shape.hidden, shape.hidden, bias=False)
            self.move = nn.Linear(shape.hidden, 1)
        self.register_buffer("ratio", torch.tensor(shift or 0.2))

    def set_ratio(self, positions: int, words: int) -> None:
        """The fixed shift probability from summed lengths: one shift per position, one emission per word."""
        self.ratio.fill_(self.given or positions / (positions + words))

    def transition(self, e: Tensor, d: Tensor, whole: WordBatch | None = None) -> tuple[Tensor, Tensor]:
        """ln p(emit), ln p(shift) at every (j, i): e (B, m, h), d (B, n, h) -> (B, n, m) each; ``whole``: a batch of whole texts."""
        if self.transitions == "fixed":
            ratio = self.ratio
            if whole is not None and self.printed:
                ratio = (whole.positions / (whole.positions + whole.sizes))[:, None, None]
            shift = ratio.log().expand(len(e), d.shape[1], e.shape[1])
            return torch.log1p(-ratio).expand_as(shift), shift
        logit = self.move(self.hidden_moves(e, d))[..., 0]
        return nn.functional.logsigmoid(-logit), nn.functional.logsigmoid(logit)

    def hidden_moves(self, e: Tensor, d: Tensor) -> Tensor:
        """The hidden layer of parameterised transitions, (B, n, m, h)."""
        return self.layer.bend(self.of_encoder(e)[:, None] + self.of_decoder(d)[:, :, None])

    def closing(self) -> int:
        """Marks behind a text that are told, too."""
        return 0 if self.printed else 1

    def seen(self, batch: WordBatch) -> WordBatch:
        """The batch as the network reads it: without marks where it is as printed."""
        return unmarked(batch) if self.printed else batch

    def targets(self, batch: WordBatch) -> tuple[Tensor, Tensor]:
        """What is told, and how much of it, (B, n) and (B,)."""
        return (batch.words, batch.sizes) if self.printed else batch.targets(self.vocabulary.end)

    def both(self, batch: WordBatch) -> tuple[Tensor, Tensor]:
        """Encoder states (B, m, h) and decoder states (B, n + 1, h)."""
        return self.encode(batch)[0], self.decode(batch)

    def whole(self, batch: WordBatch) -> tuple[Tensor, Tensor]:
        """Encoder states, and the decoder states that tell a word of a whole text."""
        e, d = self.both(batch)
        return e, d[:, :-1] if self.printed else d

    def scores(self, e: Tensor, d: Tensor, targets: Tensor, whole: WordBatch | None = None) -> AlignmentScores:
        """What the dynamic programme needs, each (B, n, m)."""
        emit, shift = self.transition(e, d, whole)
        return AlignmentScores(self.emission.grid(e, d, targets), emit, shift)

    def loss(self, batch: WordBatch, hard: bool = False) -> Tensor:
        """-ln p per word: summed over alignments, or of the batch's best alignments (``hard``)."""
        batch = self.seen(batch)
        targets, sizes = self.targets(batch)
        e, d = self.whole(batch)
        if not hard:
            total = monotonic.log_likelihood(self.scores(e, d, targets, batch), batch.positions, sizes, self.free)
            marginal: Tensor = -total.sum() / sizes.sum()
            return marginal
        with torch.no_grad():
            path = monotonic.viterbi(self.scores(e, d, targets, batch), batch.positions, sizes, self.free)  # (B, n + 1)
        aligned = e.gather(1, path[..., None].expand(-1, -1, e.shape[2])).flatten(0, 1).index_select(0, batch.told)
        logits = self.emission.at(aligned, d.flatten(0, 1).index_select(0, batch.told))
        words = nn.functional.cross_entropy(logits, targets.flatten().index_select(0, batch.told))
        emit, shift = self.transition(e, d, batch)
        moves = monotonic.path_score(AlignmentScores(torch.zeros_like(emit), emit, shift), path, sizes, self.free)
        if self.free:
            moves = moves - batch.positions.log()
        best: Tensor = words - moves.sum() / sizes.sum()
        return best

    def align(self, batch: WordBatch) -> Tensor:
        """The Viterbi alignment of whole texts, (B, n + 1) positions, ``</S>`` included; position 0 is ``<S>``, with or without marks."""
        batch = self.seen(batch)
        targets, sizes = self.targets(batch)
        e, d = self.whole(batch)
        path = monotonic.viterbi(self.scores(e, d, targets, batch), batch.positions, sizes, self.free)
        return path + 1 if self.printed else path

    def logits(self, batch: WordBatch, rows: Tensor, places: Tensor, starts: Tensor) -> Tensor:
        """See WordNetwork: alignments of the prefix summed out, or the one that its blank's prefix predicts (``viterbi``)."""
        batch = self.seen(batch)
        e, d = self.both(batch)
        if self.slots == "marginal":
            return self.summed(e, d, batch, rows, places)
        position = self.place(e, d, batch, rows, places, starts)  # (Q,)
        return self.emission.at(e[rows, position], d[rows, places])

    def summed(self, e: Tensor, d: Tensor, batch: WordBatch, rows: Tensor, places: Tensor) -> Tensor:
        """ln p of the word at ``places`` of ``rows``, alignments of the prefix summed out, (Q, V)."""
        here = self.standing(e, d, batch)[rows, places]  # (Q, m)
        return self.emission.mixed(e, d[rows, places], rows, here)

    def standing(self, e: Tensor, d: Tensor, batch: WordBatch) -> Tensor:
        """ln p(the next word is emitted from i | the words before it), (B, n + 1, m): eq. 7, one shift and emit further."""
        emit, shift = self.transition(e, d)
        before = monotonic.leave(shift)  # (B, n + 1, m)
        beyond = torch.arange(e.shape[1], device=e.device) >= batch.positions[:, None]  # (B, m)
        emit = emit.masked_fill(beyond[:, None], monotonic.FAR)
        alpha = monotonic.first(before, self.free)
        word = self.emission.grid(e, d[:, :-1], batch.words) if batch.words.shape[1] else None
        ahead = []
        for j in range(d.shape[1]):
            alpha = (alpha - before[:, j]).logcumsumexp(-1) + before[:, j] + emit[:, j]
            ahead.append(alpha.log_softmax(-1))
            if word is not None and j < word.shape[1]:
                alpha = ahead[-1] + word[:, j]
        return torch.stack(ahead, 1)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def next_words(self, abstract: tuple[str, ...], texts: Sequence[tuple[str, ...]]) -> Tensor:
        """ln p(next word | abstract, text), alignments summed out, (texts, V)."""
        part = self.seen(batch([PairRow(abstract, text) for text in texts], self.vocabulary).to(str(self.ratio.device)))
        e, d = self.both(part)
        return self.summed(e, d, part, torch.arange(len(texts), device=e.device), part.sizes).cpu()

    def place(self, e: Tensor, d: Tensor, batch: WordBatch, rows: Tensor, places: Tensor, starts: Tensor) -> Tensor:
        """The position each query's word is emitted from, (Q,)."""
        before = batch.words  # word t is told by state t
        scores = self.scores(e, d[:, : before.shape[1]], before)
        beyond = torch.arange(e.shape[1], device=e.device) >= batch.positions[:, None]  # (B, m)
        table = monotonic.best_prefixes(scores, self.free).table.masked_fill(beyond[:, None], -torch.inf)
        position = table.argmax(-1)[rows, (starts - 1).clamp(min=0)]  # (Q,)
        if self.transitions == "fixed":  # no word before a blank: the first word of the abstract
            return torch.where(starts > 0, position, torch.full_like(position, 0 if self.printed else 1))
        position = position * (starts > 0)
        stay = self.transition(e, d)[1] <= math.log(0.5)  # (B, n + 1, m)
        last = (batch.positions - 1)[rows]  # (Q,)
        line = torch.arange(e.shape[1], device=e.device)
        for step in range(int((places - starts).max()) + 1):  # over the words of a blank
            here = torch.minimum(starts + step, places)
            free = (stay[rows, here] | (line >= last[:, None])) & (line >= position[:, None])
            position = torch.where(starts + step <= places, free.int().argmax(-1), position)
        return position


def unmarked(batch: WordBatch) -> WordBatch:
    """A batch without ``<S>`` before the abstract, and with the words of the texts alone to tell."""
    inside = torch.arange(batch.words.shape[1], device=batch.words.device) < batch.sizes[:, None]
    told = inside.flatten().nonzero()[:, 0]
    return WordBatch(batch.abstract[:, 1:], batch.positions - 1, batch.words, batch.sizes, batch.lengths - 1, told)


class TransducerModel(InDomain):
    """Segment-to-segment transducer with fixed transitions."""

    name = "transducer"
    build: Callable[..., WordNetwork] = Transducer
    transitions = "fixed"
    start = "first"
    shift = 0.0

    def __init__(
        self,
        slots: str = "marginal",
        emission: str = "product",
        seed: int = 1,
        printed: bool = False,
        **settings: Any,
    ) -> None:
        """``slots``: how blanks are filled; ``printed``: without marks, as in the paper (variant ``paper``)."""
        super().__init__(seed=seed, **settings)
        if slots not in SLOTS:
            raise BadInput(f"{self.name}: slots are filled {' or '.join(SLOTS)}, not {slots!r}.")
        self.slots, self.emission, self.printed = slots, emission, printed

    def kind(self) -> dict[str, Any]:
        return {
            "transitions": self.transitions, "emission": self.emission, "start": self.start, "shift": self.shift,
            "printed": self.printed,
        }  # fmt: skip

    def network(self) -> Network:
        self.network_.slots = self.slots
        return super().network()

    def align(self, pairs: Sequence[Pair]) -> list[Alignment]:
        """The best alignment of each pair (Viterbi); texts of about one length are aligned together."""
        order = sorted(range(len(pairs)), key=lambda index: len(pairs[index].concrete))
        aligned: dict[int, Alignment] = {}
        for first in range(0, len(order), 64):
            chosen = order[first : first + 64]
            part = self.batch([pairs[index] for index in chosen])
            with torch.no_grad():
                paths = self.network_.align(part).tolist()
            aligned |= {
                index: alignment(pairs[index], path, self.name) for index, path in zip(chosen, paths, strict=True)
            }
        return [aligned[index] for index in range(len(pairs))]

    def tell(self, abstract: tuple[str, ...], width: int = 4, longest: int = 50, least: int = 12) -> tuple[str, ...]:
        """A concrete text of an abstract: the best that a beam of ``width`` texts holds."""
        if self.network_ is None:
            self.fit(())
        network: Transducer = self.network_
        words = network.vocabulary
        barred = [words.unknown, words.pad, words.start, *([words.at["<SEP>"]] if "<SEP>" in words.at else [])]
        beams = [Beam((), 0.0)]
        done: list[Beam] = []
        for step in range(longest):
            scores = network.next_words(abstract, [beam.words for beam in beams])
            scores[:, barred] = -torch.inf
            if step < least:
                scores[:, words.end] = -torch.inf
            longer: list[Beam] = []
            for beam, line in zip(beams, scores, strict=True):
                for level, word in zip(*(part.tolist() for part in line.topk(2 * width)), strict=True):
                    if word == words.end:
                        done.append(Beam(beam.words, beam.logp + level))
                    elif not repeats((*beam.words, words.words[word])):
                        longer.append(Beam((*beam.words, words.words[word]), beam.logp + level))
            beams = sorted(longer, key=lambda beam: -beam.logp)[:width]
            if not beams or len(done) >= 2 * width:
                break
        return max(done or beams, key=lambda beam: beam.rate).words


class ParamTransducerModel(TransducerModel):
    """Segment-to-segment transducer with parameterised transitions."""

    name = "transducer-param"
    transitions = "parameterised"


class Beam(NamedTuple):
    """A text so far and its log-probability."""

    words: tuple[str, ...]
    logp: float

    @property
    def rate(self) -> float:
        """Log-probability per word, the end included."""
        return self.logp / (len(self.words) + 1)


def repeats(words: tuple[str, ...], size: int = 3) -> bool:
    """Were the last ``size`` words said before?

    >>> repeats(("stir", "the", "soup", "and", "stir", "the", "soup")), repeats(("stir", "the", "soup"))
    (True, False)
    """
    last = words[-size:]
    return any(words[start : start + size] == last for start in range(len(words) - size))
