"""Sentences of words -> their labels: part of speech, entity type, realis and the tree, by a small network in numpy.

Deep biaffine attention (Dozat and Manning 2017) over two BiLSTM layers; `training.reader.network` is the same network
in torch and says where it departs. Sentences of like length go through together, longest first, so that every step of
the recurrence is one matrix product over the sentences still running. Heads are the best ones if they make a tree; else
Chu, Liu and Edmonds's maximum spanning tree (McDonald et al. 2005).
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.networks.layers import leaky, sigmoid, unit

Array = npt.NDArray[Any]

PREFIXES, SUFFIXES, SHAPES = 4096, 8192, 512
NEVER = np.float32(-1e9)
DEPTH = 8
"""cycles resolved exactly, one inside the other or side by side; real sentences have one or two"""


class Labels(NamedTuple):
    """What the network says of one sentence; ``heads`` count from 0, -1 is the root."""

    tags: Array
    """int [words] into ``Network.tags``"""
    kinds: Array
    """int [words] into ``Network.kinds``"""
    realis: Array
    """float [words], P(asserted event)"""
    heads: Array
    deps: Array
    """int [words] into ``Network.deps``"""


def shape(word: str) -> str:
    """The case and digits of a word, runs of at most two alike.

    >>> shape("Mia's"), shape("1,234"), shape("USA")
    ("Xxx'x", 'd,dd', 'XX')
    """
    short = re.sub(r"[^\W\d_]", lambda found: "X" if found[0].isupper() else "x", word[:20])
    return re.sub(r"(.)\1\1+", r"\1\1", re.sub(r"\d", "d", short))


def affixes(word: str) -> tuple[int, int, int]:
    """A word -> rows of the hashed tables for its first three and last three letters, and its shape."""
    lower = word.lower()
    return (
        zlib.crc32(lower[:3].encode("utf-8", "replace")) % PREFIXES,
        zlib.crc32(("$" + lower)[-4:].encode("utf-8", "replace")) % SUFFIXES,
        zlib.crc32(shape(word).encode("utf-8", "replace")) % SHAPES,
    )


class ParserNetwork:
    """The carried weights, ready to run."""

    def __init__(self, path: Path, batch: int = 4096) -> None:
        with np.load(path) as arrays:
            data = {name: arrays[name] for name in arrays.files}
        labels = json.loads(str(data["labels"]))
        self.tags: list[str] = labels["t"]
        self.kinds: list[str] = labels["e"]
        self.deps: list[str] = labels["d"]
        self.batch = batch
        weights = {name: value.astype(np.float32) for name, value in data.items() if value.dtype == np.float16}
        self._rows = {word: place + 1 for place, word in enumerate(str(data["words"]).split("\n"))}
        self._cache: dict[str, tuple[int, int, int, int]] = {}
        word = data["word/rows"].astype(np.float32) * data["word/scale"][:, None]
        self._tables = (word, weights["prefix/weight"], weights["suffix/weight"], weights["shape/weight"])
        self._unit: Array | None = None
        self._layers = [_layer(weights, name) for name in ("lstm1", "lstm2")]
        # one product for all heads that read the states alone
        names = ("tag", "etype", "realis", "arc_dep", "arc_head", "label_dep", "label_head")
        self._heads = np.ascontiguousarray(np.concatenate([weights[f"{name}/weight"] for name in names]).T)  # [2H, sum]
        self._bias = np.concatenate([weights[f"{name}/bias"] for name in names])
        self._cuts = np.cumsum([len(weights[f"{name}/bias"]) for name in names])[:-1]
        root = weights["root"] @ self._heads + self._bias
        parts = np.split(root, self._cuts)
        self._root_arc, self._root_label = leaky(parts[4]), leaky(parts[6])
        self._arc = weights["arc"]
        label = weights["label"]  # [l+1, labels, l+1]
        self._label = np.ascontiguousarray(label.reshape(label.shape[0], -1))

    def vectors(self, words: Sequence[str]) -> Array:
        """Words -> unit vectors [n, d]; zero for the unknown."""
        table = self._unit
        if table is None:
            table = self._tables[0].copy()
            table[0] = 0
            self._unit = table = unit(table)
        found: Array = (
            table[[self.rows(word)[0] for word in words]] if words else np.zeros((0, table.shape[1]), np.float32)
        )
        return found

    def rows(self, word: str) -> tuple[int, int, int, int]:
        """A word -> its rows in the four tables."""
        found = self._cache.get(word)
        if found is None:
            if len(self._cache) > 200_000:
                self._cache.clear()
            found = self._cache[word] = (self._rows.get(word.lower().replace("’", "'"), 0), *affixes(word))
        return found

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[Labels]:
        """All sentences at once; the caller bounds how many. An empty sentence has empty labels."""
        order = sorted(range(len(sentences)), key=lambda place: -len(sentences[place]))
        out: list[Labels | None] = [None] * len(sentences)
        start = 0
        while start < len(order):
            longest = max(1, len(sentences[order[start]]))
            stop = min(len(order), start + max(1, self.batch // longest))
            places = order[start:stop]
            for place, labels in zip(places, self._run([sentences[place] for place in places]), strict=True):
                out[place] = labels
            start = stop
        return [labels for labels in out if labels is not None]

    def _run(self, sentences: list[Sequence[str]]) -> list[Labels]:
        """Sentences, longest first -> labels."""
        lengths = np.array([len(sentence) for sentence in sentences])
        steps, count = int(lengths[0]), len(sentences)
        if steps == 0:
            empty = np.zeros(0, dtype=int)
            return [Labels(empty, empty, np.zeros(0, dtype=np.float32), empty, empty) for _ in sentences]
        rows = np.array([self.rows(word) for sentence in sentences for word in sentence])  # [T, 4]
        x = np.concatenate([table[rows[:, place]] for place, table in enumerate(self._tables)], axis=1)
        which = np.repeat(np.arange(count), lengths)
        where = np.concatenate([np.arange(length) for length in lengths])
        running = (lengths[None, :] > np.arange(steps)[:, None]).sum(axis=1)  # sentences still running at each step
        flat = where * count + which  # time-major place of each word
        for layer in self._layers:
            x = _bilstm(x, layer, flat, steps, count, running)
        scores = x @ self._heads + self._bias
        tag, kind, realis, arc_dep, arc_head, label_dep, label_head = np.split(scores, self._cuts, axis=1)
        deps = np.zeros((count, steps, arc_dep.shape[1]), dtype=np.float32)
        heads = np.zeros((count, steps + 1, arc_head.shape[1]), dtype=np.float32)
        deps[which, where] = leaky(arc_dep)
        heads[:, 0] = self._root_arc
        heads[which, where + 1] = leaky(arc_head)
        arcs = (deps @ self._arc[:-1] + self._arc[-1]) @ heads.transpose(0, 2, 1)  # [B, N, N+1]
        chosen = trees(arcs, lengths)  # [B, N], 0 is the root
        head = chosen[which, where]
        # labels of the chosen arcs only
        above = np.concatenate([self._root_label[None], leaky(label_head)])
        first = np.cumsum(lengths) - lengths
        above = above[np.where(head == 0, 0, first[which] + head)]
        below = leaky(label_dep)
        deep = np.empty((len(below), len(self.deps)), dtype=np.float32)
        for start in range(0, len(below), 256):  # few enough words for the product to stay in the cache
            part = slice(start, start + 256)
            product = (below[part] @ self._label[:-1] + self._label[-1]).reshape(-1, len(self.deps), above.shape[1] + 1)
            deep[part] = np.matmul(product[:, :, :-1], above[part, :, None])[:, :, 0] + product[:, :, -1]
        root = self.deps.index("root")
        deep[:, root] = NEVER
        names = np.where(head == 0, root, deep.argmax(axis=1))
        asserted = sigmoid(np.clip(realis[:, 0] - realis[:, 1], -30, 30))
        tags, kinds = tag.argmax(axis=1), kind.argmax(axis=1)
        cuts = np.cumsum(lengths)[:-1]
        parts = [np.split(one, cuts) for one in (tags, kinds, asserted, head - 1, names)]
        return [Labels(*labels) for labels in zip(*parts, strict=True)]


class _Direction(NamedTuple):
    inner: Array
    """[in, 4H], gates in the order input, forget, cell, output; sigmoid gates halved, so that one tanh serves all"""
    again: Array
    bias: Array


def _layer(weights: dict[str, Array], name: str) -> tuple[_Direction, _Direction]:
    made = []
    for end in ("", "_reverse"):
        inner, again = weights[f"{name}/weight_ih_l0{end}"].T, weights[f"{name}/weight_hh_l0{end}"].T
        bias = weights[f"{name}/bias_ih_l0{end}"] + weights[f"{name}/bias_hh_l0{end}"]
        size = again.shape[0]
        half = np.full(4 * size, 0.5, dtype=np.float32)
        half[2 * size : 3 * size] = 1.0
        made.append(_Direction(np.ascontiguousarray(inner * half), np.ascontiguousarray(again * half), bias * half))
    return made[0], made[1]


def _bilstm(
    x: Array, layer: tuple[_Direction, _Direction], flat: Array, steps: int, count: int, running: Array
) -> Array:
    """Words [T, in] -> states [T, 2H]."""
    size = layer[0].again.shape[0]
    out = np.empty((len(x), 2 * size), dtype=np.float32)
    for side, direction in enumerate(layer):
        gates = np.empty((steps * count, 4 * size), dtype=np.float32)
        gates[flat] = x @ direction.inner + direction.bias
        gates = gates.reshape(steps, count, 4 * size)
        states = np.empty((steps, count, size), dtype=np.float32)
        state, cell = np.zeros((count, size), dtype=np.float32), np.zeros((count, size), dtype=np.float32)
        for step in range(steps) if side == 0 else range(steps - 1, -1, -1):
            alive = int(running[step])
            gate = state[:alive] @ direction.again
            gate += gates[step, :alive]
            np.tanh(gate, out=gate)
            sigmoid = gate * np.float32(0.5)
            sigmoid += np.float32(0.5)
            now = cell[:alive]
            now *= sigmoid[:, size : 2 * size]
            now += sigmoid[:, :size] * gate[:, 2 * size : 3 * size]
            np.multiply(sigmoid[:, 3 * size :], np.tanh(now), out=state[:alive])
            states[step, :alive] = state[:alive]
        out[:, side * size : (side + 1) * size] = states.reshape(steps * count, size)[flat]
    return out


def trees(arcs: Array, lengths: Array) -> Array:
    """Arc scores [B, N, N+1] (column 0 is the root) -> heads [B, N] that make one tree a sentence."""
    count, steps, _ = arcs.shape
    places = np.arange(steps)
    arcs[:, places, places + 1] = NEVER
    beyond = np.arange(steps + 1)[None, :] > lengths[:, None]
    arcs[np.broadcast_to(beyond[:, None, :], arcs.shape)] = NEVER
    inside = places[None, :] < lengths[:, None]
    heads = arcs.argmax(axis=2)
    roots = ((heads == 0) & inside).sum(axis=1)
    for place in np.flatnonzero(roots != 1):  # exactly one root: the word that loses least by it
        length = lengths[place]
        scores = arcs[place, :length]
        root = int((scores[:, 0] - scores[:, 1:].max(axis=1)).argmax()) if length > 1 else 0
        keep = scores[root, 0]
        scores[:, 0] = NEVER
        scores[root, 0] = keep
        heads[place, :length] = scores.argmax(axis=1)
        heads[place, root] = 0
    up = np.concatenate([np.zeros((count, 1), dtype=heads.dtype), np.where(inside, heads, 0)], axis=1)
    for _ in range(max(1, int(np.ceil(np.log2(steps + 1))))):
        up = np.take_along_axis(up, up, axis=1)
    for place in np.flatnonzero(up.any(axis=1)):
        length = int(lengths[place])
        heads[place, :length] = spanning_tree(arcs[place, :length, : length + 1])
    return np.asarray(heads)


def spanning_tree(scores: Array) -> Array:
    """Arc scores [N, N+1] of one sentence -> heads [N], the maximum spanning tree with one root (Chu-Liu-Edmonds)."""
    size = len(scores)
    full = np.full((size + 1, size + 1), float(NEVER))
    full[1:] = scores
    np.fill_diagonal(full, float(NEVER))
    # one root: whichever word loses least by hanging from it; then no other may
    gain = full[1:, 0] - (full[1:, 1:].max(axis=1) if size > 1 else 0)
    root = int(gain.argmax()) + 1
    keep = full[root, 0]
    full[1:, 0] = 2 * float(NEVER)
    full[root, 0] = keep
    full[root, 1:] = 2 * float(NEVER)
    return np.asarray(_edmonds(full, DEPTH)[1:])


def _grown(scores: Array) -> Array:
    """A tree grown from the root by the best arc to a new node: any tree will do for text that has none."""
    size = len(scores)
    heads = np.zeros(size, dtype=int)
    best = scores[:, 0].copy()
    best[0] = -np.inf
    for _ in range(size - 1):
        node = int(best.argmax())
        best[node] = -np.inf
        better = (scores[:, node] > best) & (best > -np.inf)
        best[better] = scores[better, node]
        heads[better] = node
    return heads


def _edmonds(scores: Array, depth: int) -> Array:
    """scores[dependent, head], node 0 is the root -> head of each node; after ``depth`` cycles the rest is grown greedily."""
    heads = scores.argmax(axis=1)
    heads[0] = 0
    cycle = _cycle(heads)
    if cycle is None:
        return np.asarray(heads)
    if depth == 0:
        return _grown(scores)
    inside = np.zeros(len(scores), dtype=bool)
    inside[cycle] = True
    outside = np.flatnonzero(~inside)
    into = scores[np.ix_(cycle, outside)] - scores[cycle, heads[cycle]][:, None]  # what entering the cycle costs
    out_of = scores[np.ix_(outside, cycle)]
    size = len(outside) + 1
    small = np.full((size, size), 3 * float(NEVER))
    small[:-1, :-1] = scores[np.ix_(outside, outside)]
    enter, leave = into.argmax(axis=0), out_of.argmax(axis=1)
    small[-1, :-1] = into.max(axis=0)
    small[:-1, -1] = out_of.max(axis=1)
    np.fill_diagonal(small, 4 * float(NEVER))
    found = _edmonds(small, depth - 1)
    result = heads.copy()
    for place, node in enumerate(outside):
        if node:
            result[node] = cycle[leave[place]] if found[place] == size - 1 else outside[found[place]]
    way = found[-1]
    result[cycle[enter[way]]] = outside[way]
    return np.asarray(result)


def _cycle(heads: Array) -> Array | None:
    """The nodes of some cycle, None where there is none."""
    colour = np.zeros(len(heads), dtype=int)
    colour[0] = -1
    for start in range(1, len(heads)):
        node, path = start, []
        while colour[node] == 0:
            colour[node] = start
            path.append(node)
            node = int(heads[node])
        if colour[node] == start:
            return np.array(path[path.index(node) :])
    return None
