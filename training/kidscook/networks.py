"""A kind of pretrained word model -> its fresh network with stacked adapters, and what it learned under the release's names."""

from __future__ import annotations

import argparse
from typing import Any

import torch
from torch import Tensor

from scenarist.corpora.kidscook import vocabulary, whitelist
from scenarist.models.words.batches import Vocabulary
from scenarist.models.words.pieces import Marked
from scenarist.networks.stacked_adapters import StackedBody
from scenarist.registry import make


def stacked(network: Any, settings: Any) -> StackedBody:
    """Put stacked adapters into a network, in place."""
    marked = network.body if hasattr(network, "body") else Marked(network.model, like=network.pieces("_")[-1])
    body = StackedBody(marked, settings.rank, settings.scale, settings.dropout, settings.full)
    if hasattr(network, "body"):
        network.body = body
    else:
        network.model.model = States(body, network.model.model.embed_tokens)
        network.model.lm_head.weight.requires_grad_(False)
    return body


class States(torch.nn.Module):  # type: ignore[misc]
    """Stacked adapters where a causal model's own body stood."""

    def __init__(self, body: StackedBody, table: torch.nn.Embedding) -> None:
        super().__init__()
        self.body, self.embed_tokens = body, table
        body.marks.requires_grad_(False)

    def forward(self, input_ids: Tensor, use_cache: bool = False, **_: Any) -> Any:
        return argparse.Namespace(last_hidden_state=self.body(input_ids))


def prepare(
    kind: str, seed: int, device: str, settings: dict[str, Any], dropout: float, full: bool
) -> tuple[Any, StackedBody]:
    """A model with a fresh network on the base model, and the stacked body in it."""
    torch.backends.cuda.matmul.allow_tf32 = True
    model = make("model", kind, seed=seed, device=device, **settings)
    model.vocabulary_, model.whitelist_ = Vocabulary(vocabulary()), whitelist()
    torch.manual_seed(seed)
    model.network_ = model.built(0)
    tuning = model.tuning
    body = stacked(model.network_, argparse.Namespace(rank=tuning.rank, scale=tuning.scale, dropout=dropout, full=full))
    body.half = model.network_.half = torch.cuda.is_available()
    return model, body


def learned(network: Any, body: StackedBody, rank: int) -> dict[str, Tensor]:
    """What was learned, under the names that `PretrainedWords.load` knows."""
    if hasattr(network, "body"):
        within, front, low = "body.", "body.", body.low_rank(rank)
    else:
        within, front = "model.model.body.", "model.model."
        low = {name.removeprefix("body."): weight for name, weight in body.low_rank(rank).items() if name != "marks"}
    kept = {
        name: weight
        for name, weight in network.named_parameters()
        if weight.requires_grad and not name.startswith(within)
    }
    kept |= {front + name: weight for name, weight in low.items()}
    kept |= {name: buffer for name, buffer in network.named_buffers() if name == "ratio"}
    return {name: weight.detach().float().cpu().clone() for name, weight in kept.items()}
