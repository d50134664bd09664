"""What a document costs in `scenarist learn`: the units of docs/how-to/cost-plan.md. Needs the extra learn and short fiction on SCENARIST_DATA.

    python benchmarks/learning.py sketches      documents sketched a CPU second; bytes a document for finding duplicates
    python benchmarks/learning.py documents     CPU, events, pairs and bytes of a document of 2,700 characters

Each prints one JSON line.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from scenarist.learning import shards
from scenarist.learning.dedup import HASHES, Sketch, Sketcher, compare_sketches
from scenarist.learning.learn import ChainSettings, learn_events
from scenarist.registry import make
from scenarist.story import Story

LENGTH = 2700


def pieces() -> Iterator[Story]:
    """A piece from the middle of each longer text."""
    for story in make("corpus", "short-fiction", split="train"):
        if len(story.text) > 20_000:
            middle = len(story.text) // 2
            yield Story(story.id, story.text[middle : middle + LENGTH])


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def sketches(documents: int = 2000, many: int = 300_000) -> dict[str, float]:
    texts = [story.text for story in islice(pieces(), documents)]
    sketcher = Sketcher()
    for text in texts[:200]:
        sketcher(text)
    begun = time.process_time()
    for text in texts:
        sketcher(text)
    seconds = time.process_time() - begun
    rng = np.random.default_rng(0)
    made = (Sketch(rng.bytes(16), rng.integers(1, 1 << 61, HASHES).astype(np.uint64)) for _ in range(many))
    before = peak()
    compare_sketches(made)
    words = sum(len(text.split()) for text in texts) / len(texts)
    return {
        "documents": len(texts),
        "words": words,
        "per_cpu_s": len(texts) / seconds,
        "bytes_a_document": (peak() - before) / many,
    }


def documents(number: int = 300) -> dict[str, float]:
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    stories = list(islice(pieces(), number))
    sentences = 0
    read = shards.read_documents

    def noted(*given: object) -> Iterator[object]:
        nonlocal sentences
        for document, story in read(*given):  # type: ignore[arg-type]
            sentences += len(story.sentences) if story is not None else 0
            yield document, story

    list(read([shards.UncutDocument("warm", "He ate. She left.")], "default", "single"))
    shards.read_documents = noted  # type: ignore[assignment]
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "m"
        marks: dict[str, float] = {}
        learn_events(
            stories,
            out,
            chains=ChainSettings(dedup=False),
            tick=lambda what, _done, _known: marks.setdefault(what, time.process_time()) and None,
        )
        card = json.loads((out / "card.json").read_bytes())
        size = {
            part: sum(path.stat().st_size for path in (out / part).glob("*")) / number
            for part in ("chains", "sentences")
        }
        total = {
            table: pc.sum(pq.read_table(out / f"{table}.parquet")["n"]).as_py() / number
            for table in ("events", "pairs")
        }
    reading = marks["counting events"] - marks["reading documents"]
    return {
        "documents": number, "reading_cpu_ms": 1000 * reading / number, "sentences": sentences / number, "sentences_per_cpu_s": sentences / reading,
        "events": card["events"] / number, "events_in_chains_of_two": total["events"], "pairs": total["pairs"],
        "chains_bytes": size["chains"], "sentences_bytes": size["sentences"], "peak_gb": peak() / 1e9,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["sketches", "documents"])
    found = sketches() if parser.parse_args().what == "sketches" else documents()
    print(json.dumps({**found, "load": os.getloadavg()[0]}))


if __name__ == "__main__":
    main()
