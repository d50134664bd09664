"""Abstract and concrete states -> how likely each word is from each position: emissions of the transducer (Bisk et al. 2019, eq. 3).

Emission, ln p(word | i, j) (eq. 3). ``mlp``: one hidden layer over both states, as the paper has it: a softmax over the vocabulary
at every (i, j). ``product`` (ours): each state makes its own logits and they are added (a product of experts). Its normaliser is
ln sum_v exp(a_i(v)) exp(b_j(v)), one matrix product for all (i, j), which makes training as fast as attention.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from scenarist.models.words.recurrent import Layer, WordLayer

ROWS = 512
"""Hidden states whose softmaxes are held at once: what stays in a processor's cache."""


class _WordLogp(torch.autograd.Function):  # type: ignore[misc]
    """ln softmax(W h + b)[word], a part of the states at a time; the softmaxes are made again for the gradient, not kept."""

    @staticmethod
    def forward(context: Any, states: Tensor, weight: Tensor, bias: Tensor, words: Tensor) -> Tensor:
        """``states`` (N, h), ``weight`` (V, h), ``bias`` (V,), ``words`` (N,) -> (N,)."""
        chosen, mass = states.new_empty(len(states)), states.new_empty(len(states))
        for first in range(0, len(states), size := rows_at_once(states)):
            part = slice(first, first + size)
            logits = torch.addmm(bias, states[part], weight.t())
            mass[part] = logits.logsumexp(-1)
            chosen[part] = logits.gather(1, words[part, None])[:, 0]
        context.save_for_backward(states, weight, bias, words, mass)
        return chosen - mass

    @staticmethod
    def backward(context: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        states, weight, bias, words, mass = context.saved_tensors
        of_states, of_weight, of_bias = torch.empty_like(states), torch.zeros_like(weight), torch.zeros_like(bias)
        for first in range(0, len(states), size := rows_at_once(states)):
            part = slice(first, first + size)
            logits = torch.addmm(bias, states[part], weight.t())
            logits.sub_(mass[part, None]).exp_().mul_(-grad[part, None])
            logits.scatter_add_(1, words[part, None], grad[part, None])
            of_states[part] = logits @ weight
            of_weight.addmm_(logits.t(), states[part])
            of_bias += logits.sum(0)
        return of_states, of_weight, of_bias, None


def rows_at_once(states: Tensor) -> int:
    """States whose softmaxes are held at once: many on a card, few on a processor."""
    return ROWS if states.device.type == "cpu" else 64 * ROWS


class MlpEmission(nn.Module):  # type: ignore[misc]
    """softmax(W tanh(U e_i + V d_j + b))."""

    def __init__(self, encoder: int, decoder: int, layer: Layer, words: int) -> None:
        super().__init__()
        self.of_encoder = nn.Linear(encoder, layer.width)
        self.of_decoder = nn.Linear(decoder, layer.width, bias=False)
        self.drop = nn.Dropout(layer.dropout)
        self.bend = layer.bend
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

    def grid(self, e: Tensor, d: Tensor, targets: Tensor) -> Tensor:
        """ln p(told_j | i, j), (B, n, m), from e (B, m, h), d (B, n, h), told (B, n)."""
        both = self.drop(self.bend(self.of_encoder(e)[:, None] + self.of_decoder(d)[:, :, None]))  # (B, n, m, h)
        words = targets[:, :, None].expand(-1, -1, e.shape[1])  # (B, n, m)
        out: Tensor = _WordLogp.apply(both.flatten(0, 2), self.out.weight, self.out.bias, words.flatten())
        return out.view(words.shape)


class ProductEmission(nn.Module):  # type: ignore[misc]
    """softmax(A(e_i) + B(d_j))."""

    def __init__(self, encoder: int, decoder: int, layer: Layer, words: int) -> None:
        super().__init__()
        self.of_encoder = WordLayer(encoder, layer, words)
        self.of_decoder = WordLayer(decoder, layer, words)

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

    def grid(self, e: Tensor, d: Tensor, targets: Tensor) -> Tensor:
        """ln p(told_j | i, j), (B, n, m), from e (B, m, h), d (B, n, h), told (B, n)."""
        return product_grid(self.of_encoder(e), self.of_decoder(d), targets)


def product_grid(a: Tensor, b: Tensor, targets: Tensor) -> Tensor:
    """ln softmax(a_i + b_j)[told_j] for all (i, j): a (B, m, V), b (B, n, V), told (B, n) -> (B, n, m)."""
    top_a, top_b = a.detach().amax(-1, keepdim=True), b.detach().amax(-1, keepdim=True)
    mass = (b - top_b).exp() @ (a - top_a).exp().transpose(1, 2)  # (B, n, m)
    total = mass.clamp(min=1e-37).log() + top_b + top_a.transpose(1, 2)
    from_b = b.gather(2, targets[..., None])  # (B, n, 1)
    from_a = a.transpose(1, 2).gather(1, targets[..., None].expand(-1, -1, a.shape[1]))  # (B, n, m)
    return from_a + from_b - total


EMISSIONS: dict[str, type[MlpEmission] | type[ProductEmission]] = {"mlp": MlpEmission, "product": ProductEmission}
