"""WordGap -> Prediction: what every word model shares. A subclass builds and trains a network.

Protocol (Bisk et al. 2019, section 4.1; notes in docs/log/transducer.md): the distribution over the vocabulary is cut to the
admissible words and ``#UNK#`` and renormalised; a key that is not in the vocabulary is rated as ``#UNK#``, and ``#UNK#`` is
never the first guess (its place is then the second). Queries of one batch that share a text are answered in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor

from scenarist.contracts import WordLists
from scenarist.errors import BadInput
from scenarist.models.words.batches import (
    UNKNOWN,
    Admissible,
    Network,
    PairRow,
    Query,
    QueryPlace,
    Vocabulary,
    merge,
    read_logits,
)
from scenarist.networks import checkpoint
from scenarist.question import HIDDEN, Answer, AnyQuestion, Guess, Prediction, Question, WordGap
from scenarist.story import Alignment, Pair

LISTED = 10
"""Guesses written out; what stands lower is rated only when asked."""


def rows_of(pairs: Iterable[Pair]) -> list[PairRow]:
    """Pairs as rows; an empty abstract has nothing to align to."""
    rows = []
    for pair in pairs:
        if not isinstance(pair, Pair):
            raise BadInput(f"word models learn from pairs of abstract and concrete text, not {type(pair).__name__}.")
        if not pair.abstract or not pair.concrete:
            raise BadInput(f"pair {pair.id!r}: abstract and concrete text must not be empty.")
        rows.append(PairRow(pair.abstract, pair.concrete, pair.blanks))
    return rows


def alignment(pair: Pair, path: Sequence[int], by: str) -> Alignment:
    """Positions of a network (0 is ``<S>``) as an Alignment (-1 is none)."""
    return Alignment(pair, tuple(position - 1 for position in path[: len(pair.concrete)]), by)


def pick_device(device: str) -> str:
    """``auto``: a GPU where there is one."""
    return ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device


class WordModel:
    """Base of the word models."""

    name = "word-model"
    learns = "stories"
    trained_on: tuple[str, ...] = ()
    """What its weights learned from beforehand, and what stands below them."""
    asks: tuple[type[Question], ...] = (WordGap,)
    spare_abstract = False
    """Give no mass to words of the abstract, which are never blanked (section 2.2)."""
    sides = "left"
    """``both``: the text after the blank is read too (`wordcloze-infill`)."""
    texts_at_once = 64
    temperature = 1.0
    """Divides the logits: above 1 for a network that is surer than it should be."""

    def __init__(self, weights: str = "", device: str = "auto", seed: int = 1, variant: str = "") -> None:
        """``variant``: another released training of this model and seed (release/kidscook/CARD.md)."""
        self.weights, self.device, self.seed, self.variant = weights, pick_device(device), seed, variant
        self.vocabulary_: Vocabulary | None = None
        self.whitelist_: tuple[str, ...] = ()
        self.network_: Any = None
        self._admissible: dict[str, Admissible] = {}
        self._last: tuple[Sequence[AnyQuestion], Tensor] | None = None
        if weights:
            self.learns, self.trained_on = "nothing", ("kidscook", *self.trained_on)

    # learning

    def fit(self, data: Iterable[Any], held: Iterable[Any] | None = None) -> Self:
        """Train on pairs, with ``held`` pairs to stop on; or load ``weights`` where they are given."""
        if self.weights:
            return self.load(self.path())
        rows = rows_of(data)
        if not rows:
            raise BadInput(f"{self.name}: there is no pair to learn from.")
        self.learn(rows, data if isinstance(data, WordLists) else None, None if held is None else rows_of(held))
        return self

    def learn(self, rows: Sequence[PairRow], lists: WordLists | None, held: Sequence[PairRow] | None) -> None:
        """Build and train ``network_``; set ``vocabulary_`` and ``whitelist_``, from ``lists`` where the corpus brings them."""
        raise NotImplementedError

    def path(self) -> Path:
        """The file that ``weights`` names: ``kidscook`` is the released one of this model, variant and seed."""
        if self.weights == "kidscook":
            name = "-".join(part for part in (self.name, self.variant, str(self.seed)) if part)
            return checkpoint.find(f"{name}.safetensors")
        return Path(self.weights)

    def reads(self) -> list[Path]:
        """The weights, where some are named."""
        return [self.path()] if self.weights else []

    def load(self, path: Path) -> Self:
        """Weights from a file."""
        raise NotImplementedError

    def save(self, path: Path) -> None:
        """Weights to a file."""
        raise NotImplementedError

    def network(self) -> Network:
        """The trained network as a function of rows and places."""
        raise NotImplementedError

    # answering

    def admissible(self, name: str) -> Admissible:
        """The words that a question's whitelist allows; without one, the whole vocabulary but the marks."""
        if name not in self._admissible:
            assert self.vocabulary_ is not None
            words = self.whitelist_
            if not name:
                words = tuple(
                    word for word in self.vocabulary_.words if not word.startswith(("<", "#")) and word.strip()
                )
            elif not words:
                raise BadInput(
                    f"{self.name}: the question admits the words of the list {name!r}, but the model was learned from pairs without "
                    "a list. Learn from a corpus that brings one (kidscook), or ask without: whitelist=''."
                )
            self._admissible[name] = Admissible(words, self.vocabulary_, self.spare_abstract)
        return self._admissible[name]

    def logp(self, question: AnyQuestion, answer: Answer) -> float | None:
        """ln P(answer)."""
        return self.rate_many([question], [answer])[0][0]

    def rank(self, question: AnyQuestion, answer: Answer) -> float | None:
        """The place of an answer among all admissible words."""
        return self.rate_many([question], [answer])[0][1]

    def answer(self, question: AnyQuestion) -> Prediction:
        """The ten best words."""
        return self.answer_many([question])[0]

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """Many questions at once."""
        table = self.table(questions)
        answers = []
        for question, line in zip(questions, table, strict=True):
            words = self.admissible(gap(question).whitelist).words
            ranked = capped(line)
            top = ranked.topk(min(LISTED, len(ranked)))
            guesses = [
                Guess(words[column] if column < len(words) else UNKNOWN, round(float(level), 6))
                for level, column in zip(top.values.tolist(), top.indices.tolist(), strict=True)
                if level > -1e8
            ]
            rest = max(0.0, 1.0 - float(line[top.indices].exp().sum()))
            answers.append(Prediction("", tuple(guesses), by=self.name, rest=round(rest, 6)))
        return answers

    def rate_many(
        self, questions: Sequence[AnyQuestion], keys: Sequence[Answer]
    ) -> list[tuple[float | None, float | None]]:
        """(ln P, expected rank) of given answers."""
        table = self.table(questions)
        rated: list[tuple[float | None, float | None]] = []
        for question, key, line in zip(questions, keys, table, strict=True):
            column = self.admissible(gap(question).whitelist).key(str(key))
            ranked = capped(line)
            higher, same = int((ranked > ranked[column]).sum()), int((ranked == ranked[column]).sum())
            rated.append((round(float(line[column]), 6), higher + (same + 1) / 2))
        return rated

    def template(self, word_gap: WordGap) -> tuple[str, ...]:
        """What is shown of the whole text beforehand: nothing to a model that reads from left to right."""
        return hidden_text(word_gap) if self.sides == "both" else ()

    def table(self, questions: Sequence[AnyQuestion]) -> Tensor:
        """ln p over the admissible words and ``#UNK#``, (Q, W + 1); the last batch is remembered."""
        if self._last is not None and list(self._last[0]) == list(questions):
            return self._last[1]
        if self.network_ is None:
            self.fit(())
        gaps = [gap(question) for question in questions]
        queries = [
            Query(
                word_gap.abstract,
                word_gap.prefix,
                word_gap.blank,
                len(word_gap.prefix) + word_gap.left,
                word_gap.blanks,
                self.template(word_gap),
            )
            for word_gap in gaps
        ]
        lists_ = {word_gap.whitelist for word_gap in gaps}
        if len(lists_) != 1:
            raise BadInput(f"{self.name}: the questions of one batch name several whitelists: {sorted(lists_)}.")
        answers, _ = self.read_places(*merge(queries), [], lists_.pop())
        self._last = (list(questions), answers)
        return answers

    def read_places(
        self, rows: Sequence[PairRow], asked: Sequence[QueryPlace], spoken_places: Sequence[QueryPlace], whitelist: str
    ) -> tuple[Tensor, Tensor]:
        """ln p over the admissible words at the places ``asked``, (Q, W + 1); ln p of the word at each of the ``spoken_places``.

        The second is over the whole vocabulary, and 0 for a word that is not in it.
        """
        assert self.vocabulary_ is not None
        allowed = self.admissible(whitelist)
        words = self.vocabulary_.ids(rows[place.row].concrete[place.place] for place in spoken_places)
        spoken_at = list(zip(spoken_places, words, strict=True))
        logits, spoken = read_logits(self.network(), rows, asked, spoken_at, allowed.ids, self.texts_at_once)
        table = allowed.logp(logits / self.temperature, [rows[place.row].abstract for place in asked])
        return table, spoken.masked_fill(torch.tensor(words, dtype=torch.long) == self.vocabulary_.unknown, 0.0)


