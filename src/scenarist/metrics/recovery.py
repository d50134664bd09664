"""Item x Prediction -> was the removed event recovered? Bennett (Response processing), *automatic matching*.

An answer is right where its main verb, or any synonym of it in any WordNet synset, is the removed verb. A sentence (a person's answer)
is reduced to its main verb by the carried parser; a verb (a model's answer) is taken as it is, also written ``verb:role``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from scenarist.metrics.accuracy import Accuracy
from scenarist.question import Answer
from scenarist.reading.main_verb import main_verb
from scenarist.reading.wordnet import match
from scenarist.story import Link

REMEMBERED = 20_000


@lru_cache(maxsize=REMEMBERED)
def answer_verb(text: str) -> str:
    """The verb that an answer tells.

    >>> answer_verb("eat:subj"), answer_verb("She ate the soup.")
    ('eat', 'eat')
    """
    text = text.strip()
    return main_verb(text) if " " in text else Link.parse(text).predicate.lower()


class Recovery(Accuracy):
    """The share of gaps whose main verb was given, or a synonym of it."""

    name = "recovery"

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"ties": "expected", "match": "synonyms"}

    def same(self, guess: Answer, right: frozenset[object]) -> bool:
        """Is the verb of the answer the removed one or a synonym?"""
        if not isinstance(guess, str):
            return False
        verb = answer_verb(guess)
        return bool(verb) and any(isinstance(key, str) and match(verb, key) for key in right)
