"""Fine-tune a pretrained word model on KidsCook with stacked adapters: pairs -> `OUT/NAME.safetensors` and what it measured.

    python -m training.kidscook.tune word-head word-head-1 --seed 1 --set rank=32 epochs=6 smooth=0.1 agree=1 average=0.996

Every 25th abstract of the training set is held out. The epoch and the temperature are chosen there (least surprisal), dev is
only measured. What is measured is the checkpoint as it comes back from the file (bytes and scales), so the figures are those of the
release. `--own FILE` (training/kidscook/own_fills.py) shows a share of the texts with a model's own words in their blanks.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from scenarist.corpora.kidscook import KidsCook, vocabulary, whitelist
from scenarist.models import word_checkpoint
from scenarist.models.fine_tuning import tune
from scenarist.models.piece_rows import Marked
from scenarist.models.pretrained_transducer import PretrainedTransducer
from scenarist.models.stacked_adapters import StackedBody
from scenarist.models.word_batches import Row, Vocabulary
from scenarist.models.word_head import redraw
from scenarist.models.word_model import hidden_words, rows_of
from scenarist.models.word_queries import Admissible, Network, Query, ask
from scenarist.models.wordcloze_training import lengths
from scenarist.registry import make

EVERY = 25
TEMPERATURES = tuple(round(0.7 + 0.05 * step, 2) for step in range(23))


def halves(rows: Sequence[Row], every: int = EVERY) -> tuple[list[int], list[int]]:
    """Numbers of the rows to learn from and of those held out: every so-many-th abstract, in alphabetical order."""
    order = {abstract: at for at, abstract in enumerate(sorted({row.abstract for row in rows}))}
    out = [at for at, row in enumerate(rows) if order[row.abstract] % every == every - 1]
    chosen = set(out)
    return [at for at in range(len(rows)) if at not in chosen], out


def hidden(row: Row) -> Row:
    """The row with its text shown before it, blanks hidden."""
    return row._replace(template=hidden_words(row))


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


def oracle(network: Network, rows: Sequence[Row], allowed: Admissible) -> tuple[Tensor, Tensor, list[tuple[int, int]]]:
    """ln p of all blank words with the key fed forward (N, W + 1), the keys (N,), and each word's (row, blank)."""
    queries, keys, blanks = [], [], []
    for number, row in enumerate(rows):
        for which, (start, stop) in enumerate(row.blanks):
            for place in range(start, stop):
                queries.append(Query(row.abstract, row.concrete[:place], start, stop, row.blanks[:which], row.template))
                keys.append(allowed.key(row.concrete[place]))
                blanks.append((number, which))
    return allowed.logp(ask(network, queries, 128), [query.abstract for query in queries]), torch.tensor(keys), blanks


def measure(table: Tensor, keys: Tensor, blanks: list[tuple[int, int]], temperature: float | None = None) -> dict[str, float]:
    """Match, top-5 and surprisal; at the best temperature where none is given."""
    of_key = table.gather(1, keys[:, None])
    missed = {blank for blank, one in zip(blanks, (table[:, :-1].argmax(1) == keys).tolist(), strict=True) if not one}
    surprise = {
        t: -float((table / t).log_softmax(1).gather(1, keys[:, None]).mean())
        for t in (TEMPERATURES if temperature is None else (temperature,))
    }
    best = min(surprise, key=surprise.__getitem__)
    return {
        "match": round(1 - len(missed) / len(set(blanks)), 4), "top5": round(float(((table > of_key).sum(1) < 5).float().mean()), 4),
        "surprisal": round(surprise[best], 4), "temperature": best, "surprisal_1": round(-float(of_key.mean()), 4),
    }  # fmt: skip


