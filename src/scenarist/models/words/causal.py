"""WordGap -> Prediction by a causal language model: P(word | abstract, words before it), exact over multi-piece words.

The rows "OpenAI GPT" and "+ fine-tuning" of Bisk et al. (2019), Table 4, for any llama. A word is the
product of its pieces (in the tokenizer's own cut, a space before it), so *spatula* (two pieces) and *spoon* (one) compete as
words. All unfinished piece sequences of the admissible words form a tree; its nodes are put behind the prefix in one pass, each
seeing the prefix and its own ancestors only. An open vocabulary has no ``#UNK#``: that class is the sum of the
admissible words that the closed vocabulary lacks. With ``prune`` above 0 a node whose own probability is lower is not
opened, and its mass is shared evenly by the words below it.

``CausalModel.tell`` writes a whole concrete text: beam search over pieces, as the transformers library does it (a text counts by the mean
log-probability of its pieces, the end included); no phrase of four pieces is said twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from scenarist.models.words.batches import PairRow, QueryPlace, Vocabulary
from scenarist.models.words.pieces import Marked, PieceRow, WordPieces, piece_batch, piece_row
from scenarist.models.words.pretrained import PretrainedWords
from scenarist.networks.prefix_cache import Memory, read_on

NEVER = -1e9


class PieceTree:
    """The unfinished piece sequences of some words (the nodes); node 0 is the empty one, parents stand before children."""

    def __init__(self, words: Sequence[list[int]]) -> None:
        known: dict[tuple[int, ...], int] = {(): 0}
        for pieces in words:
            for size in range(1, len(pieces)):
                known.setdefault(tuple(pieces[:size]), len(known))
        self.nodes = list(known)
        self.parent = [known[node[:-1]] if node else -1 for node in self.nodes]
        self.words = [(known[tuple(pieces[:-1])], pieces[-1]) for pieces in words]
        """Each word is a node and one more piece."""

    def ancestors(self, node: int) -> list[int]:
        """A node and what is above it, without the root."""
        out = []
        while node > 0:
            out.append(node)
            node = self.parent[node]
        return out


class CausalWords(nn.Module):  # type: ignore[misc]
    """ln P of each admissible word from a causal model over pieces."""

    def __init__(
        self, body: Marked, pieces: WordPieces, vocabulary: Vocabulary, whitelist: Sequence[str], prune: float = 0.0
    ) -> None:
        super().__init__()
        self.body, self.pieces, self.vocabulary, self.prune = body, pieces, vocabulary, prune
        body.marks.requires_grad_(False)
        self.whitelist = tuple(whitelist)
        self.tree = PieceTree([pieces(word) for word in self.whitelist])
        self.columns = torch.tensor(vocabulary.ids(self.whitelist))

    @property
    def device(self) -> str:
        return self.body.llama.device

    def loss(self, rows: Sequence[PairRow]) -> Tensor:
        """Mean -ln P per piece of the concrete text, the abstract given."""
        cut = [piece_row(row, self.pieces, marks=False) for row in rows]
        batch = piece_batch([pieces._replace(ids=[*pieces.ids, self.pieces.start]) for pieces in cut], self.device)
        states = self.body.llama.states(batch.ids[:, :-1], adapter=self.body.adapter)
        keep = torch.zeros(batch.ids.shape[0], batch.ids.shape[1] - 1, dtype=torch.bool)
        for number, pieces in enumerate(cut):
            keep[number, pieces.heads[0] : len(pieces.ids)] = True  # from the joint on, the end included
        keep = keep.to(self.device)
        loss: Tensor = nn.functional.cross_entropy(self.words_of(states[keep]), batch.ids[:, 1:][keep])
        return loss

    def words_of(self, states: Tensor) -> Tensor:
        """States -> logits over the pieces, in single precision."""
        out: Tensor = states.float() @ self.body.llama.embedding.float().T
        return out

    def logits(self, rows: Sequence[PairRow], places: Sequence[QueryPlace]) -> Tensor:
        """ln P(word) in the columns of the vocabulary, (Q, V); words that are not admissible never come."""
        cut = [piece_row(row, self.pieces, marks=False) for row in rows]
        nodes = list(range(1, len(self.tree.nodes)))
        if self.prune:
            (first,) = self.steps(cut, places, [])  # (Q, pieces)
            nodes = [node for node in nodes if bool((first[:, self.tree.nodes[node][0]].exp() >= self.prune).any())]
        words = self.words(cut, places, nodes).cpu()  # (Q, W)
        out = torch.full((len(places), len(self.vocabulary)), NEVER)
        known = self.columns != self.vocabulary.unknown
        out[:, self.columns[known]] = words[:, known]
        if not bool(known.all()):
            out[:, self.vocabulary.unknown] = words[:, ~known].logsumexp(1)
        return out

    def words(self, cut: Sequence[PieceRow], places: Sequence[QueryPlace], nodes: list[int]) -> Tensor:
        """ln P(word), (Q, W), with these nodes opened."""
        reach: dict[int, Tensor] = {}
        logps = torch.full((len(places), len(self.whitelist)), NEVER, device=self.device)
        below: dict[int, list[int]] = {}
        for word, (node, _) in enumerate(self.tree.words):
            below.setdefault(node, []).append(word)
        closed: dict[int, list[int]] = {}  # a closed node's words by the open node above it and the piece between
        for node, logp in zip([0, *nodes], self.steps(cut, places, nodes), strict=True):  # logp (Q, pieces)
            above = torch.zeros(len(places), device=self.device) if node == 0 else reach[node]
            ends = below.get(node, [])
            if ends:
                logps[:, ends] = above[:, None] + logp[:, [self.tree.words[word][1] for word in ends]]
            for child, parent in enumerate(self.tree.parent):
                if parent == node:
                    reach[child] = above + logp[:, self.tree.nodes[child][-1]]
        opened = {0, *nodes}
        for word, (node, _) in enumerate(self.tree.words):
            if node not in opened:
                top = self.tree.ancestors(node)[-1]  # the first piece
                closed.setdefault(top, []).append(word)
        for top, words in closed.items():
            logps[:, words] = reach[top][:, None] - math.log(len(words))
        return logps

    def steps(self, cut: Sequence[PieceRow], places: Sequence[QueryPlace], nodes: list[int]) -> Iterator[Tensor]:
        """ln P(next piece) after each query's prefix, then after each node behind it: (Q, pieces) each."""
        slots: list[list[int]] = [[] for _ in cut]  # queries of each row
        for number, place in enumerate(places):
            slots[place.row].append(number)
        width = max(len(pieces.ids) + len(nodes) * len(slots[row]) for row, pieces in enumerate(cut))
        ids = torch.zeros(len(cut), width, dtype=torch.long)
        order = torch.zeros(len(cut), width, dtype=torch.long)
        seen = torch.zeros(len(cut), width, width, dtype=torch.bool)
        where = torch.zeros(len(places), 1 + len(nodes), dtype=torch.long)
        above = torch.tensor(
            [[other in self.tree.ancestors(node) for other in nodes] for node in nodes], dtype=torch.bool
        )
        deep = torch.tensor([len(self.tree.nodes[node]) for node in nodes])
        tails = torch.tensor([self.tree.nodes[node][-1] for node in nodes])
        for row, pieces in enumerate(cut):
            size, many = len(pieces.ids), len(nodes)
            ids[row, :size], order[row, :size] = torch.tensor(pieces.ids), torch.arange(size)
            seen[row].fill_diagonal_(True)
            seen[row, :size, :size] = torch.ones(size, size, dtype=torch.bool).tril()
            for turn, number in enumerate(slots[row]):
                head, base = pieces.heads[places[number].place], size + turn * many
                where[number, 0] = head
                if many:
                    where[number, 1:] = torch.arange(base, base + many)
                    ids[row, base : base + many], order[row, base : base + many] = tails, head + deep
                    seen[row, base : base + many, : head + 1] = True
                    seen[row, base : base + many, base : base + many] = above
        states = self.body.llama.states(
            ids.to(self.device), order.to(self.device), seen.to(self.device), self.body.adapter
        )
        rows = torch.tensor([place.row for place in places], device=self.device)
        for column in range(1 + len(nodes)):
            picked = states[rows, where[:, column].to(self.device)]  # (Q, h)
            yield self.words_of(picked).log_softmax(-1)


