"""Pretrained word models behind the Model contract: a causal LM as is and fine-tuned, a word head, a transducer.

The networks are in causal_lm_words, word_head and pretrained_transducer, the training in fine_tuning. What is saved is what was
learned: adapters, head and marks, a few megabytes; the base model is loaded beside it (pretrained.py).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor

from scenarist.contracts import WordLists
from scenarist.errors import BadInput
from scenarist.models.words.base import WordModel, alignment, hidden_words, rows_of
from scenarist.models.words.batches import MARKS, Row, Vocabulary, lengths
from scenarist.models.words.causal import CausalWords
from scenarist.models.words.fine_tuning import Tuning, tune
from scenarist.models.words.head import Reading, WordHead, redraw
from scenarist.models.words.pieces import Marked, Pieces
from scenarist.models.words.pretrained_transducer import PretrainedTransducer
from scenarist.models.words.queries import Admissible, Network, Place
from scenarist.networks import checkpoint as word_checkpoint
from scenarist.networks.adapters import LOW, SINGLE, Lora, Setup
from scenarist.networks.pretrained import gguf_file, load_llama
from scenarist.story import Alignment, Pair

ENSEMBLE = ("pretrained-transducer-1", "word-head-plain-1", "word-head-plain-3", "word-head-plain-4")


class PretrainedWords(WordModel):
    """Base: adapters on a causal model."""

    tuned = True

    def __init__(
        self,
        weights: str = "",
        device: str = "auto",
        seed: int = 1,
        base: str = "smollm2",
        log: Callable[[str], None] = lambda _: None,
        **settings: Any,
    ) -> None:
        super().__init__(weights, device, seed)
        self.base, self.log = base, log
        known = {**self.defaults(), **Tuning()._asdict()}
        unknown = sorted(set(settings) - set(known))
        if unknown:
            raise TypeError(f"{self.name} got an unexpected keyword argument {unknown[0]!r}")
        self.own = {key: settings.get(key, value) for key, value in self.defaults().items()}
        given = {key: value for key, value in settings.items() if key in Tuning._fields}
        self.tuning = Tuning(seed=seed, device=self.device)._replace(**given)
        self.texts_at_once = 256 if self.device != "cpu" else 32

    def reads(self) -> list[Path]:
        """The weights, and the network they stand on; one from a hub is known by its name."""
        return super().reads() + ([gguf_file()] if self.base == "smollm2" else [])

    def defaults(self) -> dict[str, Any]:
        """The settings of the network itself."""
        return {}

    def make(self, body: Marked, pieces: Pieces) -> Any:
        """The network on a body."""
        raise NotImplementedError

    def built(self, adapter: Lora | None) -> Any:
        """The network on the base model with these adapters, or with fresh ones."""
        llama = load_llama(self.base).to(self.device)
        if adapter is None and self.tuned:
            setup = Setup(self.tuning.scale / self.tuning.rank)
            adapter = Lora.fresh(llama, self.tuning.rank, [self.seed], SINGLE, setup=setup)
        pieces = Pieces(llama.tokenizer, len(llama.embedding), start=llama.start)
        body = Marked(llama, pieces("_")[-1], adapter)
        return self.make(body, pieces).to(self.device)

    def learn(self, rows: Sequence[Row], lists: WordLists | None, held: Sequence[Row] | None) -> None:
        torch.manual_seed(self.seed)
        self.take_lists(rows, lists)
        network = self.built(None)
        if isinstance(network, PretrainedTransducer):
            network.set_ratio(*lengths(rows, self.tuning.cut))
        share, allowed = float(self.own.get("redraw", 0.0)), self.admissible("kidscook")

        def change(row: Row, chance: random.Random) -> Row:
            return redraw(row, allowed, chance) if share and chance.random() < share else row

        self.network_ = tune(network, rows, self.tuning, change, self.log) if self.tuned else network.eval()

    def take_lists(self, rows: Sequence[Row], lists: WordLists | None) -> None:
        """Vocabulary and admissible words: the corpus's own; of pairs that bring none, all words of the concrete texts."""
        if lists is not None:
            self.vocabulary_, self.whitelist_ = Vocabulary(lists.vocabulary()), lists.whitelist()
            return
        words = dict.fromkeys(word for row in rows for word in row.concrete)
        self.vocabulary_ = Vocabulary.count(rows, least=1)
        self.whitelist_ = tuple(word for word in words if word not in MARKS)

    def network(self) -> Network:
        logits: Network = self.network_.logits
        return logits

    def save(self, path: Path) -> None:
        assert self.vocabulary_ is not None
        settings = {
            "base": self.base,
            "rank": self.tuning.rank,
            "scale": self.tuning.scale,
            "seed": self.seed,
            **self.own,
        }
        lists = {"vocabulary": self.vocabulary_.words, "whitelist": self.whitelist_}
        word_checkpoint.save(path, self.name, settings, lists, word_checkpoint.shrink(learned(self.network_)))

    def load(self, path: Path) -> Self:
        held = word_checkpoint.load(path, self.name)
        self.vocabulary_, self.whitelist_ = Vocabulary(held.vocabulary), held.whitelist
        self.base, rank = str(held.settings["base"]), int(held.settings["rank"])
        self.tuning = self.tuning._replace(rank=rank, scale=float(held.settings["scale"]))
        self.own = {key: held.settings.get(key, value) for key, value in self.own.items()}
        self.loaded = held.settings
        network = self.built(Lora.of(held.state, self.tuning.scale / rank))
        own = {name: weight for name, weight in held.state.items() if not LOW.fullmatch(name)}
        lost, extra = network.load_state_dict(own, strict=False)
        wanted = {name for name, weight in network.named_parameters() if weight.requires_grad}
        if extra or wanted & set(lost):
            raise BadInput(
                f"{path}: its tensors do not fit the network {self.name} on {self.base}: {sorted([*extra, *wanted & set(lost)])[:3]}"
            )
        reads = not isinstance(network, CausalWords)
        network.body.fold(half=reads and (self.device != "cpu" or bfloat16_products()))
        if reads and self.device == "cpu":
            network.body.remember = 12_000  # pieces: 300 MB
        self.network_ = network.eval()
        return self


