"""What a story leaves unsaid: never what it tells, never what it denies, at its place between told neighbours."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scenarist
from scenarist.bench.spec import load as load_table
from scenarist.interpretation import Interpretation, UnsaidEvent
from scenarist.learning.script_matches import scenario_passages
from scenarist.models.untold import scripts
from scenarist.models.untold.scripts import ScriptModel
from scenarist.noun import from_json, to_json
from scenarist.registry import make
from scenarist.script import EventType, Script
from scenarist.story import Event, Label, Role, Segment, Sentence, Story
from scenarist.verbs.read import MODEL as MODEL_OF_READ

STEPS = ("enter restaurant", "order food", "eat food", "pay bill", "leave restaurant")
SCRIPT = Script(
    "eating out",
    20,
    tuple(
        EventType(step, (step, step.split()[0]) if step == "pay bill" else (step,), 18 - n, (18 - n) / 20, n / 4)
        for n, step in enumerate(STEPS)
    ),
    tuple((one, other, 0.95) for n, one in enumerate(STEPS) for other in STEPS[n + 1 :]),
    tuple((one, other, 14) for n, one in enumerate(STEPS) for other in STEPS[n + 1 :]),
    (),
    "hand-made",
)
OTHER = Script("swimming", 5, (EventType("swim lap", ("swim lap",), 5, 1.0, 0.5),))
MODEL = ScriptModel(scripts={"eating out": SCRIPT, "swimming": OTHER})


def story(*steps: str, labels: tuple[str, ...] = ("eating out",), cut: int | None = None) -> Story:
    """A story of one sentence a step (``!`` denies it), told as one segment; ``cut`` ends the segment after so many."""
    made = Story.from_sentences("s", [f"They {step.lstrip('!')}." for step in steps])
    events = []
    for step, sentence in zip(steps, made.sentences, strict=True):
        verb, *rest = step.lstrip("!").split()
        start = sentence.start + 5
        roles = tuple(Role("obj", "", head) for head in rest)
        events.append(Event(verb, roles, -1, start, start + len(verb), polarity=not step.startswith("!")))
    last = made.sentences[cut - 1] if cut else made.sentences[-1]
    segment = Segment(0, last.stop, tuple(Label(name) for name in labels))
    return msgspec.structs.replace(made, events=tuple(events), segments=(segment,))


def unsaid(told: Story) -> dict[str, UnsaidEvent]:
    return {one.event: one for one in MODEL.unsaid(told)[0]}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*STEPS, *(f"!{step}" for step in STEPS), "sing song"]), min_size=1, max_size=7))
def test_what_is_told_or_denied_is_never_unsaid(steps: list[str]) -> None:
    found, denied = MODEL.unsaid(story(*steps))
    mentioned = {step.lstrip("!") for step in steps}
    told = {step for step in steps if not step.startswith("!")}
    assert not {one.event for one in found} & mentioned
    assert {event for event, _ in denied} == mentioned - told - {"sing song"}
    assert all(0 <= one.probability <= 1 for one in found)
    assert all(0 <= one.at <= len(story(*steps).text) for one in found)


def test_leaving_without_paying() -> None:
    found, denied = MODEL.unsaid(story("enter restaurant", "order food", "eat food", "leave restaurant", "!pay"))
    assert found == ()
    assert denied == (("pay bill", 4),)


def test_it_stands_between_its_told_neighbours() -> None:
    told = story("enter restaurant", "order food", "leave restaurant")
    found = unsaid(told)
    assert set(found) == {"eat food", "pay bill"}
    for one in found.values():
        assert (one.after, one.before) == (1, 2)
        assert told.text[: one.at].endswith("order food.")
        assert "between “order” and “leave”" in one.reason.text
    assert unsaid(story("order food", "eat food"))["enter restaurant"].before == 0
    assert unsaid(story("order food", "eat food"))["enter restaurant"].at == 0
    assert unsaid(story("enter restaurant", "eat food"))["leave restaurant"].after == 1


def test_the_reason_counts_tellers_and_names_company() -> None:
    reason = unsaid(story("order food", "eat food"))["pay bill"].reason
    assert "15 of 20 tellers" in reason.text
    assert any("order food" in line for line in reason.evidence)


def test_a_synonym_with_the_same_object_tells_it() -> None:
    assert "eat food" in unsaid(story("order food"))
    assert "leave restaurant" not in unsaid(story("order food", "exit restaurant"))


def test_what_is_told_just_outside_the_segment_counts_as_told() -> None:
    found = unsaid(story("enter restaurant", "order food", "eat food", "pay bill", cut=3))
    assert "pay bill" not in found
    assert "leave restaurant" in found


def test_parts_of_one_telling_are_taken_together() -> None:
    told = story("enter restaurant", "order food", "swim lap", "eat food")
    first, last = told.sentences[1].stop, told.sentences[3].start
    parts = (Segment(0, first, (Label("eating out"),)), Segment(last, len(told.text), (Label("eating out"),)))
    told = msgspec.structs.replace(told, segments=parts)
    assert [one.segments for one in scenario_passages(told)] == [(0, 1)]
    found = [one.event for one in MODEL.unsaid(told)[0]]
    assert sorted(found) == ["leave restaurant", "pay bill"]


@pytest.mark.parametrize("labels", [(), ("an unknown scenario",)])
def test_nothing_known_nothing_claimed(labels: tuple[str, ...]) -> None:
    assert MODEL.unsaid(story("order food", labels=labels)) == ((), ())


def test_probability_grows_with_company() -> None:
    alone = Script("x", 20, SCRIPT.events, SCRIPT.order, (("order food", "pay bill", 17),))
    model = ScriptModel(least=0.0, scripts={"x": alone})
    together = {one.event: one for one in model.unsaid(story("order food", labels=("x",)))[0]}
    apart = {one.event: one for one in model.unsaid(story("sing song", labels=("x",)))[0]}
    assert together["pay bill"].probability > apart["pay bill"].probability > together["eat food"].probability


def test_many_events_are_placed_in_no_time() -> None:
    told = story(*["enter restaurant", "order food"] * 2000, "leave restaurant")
    assert set(unsaid(told)) == {"eat food", "pay bill"}


def test_an_interpretation_round_trips() -> None:
    told = story("order food", "!pay")
    found, denied = MODEL.unsaid(told)
    interpretation = Interpretation(told, found, denied=denied, remarks=("x",))
    assert from_json(to_json(interpretation), Interpretation) == interpretation


class Fits:
    """Stands for the network at a gap: each verb fits in one gap only."""

    def __init__(self, gap_of: dict[str, int]) -> None:
        self.gap_of = gap_of
        self.tables = SimpleNamespace(filler={verb: number for number, verb in enumerate(gap_of)})

    def gap_chances(self, ids: list[int], scenario: str, sentences: list[tuple[str, ...]]) -> np.ndarray:
        found = np.full((len(sentences) + 1, len(self.gap_of)), -5.0, np.float32)
        for column, gap in enumerate(self.gap_of.values()):
            found[gap, column] = -1.0
        return found


def test_the_network_places_what_the_script_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """No order is known and every event's usual place is the middle: the gap where its verb fits decides."""
    loose = Script("x", 20, tuple(EventType(step, (step,), 15, 0.75, 0.5) for step in STEPS))
    model = ScriptModel(least=0.0, scripts={"x": loose})
    told = story("enter restaurant", "order food", "leave restaurant", labels=("x",))
    for gap in range(4):
        monkeypatch.setattr(scripts, "carried_network", lambda kind, gap=gap: Fits({"pay": gap, "eat": 3 - gap}))
        found = {event.event: event for event in model.unsaid(told)[0]}
        ends = [0, *(sentence.stop for sentence in told.sentences)]
        assert found["pay bill"].at == ends[gap]
        assert (found["pay bill"].after, found["pay bill"].before) == (gap - 1, gap if gap < 3 else -1)
        assert found["eat food"].at == ends[3 - gap]


