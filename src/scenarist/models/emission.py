"""Word emission of a transducer: encoder state i and decoder state j -> ln p(word | i, j) (Bisk et al. 2019, eq. 3).

``mlp``: one hidden layer over both states, as the paper has it: a softmax over the vocabulary at every (i, j).
``product``: each state makes its own logits and they are added (a product of experts). Its normaliser is
ln sum_v exp(a_i(v)) exp(b_j(v)), one matrix product for all (i, j), which makes training as fast as attention.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from scenarist.models.word_network import LAYERS, Layer, Words

TEXTS = 8
"""Texts whose softmaxes at every (i, j) are held at once, where no gradient is wanted."""


class MlpEmission(nn.Module):  # type: ignore[misc]
    """softmax(W tanh(U e_i + V d_j + b))."""

    def __init__(self, encoder: int, decoder: int, layer: Layer, words: int) -> None:
        super().__init__()
        self.of_encoder = nn.Linear(encoder, layer.width)
        self.of_decoder = nn.Linear(decoder, layer.width, bias=False)
        self.drop = nn.Dropout(layer.dropout)
        self.bend = LAYERS[layer.bend]
        self.out = nn.Linear(layer.width, words)

    def at(self, e: Tensor, d: Tensor) -> Tensor:
        """Logits of matching rows of states, (..., V)."""
        out: Tensor = self.out(self.drop(self.bend(self.of_encoder(e) + self.of_decoder(d))))
        return out

    def mixed(self, e: Tensor, d: Tensor, rows: Tensor, here: Tensor) -> Tensor:
        """ln sum_i exp(here_i) p(word | i, d), (Q, V), from e (B, m, h), d (Q, h), rows (Q,), here (Q, m)."""
        logits = self.at(e[rows], d[:, None].expand(-1, e.shape[1], -1))  # (Q, m, V)
        out: Tensor = (here[..., None] + logits.log_softmax(-1)).logsumexp(1)
        return out

    def grid(self, e: Tensor, d: Tensor, told: Tensor) -> Tensor:
        """ln p(told_j | i, j), (B, n, m), from e (B, m, h), d (B, n, h), told (B, n)."""
        if not torch.is_grad_enabled() and len(e) > TEXTS:  # nothing is kept, so little need be held at once
            parts = zip(e.split(TEXTS), d.split(TEXTS), told.split(TEXTS), strict=True)
            return torch.cat([self.grid(*part) for part in parts])
        both = self.bend(self.of_encoder(e)[:, None] + self.of_decoder(d)[:, :, None])  # (B, n, m, h)
        logits = self.out(self.drop(both))  # (B, n, m, V)
        chosen = logits.gather(-1, told[:, :, None, None].expand(-1, -1, logits.shape[2], 1))[..., 0]
        out: Tensor = chosen - logits.logsumexp(-1)
        return out


class ProductEmission(nn.Module):  # type: ignore[misc]
    """softmax(A(e_i) + B(d_j))."""

    def __init__(self, encoder: int, decoder: int, layer: Layer, words: int) -> None:
        super().__init__()
        self.of_encoder = Words(encoder, layer, words)
        self.of_decoder = Words(decoder, layer, words)

    def at(self, e: Tensor, d: Tensor) -> Tensor:
        """Logits of matching rows of states, (..., V)."""
        out: Tensor = self.of_encoder(e) + self.of_decoder(d)
        return out

    def mixed(self, e: Tensor, d: Tensor, rows: Tensor, here: Tensor) -> Tensor:
        """ln sum_i exp(here_i) p(word | i, d), (Q, V): two small matrix products a query, no softmax over (i, word)."""
        a, b = self.of_encoder(e), self.of_decoder(d)  # (B, m, V), (Q, V)
        each = (a - a.amax(-1, keepdim=True)).exp()[rows]  # (Q, m, V)
        own = (b - b.amax(-1, keepdim=True)).exp()  # (Q, V)
        mass = (each @ own[..., None])[..., 0].clamp(min=1e-37)  # (Q, m)
        share = (here.exp() / mass)[:, None] @ each  # (Q, 1, V)
        return (own * share[:, 0]).clamp(min=1e-37).log()

    def grid(self, e: Tensor, d: Tensor, told: Tensor) -> Tensor:
        """ln p(told_j | i, j), (B, n, m), from e (B, m, h), d (B, n, h), told (B, n)."""
        return product_grid(self.of_encoder(e), self.of_decoder(d), told)


def product_grid(a: Tensor, b: Tensor, told: Tensor) -> Tensor:
    """ln softmax(a_i + b_j)[told_j] for all (i, j): a (B, m, V), b (B, n, V), told (B, n) -> (B, n, m)."""
    top_a, top_b = a.detach().amax(-1, keepdim=True), b.detach().amax(-1, keepdim=True)
    mass = (b - top_b).exp() @ (a - top_a).exp().transpose(1, 2)  # (B, n, m)
    total = mass.clamp(min=1e-37).log() + top_b + top_a.transpose(1, 2)
    from_b = b.gather(2, told[..., None])  # (B, n, 1)
    from_a = a.transpose(1, 2).gather(1, told[..., None].expand(-1, -1, a.shape[1]))  # (B, n, m)
    return from_a + from_b - total


EMISSIONS: dict[str, type[MlpEmission] | type[ProductEmission]] = {"mlp": MlpEmission, "product": ProductEmission}