def learned(network: Any) -> dict[str, Tensor]:
    """What a network on adapters learned, under the names it has in a file."""
    state: dict[str, Tensor] = {
        name: weight
        for name, weight in network.named_parameters()
        if weight.requires_grad and not name.startswith("body.adapter.")
    }
    state |= {name: buffer for name, buffer in network.named_buffers() if name == "ratio"}
    state |= network.body.adapter.named()
    return state


def bfloat16_products() -> bool:
    """Does this processor multiply bfloat16 matrices itself?"""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


class CausalModel(PretrainedWords):
    """A causal language model as it is, exact over multi-piece words (causal_lm_words.py)."""

    name = "causal-lm"
    tuned = False
    learns = "stories"
    """As it is, no more than the word lists of the corpus."""

    def defaults(self) -> dict[str, Any]:
        return {"prune": 0.0, "joint": "=>"}

    def make(self, body: Marked, pieces: Pieces) -> CausalWords:
        assert self.vocabulary_ is not None
        pieces.joint = self.own["joint"]
        return CausalWords(body, pieces, self.vocabulary_, self.whitelist_, self.own["prune"])


class TunedCausalModel(CausalModel):
    """A causal language model fine-tuned on ``abstract => concrete``."""

    name = "causal-lm-tuned"
    tuned = True


class WordHeadModel(PretrainedWords):
    """A word head with adapters on a pretrained language model (word_head.py)."""

    name = "word-head"
    spare_abstract = True

    def __init__(self, temperature: float | None = None, seed: int = 1, variant: str = "", **settings: Any) -> None:
        """``temperature``: the checkpoint's own where none is given. ``variant``: another released recipe (docs/how-to/kidscook.md)."""
        super().__init__(seed=seed, **settings)
        self.variant = variant
        if temperature is not None and not temperature > 0:
            raise BadInput(f"{self.name}: temperature must be above 0, got {temperature}.")
        self.given_temperature = temperature
        self.temperature = temperature or 1.0

    def path(self) -> Path:
        if self.weights == "kidscook" and self.variant:
            return word_checkpoint.find(f"{self.name}-{self.variant}-{self.seed}.safetensors")
        return super().path()

    def load(self, path: Path) -> Self:
        super().load(path)
        self.temperature = self.given_temperature or float(self.loaded.get("temperature", 1.0))
        return self

    def defaults(self) -> dict[str, Any]:
        return Reading()._asdict()

    def make(self, body: Marked, pieces: Pieces) -> WordHead:
        assert self.vocabulary_ is not None
        self.spare_abstract = bool(self.own["spare"])
        reading = Reading(**{key: self.own[key] for key in Reading._fields})
        return WordHead(body, pieces, self.vocabulary_, Admissible(self.whitelist_, self.vocabulary_), reading)


