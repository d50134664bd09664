"""Queries "which word comes here?" -> logits, many at once; and a quick measure of them for training.

Queries about one text share their prefix (oracle feeding: all of them), so nested prefixes are merged and each text is
read once. The quick measure (match, top-5, surprisal; oracle and greedy) is for choosing epochs and settings while
training: the numbers that are reported come from the exam `wordcloze` and the metrics, which know nothing of this file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from scenarist.models.words.batches import Row, Vocabulary


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


class Place(NamedTuple):
    """A query as (row of the merged texts, place of the word, place where its blank began)."""

    row: int
    place: int
    start: int


def merge(queries: Sequence[Query]) -> tuple[list[Row], list[Place]]:
    """Texts that hold all queries, and where each query stands in them.

    >>> rows, places = merge([Query(("a",), ("x",), 1, 2), Query(("a",), ("x", "y", "z"), 3, 4, ((1, 2),))])
    >>> rows[0].concrete, rows[0].blanks, places[0]
    (('x', 'y', 'z'), ((1, 2), (3, 4)), Place(row=0, place=1, start=1))
    """
    order = sorted(
        range(len(queries)), key=lambda at: (queries[at].abstract, queries[at].template, -len(queries[at].words))
    )
    rows: list[Row] = []
    places: list[Place | None] = [None] * len(queries)
    heads: list[int] = []
    for at in order:
        query = queries[at]
        if heads and (rows[heads[0]].abstract, rows[heads[0]].template) != (query.abstract, query.template):
            heads = []
        known = (*query.blanks, (query.start, query.stop))
        for head in heads:
            row = rows[head]
            if row.concrete[: len(query.words)] == query.words and row.blanks[: len(known)] == known:
                places[at] = Place(head, len(query.words), query.start)
                break
        else:
            heads.append(len(rows))
            places[at] = Place(len(rows), len(query.words), query.start)
            rows.append(Row(query.abstract, query.words, known, template=query.template))
    return rows, [place for place in places if place is not None]


Network = Callable[[Sequence[Row], Sequence[Place]], Tensor]
"""Rows and places -> logits (Q, V) of the places in order."""


@torch.no_grad()  # type: ignore[untyped-decorator]
def ask_places(network: Network, rows: Sequence[Row], places: Sequence[Place], size: int = 64) -> Tensor:
    """Logits of places of rows, (Q, V) on the CPU; ``size`` texts are read at a time, the long ones together."""
    order = sorted(range(len(rows)), key=lambda at: len(rows[at].template) + len(rows[at].concrete))
    by_row: list[list[int]] = [[] for _ in rows]
    for at, place in enumerate(places):
        by_row[place.row].append(at)
    parts, back = [], []
    for first in range(0, len(order), size):
        chosen = order[first : first + size]
        asked = [(new, at) for new, row in enumerate(chosen) for at in by_row[row]]
        if not asked:
            continue
        parts.append(
            network([rows[row] for row in chosen], [places[at]._replace(row=new) for new, at in asked]).float().cpu()
        )
        back += [at for _, at in asked]
    out = torch.empty(len(places), parts[0].shape[1])
    out[torch.tensor(back)] = torch.cat(parts)
    return out


@torch.no_grad()  # type: ignore[untyped-decorator]
def read(
    network: Network,
    rows: Sequence[Row],
    asked: Sequence[Place],
    told: Sequence[tuple[Place, int]],
    ids: Tensor,
    size: int = 64,
) -> tuple[Tensor, Tensor]:
    """Logits of the columns ``ids`` at the places asked (Q, W), and ln p of the word ids told at their places (K,)."""
    order = sorted(range(len(rows)), key=lambda at: len(rows[at].template) + len(rows[at].concrete))
    of_row: list[tuple[list[int], list[int]]] = [([], []) for _ in rows]
    for at, place in enumerate(asked):
        of_row[place.row][0].append(at)
    for at, (place, _) in enumerate(told):
        of_row[place.row][1].append(at)
    found, spoken = torch.empty(len(asked), len(ids)), torch.empty(len(told))
    for first in range(0, len(order), size):
        chosen = order[first : first + size]
        mine = [(new, at) for new, row in enumerate(chosen) for at in of_row[row][0]]
        others = [(new, at) for new, row in enumerate(chosen) for at in of_row[row][1]]
        if not mine and not others:
            continue
        places = [asked[at]._replace(row=new) for new, at in mine] + [
            told[at][0]._replace(row=new) for new, at in others
        ]
        logits = network([rows[row] for row in chosen], places).float()
        found[[at for _, at in mine]] = logits[: len(mine)].index_select(1, ids.to(logits.device)).cpu()
        if others:
            words = torch.tensor([[told[at][1]] for _, at in others], device=logits.device)
            spoken[[at for _, at in others]] = logits[len(mine) :].log_softmax(-1).gather(1, words)[:, 0].cpu()
    return found, spoken


def ask(network: Network, queries: Sequence[Query], size: int = 64) -> Tensor:
    """Logits of all queries, (Q, V) on the CPU; each text is read once."""
    return ask_places(network, *merge(queries), size)


class Admissible:
    """The words that may fill a blank: those of the whitelist that are in the vocabulary, then ``#UNK#``."""

    def __init__(self, whitelist: Iterable[str], vocabulary: Vocabulary, spare_abstract: bool = False) -> None:
        self.vocabulary = vocabulary
        self.words = tuple(word for word in whitelist if word in vocabulary.at)
        self.ids = torch.tensor([*vocabulary.ids(self.words), vocabulary.unknown])
        self.at = {word: number for number, word in enumerate(self.words)}
        self.spare_abstract = spare_abstract
        """Words of the abstract are never blanked (section 2.2): give them no mass."""

    def logp(self, logits: Tensor, abstracts: Sequence[tuple[str, ...]]) -> Tensor:
        """Logits over the vocabulary -> renormalised ln p over the admissible words, (Q, W + 1)."""
        return self.of_columns(logits[:, self.ids], abstracts)

    def of_columns(self, chosen: Tensor, abstracts: Sequence[tuple[str, ...]]) -> Tensor:
        """The same from the logits of the admissible words and ``#UNK#`` alone, (Q, W + 1)."""
        if self.spare_abstract:
            for row, abstract in enumerate(abstracts):
                barred = [self.at[word] for word in abstract if word in self.at]
                chosen[row, barred] = -1e9
        return chosen.log_softmax(-1)

    def key(self, word: str) -> int:
        """Column of a word; an unknown one is the last, ``#UNK#``."""
        return self.at.get(word, len(self.words))


