"""The event cloze: Chambers's worked example, the switches, and what must not leak."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from scenarist.errors import BadInput
from scenarist.exams.eventcloze import PRESETS, EventCloze
from scenarist.question import EventGap, Item
from scenarist.story import Chain, Entity, Event, Link, Role, Story

FORMS = "criticized said distributed asking said said said said admitted asked".split()
LEMMAS = "criticize say distribute ask say say say say admit ask".split()


def said_story() -> Story:
    """A story whose only chain has the verbs of Chambers (2017), section 2.2 (the text is of no interest)."""
    who = (Role("subj", "x"),)
    events = tuple(Event(lemma, who, form=form) for lemma, form in zip(LEMMAS, FORMS, strict=True))
    return Story("said", text="", events=events, entities=(Entity("x"),))


def share_of_say(**switches: object) -> tuple[int, int]:
    exam = EventCloze("lm-cloze", gaps="each", **switches)
    items = list(exam.set([said_story()]))
    return sum(str(item.key) in ("said:subj", "say:subj") for item in items), len(items)


def test_chambers_worked_example() -> None:
    assert share_of_say(forms="surface") == (5, 10)
    assert share_of_say(forms="surface", repeats=False) == (1, 6)
    assert share_of_say(forms="lemma", repeats=False) == (1, 5)
    assert share_of_say(forms="lemma") == (5, 10)


def chain(text: str, story: str = "d1", entity: str = "0") -> Chain:
    return Chain(tuple(Link.parse(part) for part in text.split()), entity, story)


CHAINS = [
    chain("wake:subj be:subj wash:subj say:subj eat:subj eat:subj leave:subj"),
    chain("see:obj greet:obj", entity="1"),
    chain("ring:subj", entity="2"),
    chain("sow:subj water:subj weed:subj harvest:subj cook:subj sell:subj", "d2"),
    chain("harvest:obj cook:obj burn:obj", "d2", "1"),
]


def test_lm_cloze_asks_one_gap_of_every_chain_of_two_or_more() -> None:
    items = list(EventCloze("lm-cloze").set(CHAINS))
    assert [item.group for item in items] == ["d1", "d1", "d2", "d2"]
    for item, whole in zip(items, [CHAINS[0], CHAINS[1], CHAINS[3], CHAINS[4]], strict=True):
        question = item.question
        assert isinstance(question, EventGap)
        assert question.gap is not None
        restored = (*question.links[: question.gap], Link.parse(str(item.key)), *question.links[question.gap :])
        assert restored == whole.links


def test_narrative_cloze_asks_the_central_chain_each_event_once_without_be_and_reporting() -> None:
    items = list(EventCloze("narrative-cloze", min=4).set(CHAINS))
    assert [item.key for item in items if item.group == "d1"] == ["wake:subj", "wash:subj", "eat:subj", "leave:subj"]
    assert all(item.question.gap is None for item in items if isinstance(item.question, EventGap))
    assert not list(EventCloze("narrative-cloze", min=7).set(CHAINS))


def test_the_draw_depends_on_the_seed_and_not_on_other_documents() -> None:
    alone = list(EventCloze("lm-cloze").set(CHAINS[3:]))
    assert list(EventCloze("lm-cloze").set(CHAINS))[2:] == alone
    gaps = {tuple(item.id for item in EventCloze("lm-cloze", seed=seed).set(CHAINS)) for seed in range(8)}
    assert len(gaps) > 1
    assert len(list(EventCloze("jans12", items=5).set(CHAINS))) == 5


def test_choices_hold_the_key_once_and_their_order_does_not_tell_it() -> None:
    many = [chain(" ".join(f"v{(n * 7 + k) % 40}:subj" for k in range(9)), f"d{n}") for n in range(200)]
    for candidates in ("random", "frequency"):
        items = list(EventCloze("gw16", candidates=candidates).set(many))
        assert len(items) == 200
        places: Counter[int] = Counter()
        for item in items:
            assert isinstance(item.question, EventGap)
            texts = [str(link) for link in item.question.choices]
            assert len(texts) == len(set(texts)) == 5
            assert texts.count(str(item.key)) == 1
            assert item.question.gap == 8
            places[texts.index(str(item.key))] += 1
        assert min(places.values()) > 20, "the right answer should be anywhere"


def test_a_multi_argument_question_does_not_tell_who_takes_part_in_the_missing_event() -> None:
    links = (
        Link("arrest", "obj", ("p", "j", "")),
        Link("warn", "obj", ("p", "j", "")),
        Link("flee", "subj", ("j", "c", "")),
    )
    other = (*links[:1], Link("hit", "obj", ("q", "j", "")), *links[2:])
    first, second = (list(EventCloze("pm14", gaps="each").set([Chain(each, "j", "d")]))[1] for each in (links, other))
    assert first.question == second.question, "only the key differs"
    assert (first.key, second.key) == ("warn(y,x,-)", "hit(o,x,-)")


def test_core_events_only(tmp_path: object) -> None:
    path = tmp_path / "core.txt"  # type: ignore[operator]
    path.write_text("# ours\nsow\nharvest:subj\n", encoding="utf-8")
    items: list[Item] = list(EventCloze("jans12", core=str(path)).set(CHAINS))
    assert [item.key for item in items] == ["sow:subj", "harvest:subj"]
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(BadInput, match="no core event"):
        list(EventCloze("jans12", core=str(path)).set(CHAINS))


def test_hand_made_tests(tmp_path: object) -> None:
    path = tmp_path / "tests"  # type: ignore[operator]
    path.write_text(
        "<DOCNAME> d9\n\n<CHAIN> len:3\n<TEST>\n<ANSWER> fall->nsubj\n<INSERT_INDEX> 1\n<CLOZE> slip->nsubj cry->nsubj\n",
        encoding="utf-8",
    )
    (item,) = EventCloze("cj08", tests=str(path)).set([])
    assert (item.key, item.group, item.question.gap) == ("fall:nsubj", "d9", None)  # type: ignore[union-attr]
    (item,) = EventCloze("lm-cloze", tests=str(path)).set([])
    assert item.question == EventGap((Link("slip", "nsubj"), Link("cry", "nsubj")), 1)
    path.write_text("<ANSWER> fall->nsubj\n<INSERT_INDEX> 9\n<CLOZE> slip->nsubj\n", encoding="utf-8")
    with pytest.raises(BadInput, match="line 3"):
        list(EventCloze("lm-cloze", tests=str(path)).set([]))


def test_switches_that_would_do_nothing_with_hand_made_tests_are_refused(tmp_path: Path) -> None:
    for idle in ({"min": 5}, {"repeats": False, "choices": 5}):
        with pytest.raises(BadInput, match="would do nothing"):
            EventCloze("lm-cloze", tests=str(tmp_path / "tests.txt"), **idle)
    assert EventCloze("lm-cloze", tests=str(tmp_path / "tests.txt"), position="unknown", items=3).switches.items == 3


@pytest.mark.parametrize(
    "switches",
    [
        {"position": "nowhere"},
        {"min": 1},
        {"choices": 1},
        {"repeat": True},
        {"preset": "cj09"},
        {"min": "two"},
        {"forms": "x"},
    ],
)
def test_a_wrong_switch_is_named(switches: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        EventCloze(**switches)  # type: ignore[arg-type]


def test_degenerate_chains() -> None:
    assert not list(EventCloze("lm-cloze").set([chain("ring:subj"), Chain((), "0", "d2")]))
    same = [chain("run:subj run:subj run:subj")]
    assert [item.key for item in EventCloze("lm-cloze").set(same)] == ["run:subj"]
    assert not list(EventCloze("narrative-cloze").set(same))
    with pytest.raises(BadInput, match="surface"):
        list(EventCloze("lm-cloze", forms="surface").set(same))
    with pytest.raises(BadInput, match="Story or Chain"):
        list(EventCloze("lm-cloze").set(["text"]))


def test_settings_name_the_preset_and_every_departure() -> None:
    assert EventCloze("cj08", reporting=False).settings()["reporting"] is False
    assert "args" not in EventCloze("lm-cloze").settings()
    assert set(PRESETS) == {"cj08", "jans12", "pm14", "gw16", "lm-cloze", "narrative-cloze"}
