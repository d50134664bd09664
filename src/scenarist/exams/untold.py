"""Story -> Item: what goes without saying at this place? Three forms.

``mcscript``: one sentence is taken out of a story, its place is given, the key is the lemma (with particle) of its main verb;
``accept`` holds the verb's WordNet synonyms. ``inscript``: the key is the script event label of the sentence taken out;
labels of the told events are part of the question. ``absent``: nothing is taken out; one candidate is an event label that
most stories of the scenario have and this one lacks, the others are labels it rightly lacks (of other scenarios, as
frequent there).

Stories without a parse are read by ``reader``; that stands in the signature. ``scenario`` is ``gold`` or ``hidden``: then the
solver has to detect it.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from scenarist.errors import BadInput
from scenarist.learning.tellings import is_script, labels, main_verbs, without
from scenarist.question import Item, Untold
from scenarist.registry import make
from scenarist.story import Story

FORMS = ("mcscript", "inscript", "absent")
LEAST = 4
"""A story must have so many sentences."""


class UntoldExam:
    """What does the story leave unsaid?"""

    name = "untold"

    def __init__(
        self, form: str = "mcscript", per: int = 3, scenario: str = "gold", reader: str = "default", choices: int = 6, seed: int = 13
    ) -> None:
        if form not in FORMS:
            raise BadInput(f"untold: form is one of {', '.join(FORMS)}, not {form!r}.")
        if scenario not in ("gold", "hidden"):
            raise BadInput(f"untold: scenario is gold or hidden, not {scenario!r}.")
        self.form, self.per, self.scenario, self.reader, self.choices, self.seed = form, per, scenario, reader, choices, seed
        self.metrics = ("recall@10", "synonym_recall@10") if form == "mcscript" else ("recall@1", "mrr")

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        more = {"choices": self.choices} if self.form == "absent" else {"per": self.per}
        return {"form": self.form, "scenario": self.scenario, "read": self.reader, **more}

    def set(self, stories: Iterable[Story]) -> Iterator[Item]:
        """The items, story by story."""
        read = self.read(stories)
        if self.form == "absent":
            yield from self.absent(list(read))
            return
        for story in read:
            yield from self.taken_out(story)

    def read(self, stories: Iterable[Story]) -> Iterator[Story]:
        """Stories with a parse; those that come without are read."""
        whole = list(stories)
        bare = [story for story in whole if not story.tokens or not story.events]
        texts = iter(make("reader", self.reader)([story.text for story in bare])) if bare else iter(())
        for story in whole:
            if story.tokens and story.events:
                yield story
            else:
                found = next(texts)
                yield msgspec.structs.replace(found, id=story.id, scenario=story.scenario, source=story.source)

    def taken_out(self, story: Story) -> Iterator[Item]:
        """Some sentences of a story, each taken out in turn."""
        from scenarist.reading.synonyms import synonyms

        if len(story.sentences) < LEAST or not story.scenario:
            return
        keys = main_verbs(story) if self.form == "mcscript" else labels(story)
        places = [number for number, key in enumerate(keys) if key]
        draw = random.Random(f"{self.seed} {story.id}")
        for number in sorted(draw.sample(places, min(self.per, len(places)))):
            left = msgspec.structs.replace(without(story, number), scenario="", notes=())
            question = Untold(left, story.scenario if self.scenario == "gold" else "", number)
            accept = tuple(sorted(synonyms(keys[number]))) if self.form == "mcscript" else ()
            yield Item(f"{story.id}.{number}", question, keys[number], story.id, accept, (story.scenario,))

    def absent(self, stories: list[Story]) -> Iterator[Item]:
        """Labels most stories of the scenario have and this one lacks, against labels of other scenarios."""
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
            expected = sorted(label for label, part in share[story.scenario].items() if part > 0.5 and label not in mine)
            others = sorted(
                label for scenario, parts in share.items() if scenario != story.scenario
                for label, part in parts.items() if part > 0.5 and label not in share[story.scenario]
            )  # fmt: skip
            rare = sorted(label for label, part in share[story.scenario].items() if part < 0.15 and label not in mine)
            draw = random.Random(f"{self.seed} {story.id}")
            bare = msgspec.structs.replace(story, scenario="", notes=(), segments=())
            for label in expected:
                half = (self.choices - 1) // 2
                wrong = draw.sample(rare, min(half, len(rare)))
                wrong += draw.sample(others, min(self.choices - 1 - len(wrong), len(others)))
                if not wrong:
                    continue
                listed = [label, *wrong]
                draw.shuffle(listed)
                question = Untold(bare, story.scenario if self.scenario == "gold" else "", None, tuple(listed))
                yield Item(f"{story.id}.{label}", question, label, story.id, (), (story.scenario,))