def quick(
    network: Network, rows: Sequence[Row], admissible: Admissible, greedy: bool = True, size: int = 64
) -> dict[str, float]:
    """Match per blank, top-5 and surprisal per blank word, as fractions and nats."""
    found: dict[str, float] = {}
    queries, keys, blanks = [], [], []
    for number, row in enumerate(rows):
        for which, (start, stop) in enumerate(row.blanks):
            for place in range(start, stop):
                queries.append(Query(row.abstract, row.concrete[:place], start, stop, row.blanks[:which]))
                keys.append(admissible.key(row.concrete[place]))
                blanks.append((number, which))
    logp = admissible.logp(ask(network, queries, size), [query.abstract for query in queries])
    key = torch.tensor(keys)[:, None]
    of_key = logp.gather(1, key)
    rank = (logp > of_key).sum(1)
    right = logp[:, :-1].argmax(1) == key[:, 0]
    missed = {blank for blank, one in zip(blanks, right.tolist(), strict=True) if not one}
    found["match/oracle"] = 1 - len(missed) / len(set(blanks))
    found["top5/oracle"] = float((rank < 5).float().mean())
    found["surprisal/oracle"] = float(-of_key.mean())
    if greedy:
        found |= _greedy(network, rows, admissible, size)
    return found


def _greedy(network: Network, rows: Sequence[Row], admissible: Admissible, size: int) -> dict[str, float]:
    """The model's own words are fed forward, over all blanks of a text."""
    told = [list(row.concrete) for row in rows]
    todo = [[(w, p) for w, (a, b) in enumerate(row.blanks) for p in range(a, b)] for row in rows]
    near, words, missed, total = 0, 0, set(), sum(len(row.blanks) for row in rows)
    for step in range(max(len(line) for line in todo)):
        active = [at for at in range(len(rows)) if step < len(todo[at])]
        queries = []
        for at in active:
            which, place = todo[at][step]
            queries.append(
                Query(rows[at].abstract, tuple(told[at][:place]), *rows[at].blanks[which], rows[at].blanks[:which])
            )
        logp = admissible.logp(ask(network, queries, size), [query.abstract for query in queries])
        best = logp[:, :-1].argmax(1).tolist()
        for line, (at, guess) in enumerate(zip(active, best, strict=True)):
            which, place = todo[at][step]
            key = admissible.key(rows[at].concrete[place])
            near += int((logp[line] > logp[line, key]).sum()) < 5
            words += 1
            if guess != key:
                missed.add((at, which))
            told[at][place] = admissible.words[guess]
    return {"match/greedy": 1 - len(missed) / total, "top5/greedy": near / words}
