"""Rows of sentences -> batches of tensors, made by a thread before they are wanted."""

from __future__ import annotations

import gzip
import json
import queue
import random
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training.reader.augment import manner, swapped
from training.reader.network import Batch, Words

Row = dict[str, Any]
KEYS = "tderh"
"""labels of a word: tag, dependency, entity type, realis, head"""


def read(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def prepare(sentences: list[Row], labels: dict[str, list[str]]) -> list[Row]:
    """Label strings -> numbers; heads count from 1, 0 is the root; -100 is unknown."""
    index = {key: {label: place for place, label in enumerate(values)} for key, values in labels.items()}
    for sentence in sentences:
        size = len(sentence["w"])
        for key in "tde":
            found = sentence.get(key)
            sentence[key + "_"] = [-100] * size if found is None else [index[key].get(one, -100) for one in found]
        sentence["h_"] = (
            [0 if head == place else head + 1 for place, head in enumerate(sentence["h"])]
            if "h" in sentence
            else [-100] * size
        )
        sentence["r_"] = [{"E": 0, "O": 1}[one] for one in sentence["r"]] if "r" in sentence else [-100] * size
        sentence["y_"] = np.array([sentence[key + "_"] for key in KEYS], dtype=np.int16)
    return sentences


def batches(sentences: list[Row], size: int, rng: random.Random | None) -> list[list[Row]]:
    order = list(range(len(sentences)))
    if rng:
        rng.shuffle(order)
    chunk = 8192
    order = [
        i
        for base in range(0, len(order), chunk)
        for i in sorted(order[base : base + chunk], key=lambda i: len(sentences[i]["w"]))
    ]
    cut: list[list[Row]] = [[]]
    longest = 0
    for i in order:
        length = len(sentences[i]["w"])
        longest = max(longest, length)
        if cut[-1] and longest * (len(cut[-1]) + 1) > size:
            cut.append([])
            longest = length
        cut[-1].append(sentences[i])
    if rng:
        rng.shuffle(cut)
    return cut


def packed(mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mask [B, N] -> ``order`` and ``sizes`` of a Batch."""
    longest_first = np.argsort(-mask.sum(1), kind="stable")
    at, sentence = np.nonzero(mask[longest_first].T)
    return longest_first[sentence] * mask.shape[1] + at, mask.sum(0)


def tensors(
    batch: list[Row], words: Words, rng: random.Random | None, device: str, both: list[str] | None = None
) -> tuple[Batch, dict[str, torch.Tensor]]:
    longest = max(len(sentence["w"]) for sentence in batch)
    forms = np.zeros((len(batch), longest), dtype=np.int32)
    gold = np.full((len(KEYS), len(batch), longest), -100, dtype=np.int64)
    for place, sentence in enumerate(batch):
        size = len(sentence["w"])
        said = sentence["w"]
        if rng:
            said = swapped(said, sentence["t"], both or [], rng) if "t" in sentence else said
            said = manner(said, rng.random())
        if said is not sentence["w"]:
            forms[place, :size] = [words(form) for form in said]
        else:
            if sentence.get("of_") is not words:  # another network numbers its forms otherwise
                sentence["of_"], sentence["x_"] = words, np.array([words(form) for form in said], dtype=np.int32)
            forms[place, :size] = sentence["x_"]
        gold[:, place, :size] = sentence["y_"]
    mask = forms > 0
    rows = words.rows[forms]
    if rng:
        unknown = np.random.default_rng(rng.getrandbits(32)).random(mask.shape) < 0.08
        rows[..., 0][unknown] = 0
    order, sizes = packed(mask)
    given = Batch(onto(rows, device), onto(mask, device), onto(order, device), torch.from_numpy(sizes))
    return given, dict(zip(KEYS, onto(gold, device), strict=True))


@cache
def stream() -> Any:
    """The stream on which a network learns. A step is hundreds of small kernels; on a shared card each would wait for the large ones of others."""
    return torch.cuda.Stream(priority=-5)  # the highest there is


def ready() -> str:
    """Where this process learns, made ready."""
    if not torch.cuda.is_available():
        return "cpu"
    torch.cuda.set_stream(stream())
    return "cuda"


def onto(array: np.ndarray, device: str) -> torch.Tensor:
    """An array on the device; a GPU fetches it while it works on."""
    made = torch.from_numpy(array)
    if device != "cuda":
        return made
    with torch.cuda.stream(stream()):  # we are in another thread
        return made.pin_memory().to(device, non_blocking=True)


def ahead(made: Iterator[Any], many: int = 8) -> Iterator[Any]:
    """The same things, made by a thread some steps before they are wanted."""
    shelf: queue.Queue[Any] = queue.Queue(many)
    end = object()

    def work() -> None:
        try:
            for one in made:
                shelf.put(one)
            shelf.put(end)
        except BaseException as error:  # it is raised where the things are wanted
            shelf.put(error)

    threading.Thread(target=work, daemon=True).start()
    while (one := shelf.get()) is not end:
        if isinstance(one, BaseException):
            raise one
        yield one
