"""Narrative chains: events of one protagonist are found together and in their order, by text or by a classifier; verb, page and command."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from scenarist.cli.main import run
from scenarist.errors import BadInput
from scenarist.learning.event_chains import Document
from scenarist.learning.event_counts import EventCounts
from scenarist.learning.narrative.clusters import Grouping, event_groups
from scenarist.learning.narrative.orders import narrative_chain
from scenarist.pages.eventcloze import narrative_page
from scenarist.story import Chain, Link

ARREST = ("commit:subj", "arrest:obj", "charge:obj", "convict:obj")
MEAL = ("order:subj", "eat:subj", "pay:subj")


def told(events: Sequence[str], rng: random.Random) -> tuple[Link, ...]:
    """A telling of a script: some of its events in order, *say* somewhere, and now and then an event of the other script."""
    chosen = [event for event in events if rng.random() < 0.8]
    if rng.random() < 0.2:
        chosen.insert(0, rng.choice(MEAL if events is ARREST else ARREST))
    chosen.insert(rng.randrange(len(chosen) + 1), "say:subj")
    return tuple(map(Link.parse, chosen))


def chains(number: int = 240) -> list[Chain]:
    rng = random.Random(5)
    scripts = [ARREST if index % 2 else MEAL for index in range(number)]
    return [Chain(told(events, rng), str(index), f"d{index:03d}") for index, events in enumerate(scripts)]


@pytest.fixture
def counts() -> EventCounts:
    return EventCounts.of(Document(chain.story, (chain,)) for chain in chains())


def test_events_of_one_script_come_together_and_in_order(counts: EventCounts) -> None:
    groups = event_groups(counts, Grouping(worth=0.1))
    ordered = [narrative_chain(counts, counts.ordered(), group).events for group in groups]
    assert sorted(ordered) == [ARREST, MEAL]  # and *say*, which is everywhere, in neither
    assert all(group.score > 0 for group in groups)


def test_a_group_grows_no_further_than_it_may(counts: EventCounts) -> None:
    groups = event_groups(counts, Grouping(size=3, worth=0.1))
    assert groups and all(len(group.events) == 3 for group in groups)
    assert event_groups(counts, Grouping(least=10_000)) == []


def test_the_counts_behind_each_pair_are_those_of_the_texts(counts: EventCounts) -> None:
    (group,) = [one for one in event_groups(counts, Grouping(worth=0.1)) if len(one.events) == 3]
    chain = narrative_chain(counts, counts.ordered(), group)
    first, second, share, times = chain.before[0]
    lines = [[str(link) for link in one.links] for one in chains()]
    a, b = chain.events[first], chain.events[second]
    right = sum(line.index(a) < line.index(b) for line in lines if a in line and b in line)
    both = sum(a in line and b in line for line in lines)
    assert (times, share) == (both, pytest.approx(right / both, abs=1e-4))


def test_a_classifier_may_say_another_order(counts: EventCounts) -> None:
    class Backwards:
        """A classifier for which the last comes first, by the alphabet."""

        def ahead(self, order: object) -> object:
            import numpy as np

            verbs = [clause.verb for clause in order.clauses]  # type: ignore[attr-defined]
            return np.array([[float((a > b) - (a < b)) for b in verbs] for a in verbs])

    (group,) = [one for one in event_groups(counts, Grouping(worth=0.1)) if len(one.events) == 3]
    chain = narrative_chain(counts, counts.ordered(), group, Backwards())  # type: ignore[arg-type]
    assert chain.events == ("pay:subj", "order:subj", "eat:subj")


@pytest.fixture
def learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of counts as `learn` makes it."""
    pytest.importorskip("ibis", reason="needs the extra 'learn'")
    from scenarist.learning.learn import ChainSettings, learn_events

    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    learn_events(chains(), tmp_path / "model", chains=ChainSettings(dedup=False))
    return tmp_path / "model"


def test_the_verb_keeps_them_and_shows_those_of_a_verb(learned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from scenarist.verbs.narrative_chains import learn_chains, show_chains

    with pytest.raises(BadInput, match="--chains"):
        show_chains(learned)
    narrative = learn_chains(learned, grouping=Grouping(worth=0.1))
    assert show_chains(learned) == narrative and narrative.ordered == "text"
    (arrest,) = show_chains(learned, "arrest").chains
    assert arrest.events == ARREST == show_chains(learned, "arrest:obj").chains[0].events
    with pytest.raises(BadInput, match="arrest"):
        show_chains(learned, "arest")
    with pytest.raises(BadInput, match="classifier"):
        learn_chains(learned, "classfier")
    page = learned.parent / "chains.html"
    assert run(["show", "arrest", "--chains", str(learned), "--html", str(page)]) == 0
    assert "X commit → arrest X → charge X → convict X" in capsys.readouterr().out
    assert page.read_text() == narrative_page(show_chains(learned, "arrest"))
    assert "in this order" in page.read_text() and page.read_text().count("<path d=") >= 4
    assert run(["show", "--chains", str(learned), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["chains"]) == 2
    assert run(["show", "--chains", str(learned), "--csv", "x.csv"]) == 2


def test_options_that_do_not_go_together_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for more, said in (
        (["--scripts", "--chains"], "--scripts"),
        (["--args", "multi", "--chains"], "multi"),
        (["--ordered", "classifier"], "--chains"),
    ):
        assert run(["learn", "toy", "-o", str(tmp_path / "m"), *more]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.data("proscript")
def test_the_classifier_learns_from_crowd_written_scripts(learned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a few scripts of proScript: the order is decided by them, and the counts of texts stay beside it."""
    from scenarist.registry import make
    from scenarist.verbs import narrative_chains

    monkeypatch.setattr(narrative_chains, "make", lambda *names, **settings: list(make(*names, **settings))[:12])
    narrative = narrative_chains.learn_chains(learned, "classifier", Grouping(worth=0.1))
    assert narrative.ordered == "classifier" and sorted(sorted(chain.events) for chain in narrative.chains) == sorted(
        map(sorted, (ARREST, MEAL))
    )
    assert all(times > 0 and 0 <= share <= 1 for chain in narrative.chains for _, _, share, times in chain.before)
    assert "by a classifier of pairs" in narrative_page(narrative)
