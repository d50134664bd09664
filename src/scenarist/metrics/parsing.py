"""Two parses of one text -> how far they agree: words, sentences, tags, lemmas, trees, and the core arguments of verbs.

Token positions are compared by the characters they cover, so given words and raw text are measured alike (as in the
CoNLL 2018 shared task, Zeman et al. 2018): a word counts as right only if it was cut right. UPOS, lemmas, UAS and LAS are
F1 over words; on given words they are accuracies. LAS compares universal labels without their subtype. ``core_f1`` is
over triples (verb, subject or object, argument word): the verb is tagged VERB on the side the triple comes from;
subjects are nsubj and its subtypes, passive ones too, objects obj and iobj.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.errors import BadInput
from scenarist.metrics.base import count, divide
from scenarist.question import Item, Prediction, Reading
from scenarist.story import Story

Spans = set[Hashable]


class Parsing:
    """Base: F1 of two sets of things found in a text."""

    name: str
    higher = True
    proportion = True

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"unit": "characters"}

    def found(self, story: Story) -> Spans:
        """What is compared, in one story."""
        raise NotImplementedError

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """Counts of one document: right, guessed, gold."""
        if not isinstance(item.key, Reading):
            raise BadInput(f"{self.name}: the key of item {item.id!r} is no reading; use the exam `reading`.")
        answer = prediction.best if prediction is not None else None
        gold = self.found(item.key.story)
        guessed = self.found(answer.story) if isinstance(answer, Reading) else set()
        return {"right": float(len(gold & guessed)), "guessed": float(len(guessed)), "gold": float(len(gold))}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """F1; 1 where there was nothing to find and nothing was found."""
        both = count(totals, "guessed") + count(totals, "gold")
        return np.asarray(divide(2 * count(totals, "right"), both, empty=1.0))


class TokenF1(Parsing):
    """Words cut right."""

    name = "token_f1"

    def found(self, story: Story) -> Spans:
        """Spans of words."""
        return {(token.start, token.stop) for token in story.tokens}


class SentenceF1(Parsing):
    """Sentences with both ends right."""

    name = "sentence_f1"

    def found(self, story: Story) -> Spans:
        """Spans of sentences, from first to last word."""
        return {
            (story.tokens[one.first].start, story.tokens[one.last - 1].stop)
            for one in story.sentences
            if one.last > one.first
        }


class Upos(Parsing):
    """Universal parts of speech."""

    name = "upos"

    def found(self, story: Story) -> Spans:
        """Words with their tag."""
        return {(token.start, token.stop, token.pos) for token in story.tokens}


class Lemma(Parsing):
    """Lemmas; case is ignored, and ``_`` (no lemma) is passed over on both sides."""

    name = "lemma"

    def found(self, story: Story) -> Spans:
        """Words with their lemma."""
        return {(token.start, token.stop, token.lemma.lower()) for token in story.tokens if token.lemma != "_"}


class Uas(Parsing):
    """Heads."""

    name = "uas"
    labelled = False

    def found(self, story: Story) -> Spans:
        """Words with the place of their head, -1 for a root."""
        return {
            (
                token.start,
                token.stop,
                story.tokens[token.head].start if token.head >= 0 else -1,
                token.dep.partition(":")[0] if self.labelled else "",
            )
            for token in story.tokens
        }


class Las(Uas):
    """Heads and universal labels."""

    name = "las"
    labelled = True


class CoreF1(Parsing):
    """Verb, subject or object, argument word."""

    name = "core_f1"

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"unit": "characters", "verb": "VERB"}

    def found(self, story: Story) -> Spans:
        """Triples of characters: where the verb stands, the role, where the argument stands."""
        triples: Spans = set()
        for token in story.tokens:
            role = "subj" if token.dep.startswith("nsubj") else "obj" if token.dep in ("obj", "iobj") else ""
            if role and token.head >= 0 and story.tokens[token.head].pos == "VERB":
                verb = story.tokens[token.head]
                triples.add((verb.start, verb.stop, role, token.start, token.stop))
        return triples
