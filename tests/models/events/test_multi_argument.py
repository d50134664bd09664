"""Multi-argument models: variables, and the scores by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from scenarist.errors import BadInput, Missing
from scenarist.exams.eventcloze import EventCloze
from scenarist.learning.event_chains import documents
from scenarist.learning.event_counts import EventCounts
from scenarist.learning.narrative.arguments import multi_counts
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


def test_instance_models_count_in_the_documents_like_the_chain() -> None:
    """Table 2's instance rows: by hand on three documents, of which two hold *arrest* and *charge*, and one of these *escape*."""
    links = (Link("arrest", "", ("y", "x", "-")), Link("escape", "", ("x", "-", "-")))
    question = EventGap(links, 1)
    whole = MultiArgument("unigram").fit(CHAINS)
    model = MultiArgument("unigram-instance").fit(CHAINS)
    counts = model.counts_
    assert counts.types == whole.counts_.types and counts.pairs.tolist() == whole.counts_.pairs.tolist()
    arrest, escape = (counts.ids[name] for name in ("arrest(o,x,-)", "escape(x,-,-)"))
    ground = model.ground([arrest, escape])
    assert ground.events[escape] == 1 and ground.events[counts.ids["charge(y,x,-)"]] == 1
    assert counts.ids["flee(x,o,-)"] not in np.flatnonzero(ground.events)  # document b alone holds both
    assert model.answer(question).guesses[0].answer in ("arrest(y,x,-)", "charge(y,x,-)", "escape(x,-,-)")
    half = MultiArgument("unigram-instance", share=0.5).fit(CHAINS)
    assert half.ground([arrest, escape]).events.sum() == counts.events.sum() - unseen(counts)
    none = model.ground([-1, escape])  # an event that was never seen: no document holds the whole chain
    assert none is model._whole
    bigram = MultiArgument("bigram-instance", skip=0, smoothing=0.5).fit(CHAINS)
    first, seen = bigram.ground([arrest, escape]).first.row(counts.ids["arrest(y,x,-)"])
    assert [(counts.types[at], n) for at, n in zip(first.tolist(), seen.tolist(), strict=True)] == [
        ("charge(y,x,-)", 1.0)
    ]
    assert bigram.answer(EventGap(links[:1], 1)).guesses[0].answer == "charge(y,x,-)"


def unseen(counts: EventCounts) -> int:
    """Events that are counted once only because a pair of theirs was."""
    assert counts.instances is not None
    held = counts.instances.events
    return int(counts.total - held.counts.sum())


def test_counts_from_a_file_cannot_be_counted_on_the_fly(tmp_path: Path) -> None:
    multi_counts(documents(CHAINS, args="multi")).save(tmp_path / "counts.npz")
    with pytest.raises(Missing, match="which document"):
        MultiArgument("bigram-instance").fit(EventCounts.load(tmp_path / "counts.npz"))
