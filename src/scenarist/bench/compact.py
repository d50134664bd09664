"""Item x Prediction -> the same prediction with fewer guesses, where no metric can tell: what the store keeps.

An event model lists fifty guesses and more; their text is most of a store's size. Where the key was rated, its rank says what the list
says, so the ten best are enough, unless the key is tied with others further down (`metrics.ranking`: ties count at their expectation).
"""

from __future__ import annotations

import msgspec

from scenarist.metrics.ranking import place
from scenarist.question import Item, Prediction
from scenarist.store.predictions import MOST


def best_guesses(prediction: Prediction, most: int) -> Prediction:
    """The first guesses, and those tied with the best."""
    top = prediction.guesses[0].logp if prediction.guesses else None
    tied = sum(guess.logp == top for guess in prediction.guesses) if top is not None else 0
    return msgspec.structs.replace(prediction, guesses=prediction.guesses[: max(most, tied)])


def compact(item: Item, prediction: Prediction, most: int = MOST) -> Prediction:
    """At most ``most`` guesses where the key's place is known from its rank; else all of them."""
    if len(prediction.guesses) <= most or prediction.key_rank is None or item.accept:
        return prediction
    short = best_guesses(prediction, most)
    return short if place(item, short) == place(item, prediction) else prediction
