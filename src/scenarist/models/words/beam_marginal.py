"""WordGap -> Prediction, filling by `beam-marginal`: several ways to fill the earlier blanks are kept, and each blank is answered by all.

Plain greedy filling reads its own first choices as if they were sure; a wrong word is then told again wherever it is blanked
again. Here the ``width`` likeliest fillings of the earlier blanks are kept. Each is weighed by the probability of its words and
(``evidence``) of the words the text has shown since, so that the text itself speaks for or against a filling; the answer
is the mean of the inner model's distributions under these weights. Words of the same blank that were answered already are read as
answered by a share (``trust``) of the answer; the rest of it again sums over the likeliest words there. Fillings with less than a share
(``least``) of the weight are given up, which is most of them where the text leaves little open.

For greedy exams only: what an exam feeds into earlier blanks is not looked at (with oracle feeding that would be the key).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor

from scenarist.errors import BadInput
from scenarist.models.words.base import WordModel, gap
from scenarist.models.words.batches import PairRow, QueryPlace
from scenarist.question import HIDDEN, AnyQuestion, WordGap
from scenarist.registry import make


class TextSketch(NamedTuple):
    """A text up to a blank: its earlier blanks are hidden."""

    abstract: tuple[str, ...]
    words: tuple[str, ...]
    blanks: tuple[tuple[int, int], ...]
    stop: int
    """Where the blank that follows ends."""

    def before(self) -> TextSketch | None:
        """The text up to the blank before, None where there is none."""
        if not self.blanks:
            return None
        start, stop = self.blanks[-1]
        return TextSketch(self.abstract, self.words[:start], self.blanks[:-1], stop)

    def row(self, words: tuple[str, ...]) -> PairRow:
        """The text as filled, the mark of the blank that follows included."""
        return PairRow(self.abstract, words, (*self.blanks, (len(self.words), self.stop)))


class KeptFillings(NamedTuple):
    """Fillings of a sketch's earlier blanks."""

    texts: list[tuple[str, ...]]
    weights: Tensor
    """ln of their normalised weights, (H,)."""
    first: Tensor
    """What the inner model says of the blank's first word after each, (H, W + 1)."""


Filling = tuple[tuple[str, ...], float]
"""A text up to some place, and ln of its weight."""