class PieceBeam(NamedTuple):
    """Pieces so far, the abstract included, and the summed log-probability of the new ones."""

    ids: tuple[int, ...]
    logp: float


class CausalModel(PretrainedWords):
    """A causal language model as it is, exact over multi-piece words."""

    name = "causal-lm"
    tuned = False
    half = False
    learns = "stories"
    """As it is, no more than the word lists of the corpus."""

    def __init__(self, prune: float = 0.0, joint: str = "=>", seed: int = 1, **settings: Any) -> None:
        """``joint``: what stands between the abstract and the concrete text. Of a trained model the file says both."""
        super().__init__(seed=seed, **settings)
        self.own = {"prune": prune, "joint": joint}

    def make(self, body: Marked, pieces: WordPieces) -> CausalWords:
        assert self.vocabulary_ is not None
        pieces.joint = self.own["joint"]
        return CausalWords(body, pieces, self.vocabulary_, self.whitelist_, self.own["prune"])

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def tell(self, abstract: tuple[str, ...], width: int = 4, longest: int = 90) -> tuple[str, ...]:
        """A concrete text of an abstract, up to its last full sentence: the best that a beam of ``width`` texts holds."""
        if self.network_ is None:
            self.fit(())
        network: CausalWords = self.network_
        beam = tell_pieces(network, piece_row(PairRow(abstract, ()), network.pieces, marks=False).ids, width, longest)
        text = network.pieces.tokenizer.decode([piece for piece in beam if piece != network.pieces.start])
        words = tuple(text.split())
        full = max((place + 1 for place, word in enumerate(words) if word == "."), default=len(words))
        return words[:full]  # a sentence that the limit cut off is left out


