"""WordNet 3.0 database files -> `resources/wordnet/`: verb synsets in sense order, nouns that name events and
processes, and the synsets of everyday nouns (those whose stem the detector knows) with what is above them.

    python -m training.wordnet FOLDER     # the folder with data.verb, index.verb, data.noun, index.noun

Debian's package ``wordnet-base`` (1:3.0) has the folder at ``usr/share/wordnet``. The output is the same bytes every
time.
"""

from __future__ import annotations

import gzip
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from scenarist.reading.stems import stem

OUT = Path(__file__).parents[1] / "src/scenarist/resources/wordnet"
ROOTS = {"e": ("event", "something that happens at a given place and time"), "p": ("process", "a sustained phenomenon")}
"""flag -> lemma and the beginning of the gloss of the synset whose hyponyms are listed."""


MOST_SENSES = 4
"""Senses of a noun that are kept, the most frequent ones."""


class Synset(NamedTuple):
    lemmas: tuple[str, ...]
    below: tuple[str, ...]
    gloss: str
    above: tuple[str, ...] = ()
    file: int = 0
    """Number of its lexicographer file: 18 is *person*."""


def synsets(path: Path) -> dict[str, Synset]:
    """offset -> synset, in the order of the file (format: wndb(5WN))."""
    found: dict[str, Synset] = {}
    for line in path.read_text("ascii", errors="replace").splitlines():
        if line.startswith("  "):
            continue
        data, _, gloss = line.partition(" | ")
        parts = data.split()
        count = int(parts[3], 16)
        lemmas = tuple(parts[4 + 2 * place] for place in range(count))
        at = 4 + 2 * count
        pointers = [parts[at + 1 + 4 * place : at + 5 + 4 * place] for place in range(int(parts[at]))]
        below = tuple(offset for symbol, offset, kind, _ in pointers if symbol in ("~", "~i") and kind == parts[2])
        above = tuple(offset for symbol, offset, kind, _ in pointers if symbol in ("@", "@i") and kind == parts[2])
        found[parts[0]] = Synset(lemmas, below, gloss, above, int(parts[1]))
    return found


def senses(path: Path) -> dict[str, tuple[str, ...]]:
    """lemma -> offsets of its synsets, most frequent sense first."""
    found: dict[str, tuple[str, ...]] = {}
    for line in path.read_text("ascii").splitlines():
        if not line.startswith("  "):
            parts = line.split()
            found[parts[0]] = tuple(parts[-int(parts[2]) :])
    return found


def under(root: str, nouns: dict[str, Synset]) -> set[str]:
    """A synset and all its hyponyms."""
    seen, open_ = set(), [root]
    while open_:
        offset = open_.pop()
        if offset not in seen:
            seen.add(offset)
            open_.extend(nouns[offset].below)
    return seen


def write(name: str, lines: list[str]) -> None:
    with (
        (OUT / name).open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=9) as out,
    ):
        out.write(("\n".join(lines) + "\n").encode("ascii"))


def main(folder: Path) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    verbs = synsets(folder / "data.verb")
    number = {offset: place for place, offset in enumerate(verbs)}
    write("verb-synsets.txt.gz", [" ".join(synset.lemmas) for synset in verbs.values()])
    order = senses(folder / "index.verb")
    write(
        "verb-senses.txt.gz",
        [" ".join((lemma, *(str(number[one]) for one in order[lemma]))) for lemma in sorted(order)],
    )

    nouns = synsets(folder / "data.noun")
    flags: dict[str, set[str]] = defaultdict(set)
    for flag, (lemma, gloss) in ROOTS.items():
        (root,) = (offset for offset, one in nouns.items() if one.lemmas[0] == lemma and one.gloss.startswith(gloss))
        for offset in under(root, nouns):
            flags[offset].add(flag)
    lines = []
    for lemma, offsets in sorted(senses(folder / "index.noun").items()):
        any_ = set().union(*(flags.get(offset, set()) for offset in offsets))
        first = flags.get(offsets[0], set())
        if any_:
            lines.append(lemma + " " + "".join(flag.upper() if flag in first else flag for flag in sorted(any_)))
    write("happening-nouns.txt.gz", lines)
    write_nouns(nouns, senses(folder / "index.noun"))


def write_nouns(nouns: dict[str, Synset], order: dict[str, tuple[str, ...]]) -> None:
    """The synsets of everyday nouns, one a line: lexicographer file, line of the synset above (-1: none), lemmas; and each noun's lines."""
    with gzip.open(OUT.parent / "detector" / "phrases.txt.gz", "rt", encoding="utf-8") as lines:
        known = {line.strip() for line in lines}
    everyday = {
        lemma: offsets[:MOST_SENSES]
        for lemma, offsets in sorted(order.items())
        if all(part.isalpha() and stem(part) in known for part in lemma.split("_")) and lemma.count("_") < 2
    }
    kept: set[str] = set()
    for offsets in everyday.values():
        for offset in offsets:
            while offset not in kept:
                kept.add(offset)
                offset = nouns[offset].above[0] if nouns[offset].above else offset
    number = {offset: place for place, offset in enumerate(sorted(kept))}
    rows = []
    for offset in sorted(kept):
        above = number[nouns[offset].above[0]] if nouns[offset].above else -1
        own = [lemma.lower() for lemma in nouns[offset].lemmas if lemma.lower() in everyday]
        rows.append(" ".join((str(nouns[offset].file), str(above), *own)))
    write("noun-synsets.txt.gz", rows)
    write(
        "noun-senses.txt.gz", [" ".join((lemma, *(str(number[one]) for one in everyday[lemma]))) for lemma in everyday]
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
