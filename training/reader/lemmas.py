"""Treebanks and lemminflect's word lists -> `resources/reader/lemmas.txt.gz`, the exceptions to `scenarist.reading.parser.lemmas.rule`."""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from scenarist.reading.parser.lemmas import group_of, rule
from training.reader.treebank import Word

CLOSED = {
    "IN",
    "TO",
    "DT",
    "PDT",
    "WDT",
    "CC",
    "PRP",
    "PRP$",
    "WP",
    "WP$",
    "EX",
    "POS",
    "UH",
    "RP",
    "RB",
    "CD",
    "JJ",
    "NN",
}
SPECIAL = {
    ("RB", "'t"): "not",
    ("MD", "can"): "can",
    ("MD", "won"): "will",
    ("MD", "couldn"): "could",
    ("MD", "wouldn"): "would",
    ("MD", "shouldn"): "should",
    ("VBD", "lay"): "lie",
    ("VBD", "'d"): "have",
    ("MD", "'d"): "would",
    ("V", "don"): "do",
    ("V", "didn"): "do",
    ("V", "doesn"): "do",
    ("V", "isn"): "be",
    ("V", "wasn"): "be",
    ("V", "weren"): "be",
    ("V", "aren"): "be",
    ("V", "haven"): "have",
    ("V", "hasn"): "have",
    ("V", "hadn"): "have",
    ("V", "fled"): "flee",
}
"""blog spelling, what the tag decides, and what the list has wrong (*flead*)"""


def build(words: Iterable[Word], listed: Path | None, out: Path) -> int:
    """-> number of exceptions written."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for word in words:
        if word.xpos in CLOSED or word.xpos.startswith(("V", "MD", "NNS", "JJ", "RB")):
            counts[group_of(word.xpos), word.form.lower().replace("’", "'")][word.lemma] += 1
    found: dict[tuple[str, str], str] = {}
    if listed is not None:
        with gzip.open(listed, "rt", encoding="utf-8") as lines:
            for line in lines:
                form, pos, lemmas = line.strip().split(",")
                group = {"verb": "V", "noun": "NNS", "adj": "A", "adv": "A"}.get(pos)
                first = lemmas.split("/")[0]
                if (
                    group
                    and form.isalpha()
                    and form.islower()
                    and not (group == "V" and form == first)
                    and first != form
                ):
                    found[group, form] = first
    for key, seen in counts.items():
        best, count = seen.most_common(1)[0]
        if count >= 2 or key not in found:
            found[key] = best
    found |= SPECIAL
    tags = {"V": ("VBD", "VBN", "VBG", "VBZ", "VB", "VBP"), "A": ("JJR", "JJS", "RBR", "RBS")}
    kept = {
        key: lemma
        for key, lemma in found.items()
        if any(rule(key[1], tag) != lemma for tag in tags.get(key[0], (key[0],)) if _fits(key[1], tag))
    }
    with gzip.GzipFile(out, "wb", mtime=0) as file:
        for (group, form), lemma in sorted(kept.items()):
            file.write(f"{group}\t{form}\t{lemma}\n".encode())
    return len(kept)


def _fits(form: str, tag: str) -> bool:
    """May the form carry the tag? Keeps regular forms out of the table."""
    ends = {"VBD": "ed", "VBN": "ed", "VBG": "ing", "VBZ": "s", "JJR": "er", "RBR": "er", "JJS": "est", "RBS": "est"}
    fitting = [one for one, end in ends.items() if form.endswith(end)]
    return (
        tag in fitting
        if any(one in ends for one in fitting) and tag in ends
        else not (fitting and tag in {"VB", "VBP"})
    )