class BeamMarginal(WordModel):
    """A word model that is asked after each of several fillings."""

    name = "beam-marginal"
    learns = "nothing"

    def __init__(
        self,
        model: str = "word-head-ensemble",
        width: int = 8,
        evidence: float = 1.0,
        trust: float = 0.5,
        least: float = 0.0,
        device: str = "auto",
        seed: int = 1,
        **settings: Any,
    ) -> None:
        super().__init__("kidscook", device, seed)
        if width < 1 or evidence < 0:
            raise BadInput(
                f"beam-marginal: width must be at least 1 and evidence not below 0, got {width} and {evidence}."
            )
        if not 0 <= trust <= 1:
            raise BadInput(f"beam-marginal: trust is a share from 0 to 1, got {trust}.")
        if not 0 <= least < 1:
            raise BadInput(f"beam-marginal: least is a share from 0 to below 1, got {least}.")
        self.width, self.evidence, self.trust, self.least = width, evidence, trust, least
        own = {"device": device, **settings}
        self.inner: WordModel = (
            make("model", model, **own) if model.endswith("ensemble") else make("model", model, seed=seed, **own)
        )
        self.trained_on = self.inner.trained_on
        self._kept: dict[TextSketch, KeptFillings] = {}
        self._open: dict[tuple[TextSketch, int], Tensor] = {}

    def reads(self) -> list[Path]:
        """What the inner model reads."""
        return self.inner.reads()

    def fit(self, data: Any, held: Any = None) -> Self:
        self.inner.fit(data, held)
        self.network_, self.vocabulary_, self.whitelist_ = self.inner, self.inner.vocabulary_, self.inner.whitelist_
        self.spare_abstract = self.inner.spare_abstract
        return self

    def table(self, questions: Sequence[AnyQuestion]) -> Tensor:
        if self._last is not None and list(self._last[0]) == list(questions):
            return self._last[1]
        if self.network_ is None:
            self.fit(())
        gaps = [gap(question) for question in questions]
        lists_ = {word_gap.whitelist for word_gap in gaps}
        if len(lists_) != 1:
            raise BadInput(f"{self.name}: the questions of one batch name several whitelists: {sorted(lists_)}.")
        (whitelist,) = lists_
        sketches = [sketch(word_gap) for word_gap in gaps]
        self.look(sketches, whitelist)
        answers = self.mixed(gaps, sketches, whitelist)
        self._last = (list(questions), answers)
        return answers

    def look(self, sketches: Sequence[TextSketch], whitelist: str) -> None:
        """Fillings for all these sketches, those of earlier blanks first."""
        todo = [sketched for sketched in dict.fromkeys(sketches) if sketched not in self._kept]
        if not todo:
            return
        self.look([before for sketched in todo if (before := sketched.before()) is not None], whitelist)
        filled = self.longer(todo, whitelist)
        rows: list[PairRow] = []
        asked: list[QueryPlace] = []
        places: list[QueryPlace] = []
        for sketched, fillings in zip(todo, filled, strict=True):
            since = (
                sketched.blanks[-1][1] if sketched.blanks else len(sketched.words)
            )  # what stands before the first blank speaks for none
            for text, _ in fillings:
                asked.append(QueryPlace(len(rows), len(text), len(text)))
                places += [QueryPlace(len(rows), start, start) for start in range(since, len(text))]
                rows.append(sketched.row(text))
        tables, spoken = self.inner.read_places(rows, asked, places, whitelist)
        heard = torch.zeros(len(rows)).index_add(
            0, torch.tensor([place.row for place in places], dtype=torch.long), spoken
        )
        start = 0
        for sketched, fillings in zip(todo, filled, strict=True):
            here = slice(start, start + len(fillings))
            weights = (torch.tensor([level for _, level in fillings]) + self.evidence * heard[here]).log_softmax(0)
            kept = [
                number
                for number, level in enumerate(weights.tolist())
                if math.exp(level) >= min(self.least, 0.5 / len(fillings))
            ]
            self._kept[sketched] = KeptFillings(
                [fillings[number][0] for number in kept], weights[kept].log_softmax(0), tables[here][kept]
            )
            start += len(fillings)

    def longer(self, todo: Sequence[TextSketch], whitelist: str) -> list[list[Filling]]:
        """The best fillings of each sketch, from those of the sketch before it, with ln of their weight."""
        names = self.inner.admissible(whitelist).words
        live: list[list[Filling]] = []
        lines: list[Tensor] = []
        for sketched in todo:
            before = sketched.before()
            kept = None if before is None else self._kept[before]
            live.append(
                [(sketched.words, 0.0)] if kept is None else list(zip(kept.texts, kept.weights.tolist(), strict=True))
            )
            lines.append(torch.empty(0) if kept is None else kept.first)
        for step in range(
            max((sketched.blanks[-1][1] - sketched.blanks[-1][0] for sketched in todo if sketched.blanks), default=0)
        ):
            going = [
                index
                for index, sketched in enumerate(todo)
                if sketched.blanks and step < sketched.blanks[-1][1] - sketched.blanks[-1][0]
            ]
            if step:
                rows: list[PairRow] = []
                asked: list[QueryPlace] = []
                for index in going:
                    for text, _ in live[index]:
                        asked.append(QueryPlace(len(rows), len(text), todo[index].blanks[-1][0]))
                        rows.append(PairRow(todo[index].abstract, text, todo[index].blanks))
                tables, _ = self.inner.read_places(rows, asked, [], whitelist)
                parts = tables.split([len(live[index]) for index in going])
            else:
                parts = tuple(lines[index] for index in going)
            for index, table in zip(going, parts, strict=True):
                live[index] = self.widened(live[index], table, names)
        for index, sketched in enumerate(todo):
            if sketched.blanks:
                live[index] = [(text + sketched.words[len(text) :], level) for text, level in live[index]]
        return live

    def widened(self, live: Sequence[Filling], table: Tensor, names: Sequence[str]) -> list[Filling]:
        """The best fillings with one more word, from what the inner model says after each, (H, W + 1)."""
        best = table[:, :-1].topk(min(self.width, len(names)), 1)  # #UNK# is never said
        scores = torch.tensor([level for _, level in live])[:, None] + best.values  # (H, width)
        top = scores.flatten().topk(min(self.width, scores.numel()))
        chosen = [divmod(int(place), scores.shape[1]) for place in top.indices]
        enough = float(top.values.logsumexp(0)) + math.log(max(self.least, 1e-30))
        return [
            ((*live[old][0], names[int(best.indices[old, new])]), float(level))
            for number, ((old, new), level) in enumerate(zip(chosen, top.values, strict=True))
            if not number or float(level) >= enough
        ]

    def open_words(
        self, asked: Sequence[tuple[TextSketch, int]], whitelist: str
    ) -> dict[tuple[TextSketch, int], Tensor]:
        """ln p of the word after the first ``count`` of a blank, whatever those are: (sketch, count) -> (W + 1,)."""
        names = self.inner.admissible(whitelist).words
        todo = [(sketched, count) for sketched, count in dict.fromkeys(asked) if (sketched, count) not in self._open]
        live: dict[tuple[TextSketch, int], list[Filling]] = {}
        for sketched, count in todo:
            kept = self._kept[sketched]
            live[sketched, count] = list(zip(kept.texts, kept.weights.tolist(), strict=True))
        for step in range(max((count for _, count in todo), default=-1) + 1):
            going = [key for key in todo if step <= key[1]]
            rows: list[PairRow] = []
            if step:
                for sketched, count in going:
                    rows += [sketched.row(text) for text, _ in live[sketched, count]]
                places = [QueryPlace(index, len(row.concrete), row.blanks[-1][0]) for index, row in enumerate(rows)]
                tables, _ = self.inner.read_places(rows, places, [], whitelist)
                parts: Sequence[Tensor] = tables.split([len(live[key]) for key in going])
            else:
                parts = [self._kept[sketched].first for sketched, _ in going]
            for key, table in zip(going, parts, strict=True):
                if step == key[1]:
                    weights = torch.tensor([level for _, level in live[key]]).log_softmax(0)
                    self._open[key] = (weights[:, None] + table).logsumexp(0)
                else:
                    live[key] = self.widened(live[key], table, names)
        return {key: self._open[key] for key in asked}

    def mixed(self, gaps: Sequence[WordGap], sketches: Sequence[TextSketch], whitelist: str) -> Tensor:
        """The mean of the inner model's answers after each filling, (Q, W + 1)."""
        rows: list[PairRow] = []
        asked: list[QueryPlace] = []
        kept = [self._kept[word_gap] for word_gap in sketches]
        for word_gap, sketched, fillings in zip(gaps, sketches, kept, strict=True):
            answered = word_gap.prefix[word_gap.blank :]
            if answered:
                for text in fillings.texts:
                    asked += [QueryPlace(len(rows), len(text) + start, len(text)) for start in range(len(answered) + 1)]
                    rows.append(sketched.row((*text, *answered)))
        tables = self.inner.read_places(rows, asked, [], whitelist)[0] if rows else torch.empty(0)
        within = [
            (sketched, len(word_gap.prefix) - word_gap.blank) for word_gap, sketched in zip(gaps, sketches, strict=True)
        ]
        free = self.open_words([key for key in within if key[1]], whitelist) if self.trust < 1 else {}
        lines, start = [], 0
        columns = self.inner.admissible(whitelist)
        for word_gap, fillings, key in zip(gaps, kept, within, strict=True):
            weights, last = fillings.weights, fillings.first
            answered = word_gap.prefix[word_gap.blank :]
            if answered:
                many, long = len(fillings.texts), len(answered) + 1
                part = tables[start : start + many * long].view(many, long, -1)
                start += many * long
                keys = torch.tensor([columns.key(word) for word in answered])
                weights = (
                    weights + part[:, :-1].gather(2, keys[None, :, None].expand(many, -1, 1)).sum((1, 2))
                ).log_softmax(0)
                last = part[:, -1]
            line = (weights[:, None] + last).logsumexp(0)
            if key in free:
                line = (self.trust * line.exp() + (1 - self.trust) * free[key].exp()).clamp(min=1e-37).log()
            lines.append(line)
        return torch.stack(lines)


def sketch(word_gap: WordGap) -> TextSketch:
    """The text up to the blank of a question, what was fed into earlier blanks hidden."""
    words = list(word_gap.prefix[: word_gap.blank])
    for start, stop in word_gap.blanks:
        words[start:stop] = [HIDDEN] * (stop - start)
    return TextSketch(word_gap.abstract, tuple(words), word_gap.blanks, len(word_gap.prefix) + word_gap.left)
