"""Blocks <-> the JSON lines that teacher and student read, so that both run where only torch is installed (a GPU machine)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from training.reader.treebank import Block, genre

Row = dict[str, Any]
LONGEST = 90
"""words of a sentence the teacher labels"""


def rows(blocks: Iterable[Block], group: str = "") -> Iterator[Row]:
    """One row a sentence: words ``w``; where known heads ``h``, labels ``d``, tags ``t``, types ``e``, realis ``r``; ``g`` is its group."""
    for block in blocks:
        for sentence in block.sentences:
            row: Row = {"w": [word.form for word in sentence]}
            if sentence[0].head >= 0:
                row["h"] = [word.head for word in sentence]
                row["d"] = [word.dep for word in sentence]
                row["t"] = [f"{word.upos}/{word.xpos}" for word in sentence]
            if any(word.etype for word in sentence):
                row["e"] = [word.etype for word in sentence]
            if any(word.realis for word in sentence):
                row["r"] = [word.realis for word in sentence]
            if group:
                row["g"] = group if group != "gum" else f"gum-{genre(block.name)}"
            yield row


def write(path: Path, found: Iterable[Row]) -> int:
    """-> number of rows written."""
    count = 0
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for row in found:
            file.write(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n")
            count += 1
    return count


def write_silver(path: Path, labels: dict[str, list[str]], answers: Iterable[tuple[int, dict[str, Any]]]) -> int:
    """The teacher's answers (number of the raw row, arrays) -> one file; -> number of sentences."""
    kept = list(answers)
    if not kept:
        raise SystemExit("no sentence came out as a tree: the teacher has learned nothing")
    columns = {key: np.concatenate([said[key] for _, said in kept]).astype("uint8") for key in "tdeh"}
    sure = [np.log(np.maximum(said["c"], 1e-6)).mean() for _, said in kept]
    np.savez_compressed(
        path,
        labels=np.array(json.dumps(labels)),
        row=np.array([number for number, _ in kept], dtype="int32"),
        size=np.array([len(said["h"]) for _, said in kept], dtype="uint8"),
        doubt=np.minimum(-1000 * np.array(sure), 60_000).astype("uint16"),
        realis=np.concatenate([said["r"] > 0.5 for _, said in kept]),
        **columns,
    )
    return len(kept)


def silver(raw: Path, path: Path, unsure: int = 150) -> Iterator[Row]:
    """The teacher's answers on the raw rows -> labelled rows, less those whose heads it doubts (mean -1000 log P above ``unsure``)."""
    with gzip.open(raw, "rt", encoding="utf-8") as lines:
        words = [json.loads(line)["w"] for line in lines]
    with np.load(path) as arrays:
        names = json.loads(str(arrays["labels"]))
        said = {key: arrays[key].tolist() for key in ("row", "size", "doubt", "realis", *"tdeh")}
    stop = 0
    for number, size, doubt in zip(said["row"], said["size"], said["doubt"], strict=True):
        start, stop = stop, stop + size
        if doubt <= unsure:
            heads = said["h"][start:stop]
            yield {
                "w": words[number],
                "h": [place if head == 0 else head - 1 for place, head in enumerate(heads)],
                "d": [names["d"][one] for one in said["d"][start:stop]],
                "t": [names["t"][one] for one in said["t"][start:stop]],
                "e": [names["e"][one] for one in said["e"][start:stop]],
                "r": ["E" if one else "O" for one in said["realis"][start:stop]],
            }
