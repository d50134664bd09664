"""Accuracy, exact match of whole blanks, surprisal, information content."""

import math

import numpy as np
import pytest

from scenarist.errors import BadInput
from scenarist.metrics.accuracy import Accuracy, Match, best
from scenarist.metrics.surprisal import InformationContent, Surprisal
from scenarist.question import Choice, Guess, Item, Prediction, WordGap


def choice(key="0", id="i"):
    return Item(id, Choice(("Ann made tea.",), ("She drank it.", "She flew it.")), key)


def test_accuracy_is_right_or_wrong():
    assert Accuracy().mark(choice(), Prediction("i", (Guess("0"), Guess("1"))))["right"] == 1
    assert Accuracy().mark(choice(), Prediction("i", (Guess("1"), Guess("0"))))["right"] == 0
    assert Accuracy().mark(choice(), Prediction("i", ()))["right"] == 0
    assert Accuracy().mark(choice(), None) == {"right": 0.0, "n": 1.0}


def test_two_endings_that_tie_are_half_right_in_either_order():
    for order in ("01", "10"):
        guess = Prediction("i", tuple(Guess(answer, -0.7) for answer in order))
        assert Accuracy().mark(choice(), guess)["right"] == 0.5
    assert best(Prediction("i", (Guess("1", -2.0), Guess("0", -1.0)))) == ("0",)  # probabilities rank, not the order


def test_an_accepted_answer_counts_only_where_the_metric_says_so():
    item = Item("i", choice().question, "0", accept=("1",))
    other = Prediction("i", (Guess("1"), Guess("0")))
    assert Accuracy().mark(item, other)["right"] == 0.0 and Accuracy().settings() == {"ties": "expected"}
    assert Accuracy(accept=True).mark(item, other)["right"] == 1.0
    assert Accuracy(accept=True).settings()["accept"] == "others"


def words(*keys, blank=2, group="recipe"):
    abstract, prefix = ("beat", "eggs"), ["with", "a"]
    made = []
    for at, key in enumerate(keys):
        question = WordGap(abstract, tuple(prefix), left=len(keys) - at, blank=blank)
        made.append(Item(f"{blank}-{at}", question, key, group=group))
        prefix.append(key)
    return made


def test_a_blank_matches_when_all_its_words_do():
    items = [*words("big", "whisk"), *words("fork", blank=7), *words("clean", "bowl", blank=9)]
    said = ["big", "whisk", "fork", "clean", "pan"]
    predictions = [Prediction(item.id, (Guess(word),)) for item, word in zip(items, said, strict=True)]
    metric = Match()
    marks = metric.mark_all(items, predictions)
    assert [mark["right"] for mark in marks] == [1, 0, 1, 0, 0]
    assert [mark["n"] for mark in marks] == [1, 0, 1, 1, 0]
    totals = {name: np.asarray(sum(mark[name] for mark in marks)) for name in ("right", "n")}
    assert float(metric.combine(totals)) == pytest.approx(2 / 3)
    assert metric.mark_all(items, [None] * 5)[0] == {"right": 0.0, "n": 1.0}


def test_words_of_two_recipes_are_two_blanks():
    items = [words("big", "whisk", group="a")[0], words("big", "whisk", group="b")[1]]
    assert [mark["n"] for mark in Match().mark_all(items, [None, None])] == [1, 1]


def test_surprisal_is_minus_the_log_of_the_key():
    metric = Surprisal()
    rated = Prediction("i", (Guess("1"),), key_logp=math.log(0.25))
    assert metric.mark(choice(), rated)["nats"] == pytest.approx(math.log(4))
    listed = Prediction("i", (Guess("1", math.log(0.75)), Guess("0", math.log(0.25))))
    assert metric.mark(choice(), listed)["nats"] == pytest.approx(math.log(4))


def test_surprisal_of_an_impossible_or_missing_key_is_the_floor():
    metric = Surprisal(floor=1e-6)
    for prediction in (None, Prediction("i", (Guess("1", 0.0),)), Prediction("i", (), key_logp=-900.0)):
        mark = metric.mark(choice(), prediction)
        assert mark["nats"] == pytest.approx(6 * math.log(10))
        assert mark["floored"] == 1
    with pytest.raises(BadInput, match="floor"):
        Surprisal(floor=0.0)


def test_information_content_of_guesses():
    metric = InformationContent(k=2).fit(["say"] * 6 + ["flee"] * 2)
    mark = metric.mark(choice(), Prediction("i", (Guess("flee"), Guess("say"), Guess("unseen"))))
    assert mark["n"] == 2
    assert mark["bits"] == pytest.approx(2 - math.log2(6 / 8))
    assert metric.bits("never seen") == pytest.approx(3)
    assert InformationContent(k=2, base="e", counts={"a": 1, "b": 1}).bits("a") == pytest.approx(math.log(2))
    with pytest.raises(BadInput, match="frequencies"):
        InformationContent().bits("say")


def test_only_words_of_one_blank_are_counted_together():
    """Numbers at the end of an id join gaps for words, and no other questions."""
    choices = [Item(f"q.{number}", Choice(("One.",), ("a", "b")), 0) for number in range(2)]
    answers = [Prediction(item.id, (Guess(number),)) for number, item in enumerate(choices)]
    assert [mark["n"] for mark in Match().mark_all(choices, answers)] == [1.0, 1.0]
    assert [mark["right"] for mark in Match().mark_all(choices, answers)] == [1.0, 0.0]
