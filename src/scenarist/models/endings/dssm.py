"""Choice -> Guesses: Deep Structured Semantic Model (Huang et al. 2013; Mostafazadeh et al. 2016, section 5, model 9).

Two networks, one for the four sentences and one for the ending: counts of letter trigrams -> 1000 -> 300, tanh, cosine. Trained on stories
by a softmax over scaled cosines, to prefer the told ending to wrong ones: the endings of the batch's other stories and, by ``wrong``,
endings made for this story (learning/wrong_endings.py: an earlier sentence of it, the ending of a similar story, its own ending with the
feeling turned round). Departures: log counts, dropout, Adam, and ``names="masked"``, which writes every person's name as one word in
training and asking alike: else the network learns to match names, which both endings share. ``networks="release"`` takes those of
`training/storycloze/dssm_grid.py`, which chose the recipe; the file says it. ``networks="own"`` learns from the stories given.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from scenarist.errors import BadInput
from scenarist.learning.wrong_endings import COMMON, KINDS, Negatives
from scenarist.models.endings.base import EndingModel, choice, ranked
from scenarist.question import AnyQuestion, Prediction
from scenarist.story import sentence_texts

WORD = re.compile(r"[A-Za-z']+|\d+")
NAME = "nnn"


def trigrams(word: str) -> list[str]:
    """Letter trigrams of a word with its edges.

    >>> trigrams("cat")
    ['#ca', 'cat', 'at#']
    """
    edged = f"#{word}#"
    return [edged[start : start + 3] for start in range(len(edged) - 2)]


class TrigramCounts(NamedTuple):
    """Trigram ids of some texts, padded with 0, and their weights: both [N, most]."""

    ids: Tensor
    weights: Tensor

    def of(self, which: Tensor) -> TrigramCounts:
        """Some of the rows."""
        return TrigramCounts(self.ids[which], self.weights[which])


class Letters:
    """Sentences -> trigram counts; names are written as one word where ``masked``, else the network learns to match names."""

    def __init__(self, stories: Iterable[Sequence[str]], least: int = 3, masked: bool = True) -> None:
        texts = list(stories)
        upper: Counter[str] = Counter()
        lower: Counter[str] = Counter()
        for story in texts:
            for sentence in story:
                for word in WORD.findall(sentence):
                    (upper if word[0].isupper() else lower)[word.lower()] += 1
        self.names = (
            {word for word, n in upper.items() if n > 9 * lower[word] and word not in COMMON} if masked else set()
        )
        self.cache: dict[str, tuple[int, ...]] = {}
        counts = Counter(
            gram for story in texts for text in story for word in self.words(text) for gram in set(trigrams(word))
        )
        self.known = {
            gram: number
            for number, gram in enumerate((gram for gram, n in counts.most_common() if n >= least), start=1)
        }

    @classmethod
    def of(cls, known: Sequence[str], names: Iterable[str]) -> Letters:
        """The same from its trigrams in order and its names."""
        new = object.__new__(cls)
        new.names, new.cache, new.known = set(names), {}, {gram: number for number, gram in enumerate(known, start=1)}
        return new

    def words(self, text: str) -> list[str]:
        """Words of a sentence, lower-cased."""
        return [
            NAME if word[0].isupper() and word.lower() in self.names else word.lower() for word in WORD.findall(text)
        ]

    def grams(self, word: str) -> tuple[int, ...]:
        """Ids of the known trigrams of a word."""
        if word not in self.cache:
            self.cache[word] = tuple(self.known[gram] for gram in trigrams(word) if gram in self.known)
        return self.cache[word]

    def counts(self, texts: Sequence[Sequence[str]]) -> TrigramCounts:
        """Log counts of each list of sentences, of unit length."""
        counters = [
            Counter(gram for sentence in text for word in self.words(sentence) for gram in self.grams(word))
            for text in texts
        ]
        most = max(1, max(map(len, counters), default=1))
        ids, weights = (
            np.zeros((len(counters), most), dtype=np.int32),
            np.zeros((len(counters), most), dtype=np.float32),
        )
        for row, counter in enumerate(counters):
            value = 1.0 + np.log(np.array(list(counter.values()), dtype=np.float32))
            ids[row, : len(counter)] = list(counter)
            weights[row, : len(counter)] = value / max(1e-6, float(np.linalg.norm(value)))
        return TrigramCounts(torch.from_numpy(ids), torch.from_numpy(weights))


class Tower(nn.Module):  # type: ignore[misc]
    """One of the two networks."""

    def __init__(self, grams: int, hidden: int, size: int, dropout: float) -> None:
        super().__init__()
        self.first = nn.EmbeddingBag(grams + 1, hidden, mode="sum", padding_idx=0)
        self.second = nn.Linear(hidden, size)
        self.dropout = dropout
        nn.init.normal_(self.first.weight, std=0.1)

    def forward(self, counts: TrigramCounts) -> Tensor:
        """[N, most] -> unit vectors [N, size]."""
        ids, weights = counts
        if self.training and self.dropout:
            weights = F.dropout(weights, self.dropout / 2)
        hidden = torch.tanh(self.first(ids, per_sample_weights=weights))
        return F.normalize(torch.tanh(self.second(F.dropout(hidden, self.dropout, self.training))), dim=-1)


class DssmRecipe(NamedTuple):
    """How to train."""

    hidden: int = 1000
    size: int = 300
    epochs: int = 8
    batch: int = 256
    rate: float = 5e-4
    scale: float = 10.0
    dropout: float = 0.3
    others: bool = True
    """Endings of the batch's other stories are wrong ones, too."""
    made: float = 1.0
    """Weight of the softmax over the endings made for the story."""
    decay: float = 0.0


