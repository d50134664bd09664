"""A word or phrase -> AlignedPhrases: which concrete phrases an abstract word stands for, and back (Bisk et al. 2019, section 5)."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scenarist.answers import AlignedPhrase, AlignedPhrases
from scenarist.errors import BadInput

if TYPE_CHECKING:
    from scenarist.learning.alignments import PhraseEntry

SIDES = ("abstract", "concrete", "both")


def align(
    phrase: str,
    side: str = "both",
    limit: int = 8,
    sentences: int = 0,
    table: str | Path | None = None,
    plain: bool = False,
) -> AlignedPhrases:
    """Look up what a word or phrase is aligned with; ``side`` says which side it is on.

    ``sentences`` gives so many sentences behind each row (the corpus must be at hand), ``table`` names another table than the package's,
    ``plain`` sorts by PMI without a discount.
    """
    from scenarist.learning.alignments import PhraseTable
    from scenarist.learning.blanks import STOP
    from scenarist.store.home import resource

    if side not in SIDES:
        raise BadInput(f"--from is abstract, concrete or both, not {side!r}.")
    asked = " ".join(phrase.lower().split())
    if not asked:
        raise BadInput('There is nothing to look up. Type for example: scenarist align "parmesan"')
    if all(word in STOP or not word[0].isalnum() for word in asked.split()):
        raise BadInput(
            f"{asked!r} is a function word, and these are aligned with nothing. Ask for a word of the kitchen: parmesan"
        )
    known = PhraseTable.load(Path(table) if table else resource("alignments/kidscook.jsonl"))
    concrete = known.concrete(asked, limit, plain) if side != "concrete" else None
    abstract = known.abstract(asked, limit, plain) if side != "abstract" else None
    if not concrete and not abstract:
        words = sorted({entry.word for entry in known.entries} | {entry.phrase for entry in known.entries})
        near = difflib.get_close_matches(asked, words, n=3, cutoff=0.6)
        hint = f" Did you mean {', '.join(repr(word) for word in near)}?" if near else ""
        raise BadInput(f"The table has no alignment with {asked!r}.{hint}")
    pairs = concrete_texts() if sentences else {}
    return AlignedPhrases(
        asked,
        known.by,
        aligned_phrases(concrete, pairs, sentences, plain),
        aligned_phrases(abstract, pairs, sentences, plain),
    )


def concrete_texts() -> dict[str, tuple[str, ...]]:
    """Pair -> its concrete text, from the corpus on the search path."""
    from scenarist.registry import make

    return {pair.id: pair.concrete for pair in make("corpus", "kidscook", split="train")}


def aligned_phrases(
    entries: Sequence[PhraseEntry] | None, pairs: Mapping[str, Sequence[str]], most: int, plain: bool = False
) -> tuple[AlignedPhrase, ...] | None:
    """Rows of the table with the sentences behind them; None where that side was not asked for."""
    from scenarist.learning.alignments import strength

    if entries is None:
        return None
    return tuple(
        AlignedPhrase(e.word, e.phrase, e.count, strength(e, plain), e.found, sentences_behind(e, pairs, most))
        for e in entries
    )


def sentences_behind(entry: PhraseEntry, pairs: Mapping[str, Sequence[str]], most: int) -> tuple[str, ...]:
    """Up to ``most`` sentences behind a row, the phrase in brackets."""
    size = len(entry.phrase.split())
    lines = []
    for pair, place in entry.found[:most]:
        words = pairs.get(pair)
        if words is None:
            continue
        first = max((index + 1 for index in range(place) if words[index] == "."), default=0)
        last = next((index for index in range(place, len(words)) if words[index] == "."), len(words))
        phrase = f"[{' '.join(words[place : place + size])}]"
        lines.append(" ".join([*words[first:place], phrase, *words[place + size : last]]))
    return tuple(lines)
