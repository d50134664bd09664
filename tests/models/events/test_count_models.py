"""Count models of events against brute force: every equation again, in plain Python, on small random corpora."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from scenarist.errors import BadInput
from scenarist.learning.event_chains import documents
from scenarist.learning.event_counts import NEAR, EventCounts
from scenarist.models.events.base import EventRanker, expected_rank, top
from scenarist.models.events.instances import InstanceBigram, InstanceUnigram
from scenarist.models.events.ngrams import Bigram, Unigram
from scenarist.models.events.pmi import Pmi
from scenarist.question import EventGap
from scenarist.story import Chain, Link

WINDOW = 24


def corpus(seed: int = 0, size: int = 60) -> list[Chain]:
    """Chains over a dozen verbs, some frequent, lengths one to thirty."""
    rng = random.Random(seed)
    verbs = [f"v{number}" for number in range(12)]
    weights = [1 / (number + 1) for number in range(12)]
    chains = []
    for number in range(size):
        length = rng.choice([1, 2, 2, 3, 4, 6, 9, 30])
        links = tuple(Link(rng.choices(verbs, weights)[0], rng.choice(["subj", "obj"])) for _ in range(length))
        chains.append(Chain(links, str(number), f"d{number // 3}"))
    return chains


class Brute:
    """The equations, word by word."""

    def __init__(self, chains: list[Chain]) -> None:
        self.chains = [[str(link) for link in chain.links] for chain in chains if len(chain) > 1]
        self.events = Counter(event for chain in self.chains for event in chain)
        self.total = sum(self.events.values())

    def pairs(self, skip: int | None) -> Counter[tuple[str, str]]:
        most = WINDOW if skip is None else skip + 1
        found: Counter[tuple[str, str]] = Counter()
        for chain in self.chains:
            for i, j in combinations(range(len(chain)), 2):
                if j - i <= most:
                    found[chain[i], chain[j]] += 1
        return found

    def bigram(self, event: str, before: list[str], after: list[str], skip: int | None, smoothing: float) -> float:
        pairs, size = self.pairs(skip), len(self.events)
        score = 0.0
        for one in before:
            score += math.log((pairs[one, event] + smoothing) / (self.events[one] + size * smoothing))
        for one in after:
            score += math.log((pairs[event, one] + smoothing) / (self.events[event] + size * smoothing))
        return score

    def printed(self, event: str, chain: list[str], k: int, skip: int | None, smoothing: float) -> float:
        """Eq. 2 and 3 to the letter: i from 0 to k inclusive, C(x, y) as it stands."""
        pairs, size = self.pairs(skip), len(self.events)
        score = 0.0
        for place, one in enumerate(chain):
            x, y = (event, one) if place <= k else (one, event)
            score += math.log((pairs[x, y] + smoothing) / (self.events[y] + size * smoothing))
        return score

    def pmi(self, event: str, chain: list[str], meant: bool = False, smoothing: float | None = None) -> float:
        pairs, size = self.pairs(None), len(self.events)
        below = sum(pairs.values()) * (2 if meant else 1)
        score = 0.0
        for one in chain:
            above = float(pairs[one, event] + pairs[event, one])
            if smoothing is not None:
                joint = (above + smoothing) / (below + smoothing * size * size)
            elif above:
                joint = above / below
            else:
                continue
            score += math.log(joint / (self.events[one] / self.total * self.events[event] / self.total))
        return score


CHAINS = corpus()
BRUTE = Brute(CHAINS)
CONTEXT = [str(link) for link in corpus(5, 40)[7].links][:6] or ["v0:subj"]


def compare(model: EventRanker, expected: dict[str, float], gap: int | None, context: list[str] | None = None) -> None:
    """The model's scores are the expected ones up to a constant."""
    links = tuple(Link.parse(text) for text in context or CONTEXT)
    scores = model.scores(model.gap(EventGap(links, gap)))
    given = np.array([expected[name] for name in model.counts_.types])
    np.testing.assert_allclose(scores - scores[0], given - given[0], atol=1e-9)


def seen_context() -> list[str]:
    return [event for event in CONTEXT if event in BRUTE.events]


def test_the_context_is_a_real_one() -> None:
    assert len(seen_context()) >= 4


def test_counts_equal_brute_force() -> None:
    counts = EventCounts.of(documents(CHAINS))
    assert dict(zip(counts.types, counts.events.tolist(), strict=True)) == dict(BRUTE.events)
    for skip in (0, 1, 2, 5, None):
        table = counts.ordered(skip)
        found = Counter()
        for row in range(len(counts)):
            for column, number in zip(*table.row(row), strict=True):
                found[counts.types[row], counts.types[column]] += int(number)
        assert found == BRUTE.pairs(skip)
    assert counts.pairs[:, 2].max() == NEAR + 1, "long chains fill the last bucket"


def test_unigram() -> None:
    compare(Unigram().fit(CHAINS), {event: math.log(number) for event, number in BRUTE.events.items()}, 2)


