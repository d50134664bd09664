"""Event types from read stories: paraphrases share one, tellers are counted once, order is kept."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scenarist.learning import scripts as knowledge
from scenarist.learning.scripts import Occurrence, alike, meanings, occurrences, participants, script, told
from scenarist.story import Event, Role, Story


def story(id: str, *steps: str) -> Story:
    """A read story made by hand: each step is ``verb`` or ``verb object``, an exclamation mark for *not*."""
    events = []
    for step in steps:
        verb, *rest = step.lstrip("!").split()
        roles = (Role("subj", "e1", "Ann"), *(Role("obj", "", head) for head in rest))
        events.append(Event(verb, roles, polarity=not step.startswith("!")))
    return Story(id, "", events=tuple(events), scenario="eating out")


def tellers(*tellings: Sequence[str]) -> list[Story]:
    return [story(f"s{number}", *telling) for number, telling in enumerate(tellings)]


def test_synonyms_with_one_object_are_one_event_type() -> None:
    made = script(
        "shopping",
        tellers(*[("enter shop", "buy milk", "leave shop")] * 3, *[("enter shop", "purchase milk", "leave shop")] * 3),
    )
    buying = [event for event in made.events if any("milk" in phrase for phrase in event.phrases)]
    assert len(buying) == 1
    assert {"buy milk", "purchase milk"} <= set(buying[0].phrases)
    assert buying[0].tellers == 6
    assert buying[0].share == 1.0


def test_what_annotators_say_decides_which_phrases_are_one_event() -> None:
    stories = tellers(*[("fill tub", "wrap towel")] * 3, *[("run water", "dry body")] * 3)
    apart = script("bath", stories)
    assert not any({"wrap towel", "dry body"} <= set(one.phrases) for one in apart.events)
    meant = {"fill tub": "ScrEv_fill", "run water": "ScrEv_fill", "wrap towel": "ScrEv_dry", "dry body": "ScrEv_dry"}

    def said(one: Event) -> Event:
        return msgspec.structs.replace(one, label=meant[f"{one.predicate} {one.roles[1].head}"])

    labelled = [msgspec.structs.replace(one, events=tuple(map(said, one.events))) for one in stories]
    assert meanings(labelled)[Occurrence("dry", "", "body")] == "ScrEv_dry"
    drying = [one for one in script("bath", labelled).events if "dry body" in one.phrases]
    assert len(drying) == 1
    assert "wrap towel" in drying[0].phrases
    assert "run water" not in drying[0].phrases
    assert drying[0].tellers == 6


def test_an_unsure_label_says_nothing() -> None:
    labels = ["ScrEv_a", "ScrEv_b", "ScrEv_a", "ScrEv_b"]
    stories = [Story(str(n), "", events=(Event("wait", label=label),)) for n, label in enumerate(labels)]
    assert meanings(stories) == {}
    assert meanings(stories[:1]) == {}


def test_other_objects_and_other_verbs_stay_apart() -> None:
    assert alike(Occurrence("buy", "", "milk"), Occurrence("purchase", "", "milk"))
    assert not alike(Occurrence("buy", "", "milk"), Occurrence("purchase", "", "bread"))
    assert not alike(Occurrence("buy", "", "milk"), Occurrence("spill", "", "milk"))
    assert alike(Occurrence("pick", "", "book"), Occurrence("pick_up", "", "book"))
    made = script("x", tellers(*[("open door", "close door")] * 4))
    assert len({event.id for event in made.events if "door" in event.id}) == 2


def test_tellers_are_counted_not_mentions() -> None:
    made = script("waiting", tellers(("wait", "wait", "wait"), ("wait", "eat soup")))
    wait = next(event for event in made.events if event.id == "wait")
    assert (wait.tellers, wait.share) == (2, 1.0)


def test_what_is_denied_is_not_told() -> None:
    assert [str(one) for one in told(story("s", "eat soup", "!pay bill")).places] == ["eat soup", "eat"]


def test_order_and_company() -> None:
    made = script("x", tellers(*[("order soup", "eat soup", "pay bill")] * 5))
    names = [event.id for event in sorted(made.events, key=lambda event: event.place)]
    assert names.index("order soup") < names.index("pay bill")
    weight = {(one, other): value for one, other, value in made.order}
    pair = ("order soup", "pay bill") if ("order soup", "pay bill") in weight else ("pay bill", "order soup")
    assert (weight[pair] > 0.7) == (pair[0] == "order soup")
    assert all(0 < value < 1 for value in weight.values())
    assert all(2 <= n <= 5 for _, _, n in made.together)


def test_a_passive_has_its_object_in_front() -> None:
    event = Event("bring", (Role("subj", "", "soup"), Role("agent", "", "waiter")), passive=True)
    assert str(occurrences(event)[0]) == "bring soup"


def test_vague_and_odd_heads_are_not_counted() -> None:
    for head in ("it", "thing", "-lrb-", "3", ""):
        assert [str(one) for one in occurrences(Event("eat", (Role("obj", "", head),)))] == ["eat"]
    assert occurrences(Event("take", (Role("obj", "", "it"),))) == []
    assert occurrences(Event("be", (Role("subj", "", "soup"),), kind="copula")) == []


def test_participants_are_those_several_tellers_name() -> None:
    assert participants(tellers(("eat soup",), ("eat soup",), ("eat fish",))) == (("Ann".lower(), 3), ("soup", 2))


def test_a_knowledge_file_is_the_same_bytes_and_reads_back(tmp_path) -> None:
    made = script("x", tellers(*[("order soup", "eat soup")] * 3), "hand-made")
    for name in ("a", "b"):
        knowledge.write(tmp_path / f"{name}.jsonl.gz", [made], "hand-made")
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert knowledge.read(tmp_path / "a.jsonl.gz") == {"x": made}