class TunedCausalModel(CausalModel):
    """A causal language model fine-tuned on ``abstract => concrete``."""

    name = "causal-lm-tuned"
    tuned = True


def tell_pieces(network: CausalWords, prompt: Sequence[int], width: int, longest: int) -> tuple[int, ...]:
    """The pieces that go on from a prompt, at most ``longest``, by beam search; the end is the piece that begins a text."""
    end, start = network.pieces.start, len(prompt)
    memory = Memory(4 * width * (start + longest))
    running = [PieceBeam(tuple(prompt), 0.0)]
    done: list[tuple[float, tuple[int, ...]]] = []
    for step in range(1, longest + 1):
        states = read_on(network.body.llama, memory, [beam.ids for beam in running])
        logp = network.words_of(torch.stack([state[-1] for state in states])).log_softmax(-1)  # (beams, pieces)
        for row, beam in enumerate(running):
            logp[row, repeating_pieces(beam.ids)] = -torch.inf
            logp[row] += beam.logp
        top = logp.flatten().topk(2 * width)
        longer: list[PieceBeam] = []
        for rank, (level, index) in enumerate(zip(top.values.tolist(), top.indices.tolist(), strict=True)):
            row, piece = divmod(index, logp.shape[1])
            beam = PieceBeam((*running[row].ids, piece), level)
            if piece != end and step < longest:
                longer.append(beam)
            elif rank < width:
                done.append((level / step, beam.ids))
        done = sorted(done, key=lambda text: -text[0])[:width]
        running = longer[:width]
        if not running or (len(done) == width and running[0].logp / step <= done[-1][0]):
            break
    best = done[0][1] if done else running[0].ids
    return best[start:]


def repeating_pieces(ids: Sequence[int], size: int = 4) -> list[int]:
    """The pieces that would say a phrase of ``size`` pieces again.

    >>> repeating_pieces([1, 2, 3, 4, 1, 2, 3]), repeating_pieces([1, 2, 3])
    ([4], [])
    """
    last = tuple(ids[len(ids) - size + 1 :]) if len(ids) >= size else None
    starts = range(len(ids) - size + 1)
    return [ids[start + size - 1] for start in starts if tuple(ids[start : start + size - 1]) == last]