@pytest.mark.parametrize("skip", [0, 2, 5, None])
@pytest.mark.parametrize("smoothing", [0.001, 1.0])
def test_bigram_as_meant(skip: int | None, smoothing: float) -> None:
    model = Bigram(skip, smoothing).fit(CHAINS)
    context = seen_context()
    for gap in (0, 2, len(context)):
        expected = {e: BRUTE.bigram(e, context[:gap], context[gap:], skip, smoothing) for e in BRUTE.events}
        compare(model, expected, gap, context)


def test_bigram_as_printed_differs_and_equals_the_letter() -> None:
    context = seen_context()
    model = Bigram(2, 0.1, equations="printed").fit(CHAINS)
    expected = {event: BRUTE.printed(event, context, 2, 2, 0.1) for event in BRUTE.events}
    compare(model, expected, 2, context)
    meant = Bigram(2, 0.1).fit(CHAINS)
    question = EventGap(tuple(map(Link.parse, context)), 2)
    assert not np.allclose(model.scored(question), meant.scored(question))


def test_bigram_with_unknown_position() -> None:
    context = seen_context()
    pairs = BRUTE.pairs(None)
    size = len(BRUTE.events)
    symmetric = {
        e: sum(math.log((pairs[c, e] + pairs[e, c] + 0.5) / (BRUTE.events[c] + size * 0.5)) for c in context)
        for e in BRUTE.events
    }
    compare(Bigram(None, 0.5).fit(CHAINS), symmetric, None, context)
    mean = {
        e: math.log(sum(math.exp(BRUTE.bigram(e, context[:k], context[k:], 2, 0.5)) for k in range(len(context) + 1)))
        for e in BRUTE.events
    }
    compare(Bigram(2, 0.5, unknown="mean").fit(CHAINS), mean, None, context)


def test_pmi_and_its_settings() -> None:
    context = seen_context()
    compare(Pmi().fit(CHAINS), {e: BRUTE.pmi(e, context) for e in BRUTE.events}, 2, context)
    compare(Pmi(joint="meant").fit(CHAINS), {e: BRUTE.pmi(e, context, meant=True) for e in BRUTE.events}, 2, context)
    smooth = {e: BRUTE.pmi(e, context, smoothing=0.5) for e in BRUTE.events}
    compare(Pmi(unseen="smooth", smoothing=0.5).fit(CHAINS), smooth, 2, context)


