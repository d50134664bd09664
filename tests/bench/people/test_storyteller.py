"""The storyteller: the dynamic programmes against brute force on every toy script, thirty events, the claims of the appendix."""

from __future__ import annotations

import itertools
import time

import msgspec
import pytest

from scenarist.bench.analyses.people import teller as analysis
from scenarist.errors import BadInput
from scenarist.learning.storyteller import enumeration
from scenarist.learning.storyteller.inference import guess_missing, hear, places, unusual
from scenarist.learning.storyteller.prior import StoryPrior
from scenarist.learning.storyteller.teller import Teller
from scenarist.noun import from_json, to_json
from scenarist.question import Guess, Prediction
from scenarist.registry import make
from scenarist.verbs.exam import exam

SCRIPTS = list(make("corpus", "toy-scripts", split="train"))
TELLERS = (None, Teller(0.0, 2), Teller(1.0, 1), Teller(2.0, 2), Teller(4.0, 3))


def stories_of(prior: StoryPrior, most: int = 2) -> list[tuple[int, ...]]:
    """Every story of so many events that the order allows, no two ways of one group."""
    stories = []
    for size in range(1, most + 1):
        for events in itertools.permutations(range(len(prior)), size):
            if len({prior.group_of[event] for event in events}) < size:
                continue
            if any(prior.before[early] >> late & 1 for early, late in itertools.combinations(events, 2)):
                continue
            stories.append(events)
    return stories


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.scenario)
def test_enumeration_and_dynamic_programme_agree(script):
    prior = StoryPrior.of(script)
    largest = 0.0
    for story in stories_of(prior):
        for teller in TELLERS:
            if teller is not None and len(story) > teller.budget:
                continue
            expected = enumeration.hear_all(prior, story, teller)
            given = hear(prior, story, teller).chances
            largest = max(largest, *(abs(given[event] - expected[event]) for event in expected))
            wanted = enumeration.missing_all(prior, story, teller)
            missing = guess_missing(prior, story, teller)
            assert {event for event, chance in missing.items() if chance > 0} == set(wanted)
            largest = max(largest, *(abs(missing[event] - wanted[event]) for event in wanted))
        if story == tuple(sorted(story)):
            where = enumeration.places_all(prior, story)
            for event, chances in places(prior, story).items():
                largest = max(largest, *(abs(a - b) for a, b in zip(chances, where[event], strict=True)))
    assert largest < 1e-9


def long_prior(events: int) -> StoryPrior:
    """A script of pairs in a row: each pair is free in its order, and every tenth event is rare."""
    before = [sum(1 << other for other in range(events) if other // 2 < event // 2) for event in range(events)]
    groups = [[(event, 0.3 if event % 10 == 0 else 0.9)] for event in range(events)]
    return StoryPrior("long", [f"e{event}" for event in range(events)], groups, before)


def test_thirty_events_take_less_than_ten_seconds():
    prior = long_prior(30)
    start = time.process_time()
    heard = hear(prior, (0, 7, 20), Teller(2.0, 3)).chances
    missing = guess_missing(prior, (0, 7), Teller(2.0, 3))
    where = places(prior, (0, 7, 20))
    assert time.process_time() - start < 10
    assert all(0 <= chance <= 1 + 1e-12 for chance in heard)
    assert sum(missing.values()) == pytest.approx(1)
    assert all(sum(chances) == pytest.approx(1) for chances in where.values())


def test_too_large_a_script_is_not_enumerated():
    with pytest.raises(BadInput, match="too many to enumerate"):
        enumeration.hear_all(long_prior(30), (0,))


def test_mentioning_the_obvious_says_that_it_was_unusual():
    prior = StoryPrior.of(SCRIPTS[0])
    obvious, rare = prior.numbers(["eat"])[0], prior.numbers(["complain"])[0]
    after = [unusual(prior, (obvious,), obvious, Teller(rationality, 1), 0.1) for rationality in (0.0, 1.0, 4.0)]
    assert after[0] < after[1] < after[2]
    assert after[0] < 0.1 < after[2]  # the mention of a random teller says the contrary
    with pytest.raises(BadInput, match="not told"):
        unusual(prior, (obvious,), rare, Teller(1.0, 1))


@pytest.fixture(scope="module")
def table():
    return analysis.table(limit=25)


def test_the_claim_of_the_appendix(table):
    by_name = {row.model: row.scores for row in table.rows}
    for listener in ("literal", "rational"):
        first, last = by_name[f"random-0-budget-2-{listener}"], by_name[f"informative-4-budget-2-{listener}"]
        assert last["recoverability/mentioned"].value < first["recoverability/mentioned"].value
        assert last["recoverability/unmentioned"].value > first["recoverability/unmentioned"].value


def test_curves_hold_the_rows_that_have_the_column(table):
    lines = analysis.curves(table.rows)
    assert {name.rpartition("/")[2] for name in lines} == {"literal", "rational"}
    row = next(row for row in table.rows if row.model == "informative-4-budget-2-literal")
    (point,) = [point for point in lines["mentioned/budget-2/literal"] if point[0] == 4.0]
    figure = row.scores["recoverability/mentioned"]
    assert point == [4.0, figure.value, figure.low, figure.high]
    assert analysis.curves([row for row in table.rows if row.role == "human"]) == {}  # a fit is no point of a curve


def test_rationality_is_fitted_with_an_interval(table):
    (row,) = [row for row in table.rows if row.role == "human"]
    figure = row.scores["rationality/cloze"]
    assert figure.low < figure.value < figure.high
    assert figure.low <= row.more["true"] <= figure.high


def test_what_cannot_be_fitted_is_named():
    items, answers = analysis.simulated_cloze(SCRIPTS[:1], 2.0, 13, stories=5)
    with pytest.raises(BadInput, match="no answer names an event"):
        analysis.fit_rationality(items, [Prediction(items[0].id, (Guess("dance"),), "p")])
    with pytest.raises(BadInput, match="no item of this exam"):
        analysis.fit_rationality(items, [Prediction("elsewhere", answers[0].guesses, "p")])


def test_people_are_fitted_from_their_files(tmp_path):
    paper = exam(
        "teller", "toy-scripts", settings={"ask": "mentioned", "rationality": 2.0, "stories": 10}, out=tmp_path
    )
    rational = make("model", "rational-listener", rationality=2.0)
    lines = [to_json(rational.answer(item.question)) for item in paper.items]
    for person in ("anna", "ben"):
        written = [
            to_json(msgspec.structs.replace(from_json(line, Prediction), item=item.id, by=person))
            for line, item in zip(lines, paper.items, strict=True)
        ]
        (tmp_path / f"{person}.jsonl").write_bytes(b"\n".join(written) + b"\n")
    said: list[str] = []
    rows = analysis.people_fits(tmp_path, said)
    assert [row.model for row in rows] == ["people", "anna", "ben"]
    figure = rows[0].scores["rationality/cloze"]
    assert figure.n == 2 * len(paper.items) and figure.low <= figure.value <= figure.high


def test_committed_pictures_are_what_the_results_give():
    from training.figures import drawings

    drawn = list(drawings())
    assert [drawing.path.name for drawing in drawn] == [
        "storyteller.svg",
        "bennett-2.svg",
        "bennett-3.svg",
        "bennett-4.svg",
    ]
    assert all(drawing.path.read_text("utf-8") == drawing.svg for drawing in drawn)