class InfillHeadModel(WordHeadModel):
    """A word head that reads the whole text with its blanks hidden before it fills them: for `wordcloze-infill`."""

    name = "infill-head"
    sides = "both"

    def learn(self, rows: Sequence[Row], lists: WordLists | None, held: Sequence[Row] | None) -> None:
        super().learn([row._replace(template=hidden_words(row)) for row in rows], lists, held)


class PretrainedTransducerModel(WordHeadModel):
    """A transducer on a pretrained encoder: every word points to the abstract (pretrained_transducer.py)."""

    name = "pretrained-transducer"

    def defaults(self) -> dict[str, Any]:
        return {**super().defaults(), "sighted": True, "blind_weight": 0.5}

    def make(self, body: Marked, pieces: Pieces) -> PretrainedTransducer:
        assert self.vocabulary_ is not None
        self.spare_abstract = bool(self.own["spare"])
        reading = Reading(**{key: self.own[key] for key in Reading._fields})
        allowed = Admissible(self.whitelist_, self.vocabulary_)
        own = {key: self.own[key] for key in ("sighted", "blind_weight")}
        return PretrainedTransducer(body, pieces, self.vocabulary_, allowed, reading, **own)

    def align(self, pairs: Sequence[Pair]) -> list[Alignment]:
        """The best alignment of each pair (Viterbi, blind states)."""
        if self.network_ is None:
            self.fit(())
        found: list[Alignment] = []
        for first in range(0, len(pairs), 16):
            chosen = pairs[first : first + 16]
            with torch.no_grad():
                paths = self.network_.align(rows_of(chosen)).tolist()
            found += [alignment(pair, path, self.name) for pair, path in zip(chosen, paths, strict=True)]
        return found


def member_file(member: WordModel) -> Path:
    """The file of an ensemble's member: a path, or a name of the release."""
    path = Path(member.weights)
    return path if path.is_file() else word_checkpoint.find(f"{member.weights}.safetensors")


class WordHeadEnsemble(WordModel):
    """The mean of several released models (probabilities, after the cut to the admissible words)."""

    name = "word-head-ensemble"
    learns = "nothing"

    def __init__(self, members: Sequence[str] = ENSEMBLE, device: str = "auto", temperature: float = 1.0) -> None:
        super().__init__("kidscook", device, 0)
        self.temperature = temperature
        self.members: list[WordHeadModel] = []
        for name in members:
            kind = PretrainedTransducerModel if "transducer" in name else WordHeadModel
            self.members.append(kind(weights=name, device=device))

    def reads(self) -> list[Path]:
        """The members' weights, and what they stand on."""
        return [gguf_file(), *map(member_file, self.members)]

    def fit(self, data: Any, held: Any = None) -> Self:
        for member in self.members:
            member.load(member_file(member))
        self.network_, self.vocabulary_ = self.members, self.members[0].vocabulary_
        self.whitelist_, self.spare_abstract = self.members[0].whitelist_, True
        return self

    def read_places(
        self, rows: Sequence[Row], asked: Sequence[Place], told: Sequence[Place], whitelist: str
    ) -> tuple[Tensor, Tensor]:
        read = [member.read_places(rows, asked, told, whitelist) for member in self.members]
        table = torch.stack([one for one, _ in read]).logsumexp(0) - math.log(len(read))
        spoken = torch.stack([one for _, one in read]).logsumexp(0) - math.log(len(read))
        return (table / self.temperature).log_softmax(-1), spoken