def learn(
    letters: Letters, stories: TrigramCounts, endings: TrigramCounts, wrong: Sequence[TrigramCounts], recipe: DssmRecipe,
    seed: int, device: str = "cpu",
) -> tuple[Tower, Tower]:  # fmt: skip
    """Train both networks; ``wrong`` holds kinds of made endings, one row a story (an empty row is passed over)."""
    torch.manual_seed(seed)

    def tower() -> Tower:
        made = Tower(len(letters.known), recipe.hidden, recipe.size, recipe.dropout)
        made.to(device).train()
        return made

    towers = tower(), tower()
    optimiser = torch.optim.Adam(
        [*towers[0].parameters(), *towers[1].parameters()], lr=recipe.rate, weight_decay=recipe.decay
    )
    dice = np.random.default_rng(seed)
    count = len(stories.ids)
    each = max(1, count // recipe.batch)
    steps = recipe.epochs * each
    for epoch in range(recipe.epochs):
        order = dice.permutation(count)
        for number in range(each):
            part = torch.from_numpy(order[number * recipe.batch : (number + 1) * recipe.batch]).to(device)
            ours, theirs = towers[0](stories.of(part)), towers[1](endings.of(part))  # [B, size]
            loss = ours.new_zeros(())
            if recipe.others:
                loss = loss + F.cross_entropy(recipe.scale * ours @ theirs.T, torch.arange(len(part), device=device))
            if wrong and recipe.made:
                right = recipe.scale * (ours * theirs).sum(-1, keepdim=True)  # [B, 1]
                made = []
                for kind in wrong:
                    rows = kind.of(part)
                    value = recipe.scale * (ours * towers[1](rows)).sum(-1, keepdim=True)
                    made.append(value.masked_fill(rows.ids[:, :1] == 0, -1e4))
                loss = loss - recipe.made * F.log_softmax(torch.cat([right, *made], -1), -1)[:, 0].mean()
            pace = 1.0 - 0.95 * (epoch * each + number) / steps
            for group in optimiser.param_groups:
                group["lr"] = recipe.rate * pace
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return towers[0].eval(), towers[1].eval()


def text_tensor(lines: Iterable[str]) -> Tensor:
    """Lines as bytes."""
    return torch.tensor(list("\n".join(lines).encode("utf-8")), dtype=torch.uint8)


def pack(letters: Letters, towers: tuple[Tower, Tower]) -> dict[str, Tensor]:
    """Networks and their letters as arrays: the large matrices in int8 with a scale a row, the rest in half precision."""
    out = {"known": text_tensor(letters.known), "names": text_tensor(sorted(letters.names))}
    for name, tower in zip(("story", "ending"), towers, strict=True):
        table = tower.first.weight.detach().float().cpu()
        scale = table.abs().amax(1).clamp(min=1e-6) / 127
        out |= {f"{name}.first": (table / scale[:, None]).round().to(torch.int8), f"{name}.first.s": scale}
        out |= {
            f"{name}.second.{part}": getattr(tower.second, part).detach().half().cpu() for part in ("weight", "bias")
        }
    return out


def unpack(tensors: Mapping[str, Tensor]) -> tuple[Letters, tuple[Tower, Tower]]:
    """What ``pack`` made, ready to ask."""
    known, names = (bytes(tensors[name].tolist()).decode("utf-8").split("\n") for name in ("known", "names"))
    towers = []
    for name in ("story", "ending"):
        table = tensors[f"{name}.first"].float() * tensors[f"{name}.first.s"].float()[:, None]
        tower = Tower(len(known), table.shape[1], len(tensors[f"{name}.second.bias"]), 0.0)
        with torch.no_grad():
            tower.first.weight.copy_(table)
            tower.second.weight.copy_(tensors[f"{name}.second.weight"].float())
            tower.second.bias.copy_(tensors[f"{name}.second.bias"].float())
        tower.eval()
        towers.append(tower)
    return Letters.of(known, names), (towers[0], towers[1])


class ReleasedDssm(NamedTuple):
    """What the released file holds."""

    letters: Letters
    towers: tuple[Tower, Tower]
    recipe: DssmRecipe
    """As its header says it; the usual one where there is none."""


@cache
def released() -> ReleasedDssm:
    """The released letters, networks and recipe."""
    from scenarist.models.endings.story_network import release_file
    from scenarist.networks import checkpoint

    header, tensors = checkpoint.read(release_file("dssm.safetensors"))
    return ReleasedDssm(*unpack(tensors), DssmRecipe(**json.loads(header.get("recipe", "{}"))))


class Dssm(EndingModel):
    """Letter trigrams, two networks, cosine."""

    name = "dssm"
    learns = "stories"
    trained_on: tuple[str, ...] = ()

    def __init__(
        self,
        networks: str = "own",
        names: str = "masked",
        wrong: Sequence[str] = (),
        least: int = 3,
        recipe: Mapping[str, Any] | None = None,
        see: str = "story",
        seed: int = 13,
    ) -> None:
        """``wrong``: kinds of made endings; ``least``: how often a trigram must occur; ``recipe``: sizes and training."""
        super().__init__(see)
        if names not in ("masked", "kept"):
            raise BadInput(f"dssm: `names` is masked or kept, not {names!r}.")
        if networks not in ("own", "release"):
            raise BadInput(f"dssm: `networks` is own or release, not {networks!r}.")
        for kind in wrong:
            if kind not in KINDS:
                raise BadInput(f"dssm: a kind of wrong ending is one of {', '.join(KINDS)}, not {kind!r}.")
        self.networks, self.names, self.wrong, self.least, self.seed = networks, names, tuple(wrong), least, seed
        self.recipe = DssmRecipe(**(recipe or {}))
        if networks == "release":
            self.learns, self.trained_on = "nothing", ("rocstories",)

    def reads(self) -> list[Path]:
        """The released networks, where it takes them."""
        from scenarist.models.endings.story_network import release_file

        return [release_file("dssm.safetensors")] if self.networks == "release" else []

    def fit(self, data: Iterable[Any]) -> Dssm:
        """Learn from stories of two or more sentences."""
        if self.networks == "release":
            return self
        stories = [texts for story in data if len(texts := list(sentence_texts(story))) > 1]
        if len(stories) < 2:
            raise BadInput(f"dssm: expected stories to learn from, got {len(stories)}.")
        self.letters_ = Letters(stories, self.least, self.names == "masked")
        if not self.letters_.known:
            raise BadInput("dssm: the stories hold no letter trigram often enough; set `least` lower.")
        wrong = []
        if self.wrong:
            maker = Negatives(self.seed).fit(stories)
            for number, kind in enumerate(self.wrong):  # a kind that is named twice is made twice, by another turn
                turn = self.wrong[:number].count(kind)
                endings = [maker.make(texts, kind, turn) for texts in stories]
                wrong.append(self.letters_.counts([[ending.text] if ending else [] for ending in endings]))
        counts = self.letters_.counts
        self.towers_ = learn(
            self.letters_,
            counts([texts[:-1] for texts in stories]),
            counts([texts[-1:] for texts in stories]),
            wrong,
            self.recipe._replace(batch=min(self.recipe.batch, len(stories))),
            self.seed,
        )
        return self

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions in one go."""
        if self.networks == "release":
            kept = released()
            self.letters_, self.towers_, self.recipe = kept.letters, kept.towers, kept.recipe
        if not hasattr(self, "towers_"):
            raise BadInput(
                f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table."
            )
        asked = [choice(question, self.name) for question in questions]
        counts, scale = self.letters_.counts, self.recipe.scale
        with torch.no_grad():
            stories = self.towers_[0](counts([self.seen(question.context) for question in asked])).numpy()
            endings = iter(self.towers_[1](counts([[text] for question in asked for text in question.choices])).numpy())
        return [
            ranked([scale * float(story @ next(endings)) for _ in question.choices], self.name)
            for question, story in zip(asked, stories, strict=True)
        ]

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]
