"""Story -> Item: what goes without saying at this place? Five forms.

``mcscript``: one sentence is taken out of a story, its place is given, the key is the lemma (with particle) of its main verb;
``accept`` holds the verb's WordNet synonyms. ``inscript``: one script event is taken out, its place is given, the key is its label; the
labels of all other events the story tells are part of the question. ``absent``: one script event is taken out and its place is not given;
the choices are the event and others the story really lacks, which about as many tellers of the scenario mention. ``place``: an event is
taken out and named, its place is asked for among all gaps; stories with labelled events (InScript), or lists of steps (DeScript), where the
step's own words name it. ``told``: a labelled event is named, told in the story or one of its scenario that is not; the key is ``told`` or
``None``. Both are asked about the plain text: the labels stay with the key.

Switches of the labelled forms: ``unit`` is ``event`` (all sentences that mention the event go) or ``sentence`` (one sentence goes, and
its first label is the key, which may be told elsewhere as well: how the form began); ``against`` is ``matched`` or ``other`` (nothing
is taken out, and the choices are rare labels and other scenarios' labels, which frequency alone tells apart).

Stories without a parse are read by ``reader``; that stands in the signature. ``scenario`` is ``gold`` or ``hidden``: then the
solver has to detect it.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.exams.removal import Taken, without, without_event
from scenarist.learning.tellings import is_script, labels, main_verbs
from scenarist.question import AboutEvent, Item, Unsaid
from scenarist.registry import make
from scenarist.story import Story

FORMS = ("mcscript", "inscript", "absent", "place", "told")
TOLD = ("told", "None")
"""The choices of `told`."""
LEAST = 4
"""A story must have so many sentences."""
COMMON = 0.25
"""An event that is asked for in `absent` is told by so many of the other tellers, at least."""
NEAR = 0.2
"""And what stands beside it, by as many, give or take."""


class UntoldExam:
    """What does the story leave unsaid?"""

    name = "untold"

    def __init__(
        self, form: str = "mcscript", per: int = 3, scenario: str = "gold", reader: str = "default", choices: int = 4, seed: int = 13,
        unit: str = "event", against: str = "matched",
    ) -> None:  # fmt: skip
        if form not in FORMS:
            raise BadInput(f"untold: form is one of {', '.join(FORMS)}, not {form!r}.")
        if scenario not in ("gold", "hidden"):
            raise BadInput(f"untold: scenario is gold or hidden, not {scenario!r}.")
        if unit not in ("event", "sentence"):
            raise BadInput(f"untold: unit is event or sentence, not {unit!r}.")
        if against not in ("matched", "other"):
            raise BadInput(f"untold: against is matched or other, not {against!r}.")
        self.form, self.per, self.scenario, self.reader, self.choices, self.seed = (
            form,
            per,
            scenario,
            reader,
            choices,
            seed,
        )
        self.unit, self.against = unit if form == "inscript" else "sentence", against
        asked = {
            "mcscript": ("recall@10", "synonym_recall@10"),
            "place": ("within1", "accuracy", "distance"),
            "told": ("f1", "precision", "recall"),
        }
        self.metrics = asked.get(form, ("recall@1", "mrr"))

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        more: dict[str, Any] = {"per": self.per, "unit": self.unit}
        if self.form == "absent":
            more = {"choices": self.choices, "against": self.against}
        return {"form": self.form, "scenario": self.scenario, "read": self.reader, **more}

    def set(self, stories: Iterable[Story]) -> Iterator[Item]:
        """The items, story by story."""
        if self.form in ("place", "told"):
            yield from self.places(list(stories)) if self.form == "place" else self.mentions(list(stories))
            return
        read = self.read(stories)
        if self.form == "absent":
            yield from self.lacking(list(read)) if self.against == "matched" else self.expected(list(read))
            return
        for story in read:
            if len(story.sentences) >= LEAST and story.scenario:
                yield from self.events(story) if self.unit == "event" else self.sentences(story)

    def read(self, stories: Iterable[Story]) -> Iterator[Story]:
        """Stories with a parse; those that come without are read."""
        whole = list(stories)
        bare = [story for story in whole if not story.tokens or not story.events]
        texts = iter(make("reader", self.reader)([story.text for story in bare])) if bare else iter(())
        for story in whole:
            if story.tokens and story.events:
                yield story
            else:
                parse = next(texts)
                yield msgspec.structs.replace(parse, id=story.id, scenario=story.scenario, source=story.source)

    def ask(
        self, left: Story, story: Story, place: int | None, choices: tuple[str, ...] = (), event: int | None = None
    ) -> Unsaid:
        """A question without anything that names the scenario, unless it is given."""
        bare = msgspec.structs.replace(left, scenario="", notes=(), segments=())
        return Unsaid(bare, story.scenario if self.scenario == "gold" else "", place, choices, event)

    def sentences(self, story: Story) -> Iterator[Item]:
        """Some sentences of a story, each taken out in turn."""
        from scenarist.reading.wordnet import synonyms

        keys = main_verbs(story) if self.form == "mcscript" else labels(story)
        places = [number for number, key in enumerate(keys) if key]
        draw = random.Random(f"{self.seed} {story.id}")
        for number in sorted(draw.sample(places, min(self.per, len(places)))):
            question = self.ask(without(story, number), story, number)
            accept = tuple(sorted(synonyms(keys[number]))) if self.form == "mcscript" else ()
            yield Item(f"{story.id}.{number}", question, keys[number], story.id, accept, (story.scenario,))

    def events(self, story: Story) -> Iterator[Item]:
        """Some script events of a story, each taken out in turn."""
        labels = list(dict.fromkeys(event.label for event in story.events if is_script(event.label)))
        draw = random.Random(f"{self.seed} {story.id}")
        for number in sorted(draw.sample(range(len(labels)), min(self.per, len(labels)))):
            taken = without_event(story, labels[number])
            if len(taken.story.sentences) and len(labels) > 1:
                yield Item(
                    f"{story.id}.{number}", self.at(taken, story), labels[number], story.id, (), (story.scenario,)
                )

    def at(self, taken: Taken, story: Story) -> Unsaid:
        """The question after an event that was taken out."""
        return self.ask(taken.story, story, taken.place, event=taken.event)

    def places(self, stories: list[Story]) -> Iterator[Item]:
        """Some events of each story, taken out and named; the key is the gap they left in the text that is left."""
        left: list[tuple[Story, str, Taken]] = []
        for story in stories:
            draw = random.Random(f"{self.seed} {story.id}")
            named = list(dict.fromkeys(event.label for event in story.events if is_script(event.label)))
            size = len(named) if named else len(story.sentences)
            if len(story.sentences) < LEAST or size < 2:
                continue
            for number in sorted(draw.sample(range(size), min(self.per, size))):
                if named:
                    left.append((story, named[number], without_event(story, named[number])))
                else:
                    sentence = story.sentences[number]
                    words = " ".join(story.text[sentence.start : sentence.stop].split())
                    left.append((story, words, Taken(without(story, number), number, -1)))
        kept = [(story, name, taken) for story, name, taken in left if taken.story.sentences]
        parsed = make("reader", self.reader)([taken.story.text for _, _, taken in kept])
        for number, ((story, name, taken), parse) in enumerate(zip(kept, parsed, strict=True)):
            bare = msgspec.structs.replace(parse, sentences=taken.story.sentences, segments=(), notes=())
            choices = tuple(map(str, range(len(bare.sentences) + 1)))
            question = AboutEvent(bare, story.scenario if self.scenario == "gold" else "", name, choices)
            yield Item(f"{story.id}.{number}", question, str(taken.place), story.id, (), (story.scenario,))

    def mentions(self, stories: list[Story]) -> Iterator[Item]:
        """Some labels that each story tells, and as many of its scenario that it does not tell, if there are so many."""
        label_counts: dict[str, Counter[str]] = defaultdict(Counter)
        own = [list(dict.fromkeys(e.label for e in story.events if is_script(e.label))) for story in stories]
        for story, labels_ in zip(stories, own, strict=True):
            label_counts[story.scenario].update(labels_)
        parsed = make("reader", self.reader)([story.text for story in stories])
        for story, labels_, parse in zip(stories, own, parsed, strict=True):
            draw = random.Random(f"{self.seed} {story.id}")
            others = sorted(label for label in label_counts[story.scenario] if label not in labels_)
            chosen = draw.sample(labels_, min(self.per, len(labels_)))
            wrong = draw.sample(others, min(len(chosen), len(others)))
            bare = msgspec.structs.replace(parse, segments=(), notes=())
            for number, label in enumerate(sorted((*chosen, *wrong))):
                question = AboutEvent(bare, story.scenario if self.scenario == "gold" else "", label, TOLD)
                key = TOLD[label not in labels_]
                yield Item(f"{story.id}.{number}", question, key, story.id, (), (story.scenario,))

    def lacking(self, stories: list[Story]) -> Iterator[Item]:
        """An event the teller told, taken out, against events the teller did not tell, which as many other tellers have."""
        label_lists: dict[str, list[list[str]]] = defaultdict(list)
        for story in stories:
            label_lists[story.scenario].append(list(dict.fromkeys(e.label for e in story.events if is_script(e.label))))
        tellers = {
            scenario: Counter(label for labels in lists for label in labels) for scenario, lists in label_lists.items()
        }
        seen: Counter[str] = Counter()
        for story in stories:
            mine = label_lists[story.scenario][seen[story.scenario]]
            seen[story.scenario] += 1
            others = len(label_lists[story.scenario]) - 1
            if others < 1 or len(story.sentences) < LEAST:
                continue
            share = {label: (n - (label in mine)) / others for label, n in tellers[story.scenario].items()}
            draw = random.Random(f"{self.seed} {story.id}")
            for number, label in enumerate(mine):
                near = [
                    other for other in sorted(share) if other not in mine and abs(share[other] - share[label]) <= NEAR
                ]
                if share[label] < COMMON or len(near) < self.choices - 1:
                    continue
                draw.shuffle(near)
                listed = [label, *sorted(near, key=lambda one: abs(share[one] - share[label]))[: self.choices - 1]]
                draw.shuffle(listed)
                taken = without_event(story, label)
                if taken.story.sentences:
                    question = self.ask(taken.story, story, None, tuple(listed))
                    yield Item(f"{story.id}.{number}", question, label, story.id, (), (story.scenario,))

    def expected(self, stories: list[Story]) -> Iterator[Item]:
        """Labels most stories of the scenario have and this one lacks, against rare ones and those of other scenarios."""
        told: dict[str, list[set[str]]] = defaultdict(list)
        for story in stories:
            told[story.scenario].append({event.label for event in story.events if is_script(event.label)})
        share = {
            scenario: {label: n / len(sets) for label, n in Counter(one for s in sets for one in s).items()}
            for scenario, sets in told.items()
        }
        seen: Counter[str] = Counter()
        for story in stories:
            mine = told[story.scenario][seen[story.scenario]]
            seen[story.scenario] += 1
            expected = sorted(
                label for label, part in share[story.scenario].items() if part > 0.5 and label not in mine
            )
            others = sorted(
                label for scenario, parts in share.items() if scenario != story.scenario
                for label, part in parts.items() if part > 0.5 and label not in share[story.scenario]
            )  # fmt: skip
            rare = sorted(label for label, part in share[story.scenario].items() if part < 0.15 and label not in mine)
            draw = random.Random(f"{self.seed} {story.id}")
            for number, label in enumerate(expected):
                half = (self.choices - 1) // 2
                wrong = draw.sample(rare, min(half, len(rare)))
                wrong += draw.sample(others, min(self.choices - 1 - len(wrong), len(others)))
                if not wrong:
                    continue
                listed = [label, *wrong]
                draw.shuffle(listed)
                yield Item(
                    f"{story.id}.{number}",
                    self.ask(story, story, None, tuple(listed)),
                    label,
                    story.id,
                    (),
                    (story.scenario,),
                )
