"""The five in-domain rows of Bisk et al. (2019), Table 4, as models: LM, seq2seq, +attention, transducer, +ParamTran.

Each is one network file (lstm_lm, seq2seq, attention, transducer) trained by wordcloze_training. ``weights="kidscook"`` takes the
released weights of the seed; else ``fit`` trains on the pairs it is given, with the released vocabulary and frozen
vectors where ``vectors="kidscook"``, or with a vocabulary counted from the pairs and vectors learned with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch

from scenarist.corpora import kidscook
from scenarist.errors import BadInput
from scenarist.models.words.base import WordModel, alignment, rows_of
from scenarist.models.words.batches import Batch, Row, Vocabulary, batch
from scenarist.models.words.queries import Network
from scenarist.models.words.recurrent import Attention, LstmLm, Seq2seq, Shape, WordNetwork
from scenarist.models.words.training import Recipe, asking, train
from scenarist.models.words.transducer import Transducer
from scenarist.networks import checkpoint as word_checkpoint
from scenarist.story import Alignment, Pair


class InDomain(WordModel):
    """Base: a network over the words of a parallel corpus."""

    build: Callable[..., WordNetwork]

    def __init__(
        self,
        weights: str = "",
        device: str = "auto",
        seed: int = 1,
        vectors: str = "kidscook",
        hidden: int = 128,
        dropout: float = 0.5,
        dropped: str = "all",
        both: bool = False,
        layer: str = "tanh",
        frozen: bool = True,
        held: float = 0.1,
        held_corpus: str = "kidscook",
        variant: str = "",
        log: Callable[[str], None] = lambda _: None,
        **recipe: Any,
    ) -> None:
        """``variant``: another released training, e.g. ``both`` (the abstract read both ways; docs/how-to/kidscook.md)."""
        super().__init__(weights, device, seed)
        self.variant = variant
        if vectors not in ("", "kidscook"):
            raise BadInput(
                f"{self.name}: vectors is 'kidscook' (the released ones) or empty (learned), not {vectors!r}."
            )
        unknown = sorted(set(recipe) - set(Recipe._fields))
        if unknown:
            raise TypeError(f"{self.name} got an unexpected keyword argument {unknown[0]!r}")
        self.vectors, self.held, self.held_corpus, self.log = vectors, held, held_corpus, log
        self.shape = Shape(
            hidden=hidden, dropout=dropout, frozen=frozen and bool(vectors), dropped=dropped, both=both, layer=layer
        )
        self.recipe = Recipe(seed=seed, device=self.device)._replace(**recipe)

    def path(self) -> Path:
        if self.weights == "kidscook" and self.variant:
            return word_checkpoint.find(f"{self.name}-{self.variant}-{self.seed}.safetensors")
        return super().path()

    def kind(self) -> dict[str, Any]:
        """What else the network is built with."""
        return {}

    def learn(self, rows: Sequence[Row]) -> None:
        torch.manual_seed(self.seed)
        vectors = None
        if self.vectors:
            self.vocabulary_ = Vocabulary(kidscook.vocabulary())
            self.whitelist_ = kidscook.whitelist()
            vectors = torch.from_numpy(np.load(kidscook.vectors_file()))
            held = rows_of(kidscook.KidsCook(split="dev"))  # the paper stops on the validation loss
        else:
            self.vocabulary_ = Vocabulary.count(rows)
            spare = max(1, int(len(rows) * self.held))
            rows, held = rows[:-spare] or rows, list(rows[-spare:])
        network = type(self).build(self.vocabulary_, self.shape, vectors, **self.kind())
        self.network_ = train(network, rows, held, self.recipe, self.log)

    def batch(self, pairs: Sequence[Pair]) -> Batch:
        """Pairs as tensors on the model's device."""
        if self.network_ is None:
            self.fit(())
        assert self.vocabulary_ is not None
        return batch(rows_of(pairs), self.vocabulary_).to(self.device)

    def text_logp(self, texts: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> list[float]:
        """ln p(whole text | abstract) of (abstract, text)s, alignments summed out where there are any."""
        assert self.vocabulary_ is not None
        found = []
        for abstract, words in texts:
            part = batch([Row(abstract, words)], self.vocabulary_).to(self.device)
            with torch.no_grad():
                found.append(-float(self.network_.loss(part)) * (len(words) + 1))
        return found

    def network(self) -> Network:
        assert self.vocabulary_ is not None
        return asking(self.network_, self.vocabulary_, self.device)

    def save(self, path: Path) -> None:
        assert self.vocabulary_ is not None
        built = {"hidden": self.shape.hidden, "both": self.shape.both, "layer": self.shape.layer}
        settings = {**built, "vectors": self.vectors, "seed": self.seed, **self.kind()}
        lists = {"vocabulary": self.vocabulary_.words, "whitelist": self.whitelist_}
        word_checkpoint.save(path, self.name, settings, lists, word_checkpoint.shrink(self.network_.state_dict()))

    def load(self, path: Path) -> Self:
        held = word_checkpoint.load(path, self.name)
        self.vocabulary_, self.whitelist_ = Vocabulary(held.vocabulary), held.whitelist
        built = {name: held.settings[name] for name in ("hidden", "both", "layer") if name in held.settings}
        shape = Shape(**built, dropout=0.0)
        extra = {name: held.settings.get(name, usual) for name, usual in self.kind().items()}
        network = type(self).build(self.vocabulary_, shape, held.state["embed.weight"], **extra)
        try:
            network.load_state_dict(held.state)
        except RuntimeError as error:
            raise BadInput(f"{path}: its tensors do not fit the network {self.name}: {error}") from error
        self.network_ = network.to(self.device).eval()
        return self


class LstmLanguageModel(InDomain):
    """LSTM language model of the concrete text (lstm_lm.py)."""

    name = "lstm-lm"
    build = LstmLm


class Seq2seqModel(InDomain):
    """Sequence to sequence without attention (seq2seq.py)."""

    name = "seq2seq"
    build = Seq2seq


class AttentionModel(InDomain):
    """Sequence to sequence with global attention (attention.py)."""

    name = "seq2seq-attention"
    build = Attention

    def weights_of(self, pairs: Sequence[Pair]) -> list[list[list[float]]]:
        """Attention of each concrete word over the abstract words (what ``<S>`` takes is left out)."""
        found: list[list[list[float]]] = []
        for first in range(0, len(pairs), 64):
            chosen = pairs[first : first + 64]
            part = self.batch(chosen)
            with torch.no_grad():
                table = self.network_.weights(part)[0].cpu()  # (B, n + 1, m)
            found += [
                table[row, : len(pair.concrete), 1 : len(pair.abstract) + 1].tolist() for row, pair in enumerate(chosen)
            ]
        return found


class TransducerModel(InDomain):
    """Segment-to-segment transducer with fixed transitions (transducer.py)."""

    name = "transducer"
    build = Transducer
    transitions = "fixed"

    def __init__(
        self,
        emission: str = "product",
        slots: str = "marginal",
        start: str = "first",
        shift: float = 0.0,
        seed: int = 1,
        **settings: Any,
    ) -> None:
        """A released ``variant`` is ``em``: marginal likelihood first, then Viterbi EM."""
        super().__init__(seed=seed, **settings)
        self.emission, self.slots, self.start, self.shift = emission, slots, start, shift

    def kind(self) -> dict[str, Any]:
        return {"transitions": self.transitions, "emission": self.emission, "start": self.start, "shift": self.shift}

    def network(self) -> Network:
        self.network_.slots = self.slots
        return super().network()

    def align(self, pairs: Sequence[Pair]) -> list[Alignment]:
        """The best alignment of each pair (Viterbi); texts of about one length are aligned together."""
        order = sorted(range(len(pairs)), key=lambda at: len(pairs[at].concrete))
        found: dict[int, Alignment] = {}
        for first in range(0, len(order), 64):
            chosen = order[first : first + 64]
            part = self.batch([pairs[at] for at in chosen])
            with torch.no_grad():
                paths = self.network_.align(part).tolist()
            found |= {at: alignment(pairs[at], path, self.name) for at, path in zip(chosen, paths, strict=True)}
        return [found[at] for at in range(len(pairs))]


class ParamTransducerModel(TransducerModel):
    """Segment-to-segment transducer with parameterised transitions (transducer.py)."""

    name = "transducer-param"
    transitions = "parameterised"
