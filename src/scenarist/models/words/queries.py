"""Queries "which word comes here?" -> logits, many at once.

Queries about one text share their prefix (oracle feeding: all of them), so nested prefixes are merged and each text is
read once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from scenarist.models.words.batches import PairRow, Vocabulary


class Query(NamedTuple):
    """The word after ``words``; it belongs to the blank that began at ``start`` and ends before ``stop``."""

    abstract: tuple[str, ...]
    words: tuple[str, ...]
    start: int
    stop: int
    blanks: tuple[tuple[int, int], ...] = ()
    """Earlier blanks of the prefix."""
    template: tuple[str, ...] = ()
    """The whole text with its blanks hidden, where it is shown."""


class QueryPlace(NamedTuple):
    """A query as (row of the merged texts, place of the word, place where its blank began)."""

    row: int
    place: int
    start: int


def merge(queries: Sequence[Query]) -> tuple[list[PairRow], list[QueryPlace]]:
    """Texts that hold all queries, and where each query stands in them.

    >>> rows, places = merge([Query(("a",), ("x",), 1, 2), Query(("a",), ("x", "y", "z"), 3, 4, ((1, 2),))])
    >>> rows[0].concrete, rows[0].blanks, places[0]
    (('x', 'y', 'z'), ((1, 2), (3, 4)), QueryPlace(row=0, place=1, start=1))
    """
    longest_first = sorted(
        enumerate(queries), key=lambda pair: (pair[1].abstract, pair[1].template, -len(pair[1].words))
    )
    rows: list[PairRow] = []
    places: list[QueryPlace | None] = [None] * len(queries)
    heads: list[int] = []
    for number, query in longest_first:
        if heads and (rows[heads[0]].abstract, rows[heads[0]].template) != (query.abstract, query.template):
            heads = []
        known = (*query.blanks, (query.start, query.stop))
        for head in heads:
            row = rows[head]
            if row.concrete[: len(query.words)] == query.words and row.blanks[: len(known)] == known:
                places[number] = QueryPlace(head, len(query.words), query.start)
                break
        else:
            heads.append(len(rows))
            places[number] = QueryPlace(len(rows), len(query.words), query.start)
            rows.append(PairRow(query.abstract, query.words, known, template=query.template))
    return rows, [place for place in places if place is not None]


Network = Callable[[Sequence[PairRow], Sequence[QueryPlace]], Tensor]
"""Rows and places -> logits (Q, V) of the places in order."""


class Logits(NamedTuple):
    """What a network says: logits of some columns at each place asked (Q, W), ln p of the words that stand at others (K,)."""

    asked: Tensor
    spoken: Tensor


@torch.no_grad()  # type: ignore[untyped-decorator]
def read_logits(
    network: Network,
    rows: Sequence[PairRow],
    asked: Sequence[QueryPlace],
    spoken: Sequence[tuple[QueryPlace, int]],
    columns: Tensor,
    size: int = 64,
) -> Logits:
    """The logits of ``columns`` at the places asked, and ln p of the word ids ``spoken`` at theirs; ``size`` texts at a time."""
    order = sorted(range(len(rows)), key=lambda row: len(rows[row].template) + len(rows[row].concrete))
    asked_of: list[list[int]] = [[] for _ in rows]
    spoken_of: list[list[int]] = [[] for _ in rows]
    for number, place in enumerate(asked):
        asked_of[place.row].append(number)
    for number, (place, _) in enumerate(spoken):
        spoken_of[place.row].append(number)
    answer = Logits(torch.empty(len(asked), len(columns)), torch.empty(len(spoken)))
    for first in range(0, len(order), size):
        chosen = order[first : first + size]
        open_places = [(new, number) for new, row in enumerate(chosen) for number in asked_of[row]]
        known = [(new, number) for new, row in enumerate(chosen) for number in spoken_of[row]]
        if not open_places and not known:
            continue
        places = [asked[number]._replace(row=new) for new, number in open_places]
        places += [spoken[number][0]._replace(row=new) for new, number in known]
        logits = network([rows[row] for row in chosen], places).float()
        part = logits[: len(open_places)].index_select(1, columns.to(logits.device))
        answer.asked[[number for _, number in open_places]] = part.cpu()
        if known:
            words = torch.tensor([[spoken[number][1]] for _, number in known], device=logits.device)
            logp = logits[len(open_places) :].log_softmax(-1).gather(1, words)[:, 0]
            answer.spoken[[number for _, number in known]] = logp.cpu()
    return answer


class Admissible:
    """The words that may fill a blank: those of the whitelist that are in the vocabulary, then ``#UNK#``."""

    def __init__(self, whitelist: Iterable[str], vocabulary: Vocabulary, spare_abstract: bool = False) -> None:
        self.vocabulary = vocabulary
        self.words = tuple(word for word in whitelist if word in vocabulary.at)
        self.ids = torch.tensor([*vocabulary.ids(self.words), vocabulary.unknown])
        self.at = {word: number for number, word in enumerate(self.words)}
        self.spare_abstract = spare_abstract
        """Words of the abstract are never blanked (section 2.2): give them no mass."""

    def logp(self, chosen: Tensor, abstracts: Sequence[tuple[str, ...]]) -> Tensor:
        """Logits of the admissible words and ``#UNK#`` (Q, W + 1) -> renormalised ln p over them."""
        if self.spare_abstract:
            for row, abstract in enumerate(abstracts):
                barred = [self.at[word] for word in abstract if word in self.at]
                chosen[row, barred] = -1e9
        return chosen.log_softmax(-1)

    def key(self, word: str) -> int:
        """Column of a word; an unknown one is the last, ``#UNK#``."""
        return self.at.get(word, len(self.words))
