"""Pairs of abstract and concrete words -> padded tensors, and queries "which word comes here?" -> logits; what every word model reads.

The vocabulary is a list of words whose place is their id, with the marks ``#UNK#``, ``<PAD>``, ``<S>`` and ``</S>`` (Bisk
et al. 2019's file has them in front). An abstract begins with ``<S>``, so that position 0 of the encoder is the same for all:
a transducer that stays there is a language model.

Queries about one text share their prefix (oracle feeding: all of them), so nested prefixes are merged and each text is read once.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from scenarist.errors import BadInput

UNKNOWN, PAD, START, END = "#UNK#", "<PAD>", "<S>", "</S>"
MARKS = (UNKNOWN, PAD, START, END)


class PairRow(NamedTuple):
    """What a network needs of a Pair."""

    abstract: tuple[str, ...]
    concrete: tuple[str, ...]
    blanks: tuple[tuple[int, int], ...] = ()
    fed: tuple[str, ...] = ()
    """What is read in place of the concrete words, where it is not they (a model's own fills)."""
    template: tuple[str, ...] = ()
    """The whole text with its blanks hidden, where that is shown before it (`wordcloze-infill`)."""


class Vocabulary:
    """Words and their ids.

    >>> words = Vocabulary(("#UNK#", "<PAD>", "<S>", "</S>", "stir"))
    >>> words.ids(["stir", "yuzu"])
    [4, 0]
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self.at = {word: number for number, word in enumerate(self.words)}
        lost = [mark for mark in MARKS if mark not in self.at]
        if lost:
            raise BadInput(f"the vocabulary lacks the marks {lost}; it must hold {list(MARKS)}")
        self.unknown, self.pad, self.start, self.end = (self.at[mark] for mark in MARKS)

    def __len__(self) -> int:
        return len(self.words)

    def ids(self, words: Iterable[str]) -> list[int]:
        """Ids of words; a word that is not in the vocabulary is ``#UNK#``."""
        return [self.at.get(word, self.unknown) for word in words]

    @classmethod
    def count(cls, rows: Iterable[PairRow], least: int = 5) -> Vocabulary:
        """The words of a parallel corpus that occur ``least`` times, most frequent first."""
        seen: Counter[str] = Counter()
        for row in rows:
            seen.update(row.abstract)
            seen.update(row.concrete)
        kept = sorted((word for word in seen if seen[word] >= least and word not in MARKS), key=lambda w: (-seen[w], w))
        return cls((*MARKS, *kept))


class WordBatch(NamedTuple):
    """Padded ids: ``abstract`` (B, m) with ``<S>`` in front, ``words`` (B, n) of the concrete text, and their lengths (B,)."""

    abstract: Tensor
    positions: Tensor
    words: Tensor
    sizes: Tensor
    lengths: Tensor
    """``positions``, always on the processor: packing wants them there."""
    told: Tensor
    """Places of the words and of ``</S>`` in a flattened (B, n + 1): known beforehand, so that a card need not be waited for."""

    def to(self, device: str) -> WordBatch:
        """The same on another device."""

        def there(part: Tensor) -> Tensor:
            return part.pin_memory().to(device, non_blocking=True) if device.startswith("cuda") else part.to(device)

        moved = (there(self.abstract), there(self.positions), there(self.words), there(self.sizes))
        return WordBatch(*moved, self.lengths, there(self.told))

    def inputs(self, start: int) -> Tensor:
        """What the decoder reads: ``<S>`` and the words, (B, n + 1); state t predicts word t."""
        return torch.nn.functional.pad(self.words, (1, 0), value=start)

    def targets(self, end: int) -> tuple[Tensor, Tensor]:
        """Words with ``</S>`` behind (B, n + 1), and their lengths (B,)."""
        targets = torch.nn.functional.pad(self.words, (0, 1), value=end)
        rows = torch.arange(len(targets), device=targets.device)
        targets[rows, self.sizes] = end
        return targets, self.sizes + 1


def pad(rows: Sequence[list[int]], value: int) -> tuple[Tensor, Tensor]:
    """Lists of ids as one tensor (B, longest) and their lengths (B,)."""
    sizes = torch.tensor([len(row) for row in rows])
    width = max(1, int(sizes.max()))
    return torch.tensor([row + [value] * (width - len(row)) for row in rows]), sizes


def batch(rows: Sequence[PairRow], vocabulary: Vocabulary, cut: int | None = None) -> WordBatch:
    """Rows as a WordBatch; ``cut`` keeps that many words of each side."""
    abstract, positions = pad([[vocabulary.start, *vocabulary.ids(row.abstract[:cut])] for row in rows], vocabulary.pad)
    words, sizes = pad([vocabulary.ids(row.concrete[:cut]) for row in rows], vocabulary.pad)
    places = (torch.arange(words.shape[1] + 1) <= sizes[:, None]).flatten().nonzero()[:, 0]
    return WordBatch(abstract, positions, words, sizes, positions, places)


def batches(
    rows: Sequence[PairRow], vocabulary: Vocabulary, size: int, cut: int | None, shuffle: random.Random | None = None
) -> Iterator[WordBatch]:
    """All rows in batches of about one length; ``shuffle`` draws another order each time it is called."""
    order = list(range(len(rows)))
    if shuffle is not None:
        shuffle.shuffle(order)
    pool = 20 * size if shuffle is not None else len(order)
    groups = []
    for first in range(0, len(order), max(1, pool)):
        near = sorted(order[first : first + pool], key=lambda index: len(rows[index].concrete[:cut]))
        groups += [near[index : index + size] for index in range(0, len(near), size)]
    if shuffle is not None:
        shuffle.shuffle(groups)
    for group in groups:
        yield batch([rows[index] for index in group], vocabulary, cut)


def lengths(rows: Sequence[PairRow], cut: int | None) -> tuple[int, int]:
    """Summed positions and words, ``<S>`` and ``</S>`` included."""
    return sum(len(row.abstract[:cut]) + 1 for row in rows), sum(len(row.concrete[:cut]) + 1 for row in rows)


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
