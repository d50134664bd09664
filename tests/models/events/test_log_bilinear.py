"""The event language model's forward pass against the formula, word by word, on a tiny network made by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from scenarist.errors import BadInput, Missing
from scenarist.learning.event_counts import EventCounts
from scenarist.models.events.compositional import Compositional
from scenarist.models.events.ensemble import EventCombination
from scenarist.models.events.log_bilinear import NO_POSITION, EventLm, window
from scenarist.networks.layers import gelu
from scenarist.question import EventGap
from scenarist.story import Chain, Link

TYPES = ["say:nsubj", "flee:nsubj", "arrest:dobj", "flee:dobj"]
VERBS = ["<unk>", "say", "flee", "arrest"]
DEPS = ["<unk>", "nsubj", "dobj"]
WIDTH = 6


def text(words: list[str]) -> np.ndarray:
    return np.frombuffer("\n".join(words).encode(), np.uint8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of weights as the training script writes it."""
    rng = np.random.default_rng(0)
    arrays = {
        f"{side}.{part}": rng.normal(size=(size, WIDTH)).astype(np.float32)
        for side in ("in", "out")
        for part, size in (("own", 4), ("verb", len(VERBS)), ("dep", len(DEPS)))
    }
    small = {
        "pos.weight": (26, WIDTH), "mode.weight": (2, WIDTH), "mlp.first": (8, WIDTH), "mlp.first_bias": (8,), "mlp.second": (WIDTH, 8),
        "mlp.second_bias": (WIDTH,), "ln.weight": (WIDTH,), "ln.bias": (WIDTH,), "ln2.weight": (WIDTH,), "ln2.bias": (WIDTH,),
        "cache.event": (26,), "cache.verb": (26,), "bias.type": (4,), "bias.verb": (len(VERBS),), "bias.dep": (len(DEPS),),
    }  # fmt: skip
    arrays |= {name: rng.normal(size=shape).astype(np.float32) for name, shape in small.items()}
    arrays |= {"scale.all": np.array([0.7], np.float32), "own.least": np.array([3.0], np.float32)}
    file = tmp_path / "weights.npz"
    np.savez(
        file,
        schema=np.array(1),
        types=text(TYPES),
        verbs=text(VERBS),
        deps=text(DEPS),
        counts=np.array([9, 5, 3, 1]),
        **arrays,
    )
    return file


def by_hand(path: Path, chain: list[tuple[int, int, int, int]], buckets: list[int], known: bool) -> np.ndarray:
    """Scores of the four events; the chain as (type or -1, own row, verb, dep)."""
    w = dict(np.load(path))

    def norm(v: np.ndarray, name: str) -> np.ndarray:
        return (v - v.mean()) / math.sqrt(((v - v.mean()) ** 2).mean() + 1e-5) * w[f"{name}.weight"] + w[f"{name}.bias"]

    mixed = np.zeros(WIDTH)
    for (_, own, verb, dep), bucket in zip(chain, buckets, strict=True):
        mixed += (w["in.own"][own] + w["in.verb"][verb] + w["in.dep"][dep]) * w["pos.weight"][bucket]
    state = norm(mixed / math.sqrt(len(chain)) + w["mode.weight"][0 if known else 1], "ln")
    inner = w["mlp.first"] @ state + w["mlp.first_bias"]
    inner = np.array([x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in inner])
    state = norm(state + w["mlp.second"] @ inner + w["mlp.second_bias"], "ln2")
    scores = []
    for at, (own, verb, dep) in enumerate(
        [(1, 1, 1), (2, 2, 1), (3, 3, 2), (0, 2, 2)]
    ):  # flee:dobj was seen once: no own vector
        value = 0.7 * float((w["out.own"][own] + w["out.verb"][verb] + w["out.dep"][dep]) @ state) + w["bias.type"][at]
        if not known:
            value += w["bias.verb"][verb] + w["bias.dep"][dep]
        for (type_, _, other, _), bucket in zip(chain, buckets, strict=True):
            value += w["cache.event"][bucket] * (type_ == at) + w["cache.verb"][bucket] * (other == verb and verb > 0)
        scores.append(value)
    return np.array(scores)


def test_known_position(path: Path) -> None:
    question = EventGap((Link("arrest", "dobj"), Link("flee", "nsubj")), 1)
    expected = by_hand(path, [(2, 3, 3, 2), (1, 2, 2, 1)], [11, 13], True)
    np.testing.assert_allclose(
        EventLm(weights=path).raw(question), expected - np.log(np.exp(expected).sum()), atol=1e-5
    )


