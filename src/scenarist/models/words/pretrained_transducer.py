"""WordGap -> Prediction by a transducer on a pretrained encoder: as accurate as the word head, and every word points to the abstract.

None of the systems of Bisk et al. (2019) was both. One causal model reads three things with the same weights: the
abstract (its states are the positions e_i), the concrete prefix alone (the *blind* states, which have not seen the abstract)
and ``abstract => prefix`` (the *sighted* states). Emission is a product of experts, logits(i, j) = head(d_j) + head(P e_i), with
fixed transitions. Alignments are learned and found with the blind states: what they cannot know must come from the
aligned position, which is what makes the alignment worth reading. Words are predicted from the sighted state and the
position that the blind prefix is aligned to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from scenarist.models.words import monotonic
from scenarist.models.words.base import alignment, rows_of
from scenarist.models.words.batches import Admissible, PairRow, QueryPlace, Vocabulary, lengths
from scenarist.models.words.emissions import product_grid
from scenarist.models.words.head import HeadReading, WordHead, WordHeadModel
from scenarist.models.words.monotonic import AlignmentScores
from scenarist.models.words.pieces import Marked, WordPieces
from scenarist.story import Alignment, Pair


class PretrainedTransducer(WordHead):
    """ln p(word | aligned position, abstract, words before it) with a monotonic hard alignment."""

    def __init__(
        self,
        body: Marked,
        pieces: WordPieces,
        vocabulary: Vocabulary,
        admissible: Admissible,
        reading: HeadReading,
        sighted: bool = True,
        blind_weight: float = 0.5,
    ) -> None:
        super().__init__(body, pieces, vocabulary, admissible, reading)
        self.sighted, self.blind_weight = sighted, blind_weight
        size = self.head.weight.shape[1]
        self.project = nn.Linear(size, size, bias=False).to(self.head.weight.device)
        nn.init.normal_(self.project.weight, std=0.1 / size**0.5)
        self.register_buffer("ratio", torch.tensor(0.2))

    def set_ratio(self, positions: int, words: int) -> None:
        """The fixed shift probability from summed lengths."""
        self.ratio.fill_(positions / (positions + words))

    def experts(self, rows: Sequence[PairRow]) -> tuple[Tensor, Tensor, Tensor | None]:
        """Logits of the positions (B, m, V), blind states (B, n + 1, h), sighted states or None."""
        batch, states = self.read(rows)
        wide = states.shape[2]
        e = states.gather(1, batch.positions[..., None].expand(-1, -1, wide)).float()
        a = self.project(self.drop(e)) @ self.head.weight.T  # (B, m, V)
        other, blind = self.read(rows, abstract=False)
        d = blind.gather(1, other.heads[..., None].expand(-1, -1, wide))
        if not self.sighted:
            return a, d, None
        return a, d, states.gather(1, batch.heads[..., None].expand(-1, -1, wide))

    def scores(self, a: Tensor, d: Tensor, targets: Tensor) -> AlignmentScores:
        """Scores of the dynamic programme from the blind states, (B, n, m) each."""
        b = self.drop(d.float()) @ self.head.weight.T + self.head.bias  # (B, n, V)
        word = product_grid(a, b, targets)
        shift = self.ratio.log().expand_as(word)
        return AlignmentScores(word, torch.log1p(-self.ratio).expand_as(word), shift)

    def told(self, rows: Sequence[PairRow]) -> tuple[Tensor, Tensor, Tensor]:
        """Targets with ``</S>`` (B, n + 1), number of positions (B,), number of words (B,)."""
        lists = [[*self.vocabulary.ids(row.concrete), self.vocabulary.end] for row in rows]
        width = max(len(ids) for ids in lists)
        targets = torch.tensor([ids + [self.vocabulary.pad] * (width - len(ids)) for ids in lists], device=self.device)
        positions = torch.tensor([len(row.abstract) + 1 for row in rows], device=self.device)
        return targets, positions, torch.tensor([len(ids) for ids in lists], device=self.device)

    def loss(self, rows: Sequence[PairRow]) -> Tensor:
        """The words given the best blind alignment of the prefix, plus ``blind_weight`` times the blind marginal likelihood."""
        rows = self.twice(rows)
        a, d, seen = self.experts(rows)
        targets, positions, sizes = self.told(rows)
        scores = self.scores(a, d, targets)
        marginal = -monotonic.log_likelihood(scores, positions, sizes).sum() / sizes.sum()
        before = self.before(monotonic.best_prefixes(scores).table, positions, rows)  # (B, n + 1)
        extra = a.gather(1, before[..., None].expand(-1, -1, a.shape[2]))  # (B, n + 1, V)
        return self.word_loss(rows, d if seen is None else seen, extra) + self.blind_weight * marginal

    def before(self, table: Tensor, positions: Tensor, rows: Sequence[PairRow]) -> Tensor:
        """Where each word is predicted from: the end of the best path of the prefix before it, or before its blank."""
        beyond = torch.arange(table.shape[2], device=table.device) >= positions[:, None]
        path = table.masked_fill(beyond[:, None], -torch.inf).argmax(-1)  # (B, n + 1), of every prefix
        began = torch.arange(table.shape[1], device=table.device).repeat(len(rows), 1)
        for number, row in enumerate(rows):
            for start, stop in row.blanks:
                began[number, start:stop] = start
        out: Tensor = path.gather(1, (began - 1).clamp(min=0)) * (began > 0)
        return out

    def align(self, rows: Sequence[PairRow]) -> Tensor:
        """Viterbi alignments, (B, n + 1) positions; 0 is the start, 1 the first abstract word."""
        a, d, _ = self.experts(rows)
        targets, positions, sizes = self.told(rows)
        return monotonic.viterbi(self.scores(a, d, targets), positions, sizes)

    def logits(self, rows: Sequence[PairRow], places: Sequence[QueryPlace]) -> Tensor:
        """Logits over the vocabulary at these places, (Q, V), from the position of the word before the blank."""
        a, d, seen = self.experts(rows)
        targets, positions, _ = self.told(rows)
        table = monotonic.best_prefixes(self.scores(a, d, targets)).table
        index = torch.tensor(places, device=self.device)
        row, place = index[:, 0], index[:, 1]
        position = self.before(table, positions, rows)[row, place]
        picked = (d if seen is None else seen)[row, place].float()
        out: Tensor = picked @ self.head.weight.T + self.head.bias + a[row, position]
        return out


class PretrainedTransducerModel(WordHeadModel):
    """A transducer on a pretrained encoder: every word points to the abstract."""

    name = "pretrained-transducer"

    def network_settings(self, sighted: bool = True, blind_weight: float = 0.5, **reading: Any) -> dict[str, Any]:
        return {**super().network_settings(**reading), "sighted": sighted, "blind_weight": blind_weight}

    def make(self, body: Marked, pieces: WordPieces) -> PretrainedTransducer:
        assert self.vocabulary_ is not None
        self.spare_abstract = bool(self.own["spare"])
        reading = HeadReading(**{key: self.own[key] for key in HeadReading._fields})
        allowed = Admissible(self.whitelist_, self.vocabulary_)
        own = {key: self.own[key] for key in ("sighted", "blind_weight")}
        return PretrainedTransducer(body, pieces, self.vocabulary_, allowed, reading, **own)

    def tune(self, network: Any, rows: Sequence[PairRow]) -> Any:
        network.set_ratio(*lengths(rows, self.tuning.cut))
        return super().tune(network, rows)

    def align(self, pairs: Sequence[Pair]) -> list[Alignment]:
        """The best alignment of each pair (Viterbi, blind states)."""
        if self.network_ is None:
            self.fit(())
        aligned: list[Alignment] = []
        for first in range(0, len(pairs), 16):
            chosen = pairs[first : first + 16]
            with torch.no_grad():
                paths = self.network_.align(rows_of(chosen)).tolist()
            aligned += [alignment(pair, path, self.name) for pair, path in zip(chosen, paths, strict=True)]
        return aligned
