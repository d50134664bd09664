"""Toy corpus -> a few items of every kind of question: what `conformance` asks of a model, and what it may learn from before."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from scenarist.bench.sit import unfold
from scenarist.corpora.cold import ColdItem
from scenarist.corpora.glucose import Explained, Statement
from scenarist.corpora.timetravel import Rewriting
from scenarist.question import AnyQuestion, Example, Item, JudgedEvent, JudgedKey, JudgedStory, Question
from scenarist.registry import make
from scenarist.story import Event, Story, replace


class QuestionSet(NamedTuple):
    """A few items of one kind, and what models may learn from before they are asked."""

    items: tuple[Item, ...]
    stories: tuple[Any, ...]
    """For a model that learns from stories."""
    examples: tuple[Example, ...]
    """For a model that learns from worked examples."""

    @property
    def questions(self) -> list[AnyQuestion]:
        """What a solver sees."""
        return [item.question for item in self.items]

    @property
    def ask(self) -> type[Question]:
        """The type of the questions."""
        return type(self.items[0].question)


KINDS: Mapping[str, tuple[str, str, dict[str, Any]]] = {
    "read": ("reading", "stories", {"tokens": "raw"}),
    "read-words": ("reading", "stories", {"tokens": "gold"}),
    "where": ("detection", "documents", {}),
    "where-whole": ("detection", "stories", {"whole": True}),
    "event-gap": ("eventcloze", "chains", {}),
    "event-gap-anywhere": ("eventcloze", "chains", {"position": "unknown"}),
    "event-gap-arguments": ("eventcloze", "stories", {"preset": "pm14"}),
    "event-gap-choices": ("eventcloze", "chains", {"choices": 5}),
    "word-gap": ("wordcloze", "pairs", {}),
    "word-gap-infill": ("wordcloze-infill", "pairs", {}),
    "choice": ("storycloze", "cloze", {}),
    "order": ("ordering", "stories", {}),
    "sentence-gap": ("gaps", "stories", {"least": 3}),
    "unsaid-place": ("untold", "stories", {}),
    "unsaid-hidden": ("untold", "stories", {"scenario": "hidden"}),
    "unsaid-labels": ("untold", "labelled", {"form": "inscript"}),
    "left-out": ("judged", "judged", {}),
    "unsaid-absent": ("untold", "labelled", {"form": "absent", "choices": 2}),
    "about-place": ("untold", "labelled", {"form": "place"}),
    "about-told": ("untold", "labelled", {"form": "told"}),
    "unsaid-script": ("teller", "toy-scripts", {"stories": 2}),
    "choice-cause": ("cold", "causes", {}),
    "choice-rewritten": ("timetravel", "rewritings", {}),
    "choice-unstated": ("glucose", "explained", {"choices": 2}),
    "choice-props": ("the-or-a", "the-or-a", {}),
    "choice-memory": ("false-memory", "false-memory", {}),
    "choice-pair": ("winograd", "winograd", {}),
    "rate": ("goes-without-saying", "goes-without-saying", {}),
    "rate-worth": ("tellable", "tellable", {}),
}
"""Kind of question -> the exam that sets it, the view of the toy corpus it is set on, and the exam's switches."""

LABELS = {
    "turn_on": "ScrEv_turn_water_on", "fill": "ScrEv_fill_water/wait", "add": "ScrEv_put_bubble_bath_scent", "undress": "ScrEv_undress",
    "climb": "ScrEv_sink_water", "wash": "ScrEv_wash", "relax": "ScrEv_relax", "dry": "ScrEv_dry", "drain": "ScrEv_open_drain",
}  # fmt: skip
"""InScript's labels for what the toy stories of a bath tell."""

OWN: Mapping[str, tuple[Any, ...]] = {
    "causes": (
        ColdItem("c1", "baking a cake", "effect", "You put the tin into the oven.", ("The batter rises.", "You crack the eggs."), 0),
        ColdItem("c2", "baking a cake", "cause", "The batter is smooth.", ("You eat a slice.", "You stir it for a while."), 1),
    ),
    "rewritings": (
        Rewriting(
            "r1", "r1", "Tom had guests.", "He baked a cake.", "He bought ice cream.",
            "He took it out of the oven.", "He took it out of the freezer.",
        ),
        Rewriting(
            "r2", "r2", "Ann was dirty.", "She took a bath.", "She took a shower.",
            "She got into the tub.", "She stepped under the water.",
        ),
    ),
    "explained": (
        Explained(
            "e1", ("Tom ate the whole cake.", "He lay down."), 0,
            (Statement(1, "Somebody was hungry."), Statement(6, "Somebody has a stomach ache.")),
        ),
        Explained("e2", ("Ann ran a bath.", "She sang."), 0, (Statement(1, "The week was long."), Statement(6, "The mirror clouds over."))),
    ),
}  # fmt: skip
"""Sources of our own for exams whose questions no toy story gives."""
PROBES = ("the-or-a", "false-memory", "winograd", "goes-without-saying", "tellable")


def toy(split: str, view: str) -> list[Any]:
    """A view of the toy corpus; ``judged``: stories with keys;
    ``labelled``: the stories of a bath, their events with InScript's labels."""
    if view == "judged":
        return [judged(story) for story in make("corpus", "toy", split=split, kind="stories")]
    if view in OWN:
        return list(OWN[view])
    if view in PROBES:
        return list(make("corpus", "probes", kind=view))[:4]
    if view == "toy-scripts":
        return list(make("corpus", view))[:2]
    if view != "labelled":
        return list(make("corpus", "toy", split=split, kind=view))
    baths = [story for story in make("corpus", "toy", split="all") if story.scenario == "taking a bath"]
    return [replace(story, events=tuple(labelled(event) for event in story.events)) for story in baths]


def judged(story: Story) -> JudgedStory:
    """A story with a key that accepts what it tells last, before its last sentence."""
    accepted = tuple(
        JudgedEvent(event.predicate, (event.predicate.replace("_", " "),), (len(story.sentences) - 1,))
        for event in story.events[-1:]
    )
    spans = tuple((sentence.start, sentence.stop) for sentence in story.sentences)
    return JudgedStory(story, JudgedKey(((story.scenario,),), spans, accepted, ()))


def labelled(event: Event) -> Event:
    """An event with InScript's label for it, where there is one."""
    return msgspec.structs.replace(event, label=LABELS.get(event.predicate, ""))


@cache
def question_set(kind: str, most: int = 2) -> QuestionSet:
    """A few items of a kind, from the toy corpus."""
    name, view, switches = KINDS[kind]
    exam = make("exam", name, **switches)
    examples = [Example(item.question, item.key) for item in unfold(exam, list(exam.set(toy("train", view))))]
    learned = view if view in ("chains", "pairs") else "stories"
    items = list(itertools.islice(exam.set(toy("dev", view)), most))
    return QuestionSet(tuple(items), tuple(toy("train", learned)), tuple(examples))
