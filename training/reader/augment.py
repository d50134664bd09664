"""Block -> Block as other people would have typed it: lower case, all caps, blog corpora (`don 't`), other quotation marks."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

from training.reader.treebank import Block, Word

SPLIT = {"do": "don", "did": "didn", "does": "doesn", "ca": "can", "wo": "won", "could": "couldn", "would": "wouldn", "should": "shouldn",
         "is": "isn", "was": "wasn", "were": "weren", "are": "aren", "have": "haven", "has": "hasn", "had": "hadn"}  # fmt: skip

QUOTES = {'"': "“”", "``": "“", "''": "”", "'": "‘’"}


def augment(block: Block, random: Random) -> Block:
    """One block as it stands two times in three, else in one of the other manners."""
    dice = random.random()
    if dice < 0.66:
        return block
    sentences = [[replace(word) for word in sentence] for sentence in block.sentences]
    if dice < 0.76:
        _each(sentences, lambda form: form.lower())
    elif dice < 0.79:
        _each(sentences, lambda form: form.upper())
    elif dice < 0.85:
        _blog(sentences)
    elif dice < 0.93:
        _quotes(sentences, random)
    elif dice < 0.96:
        _each(
            sentences,
            lambda form: {"’": "'", "“": '"', "”": '"', "—": "--", "’s": "'s", "n’t": "n't"}.get(
                form, form.replace("’", "'")
            ),
        )
    else:
        sentences[-1] = _without_end(sentences[-1])
    return Block(block.name, sentences)


def _each(sentences: list[list[Word]], change) -> None:  # type: ignore[no-untyped-def]
    for sentence in sentences:
        for word in sentence:
            word.form = change(word.form)


def _blog(sentences: list[list[Word]]) -> None:
    """Lower case, a space after every word, `don 't`."""
    for sentence in sentences:
        for left, right in itertools.pairwise(sentence):
            if right.form.lower() in {"n't", "n’t"} and left.form.lower() in SPLIT:
                left.form, right.form = SPLIT[left.form.lower()], "'t"
        for word in sentence:
            word.form, word.space = word.form.lower(), True


def _quotes(sentences: list[list[Word]], random: Random) -> None:
    """Straight quotation marks become curly, single or TeX ones; apostrophes become curly."""
    style = random.choice(("“”", "‘’", "''", "`"))
    opened = False
    for sentence in sentences:
        for word in sentence:
            if word.form in {'"', "``", "''", "“", "”"} and word.upos in {"PUNCT", ""}:
                opened = not opened
                word.form = {
                    "“”": "“" if opened else "”",
                    "‘’": "‘" if opened else "’",
                    "''": "'",
                    "`": "``" if opened else "''",
                }[style]
            elif style in {"“”", "‘’"} and "'" in word.form and len(word.form) > 1:
                word.form = word.form.replace("'", "’")


def _without_end(sentence: list[Word]) -> list[Word]:
    """The last sentence loses its full stop."""
    last = len(sentence) - 1
    if last > 0 and sentence[last].upos == "PUNCT" and not any(word.head == last for word in sentence):
        return sentence[:last]
    return sentence


def manner(words: list[str], dice: float) -> list[str]:
    """The words as other people would have typed them: lower case, capitals, blog corpora, other quotation marks."""
    if dice < 0.72:
        return words
    if dice < 0.82:
        return [word.lower() for word in words]
    if dice < 0.84:
        return [word.upper() for word in words]
    if dice < 0.89:
        out = [word.lower() for word in words]
        for place in range(1, len(out)):
            if out[place] in {"n't", "n’t"} and out[place - 1] in SPLIT:
                out[place - 1], out[place] = SPLIT[out[place - 1]], "'t"
        return out
    if dice < 0.95:
        return [
            {'"': "''", "“": '"', "”": '"', "``": '"', "''": '"'}.get(word, word.replace("’", "'")) for word in words
        ]
    opened, out = False, []
    for word in words:
        if word in {'"', "``", "''"}:
            opened = not opened
            word = "“" if opened else "”"
        out.append(word.replace("'", "’"))
    return out


def swapped(words: list[str], tags: list[str], both: list[str], random: Random) -> list[str]:
    """One sentence in five with one of its infinitives, or singular nouns, replaced by a word that dictionaries call noun and verb.

    Treebanks show such words (*row*, *anchor*) in one class only; so it is the place that must tell the class, not the word.
    """
    if not both or random.random() > 0.2:
        return words
    tag = "VERB/VB" if random.random() < 0.65 else "NOUN/NN"
    places = [at for at, one in enumerate(tags) if one == tag and words[at].islower()]
    if not places:
        return words
    at = random.choice(places)
    return [*words[:at], random.choice(both), *words[at + 1 :]]


def noun_or_verb(rows: Iterable[dict[str, Any]], verbs: Iterable[str], least: int = 5) -> list[str]:
    """Words listed as verbs that the rows' tags call nouns more often than verbs."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for word, tag in zip(row["w"], row.get("t", ()), strict=False):
            if tag in ("NOUN/NN", "VERB/VB", "VERB/VBP") and word.islower():
                counts.setdefault(word, Counter())[tag[:4]] += 1
    return sorted(
        word for word in set(verbs) if word in counts and counts[word]["NOUN"] >= max(least, counts[word]["VERB"])
    )
