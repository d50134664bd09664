"""What trainings that run side by side leave for one another: files in `OUT/pool`, and what all of them together hold likely."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from training.detector.documents import Document
from training.detector.feeding import TOP, Taught


def there(wanted: Sequence[Path], seconds: float) -> list[Path]:
    """The files that exist, once all do or after so many seconds."""
    begin = time.time()
    while not all(one.exists() for one in wanted) and time.time() - begin < seconds:
        time.sleep(0.5)
    return [one for one in wanted if one.exists()]


def pooled(options: argparse.Namespace) -> list[Path]:
    """Where those beside this training, and it, leave what they hold likely."""
    return [options.out / "pool" / f"{one}.npz" for one in options.beside.split(",") if one]


def exchanged(options: argparse.Namespace, documents: list[Document], labels: int, said: dict[str, np.ndarray], patience: float) -> list[Taught]:  # fmt: skip
    """Leave what this one says (``tops``, ``chances``, ``changes`` a sentence), and give what all say together."""
    written(options.out / "pool", options.name, said)
    return together(documents, there(pooled(options), patience), labels)


def written(folder: Path, name: str, arrays: dict[str, np.ndarray]) -> Path:
    """A file that is there as a whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{name}.part.npz"
    np.savez_compressed(part, **arrays)  # type: ignore[arg-type]
    return part.rename(folder / f"{name}.npz")


def together(documents: list[Document], files: list[Path], labels: int) -> list[Taught]:
    """The mean of what teachers hold likely on the pool's documents."""
    said = [dict(np.load(one, allow_pickle=False)) for one in files]
    count = sum(len(one.sentences) for one in documents)
    mass = np.zeros((count, labels), np.float32)
    for one in said:
        np.add.at(mass, (np.arange(count)[:, None], one["tops"]), one["chances"].astype(np.float32))
    tops = np.argpartition(-mass, TOP, axis=1)[:, :TOP]
    chances = np.take_along_axis(mass, tops, axis=1)
    chances /= np.maximum(chances.sum(axis=1, keepdims=True), 1e-9)
    changes = np.mean([one["changes"].astype(np.float32) for one in said], axis=0)
    found, first = [], 0
    for document in documents:
        own = slice(first, first + len(document.sentences))
        found.append(Taught(document, tops[own].astype(np.uint8), chances[own].astype(np.float16), changes[own].astype(np.float16)))  # fmt: skip
        first = own.stop
    print("taught by", [one.stem for one in files], flush=True)
    return found
