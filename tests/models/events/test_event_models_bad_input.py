"""Chains that nobody wishes for, put to every model that learns from counts: no crash, no nan, and the user is told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scenarist.errors import BadInput, Missing
from scenarist.learning.event_counts import EventCounts
from scenarist.models.events.log_bilinear import EventLm
from scenarist.question import EventGap
from scenarist.registry import make
from scenarist.story import Chain, Link
from scenarist.verbs.fill import fill_chain

MODELS = (
    "unigram", "bigram", "pmi", "pmi-cutoff", "pmi-ordered", "pmi-discounted", "unigram-instance", "bigram-instance", "mixture",
    "cooccurrence", "event-vectors", "participants",
)  # fmt: skip


def chain(*events: str, story: str = "d") -> Chain:
    return Chain(tuple(Link.parse(event) for event in events), "x", story)


@pytest.mark.parametrize("name", MODELS)
class TestEveryCountModel:
    def test_one_event_chains_teach_nothing(self, name: str) -> None:
        with pytest.raises(BadInput, match="no chain of 2 or more events"):
            make("model", name).fit([chain("go:subj"), chain("come:subj", story="e")])

    def test_an_empty_corpus_teaches_nothing(self, name: str) -> None:
        with pytest.raises(BadInput, match="no chain"):
            make("model", name).fit([])

    def test_an_all_identical_chain(self, name: str) -> None:
        model = make("model", name).fit([chain(*["say:subj"] * 9)])
        for gap in (0, 4, None):
            question = EventGap((Link("say", "subj"),) * 8, gap)
            answer = model.answer(question)
            assert [str(guess.answer) for guess in answer.guesses] == ["say:subj"]
            assert np.isfinite(model.scored(question)).all()
            assert model.rate(question, "say:subj") == (pytest.approx(0.0), 1.0)

    def test_events_never_seen_are_named_and_frequency_ranks(self, name: str) -> None:
        corpus = [chain("go:subj", "eat:subj", "eat:subj", story=f"d{at}") for at in range(3)] + [
            chain("eat:subj", "pay:subj", story="e")
        ]
        model = make("model", name).fit(corpus)
        question = EventGap((Link("yodel", "subj"), Link("abseil", "subj")), 1)
        answer = model.answer(question)
        assert np.isfinite(model.scored(question)).all()
        if "instance" in name:
            assert "no training document holds" in answer.note
        else:
            assert "yodel:subj" in answer.note and "abseil:subj" in answer.note
        assert str(answer.guesses[0].answer) == "eat:subj"
        assert model.rate(question, "yodel:subj") == (None, 4.0)  # behind all three

    def test_another_kind_of_question_is_refused_by_name(self, name: str) -> None:
        from scenarist.question import Choice

        model = make("model", name).fit([chain("go:subj", "eat:subj")])
        with pytest.raises(BadInput, match="EventGap"):
            model.answer(Choice(("One.",), ("a", "b")))


def test_counts_of_another_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts.npz"
    EventCounts.of([]).save(path)
    arrays = dict(np.load(path))
    card = json.loads(arrays["card"].tobytes())
    arrays["card"] = np.frombuffer(json.dumps({**card, "schema": 99}).encode(), np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(BadInput, match="another version"):
        make("model", "bigram", counts=path)


def test_a_folder_of_another_version_is_refused_by_fill(tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text("{}")
    with pytest.raises((BadInput, Missing)):
        fill_chain("go:subj ?", folder=tmp_path)


def test_instance_models_say_what_counts_without_chains_lack() -> None:
    counts = EventCounts(["a:subj", "b:subj"], np.array([2, 1]), np.array([[0, 1, 1]]), np.array([1]))
    with pytest.raises(Missing, match="--index"):
        make("model", "unigram-instance").fit(counts)


def test_weights_of_another_version_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", schema=np.array(99))
    with pytest.raises(BadInput, match="another version"):
        EventLm(weights=tmp_path / "w.npz").answer(EventGap((Link("go", "subj"),), 0))
