"""WordGap -> Prediction by a word head on a pretrained language model: states of ``abstract => concrete`` -> the words that fill a blank.

Ours (the paper's nearest row is GPT, fine-tuned). The causal model reads abstract and prefix; a linear layer over the
word vocabulary, begun from the mean vectors of each word's pieces, names the next word, so that multi-piece words need no
search. Trained where it is examined: on blanks, with the softmax over the words that may fill one, and with a smaller
weight (``aside``) on all other words. Left to right: nothing after the blank is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor, nn

from scenarist.contracts import WordLists
from scenarist.errors import BadInput
from scenarist.models.words.base import hidden_words
from scenarist.models.words.batches import Admissible, PairRow, QueryPlace, Vocabulary
from scenarist.models.words.pieces import Marked, PieceBatch, WordPieces, piece_batch, piece_row
from scenarist.models.words.pretrained import PretrainedWords

BARRED = -1e9
"""The logit of a word that is ruled out."""


class HeadReading(NamedTuple):
    """How texts are shown and what counts in training."""

    marks: bool = True
    """A mark before each blank, with its number of words."""
    aside: float = 0.2
    """Weight of the words that are not blanks."""
    redraw: float = 0.0
    """Share of texts whose blanks are drawn anew each time (other eligible runs, at most as many)."""
    spare: bool = True
    """Give no mass to words of the abstract, which are never blanked."""
    dropout: float = 0.1
    smooth: float = 0.0
    """Label smoothing over the admissible words."""
    agree: float = 0.0
    """R-drop (Liang et al. 2021): each text is read twice with other units dropped, and both readings must agree."""
    taught: float = 0.0
    """Weight of what a teacher says of a blank word beside the word itself, where it was asked (``WordHead.lessons``)."""


class Lesson(NamedTuple):
    """What a teacher says of the blank words of a text: its best columns among the admissible (words, k) and their shares."""

    columns: Tensor
    shares: Tensor


def lesson_key(row: PairRow) -> tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[int, int], ...]]:
    """What names a text and its blanks, whatever was fed into them."""
    return row.abstract, row.concrete, row.blanks


class WordHead(nn.Module):  # type: ignore[misc]
    """ln p(word | abstract, words before it), over the admissible words on blanks."""

    def __init__(
        self, body: Marked, pieces: WordPieces, vocabulary: Vocabulary, admissible: Admissible, reading: HeadReading
    ) -> None:
        super().__init__()
        self.pieces, self.vocabulary, self.admissible, self.reading = pieces, vocabulary, admissible, reading
        self.body = body
        self.drop = nn.Dropout(reading.dropout)
        table = body.llama.embedding.float()
        means = torch.stack([table[pieces(word)].mean(0) for word in vocabulary.words])
        self.head = nn.Linear(table.shape[1], len(vocabulary)).to(table.device)
        with torch.no_grad():
            self.head.weight.copy_(means)
            self.head.bias.zero_()
        self.register_buffer("allowed", admissible.ids.to(table.device), persistent=False)
        self.lessons: dict[Any, Lesson] = {}

    @property
    def device(self) -> str:
        return str(self.head.weight.device)

    def read(self, rows: Sequence[PairRow], abstract: bool = True) -> tuple[PieceBatch, Tensor]:
        """Pieces and their states, (B, t, h)."""
        cut = [piece_row(row, self.pieces, self.reading.marks, abstract) for row in rows]
        batch = piece_batch(cut, self.device)
        if self.training or not self.body.remember:
            return batch, self.body(batch.ids)
        return batch, nn.utils.rnn.pad_sequence(self.body.going_on([row.ids for row in cut]), batch_first=True)

    def loss(self, rows: Sequence[PairRow]) -> Tensor:
        """Cross entropy on the blanks, plus ``aside`` times that of the other words."""
        rows = self.twice(rows)
        batch, states = self.read(rows)
        return self.word_loss(rows, states.gather(1, batch.heads[..., None].expand(-1, -1, states.shape[2])))

    def twice(self, rows: Sequence[PairRow]) -> Sequence[PairRow]:
        """The rows, and once more where two readings are to agree."""
        return [*rows, *rows] if self.reading.agree and self.training else rows

    def word_loss(self, rows: Sequence[PairRow], states: Tensor, extra: Tensor | None = None) -> Tensor:
        """From the states that predict each word, (B, n + 1, h); ``extra`` logits (B, n + 1, V) are added."""
        filled, open_words = self.targets(rows)  # (K, 3) each: row, place, target
        logits = self.drop(states[filled[:, 0], filled[:, 1]].float()) @ self.head.weight.T + self.head.bias
        if extra is not None:
            logits = logits + extra[filled[:, 0], filled[:, 1]]
        chosen = self.bar(logits[:, self.allowed], [rows[row].abstract for row in filled[:, 0].tolist()])
        logp = chosen.log_softmax(-1)
        loss = self.told_loss(rows, logp, filled[:, 2:])
        if self.reading.smooth:
            free = chosen > BARRED / 2
            even = -(
                logp.masked_fill(~free, 0.0).sum(-1) / free.sum(-1)
            ).mean()  # over the words that are not ruled out
            loss = (1 - self.reading.smooth) * loss + self.reading.smooth * even
        if self.reading.agree and self.training:
            first, other = logp.chunk(2)
            apart = ((first.exp() - other.exp()) * (first - other)).sum(-1).mean() / 2  # mean of both divergences
            loss = loss + self.reading.agree * apart
        if self.reading.aside:
            logits = self.drop(states[open_words[:, 0], open_words[:, 1]].float()) @ self.head.weight.T + self.head.bias
            if extra is not None:
                logits = logits + extra[open_words[:, 0], open_words[:, 1]]
            loss = loss + self.reading.aside * nn.functional.cross_entropy(logits, open_words[:, 2])
        out: Tensor = loss
        return out

    def told_loss(self, rows: Sequence[PairRow], logp: Tensor, keys: Tensor) -> Tensor:
        """Mean -ln p of the blank words, (K, W + 1) and (K, 1); a share of each target is the teacher's where there is a lesson."""
        hard = -logp.gather(1, keys)[:, 0]
        if not (self.lessons and self.reading.taught and self.training):
            return hard.mean()
        columns, shares = [], []
        for row in rows:
            lesson = self.lessons.get(lesson_key(row))
            if lesson is None:  # of no weight: all shares are 0
                words = sum(stop - start for start, stop in row.blanks)
                width = next(iter(self.lessons.values())).columns.shape[1]
                lesson = Lesson(torch.zeros(words, width, dtype=torch.long), torch.zeros(words, width))
            columns.append(lesson.columns)
            shares.append(lesson.shares)
        share = torch.cat(shares).to(logp.device, non_blocking=True)
        soft = -(logp.gather(1, torch.cat(columns).to(logp.device, non_blocking=True)).clamp(min=-50.0) * share).sum(1)
        weight = self.reading.taught * (share.sum(1) > 0)
        out: Tensor = ((1 - weight) * hard + weight * soft).mean()
        return out

    def targets(self, rows: Sequence[PairRow]) -> tuple[Tensor, Tensor]:
        """(row, place, column among the admissible) of blank words; (row, place, word id) of the others."""
        filled, others = [], []
        for number, row in enumerate(rows):
            blank = {place for start, stop in row.blanks for place in range(start, stop)}
            ids = self.vocabulary.ids(row.concrete)
            for place, word in enumerate(row.concrete):
                if place in blank:
                    filled.append((number, place, self.admissible.key(word)))
                elif ids[place] != self.vocabulary.unknown:
                    others.append((number, place, ids[place]))
            others.append((number, len(row.concrete), self.vocabulary.end))
        return torch.tensor(filled, device=self.device), torch.tensor(others, device=self.device)

    def bar(self, chosen: Tensor, abstracts: Sequence[tuple[str, ...]]) -> Tensor:
        """Logits over the admissible words with those of the abstract ruled out."""
        if not self.reading.spare:
            return chosen
        lines, columns = [], []
        for line, abstract in enumerate(abstracts):
            for word in set(abstract):
                if word in self.admissible.at:
                    lines.append(line)
                    columns.append(self.admissible.at[word])
        ruled = torch.zeros_like(chosen, dtype=torch.bool)
        ruled[torch.tensor(lines, dtype=torch.long), torch.tensor(columns, dtype=torch.long)] = True
        return chosen.masked_fill(ruled, BARRED)

    def logits(self, rows: Sequence[PairRow], places: Sequence[QueryPlace]) -> Tensor:
        """Logits over the vocabulary at these places, (Q, V)."""
        batch, states = self.read(rows)
        index = torch.tensor(places, device=self.device)
        picked = states[index[:, 0], batch.heads[index[:, 0], index[:, 1]]].float()
        out: Tensor = picked @ self.head.weight.T + self.head.bias
        return out


