"""How fast the default reader is, how its cost grows with the text, and how much memory a process takes.

    python benchmarks/reading.py [--words 500000] [--file novel.txt] [--jobs 2] [--memory]

Without a file, the text is written from a small grammar of our own, so that anybody gets the same one. Ratios within one run
are what counts: the time a word takes in the longest text against the shortest (1.0 is linear). With --memory the text is read once, in
this process, and only the peak is told (of which the reader itself, and torch where it is installed, because spaCy loads it).
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import resource
import sys
import time
from pathlib import Path

from scenarist.reading.default import DefaultReader

NAMES = "Ann Ben Carla Dev Ewa Femi Greta Hugo Ivy Jin Kofi Lena Mia Nils Omar Pia".split()
PLACES = "bakery harbour library kitchen station market garden workshop museum school".split()
THINGS = "letter basket lamp ticket coat key ladder violin map kettle".split()
FORMS = (
    "{a} walked into the {p} and asked {b} for a {t}.",
    '"I have never seen such a {t}," said {a}, who was waiting in front of the {p}.',
    "{b} told {a} that the {t} had been sold to an old man the day before.",
    "When the {t} was finally found, {a} put it on the table, sat down and wanted to leave.",
    "The {t} that {b} had brought from the {p} fell, and nobody picked it up.",
    "She did not answer, because {a} and {b} were already running to the {p}.",
    "He gave her the {t}, and they went home together.",
)  # fmt: skip


def story(words: int, seed: int = 13) -> str:
    """About so many words of made-up narration."""
    random_ = random.Random(seed)
    parts: list[str] = []
    count = 0
    while count < words:
        a, b = random_.sample(NAMES, 2)
        text = random_.choice(FORMS).format(a=a, b=b, p=random_.choice(PLACES), t=random_.choice(THINGS))
        parts.append(text + ("\n\n" if len(parts) % 7 == 6 else " "))
        count += text.count(" ") + 1
    return "".join(parts)


def grow(text: str) -> list[dict[str, float]]:
    """Time for ever longer beginnings of one text."""
    words = text.split(" ")
    rows = []
    for part in (0.02, 0.1, 0.3, 1.0):
        piece = " ".join(words[: int(len(words) * part)])
        begun = time.perf_counter()
        (read,) = DefaultReader()([piece])
        spent = time.perf_counter() - begun
        rows.append({
            "words": len(piece.split()), "sentences": len(read.sentences), "events": len(read.events), "seconds": round(spent, 2),
            "us_per_word": round(1e6 * spent / max(1, len(piece.split())), 1),
        })  # fmt: skip
        print(json.dumps(rows[-1]), file=sys.stderr)
    return rows


def pace(texts: list[str], jobs: int) -> dict[str, float]:
    """Sentences a second with so many processes, weights loaded before."""
    reader = DefaultReader(jobs=jobs)
    reader.warm()
    begun = time.perf_counter()
    sentences = sum(len(read.sentences) for read in reader(texts))
    spent = time.perf_counter() - begun
    return {
        "jobs": jobs,
        "sentences": sentences,
        "seconds": round(spent, 2),
        "sentences_per_s": round(sentences / spent, 1),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--words", type=int, default=100_000)
    options.add_argument("--file", type=Path)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--memory", action="store_true")
    given = options.parse_args()
    text = given.file.read_text("utf-8")[: given.words * 6] if given.file else story(given.words)
    DefaultReader().warm()
    if given.memory:
        loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        (read,) = DefaultReader()([text])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({
            "words": len(text.split()), "events": len(read.events), "peak_mb": round(peak), "reader_loaded_mb": round(loaded),
            "torch_loaded": "torch" in sys.modules,
        }))  # fmt: skip
        return
    paragraphs = text.split("\n\n")
    texts = ["\n\n".join(part) for part in itertools.batched(paragraphs, 20)] if sys.version_info >= (3, 12) else [
        "\n\n".join(paragraphs[at : at + 20]) for at in range(0, len(paragraphs), 20)
    ]  # fmt: skip
    rates = [pace(texts, jobs) for jobs in (1, given.jobs)]
    rows = grow(text)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    found = {
        "pace": rates, "growth": rows, "linear": round(rows[-1]["us_per_word"] / rows[1]["us_per_word"], 2),
        "peak_mb": round(peak), "peak_mb_of_a_worker": round(child),
    }  # fmt: skip
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