def test_unknown_position_and_unseen_events(path: Path) -> None:
    question = EventGap((Link("arrest", "dobj"), Link("say", "dobj"), Link("yodel", "nsubj")), None)
    expected = by_hand(path, [(2, 3, 3, 2), (-1, 0, 1, 2), (-1, 0, 0, 1)], [NO_POSITION] * 3, False)
    model = EventLm(weights=path)
    np.testing.assert_allclose(model.raw(question), expected - np.log(np.exp(expected).sum()), atol=1e-5)
    assert "yodel:nsubj" in model.answer(question).note


def test_roles_of_our_reader_are_understood(path: Path) -> None:
    model = EventLm(weights=path)
    ours, theirs = (
        EventGap((Link("arrest", one), Link("flee", two)), 2) for one, two in (("obj", "subj"), ("dobj", "nsubj"))
    )
    np.testing.assert_allclose(model.raw(ours), model.raw(theirs))


def test_lift_ranks_beyond_frequency(path: Path) -> None:
    question = EventGap((Link("arrest", "dobj"),), 1)
    plain, lifted = EventLm(weights=path).scored(question), EventLm(weights=path, lift=1.0).scored(question)
    np.testing.assert_allclose(plain - lifted - (plain - lifted)[0], np.log(np.array([9, 5, 3, 1]) / 9), atol=1e-9)


def test_combination_adds_the_votes_of_counts(path: Path) -> None:
    chains = [Chain((Link("arrest", "dobj"), Link("flee", "nsubj")), "x", f"d{n}") for n in range(3)]
    chains += [Chain((Link("say", "nsubj"), Link("say", "nsubj"), Link("flee", "dobj")), "x", "e")]
    question = EventGap((Link("arrest", "dobj"),), 1)
    model = EventCombination(weight=0.5, smoothing=10.0, weights=path).fit(chains)
    alone = EventCombination(weight=0.0, weights=path).fit(chains)
    difference = model.scored(question) - alone.scored(question)
    counts = model.counts_
    vote = 0.5 * math.log1p(3 / (10 * counts.events[counts.ids["flee:nsubj"]] / counts.total))
    flee, other = counts.ids["flee:nsubj"], counts.ids["flee:dobj"]
    assert difference[flee] - difference[other] == pytest.approx(vote)
    assert isinstance(counts, EventCounts)


def test_explanations_are_what_is_lost_without_an_event(path: Path) -> None:
    question = EventGap((Link("arrest", "dobj"), Link("flee", "nsubj")), 2)
    model = EventLm(weights=path, explain=True)
    best = model.answer(question).guesses[0]
    place = model.counts_.ids[str(best.answer)]
    for reason in best.why:
        name, value = reason.rsplit(" ", 1)
        rest = tuple(link for link in question.links if str(link) != name)
        lost = model.raw(question)[place] - model.raw(EventGap(rest, 1))[place]
        assert float(value) == pytest.approx(lost, abs=0.006)


def test_long_chains_are_cut_to_the_nearest() -> None:
    links = tuple(Link(f"v{n}", "nsubj") for n in range(60))
    kept, buckets, known = window(EventGap(links, 30))
    assert known
    assert [link.predicate for link in kept] == [f"v{n}" for n in range(18, 42)]
    assert buckets.tolist() == [*range(12), *range(13, 25)]
    assert len(window(EventGap(links, None))[0]) == 24


def test_gelu() -> None:
    values = np.linspace(-5, 5, 101).astype(np.float32)
    exact = np.array([x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in values])
    np.testing.assert_allclose(gelu(values), exact, atol=1e-6)


def test_bad_weights_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "w.npz").write_bytes(b"nothing")
    with pytest.raises(BadInput, match="not a file of event model weights"):
        EventLm(weights=tmp_path / "w.npz").answer(EventGap((Link("flee", "nsubj"),), 0))
    with pytest.raises(
        Missing, match=r"no weights event-lm-13\.npz\. It has: event-lm-1\.npz\. Other seeds.*training\.eventlm"
    ):
        EventLm("event-lm-13").reads()
    with pytest.raises(Missing, match=r"no weights compositional-2\.npz\. It has: compositional-1\.npz"):
        Compositional("compositional-2").reads()
