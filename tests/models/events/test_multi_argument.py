"""Multi-argument models: variables, and the scores by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scenarist.errors import BadInput
from scenarist.exams.eventcloze import EventCloze
from scenarist.learning.event_chains import documents
from scenarist.learning.event_counts import multi_counts
from scenarist.models.events.multi_argument import MultiArgument
from scenarist.question import EventGap
from scenarist.story import Chain, Link


def chain(name: str, *events: tuple[str, str, str]) -> Chain:
    return Chain(
        tuple(Link(verb, "obj" if obj == "j" else "subj", (subj, obj, "")) for verb, subj, obj in events), "j", name
    )


CHAINS = [
    chain("a", ("arrest", "p", "j"), ("charge", "p", "j"), ("flee", "j", "c")),
    chain("b", ("arrest", "q", "j"), ("charge", "q", "j"), ("escape", "j", "")),
    chain("c", ("arrest", "p", "j"), ("charge", "r", "j"), ("flee", "j", "")),
]


def test_pairs_say_only_what_they_share() -> None:
    counts = multi_counts(documents(CHAINS, args="multi"))
    names = counts.types
    pairs = {
        (names[a], names[b]): int(n)
        for (a, b, d), n in zip(counts.pairs.tolist(), counts.pair_counts, strict=True)
        if d == 1
    }
    assert pairs["arrest(y,x,-)", "charge(y,x,-)"] == 2
    assert pairs["arrest(o,x,-)", "charge(o,x,-)"] == 1
    assert pairs["charge(o,x,-)", "flee(x,o,-)"] == 1


def test_bigram_scores_by_hand() -> None:
    model = MultiArgument("bigram", skip=0, smoothing=0.5).fit(CHAINS)
    links = (Link("arrest", "", ("y", "x", "-")),)
    prediction = model.answer(EventGap(links, 1))
    assert prediction.guesses[0].answer == "charge(y,x,-)"
    counts = model.counts_
    size = len(counts)
    cast = model.cast(EventGap(links, 1))
    place = next(at for at in range(len(cast.scores)) if model.spelled(cast, at) == "charge(y,x,-)")
    below = counts.events[counts.ids["arrest(y,x,-)"]] + size * 0.5
    assert cast.scores[place] == pytest.approx(math.log((2 + 0.5) / below))


def test_the_key_is_found_under_the_variable_of_the_chain() -> None:
    exam = EventCloze("pm14", gaps="each")
    items = {item.id: item for item in exam.set([CHAINS[0]])}
    item = next(item for item in items.values() if item.key == "charge(y,x,-)")
    for by in ("unigram", "bigram", "pmi"):
        model = MultiArgument(by).fit(CHAINS)
        logp, rank = model.rate(item.question, item.key)
        assert logp is not None
        assert rank is not None
        assert rank >= 1
        listed = [guess.answer for guess in model.answer(item.question).guesses]
        assert item.key in listed
        assert len(listed) == len(set(listed))
    assert MultiArgument("bigram").fit(CHAINS).rate(item.question, "fly(o,x,-)") == (
        None,
        pytest.approx(rank_behind(item.question)),
    )


def rank_behind(question: object) -> float:
    model = MultiArgument("bigram").fit(CHAINS)
    return float(len(model.cast(question).scores) + 1)  # type: ignore[arg-type]


def test_log_probabilities_sum_to_one() -> None:
    model = MultiArgument("bigram").fit(CHAINS)
    cast = model.cast(EventGap((Link("arrest", "", ("y", "x", "-")), Link("flee", "", ("x", "z", "-"))), 1))
    names = [model.spelled(cast, at) for at in range(len(cast.scores))]
    assert len(names) == len(set(names))
    assert {"arrest(y,x,-)", "arrest(z,x,-)", "arrest(o,x,-)"} <= set(names)
    assert np.isfinite(cast.scores).all()


def test_chains_without_arguments_are_refused() -> None:
    with pytest.raises(BadInput):
        MultiArgument(by="trigram")
