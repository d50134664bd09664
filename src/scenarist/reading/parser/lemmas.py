"""Word and tag -> lemma: a table of what the rules would get wrong, then the rules of English inflection.

"were" is "be". The table was made by `training.reader.lemmas` from the training parts of EWT and GUM and from the word lists of
lemminflect (MIT), and holds only forms for which `rule` fails.
"""

from __future__ import annotations

import gzip
import re
from functools import cache, lru_cache

from scenarist.store.home import resource

_DOUBLED = re.compile(r"([bdgklmnprtvz])\1$")
_SILENT = re.compile(r"(?:[cuvz]|[^s]s|[bcdfgkptz]l|dg|[rl]g|[^aeiou]at|nc|[^aeo]ir|ur|iz)$")


def rule(word: str, tag: str) -> str:
    """The lemma by rule alone, in lower case except for names.

    >>> rule("walked", "VBD"), rule("stopped", "VBD"), rule("cities", "NNS"), rule("Paris", "NNP")
    ('walk', 'stop', 'city', 'Paris')
    """
    if tag == "NNP":
        return word
    if tag == "NNPS":
        return word[:-1] if word.endswith("s") else word
    lower = word.lower()
    if tag in {"NNS", "VBZ"} and len(lower) > 3 and lower.endswith("s"):
        return _without_s(lower)
    if tag in {"VBD", "VBN"} and len(lower) > 3 and lower.endswith("ed"):
        return lower[:-3] + "y" if lower.endswith("ied") and len(lower) > 4 else _bare(lower[:-2])
    if tag == "VBG" and len(lower) > 4 and lower.endswith("ing"):
        return _bare(lower[:-3])
    if tag in {"JJR", "RBR"} and len(lower) > 4 and lower.endswith("er"):
        return lower[:-3] + "y" if lower.endswith("ier") else _bare(lower[:-2])
    if tag in {"JJS", "RBS"} and len(lower) > 5 and lower.endswith("est"):
        return lower[:-4] + "y" if lower.endswith("iest") else _bare(lower[:-3])
    return lower


def _without_s(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def _bare(stem: str) -> str:
    if _DOUBLED.search(stem) and not stem.endswith(("ll", "zz")):
        return stem[:-1]
    return stem + "e" if _SILENT.search(stem) else stem


@cache
def table() -> dict[tuple[str, str], str]:
    """(class of tag, word in lower case) -> lemma."""
    found: dict[tuple[str, str], str] = {}
    with gzip.open(resource("reader/lemmas.txt.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            group, word, lemma = line.rstrip("\n").split("\t")
            found[group, word] = lemma
    return found


def group_of(tag: str) -> str:
    """Tags that share a table: all verb forms, all adjectives and adverbs of degree."""
    return "V" if tag.startswith("VB") else "A" if tag in {"JJR", "JJS", "RBR", "RBS"} else tag


@lru_cache(maxsize=100_000)
def lemma(word: str, tag: str) -> str:
    """The lemma of a word with its Penn tag.

    >>> lemma("were", "VBD"), lemma("men", "NNS"), lemma("making", "VBG"), lemma("'t", "RB"), lemma("her", "PRP")
    ('be', 'man', 'make', 'not', 'she')
    """
    key = word.lower().replace("’", "'")
    found = table().get((tag, key)) or table().get((group_of(tag), key))
    return found if found is not None else rule(word, tag)