class WordHeadModel(PretrainedWords):
    """A word head with adapters on a pretrained language model."""

    name = "word-head"
    spare_abstract = True

    def __init__(
        self,
        temperature: float | None = None,
        reading: Mapping[str, Any] | None = None,
        seed: int = 1,
        **settings: Any,
    ) -> None:
        """``temperature``: the checkpoint's own where none is given. ``reading``: how texts are shown in training (``HeadReading``)."""
        super().__init__(seed=seed, **settings)
        if temperature is not None and not temperature > 0:
            raise BadInput(f"{self.name}: temperature must be above 0, got {temperature}.")
        self.given_temperature = temperature
        self.temperature = temperature or 1.0
        self.own = self.network_settings(**(reading or {}))

    def network_settings(self, **reading: Any) -> dict[str, Any]:
        """What the network is made with."""
        return HeadReading(**reading)._asdict()

    def load(self, path: Path) -> Self:
        super().load(path)
        self.temperature = self.given_temperature or float(self.saved.get("temperature", 1.0))
        return self

    def make(self, body: Marked, pieces: WordPieces) -> WordHead:
        assert self.vocabulary_ is not None
        self.spare_abstract = bool(self.own["spare"])
        allowed = Admissible(self.whitelist_, self.vocabulary_)
        return WordHead(body, pieces, self.vocabulary_, allowed, HeadReading(**self.own))


class InfillHeadModel(WordHeadModel):
    """A word head that reads the whole text with its blanks hidden before it fills them: for `wordcloze-infill`."""

    name = "infill-head"
    sides = "both"

    def learn(self, rows: Sequence[PairRow], lists: WordLists | None, held: Sequence[PairRow] | None) -> None:
        super().learn([row._replace(template=hidden_words(row)) for row in rows], lists, held)