def test_pmi_cutoff_puts_rare_events_behind_all_others() -> None:
    cutoff = sorted(BRUTE.events.values())[len(BRUTE.events) // 2]
    model = Pmi(cutoff=cutoff).fit(CHAINS)
    names = [guess.answer for guess in model.answer(EventGap(tuple(map(Link.parse, seen_context())), 1)).guesses]
    frequent = [BRUTE.events[str(name)] >= cutoff for name in names]
    assert frequent == sorted(frequent, reverse=True)


def test_pmi_impossible_ranks_by_pairs_seen_first() -> None:
    context = seen_context()
    pairs = BRUTE.pairs(None)
    model = Pmi(unseen="impossible").fit(CHAINS)
    names = [str(guess.answer) for guess in model.answer(EventGap(tuple(map(Link.parse, context)), 1)).guesses]
    lacking = [sum(not (pairs[c, name] + pairs[name, c]) for c in context) for name in names]
    assert lacking == sorted(lacking)


def test_ordered_and_discounted_pmi() -> None:
    context = seen_context()
    pairs, total = BRUTE.pairs(None), sum(BRUTE.pairs(None).values())

    def term(first: str, second: str, event: str, other: str) -> float:
        if not pairs[first, second]:
            return 0.0
        return math.log(pairs[first, second] / total * BRUTE.total**2 / BRUTE.events[event] / BRUTE.events[other])

    ordered = {
        e: sum(term(c, e, e, c) for c in context[:2]) + sum(term(e, c, e, c) for c in context[2:]) for e in BRUTE.events
    }
    compare(Pmi(order="text").fit(CHAINS), ordered, 2, context)

    def discounted(event: str) -> float:
        score = 0.0
        for other in context:
            number = pairs[event, other] + pairs[other, event]
            low = min(BRUTE.events[event], BRUTE.events[other])
            if number:
                weight = number / (number + 1) * low / (low + 1)
                score += weight * math.log(number / total * BRUTE.total**2 / BRUTE.events[event] / BRUTE.events[other])
        return score

    compare(Pmi(discount=True).fit(CHAINS), {e: discounted(e) for e in BRUTE.events}, 2, context)


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_instance_based_models_count_only_the_documents_like_the_chain(share: float) -> None:
    context = seen_context()[:3]
    need = math.ceil(share * len(set(context)))
    texts = {c.story: [] for c in CHAINS}
    for chain in CHAINS:
        if len(chain) > 1:
            texts[chain.story].append(chain)
    like = [
        name
        for name, chains in texts.items()
        if len({str(link) for chain in chains for link in chain.links} & set(context)) >= need
    ]
    assert 0 < len(like) < len(texts)
    local = Brute([chain for name in like for chain in texts[name]])
    unigram = InstanceUnigram(share).fit(CHAINS)
    scores = unigram.scores(unigram.gap(EventGap(tuple(map(Link.parse, context)), 1)))
    for at, name in enumerate(unigram.counts_.types):
        assert math.exp(scores[at]) == pytest.approx(local.events[name] + 0.5 * BRUTE.events[name] / BRUTE.total)
    size = len(BRUTE.events)
    local.events.update(dict.fromkeys(BRUTE.events, 0))
    pairs = local.pairs(2)
    bigram = {
        e: math.log((pairs[context[0], e] + 0.1) / (local.events[context[0]] + size * 0.1))
        + sum(math.log((pairs[e, c] + 0.1) / (local.events[e] + size * 0.1)) for c in context[1:])
        for e in BRUTE.events
    }
    compare(InstanceBigram(share, 2, 0.1).fit(CHAINS), bigram, 1, context)


def test_unseen_events_back_off_and_say_so() -> None:
    question = EventGap((Link("flabbergast", "subj"), Link("defenestrate", "obj")), 1)
    for model in (Unigram(), Bigram(), Pmi(), InstanceUnigram(), InstanceBigram()):
        prediction = model.fit(CHAINS).answer(question)
        assert prediction.guesses[0].answer == model.counts_.types[0], model.name
        assert "flabbergast:subj" in prediction.note or "all documents" in prediction.note
        assert model.rank(question, "flabbergast:subj") == len(model.counts_) + 1
    known = Bigram().fit(CHAINS).answer(EventGap((Link("v0", "subj"), Link("flabbergast", "subj")), 1))
    assert "passed over: flabbergast:subj" in known.note


def test_roles_of_another_inventory_are_understood() -> None:
    model = Unigram().fit([Chain((Link("flee", "nsubj"), Link("arrest", "dobj")), "x", "d")])
    assert model.id_of(Link("flee", "subj")) == model.counts_.ids["flee:nsubj"]
    assert model.id_of(Link("arrest", "obj")) == model.counts_.ids["arrest:dobj"]


def test_choices_are_ranked_and_shuffling_them_changes_nothing() -> None:
    model = Bigram().fit(CHAINS)
    links = tuple(map(Link.parse, seen_context()))
    choices = tuple(Link.parse(name) for name in [*model.counts_.types[:4], "flabbergast:subj"])
    one = model.answer(EventGap(links, 1, choices)).guesses
    other = model.answer(EventGap(links, 1, choices[::-1])).guesses
    assert one == other
    assert one[-1].answer == "flabbergast:subj"


def test_ties_and_top() -> None:
    scores = np.array([1.0, 3.0, 3.0, 0.0, 2.0])
    assert top(scores, 3).tolist() == [1, 2, 4]
    assert expected_rank(scores, 2) == 1.5
    assert top(np.zeros(100), 5).tolist() == [0, 1, 2, 3, 4]


def test_evidence_names_the_chain_events_that_voted() -> None:
    model = Bigram().fit(CHAINS)
    guess = model.answer(EventGap((Link("v0", "subj"), Link("v1", "subj")), 1)).guesses[0]
    assert guess.why
    assert guess.why[0].split()[0] in ("v0:subj", "v1:subj")
    counts = model.counts_
    shared = counts.evidence(counts.ids["v0:subj"], counts.ids["v1:subj"])
    assert shared
    by_name = {c.story: c for c in CHAINS}
    assert all(name in by_name for name in shared)


def test_counts_survive_a_file_and_refuse_another_version(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "counts.npz"  # type: ignore[operator]
    counts = EventCounts.of(documents(CHAINS))
    counts.save(path)
    again = EventCounts.load(path)
    assert again.types == counts.types
    assert np.array_equal(again.pairs, counts.pairs)
    question = EventGap(tuple(map(Link.parse, seen_context())), 1)
    assert Bigram().fit(again).answer(question) == Bigram().fit(counts).answer(question)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(BadInput, match="not a file of event counts"):
        EventCounts.load(path)
    monkeypatch.setattr("scenarist.learning.event_counts.SCHEMA", 99)
    counts.save(path)
    monkeypatch.undo()
    with pytest.raises(BadInput, match="another version"):
        EventCounts.load(path)


def test_bad_settings_are_named() -> None:
    for wrong in (
        lambda: Bigram(smoothing=0),
        lambda: Pmi(unseen="maybe"),
        lambda: InstanceUnigram(share=2.0),
        lambda: Bigram("x"),
    ):  # type: ignore[arg-type]
        with pytest.raises(BadInput):
            wrong()
    with pytest.raises(BadInput, match="no chain"):
        Unigram().fit([Chain((Link("ring", "subj"),), "x", "d")])


def test_an_all_identical_chain() -> None:
    model = Bigram().fit([Chain((Link("run", "subj"),) * 5, "x", "d"), *CHAINS])
    assert model.answer(EventGap((Link("run", "subj"),) * 4, 2)).guesses[0].answer == "run:subj"