def hidden_words(row: PairRow) -> tuple[str, ...]:
    """The text of a row with its blanks hidden."""
    blank = {place for start, stop in row.blanks for place in range(start, stop)}
    return tuple(HIDDEN if index in blank else word for index, word in enumerate(row.concrete))


def hidden_text(gap: WordGap) -> tuple[str, ...]:
    """The whole text of a gap with its blanks hidden, from what stands before and after it."""
    known = list(gap.prefix)
    for start, stop in gap.blanks:
        known[start:stop] = [HIDDEN] * (stop - start)
    return (*known[: gap.blank], *[HIDDEN] * (len(gap.prefix) - gap.blank + gap.left), *gap.suffix)


def gap(question: AnyQuestion) -> WordGap:
    """The question as a WordGap, which is all that word models answer."""
    if not isinstance(question, WordGap):
        raise BadInput(f"word models answer word gaps, not {type(question).__name__}.")
    if not question.abstract:
        raise BadInput("the abstract of a word gap is empty; there is nothing to make concrete.")
    return question


def capped(line: Tensor) -> Tensor:
    """The scores that rank: ``#UNK#`` (the last) stands below the best word, because it is never said."""
    best = line[:-1].max()
    if line[-1] < best:
        return line
    ranked = line.clone()
    ranked[-1] = torch.nextafter(best, torch.tensor(-torch.inf))
    return ranked
