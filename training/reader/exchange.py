"""Blocks <-> the JSON lines that teacher and student read, so that both run where only torch is installed (a GPU machine)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from training.reader.treebank import Block, genre

Row = dict[str, Any]


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


def silver(raw: Path, labels: Path, parts: Iterable[Path], unsure: int = 150) -> Iterator[Row]:
    """The teacher's answers on the raw rows -> labelled rows, less those whose heads it doubts (mean -1000 log P above ``unsure``)."""
    with gzip.open(raw, "rt", encoding="utf-8") as lines:
        words = [json.loads(line)["w"] for line in lines]
    names = json.loads(labels.read_text(encoding="utf-8"))
    for part in parts:
        with gzip.open(part, "rt", encoding="utf-8") as lines:
            for line in lines:
                said = json.loads(line)
                if said["c"] <= unsure and len(said["h"]) <= 90:
                    yield {
                        "w": words[said["i"]],
                        "h": [place if head == 0 else head - 1 for place, head in enumerate(said["h"])],
                        "d": [names["d"][one] for one in said["d"]],
                        "t": [names["t"][one] for one in said["t"]],
                        "e": [names["e"][one] for one in said["e"]],
                        "r": ["E" if one >= 50 else "O" for one in said["r"]],
                    }
