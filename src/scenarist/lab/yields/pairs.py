"""Explained captions -> the files of KidsCook (Bisk et al. 2019): pairs in steps, whitelist, template with blanks.

A caption's explanations stay together: a tenth of the captions, drawn by their text, is the validation part. Words are whitelisted that
occur ``LEAST`` times, or twice in a corpus with fewer than ``SMALL`` pairs; the card says which.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha1
from typing import Any

import msgspec

from scenarist.lab.roster import OpenStudy
from scenarist.lab.yields.scripts import told_lists
from scenarist.lab.yields.write import HarvestedFiles
from scenarist.learning.blanks import blanked, whitelist
from scenarist.story import Pair

FOLDER = "kidscook"
LEAST, SMALL, FEW = 5, 200, 2
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")


class ExplainedCaption(msgspec.Struct):
    """A line of ``*.pairs.jsonl``."""

    abstract: str
    steps: list[str]


def harvest_pairs(study: OpenStudy, options: Mapping[str, Any]) -> HarvestedFiles:
    """Pairs, templates, whitelist."""
    lines: dict[str, list[ExplainedCaption]] = {"train": [], "valid": []}
    writers: set[str] = set()
    for caption, steps, session in told_lists(study):
        lines[part_of(caption)].append(ExplainedCaption(tokenised(caption), [tokenised(step) for step in steps]))
        writers.add(session)
    pairs = {
        part: [as_pair(line, f"{part}-{number}") for number, line in enumerate(listed)]
        for part, listed in lines.items()
    }
    every = pairs["train"] + pairs["valid"]
    least = int(options.get("least", 0) or 0) or (LEAST if len(every) >= SMALL else FEW)
    words = whitelist(every, least=least)
    blanks = {part: list(blanked(listed, words)) for part, listed in pairs.items()}
    files: dict[str, Sequence[bytes]] = {}
    for part, listed in lines.items():
        if listed:
            files[f"{FOLDER}/{part}.pairs.jsonl"] = [msgspec.json.encode(line) + b"\n" for line in listed]
        if blanks[part]:
            files[f"{FOLDER}/{part}.template.tsv"] = [template_line(pair).encode() for pair in blanks[part]]
    if words:
        files[f"{FOLDER}/approved.5.txt"] = ["".join(f"{word}\n" for word in words).encode()]
    kept = sum(map(len, blanks.values()))
    counts = {
        "pairs": len(every), "captions": len({pair.abstract for pair in every}), "writers": len(writers), "pairs with blanks": kept,
        "blanks": sum(len(pair.blanks) for listed in blanks.values() for pair in listed), "words that may be blanked": len(words),
        "least occurrences of such a word": least,
    }  # fmt: skip
    reasons = {"pairs without a word that may be blanked": len(every) - kept} if len(every) > kept else {}
    return HarvestedFiles(
        files, counts, reasons, "Captions and their explanations to a child, with blanks",
        ("SCENARIST_DATA={out} scenarist exam wordcloze kidscook --split train -o exam",),
    )  # fmt: skip


def part_of(caption: str) -> str:
    """Validation or training, by the caption alone."""
    return "valid" if int(sha1(caption.encode()).hexdigest(), 16) % 10 == 1 else "train"


def tokenised(text: str) -> str:
    """Lower case, words and stops apart, with a stop at the end.

    >>> tokenised("Get a pan, please")
    'get a pan , please .'
    """
    words = WORD.findall(text.lower())
    return " ".join(words if words and words[-1] in ".!?" else [*words, "."])


def as_pair(line: ExplainedCaption, id: str) -> Pair:
    """A caption and its explanation without blanks."""
    return Pair(id, tuple(line.abstract.split()), tuple(word for step in line.steps for word in step.split()))


def template_line(pair: Pair) -> str:
    """Abstract, concrete, tags: 0 is blanked."""
    hidden = {place for start, stop in pair.blanks for place in range(start, stop)}
    tags: Iterable[str] = ("0" if place in hidden else "1" for place in range(len(pair.concrete)))
    return f"{' '.join(pair.abstract)}\t{' '.join(pair.concrete)}\t{' '.join(tags)}\n"
