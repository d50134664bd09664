"""Logs of other harnesses -> Predictions: lm-evaluation-harness's samples (JSONL) and inspect's logs (JSON).

lm-eval writes with ``--log_samples`` a line an item: the document, and for each choice its log-likelihood. inspect writes with
``--log-format json`` one document with all samples. Our item's id stands in both as we exported it (``item_id``).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput
from scenarist.question import Guess, Prediction

ID = "item_id"


def is_harness_log(path: Path) -> bool:
    """Does a file look like such a log, and not like our own predictions?"""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(8192).lstrip()
    return head.startswith(b"{") and not head.startswith(b'{"item"') and (b'"doc_id"' in head or b'"eval"' in head)


def read_harness_log(path: Path) -> Iterator[Prediction]:
    """The predictions of a log."""
    with path.open("rb") as file:
        head = file.read(4096)
    yield from (lm_eval_predictions(path) if b'"doc_id"' in head.splitlines()[0] else inspect_predictions(path))


def lm_eval_predictions(path: Path) -> Iterator[Prediction]:
    """Samples of lm-evaluation-harness."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                sample = json.loads(line)
                levels = [float(response[0]) for response in sample["filtered_resps"]]
                item = str(sample["doc"][ID])
            except (ValueError, KeyError, TypeError, IndexError) as error:
                raise BadInput(
                    f"{path}, line {number}: no sample of a task that scenarist exported ({error!r}). Expected lm-eval's samples_*.jsonl."
                ) from error
            order = sorted(range(len(levels)), key=lambda index: -levels[index])
            whole = levels[order[0]] + math.log(math.fsum(math.exp(level - levels[order[0]]) for level in levels))
            guesses = tuple(Guess(str(index), min(0.0, levels[index] - whole)) for index in order)
            yield Prediction(item, guesses, by="lm-eval", rest=0.0)


def inspect_predictions(path: Path) -> Iterator[Prediction]:
    """Samples of an inspect log, the two orders of a question together; where an answer could not be read there is no guess."""
    try:
        log = json.loads(path.read_text(encoding="utf-8"))
        samples: list[Mapping[str, Any]] = log["samples"]
        name = str(log["eval"]["model"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"{path}: no log of inspect ({error!r}). Write one with: inspect eval TASK --log-format json"
        ) from error
    items: dict[str, list[int | None]] = {}
    for sample in samples:
        more = sample.get("metadata", {})
        answers = [str(score.get("answer") or "") for score in (sample.get("scores") or {}).values()]
        letter = answers[0].strip() if answers else ""
        chosen = ord(letter) - ord("A") if re.fullmatch("[A-Z]", letter) else None
        if chosen is not None and more.get("order") == "backwards":
            chosen = int(more["count"]) - 1 - chosen
        items.setdefault(str(more.get(ID, sample.get("id", ""))), []).append(chosen)
    for item, choices in items.items():
        votes = Counter(choices)
        if None in votes or min(choice for choice in choices if choice is not None) < 0:
            yield Prediction(item, (), by=name, note="unparsed")
            continue
        guesses = tuple(Guess(str(choice), math.log(votes[choice] / len(choices))) for choice, _ in votes.most_common())
        yield Prediction(item, guesses, by=name, rest=0.0)
