"""The store keeps ten guesses where the key's place can be told without the rest, and all of them where it cannot."""

import random

import pytest

from scenarist.bench.sit import compact
from scenarist.metrics.ranking import place
from scenarist.question import EventGap, Guess, Item, Prediction
from scenarist.registry import make
from scenarist.story import Link

QUESTION = EventGap((Link("go", "subj"),), 1)


def asked(key, accept=()):
    return Item("i", QUESTION, key, accept=accept)


def ranked(levels, key_rank, key_logp=None):
    guesses = tuple(Guess(f"e{number}:subj", level, ("why",)) for number, level in enumerate(levels))
    return Prediction("i", guesses, key_rank=key_rank, key_logp=key_logp)


def test_ten_are_enough_where_the_key_was_ranked():
    prediction = ranked([-float(number) for number in range(50)], 31.0, -30.0)
    short = compact(asked("e30:subj"), prediction)
    assert short.guesses == prediction.guesses[:10]
    assert place(asked("e30:subj"), short) == place(asked("e30:subj"), prediction)


@pytest.mark.parametrize(
    "item, prediction",
    [
        (asked("e30:subj"), ranked([-float(number) for number in range(50)], None)),  # the list is all there is
        (asked("e30:subj", ("e31:subj",)), ranked([-float(number) for number in range(50)], 31.0)),  # others count, too
        (
            asked("e45:subj"),
            ranked([-float(min(number, 40)) for number in range(60)], 50.5, -40.0),
        ),  # tied further down
    ],
)
def test_all_are_kept_where_the_rest_says_more(item, prediction):
    assert compact(item, prediction) == prediction


def test_all_that_tie_for_the_first_place_are_kept():
    prediction = ranked([-1.0] * 15 + [-2.0] * 10, 8.0, -1.0)
    assert len(compact(asked("e3:subj"), prediction).guesses) == 15


@pytest.mark.parametrize("seed", range(200))
def test_no_metric_can_tell(seed):
    dice = random.Random(seed)
    levels = sorted((-float(dice.randint(0, 12)) for _ in range(dice.randint(1, 60))), reverse=True)
    where = dice.randrange(len(levels))
    tied = [number for number, level in enumerate(levels) if level == levels[where]]
    rank = (tied[0] + tied[-1]) / 2 + 1
    listed = dice.randint(1, len(levels))
    prediction = ranked(levels, rank, levels[where])
    cut_list = Prediction("i", prediction.guesses[:listed], key_rank=rank, key_logp=levels[where])
    item = asked(f"e{where}:subj")
    for whole in (prediction, cut_list):
        short = compact(item, whole)
        for name in ("recall@10", "recall@50", "top5", "mrr", "average_rank", "accuracy", "surprisal"):
            metric = make("metric", name)
            assert metric.mark(item, short) == metric.mark(item, whole), name