def prepare(kind: str, seed: int, device: str, settings: dict[str, Any], dropout: float, full: bool) -> tuple[Any, StackedBody]:
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
    kept = {name: weight for name, weight in network.named_parameters() if weight.requires_grad and not name.startswith(within)}
    kept |= {front + name: weight for name, weight in low.items()}
    kept |= {name: buffer for name, buffer in network.named_buffers() if name == "ratio"}
    return {name: weight.detach().float().cpu().clone() for name, weight in kept.items()}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["word-head", "infill-head", "pretrained-transducer", "causal-lm-tuned"])
    parser.add_argument("name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, default=Path("release/kidscook"))
    parser.add_argument("--set", nargs="*", default=[], help="settings of the model and of its tuning, as name=value")
    parser.add_argument("--dropout", type=float, default=0.0, help="of each layer's additions to the states")
    parser.add_argument("--full", action="store_true", help="train all matrices; what is saved is cut to the rank")
    parser.add_argument("--own", type=Path, help="a model's own fills of the training rows")
    parser.add_argument("--share", type=float, default=0.5, help="of the texts shown with own fills")
    parser.add_argument("--until", type=float, default=float("inf"), help="be done with training by this time (of `date +%%s`)")
    parser.add_argument("--limit", type=int, help="the first rows only, to try things out")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    began = time.monotonic()
    settings = {name: json.loads(value) for name, _, value in (one.partition("=") for one in given.set)}
    model, body = prepare(given.kind, given.seed, given.device, settings, given.dropout, given.full)
    network, tuning = model.network_, model.tuning
    allowed: Admissible = model.admissible("kidscook")
    rows = rows_of(KidsCook(split="train"))
    learn, out = halves(rows)
    owned = json.loads(given.own.read_text()) if given.own else None
    fills = {rows[at]: [tuple(one) for one in owned[at]] for at in learn if at < len(owned)} if owned else {}
    parts = {"train": [rows[at] for at in learn], "held": [rows[at] for at in out], "dev": rows_of(KidsCook(split="dev"))}
    parts = {name: [hidden(row) if given.kind == "infill-head" else row for row in some[: given.limit]] for name, some in parts.items()}
    if isinstance(network, PretrainedTransducer):
        network.set_ratio(*lengths(parts["train"], tuning.cut))
    redrawn = float(model.own.get("redraw", 0.0))

    def change(row: Row, chance: random.Random) -> Row:
        if row in fills and chance.random() < given.share:
            return row._replace(fed=chance.choice(fills[row]))
        return redraw(row, allowed, chance) if redrawn and chance.random() < redrawn else row

    weights = [weight for weight in network.parameters() if weight.requires_grad]
    best: dict[str, Any] = {}
    history: list[dict[str, Any]] = []

    def after(epoch: int) -> bool:
        if given.kind == "causal-lm-tuned":  # a fixed number of epochs
            best.update(weights=[weight.detach().clone() for weight in weights], temperature=1.0, epoch=epoch)
            return False
        found = measure(*oracle(network.logits, parts["held"], allowed))
        line = {"epoch": epoch, "seconds": round(time.monotonic() - began), "held": found}
        line["dev"] = measure(*oracle(network.logits, parts["dev"], allowed), found["temperature"])
        history.append(line)
        print(given.name, json.dumps(line), flush=True)
        if not best or found["surprisal"] < best["surprisal"]:
            kept = [weight.detach().clone() for weight in weights]
            best.update(weights=kept, temperature=found["temperature"], surprisal=found["surprisal"], epoch=epoch)
        return False

    if given.until < float("inf"):
        tuning = tuning._replace(seconds=max(1.0, given.until - time.time()))
    tune(network, parts["train"], tuning, change, lambda line: print(given.name, line, flush=True), after)
    with torch.no_grad():
        for weight, kept in zip(weights, best.pop("weights"), strict=True):
            weight.copy_(kept)
    saved = {"base": model.base, "rank": tuning.rank, "scale": tuning.scale, "seed": given.seed, **model.own}
    saved["temperature"] = best["temperature"]
    path = given.out / f"{given.name}.safetensors"
    word_checkpoint.save(path, given.kind, saved, model.vocabulary_.words, model.whitelist_, learned(network, body, tuning.rank))
    report: dict[str, Any] = {
        "name": given.name, "kind": given.kind, "seed": given.seed, "set": settings, "dropout": given.dropout, "full": given.full,
        "own": bool(owned), "epoch": best["epoch"], "temperature": best["temperature"], "history": history,
    }  # fmt: skip
    if given.kind != "causal-lm-tuned":
        report |= of_release(given, path, parts)
    report["seconds"] = round(time.monotonic() - began)
    (given.out / f"{given.name}.json").write_text(json.dumps(report, indent=1))
    print(given.name, json.dumps({name: value for name, value in report.items() if name != "history"}), flush=True)


def of_release(given: argparse.Namespace, path: Path, parts: dict[str, list[Row]]) -> dict[str, Any]:
    """What the saved file measures on the held-out texts and on dev; its best words go to an `npz` beside it."""
    released = make("model", given.kind, weights=str(path), device=given.device).fit(())
    allowed, report, kept = released.admissible("kidscook"), {}, {}
    for split in ("held", "dev"):
        table, keys, blanks = oracle(released.network(), parts[split], allowed)
        report[f"released_{split}"] = measure(table, keys, blanks, released.temperature)
        top = (table / released.temperature).log_softmax(1).topk(24)
        kept |= {
            f"{split}_ids": top.indices.numpy().astype(np.uint16), f"{split}_logp": top.values.numpy().astype(np.float16),
            f"{split}_keys": keys.numpy().astype(np.uint16),
        }  # fmt: skip
    np.savez_compressed(path.with_suffix(".npz"), **kept)
    return report


if __name__ == "__main__":
    main()