def test_a_firm_order_overrules_a_network_without_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "carried_network", lambda kind: Fits({}))
    found = unsaid(story("enter restaurant", "order food", "leave restaurant"))
    assert {(event.after, event.before) for event in found.values()} == {(1, 2)}


def test_two_told_events_of_one_sentence_may_have_it_between_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "carried_network", lambda kind: Fits({}))
    text = "They ate food, and left."
    events = (
        Event("eat", (Role("obj", "", "food"),), -1, 5, 8),
        Event("leave", (Role("obj", "", "restaurant"),), -1, 19, 23),
    )
    told = Story("s", text, sentences=(Sentence(0, len(text)),), events=events)
    told = msgspec.structs.replace(told, segments=(Segment(0, len(text), (Label("eating out"),)),))
    pay = unsaid(told)["pay bill"]
    assert (pay.after, pay.before, pay.at) == (0, 1, text.index(",") + 1)


def test_what_is_examined_is_what_reads() -> None:
    interpretation = scenarist.read(
        "We went to a restaurant. The waiter brought us the menu. We ordered pizza. Then we left."
    )
    model = make("model", MODEL_OF_READ)
    assert (interpretation.untold, interpretation.denied) == model.unsaid(interpretation.story)
    assert interpretation.untold
    assert MODEL_OF_READ in [row.model for row in load_table("untold").row]


@pytest.mark.data("mcscript")
def test_the_model_behind_read_beats_counts_on_dev() -> None:
    stories = [one for number, one in enumerate(make("corpus", "mcscript", split="dev")) if number % 8 == 0]
    items = list(make("exam", "untold", form="mcscript").set(stories))
    hits = {}
    for name, chosen in (("untold-counts", {"by": "bigram", "weight": 0.5}), (MODEL_OF_READ, {})):
        rated = make("model", name, **chosen).rate_many([i.question for i in items], [i.key for i in items])
        hits[name] = sum(rank is not None and rank <= 10 for _, rank in rated) / len(items)
    assert hits[MODEL_OF_READ] > 0.37
    assert hits[MODEL_OF_READ] > hits["untold-counts"] + 0.03
