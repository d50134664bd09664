"""What a word model is worth while it is trained.

A model and pairs -> match, top-5 and surprisal by the exam `wordcloze` and the metrics, as the bench takes them (``examined``). A network and
rows -> its distributions over all blank words (``oracle``), from which the best temperature is found (``measure``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from torch import Tensor, tensor

from scenarist.bench.marks import marks_of, total
from scenarist.bench.sit import Answers, items_of, sit
from scenarist.exams.wordcloze import WordCloze
from scenarist.models.words.base import WordModel
from scenarist.models.words.batches import Admissible, Network, PairRow, Query, merge, read_logits
from scenarist.registry import make
from scenarist.store.results import Results
from scenarist.story import Pair

METRICS = {"oracle": ("match", "top5", "surprisal"), "greedy": ("match", "top5")}
EVERY = 25
TEMPERATURES = tuple(round(0.7 + 0.05 * step, 2) for step in range(23))


def halves(rows: Sequence[PairRow], every: int = EVERY) -> tuple[list[int], list[int]]:
    """Numbers of the rows to learn from and of those held out: every so-many-th abstract, in alphabetical order."""
    order = {abstract: at for at, abstract in enumerate(sorted({row.abstract for row in rows}))}
    out = [at for at, row in enumerate(rows) if order[row.abstract] % every == every - 1]
    chosen = set(out)
    return [at for at in range(len(rows)) if at not in chosen], out


def examined(model: WordModel, pairs: Sequence[Pair], modes: Sequence[str] = tuple(METRICS)) -> dict[str, float]:
    """The figures of a fitted model on pairs, e.g. ``match/oracle``."""
    figures: dict[str, float] = {}
    with TemporaryDirectory() as folder, Results(Path(folder) / "results.sqlite") as store:
        for mode in modes:
            exam = WordCloze(mode=mode, whitelist="kidscook" if model.whitelist_ else "")
            asked, predictions = sit(Answers(lambda: model, store, {"mode": mode}), exam, items_of(exam, pairs))
            for name in METRICS[mode]:
                metric = make("metric", name)
                figures[f"{name}/{mode}"] = total(metric, marks_of(metric, asked, predictions))
    return figures


def oracle(
    network: Network, rows: Sequence[PairRow], allowed: Admissible
) -> tuple[Tensor, Tensor, list[tuple[int, int]]]:
    """ln p of all blank words with the key fed forward (N, W + 1), the keys (N,), and each word's (row, blank)."""
    queries, keys, blanks = [], [], []
    for number, row in enumerate(rows):
        for which, (start, stop) in enumerate(row.blanks):
            for place in range(start, stop):
                queries.append(Query(row.abstract, row.concrete[:place], start, stop, row.blanks[:which], row.template))
                keys.append(allowed.key(row.concrete[place]))
                blanks.append((number, which))
    logits = read_logits(network, *merge(queries), [], allowed.ids, 128).asked
    return allowed.logp(logits, [query.abstract for query in queries]), tensor(keys), blanks


def measure(
    table: Tensor, keys: Tensor, blanks: list[tuple[int, int]], temperature: float | None = None
) -> dict[str, float]:
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
