"""Event vectors against a dense factorisation, and the compositional scorer against torch's own forward pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scenarist.errors import BadInput
from scenarist.models.events.compositional import Compositional
from scenarist.models.events.log_bilinear import window
from scenarist.models.events.vectors import EventVectors, factors, positive_pmi, product
from scenarist.question import EventGap
from scenarist.story import Chain, Link


def corpus(seed: int = 0, kinds: int = 9, chains: int = 60) -> list[Chain]:
    rng = np.random.default_rng(seed)
    made = []
    for number in range(chains):
        topic = number % 3
        events = (rng.integers(0, kinds // 3, size=rng.integers(2, 6)) + topic * (kinds // 3)) % kinds
        made.append(Chain(tuple(Link(f"v{at}", "nsubj") for at in events), "x", f"d{number // 4}"))
    return made


def dense_pmi(chains: list[Chain], names: list[str]) -> np.ndarray:
    """Positive PMI of pairs in either order, by two loops."""
    counts = np.zeros((len(names), len(names)))
    ids = {name: at for at, name in enumerate(names)}
    for chain in chains:
        links = [ids[str(link)] for link in chain.links]
        for i, one in enumerate(links):
            for other in links[i + 1 :]:
                counts[one, other] += 1
                counts[other, one] += 1
    with np.errstate(divide="ignore"):
        pmi = np.log(counts * counts.sum() / np.outer(counts.sum(1), counts.sum(0)))
    return np.maximum(pmi, 0)


def test_vectors_are_those_of_a_dense_factorisation() -> None:
    chains = corpus()
    model = EventVectors(width=4, prior=0.0, sharpness=1.0).fit(chains)
    dense = dense_pmi(chains, list(model.counts_.types))
    table = positive_pmi(model.counts_.unordered(None))
    np.testing.assert_allclose(product(table, np.eye(len(dense)), most=7), dense, atol=1e-9)
    values, vectors = np.linalg.eigh(dense)
    best = np.argsort(-np.abs(values))[:4]
    expected = vectors[:, best] * np.sqrt(np.abs(values[best]))
    found = factors(table, 4)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)
    question = EventGap((Link("v0", "nsubj"), Link("v1", "nsubj")), 1)
    lengths = np.linalg.norm(expected, axis=1, keepdims=True)
    units = expected / lengths
    chain = units[[model.counts_.ids["v0:nsubj"], model.counts_.ids["v1:nsubj"]]].mean(0)
    np.testing.assert_allclose(model.scores(model.gap(question)), units @ chain / np.linalg.norm(chain), atol=1e-6)


def test_vectors_find_events_of_the_same_kind_and_say_what_was_never_seen() -> None:
    model = EventVectors(width=4, prior=0.0).fit(corpus())
    answer = model.answer(EventGap((Link("v0", "nsubj"), Link("yodel", "nsubj")), 1))
    assert {str(guess.answer) for guess in answer.guesses[:3]} == {"v0:nsubj", "v1:nsubj", "v2:nsubj"}
    assert "yodel:nsubj" in answer.note
    with pytest.raises(BadInput, match="sharpness"):
        EventVectors(sharpness=0)


def test_the_compositional_scorer_is_the_trained_one(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    training = pytest.importorskip("training.eventlm.compositional")
    from tests.models.events.test_event_lm_training import TYPES, arrays

    whole = arrays()
    words = training.Vocabulary(whole)
    net = training.train(words, whole, seed=2, width=6, epochs=2, dropout=0.1, size=8)
    training.export(net, words, tmp_path / "scorer.npz")
    model = Compositional(weights=tmp_path / "scorer.npz", prior=0.0)
    question = EventGap((Link("arrest", "dobj"), Link("charge", "nsubj")), 2)
    links, buckets, _ = window(question)
    ids = {name: at for at, name in enumerate([*TYPES, "charge:nsubj"])}
    seen = torch.tensor([[ids[str(link)] for link in links]])
    verb_of, dep_of = torch.tensor(words.verb_of), torch.tensor(words.dep_of)
    every = torch.arange(len(TYPES))[None]
    with torch.no_grad():
        chain, candidates = net.events(verb_of[seen], dep_of[seen]), net.events(verb_of[every], dep_of[every])
        theirs = net(chain, torch.tensor(buckets)[None], torch.ones(1, 2, dtype=torch.bool), candidates)[0].numpy()
    np.testing.assert_allclose(model.coherence(question, slice(None)).mean(0), theirs, atol=0.01)  # 16-bit weights
    assert str(model.answer(question).guesses[0].answer) == TYPES[int(theirs.argmax())]
    assert "charge:nsubj" in model.answer(question).note


def test_a_file_that_is_no_scorer_is_named(tmp_path: Path) -> None:
    (tmp_path / "w.npz").write_bytes(b"nothing")
    with pytest.raises(BadInput, match="compositional scorer"):
        Compositional(weights=tmp_path / "w.npz").answer(EventGap((Link("flee", "nsubj"),), 0))
