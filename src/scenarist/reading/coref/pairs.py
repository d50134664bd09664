"""Mentions -> pairs of mention and possible antecedent, with the numbers the network sees, and the network that scores them.

The recipe is that of mention-ranking systems with hand-made features (Clark and Manning 2016 list most of them): who may go
with whom by string, head, gender, number, animacy and type; how far apart; which roles; who speaks. A mention meets at most
``MOST`` antecedents, chosen by simple rules, so the cost grows linearly with the text.

The network is feed-forward, over both mentions and their pair, with one more for having no antecedent; trained by
`training.reader.coreference` with the marginal likelihood of all right antecedents (Lee et al. 2017). The part of the first layer that
sees a mention alone is computed once a mention, not once a pair.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.networks.layers import relu
from scenarist.reading.coref import lexicon as lex
from scenarist.reading.coref.lexicon import ARTICLES
from scenarist.reading.coref.mentions import DEPS, KINDS, Mentions

Array = npt.NDArray[Any]

MOST = 40
NEAR = {"pronoun": (5, 24), "nominal": (2, 8), "person": (30, 6)}
"""sentences and mentions a pronoun, a nominal, a first or second person looks back"""

FEATURES = (
    "same text",
    "same head",
    "head in words",
    "share of mine",
    "share of its",
    "both have more",
    "same form",
    "same class",
    "gender same",
    "gender conflict",
    "number same",
    "number conflict",
    "alive same",
    "alive conflict",
    "kind same",
    "kind conflict",
    "sentence 0",
    "sentence 1",
    "sentence 2",
    "sentence 3",
    "sentence 4-5",
    "sentence 6-9",
    "sentence 10-",
    "log sentences",
    "log mentions",
    "log tokens",
    "nearest",
    "inside",
    "around",
    "same governor",
    "reflexive",
    "binding",
    "apposition",
    "predicate",
    "subject",
    "object",
    "same role",
    "both quoted",
    "only mine quoted",
    "only its quoted",
    "same quotation",
    "is speaker",
    "same speaker",
    "other speaker",
    "similar",
    "count",
    "last of its text",
    "name part",
    "article a",
    "its article a",
    "first sentence",
    "vocative",
    "nearest alike",
    "speaks",
    "none between",
)


class Pairs(NamedTuple):
    """``mine[p]`` and ``its[p]`` are places among the mentions: the mention and its possible antecedent."""

    mine: Array
    its: Array
    features: Array
    """float32 [pairs, len(FEATURES)]"""


def numbers(mentions: Mentions) -> Array:
    """A few numbers of each mention alone, its repetitions among them -> float32 [mentions, n]."""
    size = len(mentions)
    seen: dict[str, int] = {}
    heads: dict[str, int] = {}
    before, before_head = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32)
    for place in range(size):
        before[place] = seen.get(mentions.texts[place], 0)
        before_head[place] = heads.get(mentions.heads[place], 0)
        seen[mentions.texts[place]] = seen.get(mentions.texts[place], 0) + 1
        heads[mentions.heads[place]] = heads.get(mentions.heads[place], 0) + 1
    after = np.array([seen[text] for text in mentions.texts], dtype=np.float32)
    after_head = np.array([heads[head] for head in mentions.heads], dtype=np.float32)
    length = (mentions.last - mentions.first).astype(np.float32)
    return np.stack(
        [
            before > 0,
            before_head > 0,
            np.log1p(before),
            np.log1p(after),
            np.log1p(after_head),
            np.log1p(length),
            length == 1,
            mentions.quote > 0,
            mentions.reflexive > 0,
            mentions.sentence == 0,
            mentions.governor < 0,
            np.arange(size) < 5,
            after_head == 1,
        ],
        axis=1,
    ).astype(np.float32)


def own(mentions: Mentions, rows: Array, numbers: Array, vectors: Array) -> Array:
    """What the mentions ``rows`` bring alone: one-hot classes, their numbers and word vectors -> float32 [rows, n]."""
    blocks = [
        np.eye(len(names), dtype=np.float32)[values[rows]]
        for names, values in (
            (lex.CLASSES, mentions.cls),
            (KINDS, mentions.kind),
            (DEPS, mentions.dep),
            (ARTICLES, mentions.article),
            (range(3), mentions.number),
            (range(4), mentions.gender),
            (range(3), mentions.alive),
        )
    ]
    return np.concatenate([*blocks, numbers[rows], vectors], axis=1)


def candidates(mentions: Mentions, most: int) -> Iterator[tuple[Array, Array, Array]]:
    """-> (mine, its, shared): the pairs worth a look and how many content words they share, some ``most`` at a time."""
    mine, its, shared = array("i"), array("i"), array("f")
    postings: dict[str, deque[int]] = {}
    latest: dict[int, deque[int]] = {}
    cls, sentence = mentions.cls.tolist(), mentions.sentence.tolist()
    for place in range(len(mentions)):
        here = cls[place]
        found: dict[int, int] = {}
        if here in (lex.FIRST, lex.WE, lex.YOU):
            for other in (lex.FIRST, lex.WE, lex.YOU):
                found.update(dict.fromkeys(latest.get(other, ()), 0))
            reach, back = NEAR["person"] if here != lex.WE else NEAR["pronoun"]
        elif here >= lex.NAME:
            counts: dict[int, int] = {}
            for word in mentions.words[place]:
                for other in postings.get(word, ()):
                    counts[other] = counts.get(other, 0) + 1
            for other in sorted(counts, key=lambda other: (-counts[other], -other))[:20]:
                found[other] = counts[other]
            reach, back = NEAR["nominal"]
        else:
            found.update(dict.fromkeys([*latest.get(here, ())][-3:], 0))
            reach, back = NEAR["pronoun"]
        low = sentence[place] - reach
        for other in range(place - 1, max(-1, place - 1 - back), -1):
            if sentence[other] < low:
                break
            found.setdefault(other, 0)
        quote = int(mentions.quote[place])
        if quote and quote in mentions.speakers and mentions.speakers[quote] < place:
            found.setdefault(mentions.speakers[quote], 0)
        kept = sorted(found, reverse=True)[:MOST]
        mine.extend([place] * len(kept))
        its.extend(kept)
        shared.extend([found[other] for other in kept])
        for word in mentions.words[place]:
            postings.setdefault(word, deque(maxlen=14)).append(place)
        latest.setdefault(here, deque(maxlen=4)).append(place)
        if len(mine) >= most:
            yield _blocks(mine, its, shared)
            mine, its, shared = array("i"), array("i"), array("f")
    if mine:
        yield _blocks(mine, its, shared)


def _blocks(mine: array[int], its: array[int], shared: array[float]) -> tuple[Array, Array, Array]:
    return np.array(mine, dtype=int), np.array(its, dtype=int), np.array(shared, dtype=np.float32)


class Slice(NamedTuple):
    """Some pairs of a story with the mentions that take part in them."""

    pairs: Pairs
    rows: Array
    """The mentions, as places."""
    mine: Array
    """For each pair the place of its mention among ``rows``."""
    its: Array
    vectors: Array
    """float32 [rows, d]"""


def slices(mentions: Mentions, vectors: Callable[[list[str]], Array], most: int = 30_000) -> Iterator[Slice]:
    """The pairs of a story, some thousand at a time: a novel has more than memory should hold. A mention is never parted."""
    known = _Known(
        _numbered(mentions.texts),
        _numbered(mentions.heads),
        _numbered(mentions.forms),
        _speakers(mentions),
        np.array([max(1, len(words)) for words in mentions.words], dtype=np.float32),
    )
    for mine, its, shared in candidates(mentions, most):
        rows, places = np.unique(np.concatenate([mine, its]), return_inverse=True)
        near = vectors([mentions.heads[row] for row in rows.tolist()])
        here, there = places[: len(mine)], places[len(mine) :]
        similar = (near[here] * near[there]).sum(axis=1)
        yield Slice(Pairs(mine, its, _features(mentions, similar, known, mine, its, shared)), rows, here, there, near)


class _Known(NamedTuple):
    """Strings of mentions as numbers, the speaker of each quotation (-1: none), the number of content words."""

    text: Array
    head: Array
    form: Array
    speaker: Array
    size: Array


def _numbered(strings: list[str]) -> Array:
    known = {string: place for place, string in enumerate(dict.fromkeys(strings))}
    return np.array([known[string] for string in strings])


def _speakers(mentions: Mentions) -> Array:
    speaker = np.full(max([int(mentions.quote.max(initial=0)), *mentions.speakers]) + 1, -1)
    for quote, place in mentions.speakers.items():
        speaker[quote] = place
    return speaker


def _features(m: Mentions, similar: Array, known: _Known, mine: Array, its: Array, shared: Array) -> Array:
    """float32 [pairs, len(FEATURES)], in the order of FEATURES."""
    text, head, form, speaker, size = known
    pronoun = m.cls < lex.NAME
    nominal = ~pronoun
    both = nominal[mine] & nominal[its]
    far = m.sentence[mine] - m.sentence[its]
    apart = (mine - its).astype(np.float32)
    same_text = (text[mine] == text[its]) & both
    same_head = (head[mine] == head[its]) & both

    def agree(values: Array, unknown: int = 0) -> tuple[Array, Array]:
        a, b = values[mine], values[its]
        known = (a != unknown) & (b != unknown)
        return known & (a == b), known & (a != b)

    gender_same, gender_conflict = agree(m.gender)
    number_same, number_conflict = agree(m.number)
    alive_same, alive_conflict = agree(m.alive)
    kind_same, kind_conflict = agree(m.kind)
    quoted, its_quoted = m.quote[mine] > 0, m.quote[its] > 0
    my_speaker, its_speaker = speaker[m.quote[mine]], speaker[m.quote[its]]
    clause = (m.governor[mine] == m.governor[its]) & (m.governor[mine] >= 0)
    alike = gender_same | (~gender_conflict & ~alive_conflict & ~number_conflict)
    # is it the nearest antecedent that does not clash? pairs of a mention stand together, nearest first
    begin = np.r_[True, mine[1:] != mine[:-1]]
    clash = gender_conflict | number_conflict | alive_conflict
    fits = (~clash).astype(int)
    run = np.cumsum(fits)
    base = np.maximum.accumulate(np.where(begin, run - fits, 0))
    rank = run - base
    last_text = np.r_[True, text[its][1:] != text[its][:-1]]
    return np.stack(
        [
            same_text,
            same_head,
            both & (shared > 0) & ~same_head,
            shared / size[mine],
            shared / size[its],
            both & (shared < size[mine]) & (shared < size[its]),
            (form[mine] == form[its]) & pronoun[mine],
            m.cls[mine] == m.cls[its],
            gender_same,
            gender_conflict,
            number_same,
            number_conflict,
            alive_same,
            alive_conflict,
            kind_same,
            kind_conflict,
            far == 0,
            far == 1,
            far == 2,
            far == 3,
            (far > 3) & (far < 6),
            (far > 5) & (far < 10),
            far > 9,
            np.log1p(far) / 2,
            np.log1p(apart) / 3,
            np.log1p(np.abs(m.head[mine] - m.head[its])) / 4,
            rank == 1,
            (m.first[mine] >= m.first[its]) & (m.last[mine] <= m.last[its]),
            (m.first[its] >= m.first[mine]) & (m.last[its] <= m.last[mine]),
            clause,
            (m.reflexive[mine] > 0) & (far == 0),
            clause & (m.reflexive[mine] == 0) & pronoun[mine] & (m.dep[mine] != DEPS.index("nmod:poss")),
            (m.dep[mine] == DEPS.index("appos")) & (m.governor[mine] == m.head[its]),
            m.governor[its] == m.head[mine],
            m.dep[its] <= 1,
            m.dep[its] == 2,
            m.dep[mine] == m.dep[its],
            quoted & its_quoted,
            quoted & ~its_quoted,
            ~quoted & its_quoted,
            quoted & (m.quote[mine] == m.quote[its]),
            my_speaker == its,
            (my_speaker >= 0) & (its_speaker >= 0) & (head[my_speaker] == head[its_speaker]),
            (my_speaker >= 0) & (its_speaker >= 0) & (head[my_speaker] != head[its_speaker]),
            similar,
            np.log1p(shared),
            last_text,
            both & (m.cls[mine] == lex.NAME) & (m.cls[its] == lex.NAME) & (shared > 0),
            m.article[mine] == 2,
            m.article[its] == 2,
            m.sentence[its] == 0,
            m.dep[its] == DEPS.index("vocative"),
            (rank == 1) & alike & fits.astype(bool),
            (its_speaker == mine) & (m.cls[its] == lex.FIRST),
            apart == 1,
        ],
        axis=1,
    ).astype(np.float32)


class PairScorer:
    """The carried weights of the pair network."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as arrays:
            self.weights: dict[str, Array] = {name: arrays[name].astype(np.float32) for name in arrays.files}

    def alone(self, own: Array) -> tuple[Array, Array, Array]:
        """own [mentions, n] -> (its part as a mention, its part as an antecedent, score of being new)."""
        w = self.weights
        new = relu(own @ w["new1"] + w["new1_bias"]) @ w["new2"] + w["new2_bias"]
        return own @ w["mine"] + w["pair_bias"], own @ w["its"], new[:, 0]

    def pairs(self, my: Array, other: Array, mine: Array, its: Array, features: Array) -> Array:
        """Parts of mentions, pairs [p] and their features [p, f] -> score of each pair."""
        w = self.weights
        hidden = features @ w["pair"]
        hidden += my[mine]
        hidden += other[its]
        np.maximum(hidden, 0, out=hidden)
        deep = relu(hidden @ w["deep"] + w["deep_bias"])
        return np.asarray((deep @ w["out"] + w["out_bias"])[:, 0])
