"""How good is what `read` calls unsaid? InScript's dev stories with their gold scenario -> three figures: `python -m training.knowledge.claims`.

*Told anyway*: the share of unsaid events whose label the annotators found told in the story (what an event type means is known from the train
part: resources/knowledge/meanings.json). *Exact place*, *within one*: an event told in one sentence is taken out with that sentence; is it put back
into the same gap between sentences, or at most one gap away?
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from scenarist.exams.removal import home, without_event
from scenarist.learning.script_matches import scenario_passages, told_events
from scenarist.learning.tellings import is_script
from scenarist.models.untold.labels import event_labels
from scenarist.models.untold.scripts import MatchedPassage, ScriptModel
from scenarist.story import Label, Segment, Story
from training.knowledge.meaning import labelled
from training.knowledge.reading import read


class Counted(NamedTuple):
    """Good ones of all."""

    good: int = 0
    all: int = 0

    def plus(self, good: int, all_: int) -> Counted:
        """With some more."""
        return Counted(self.good + good, self.all + all_)

    def __str__(self) -> str:
        return f"{self.good / max(1, self.all):.3f} of {self.all}"


def bare(story: Story) -> Story:
    """The story as `read` sees it, all of it a segment of its scenario."""
    words = (event for event in story.events if event.stop > event.start)
    events = tuple(msgspec.structs.replace(event, label="") for event in words)
    return msgspec.structs.replace(
        story, events=events, segments=(Segment(0, len(story.text), (Label(story.scenario, 1.0),)),)
    )


def told_anyway(model: ScriptModel, story: Story, labels: Mapping[str, str]) -> Counted:
    """Unsaid events that the annotators found told, of those whose label is known."""
    told = {event.label for event in story.events if is_script(event.label)}
    unsaid, _ = model.unsaid(bare(story))
    claimed = [labels[event.event] for event in unsaid if event.event in labels]
    return Counted(sum(label in told for label in claimed), len(claimed))


def place_errors(model: ScriptModel, story: Story, labels: Mapping[str, str]) -> Iterator[float]:
    """Each event told in one sentence is taken out: how many gaps away from there is it placed?"""
    script = model.indexed(story.scenario)
    if script is None:
        return
    types = {labels[kind.id]: number for number, kind in reversed(list(enumerate(script.types))) if kind.id in labels}
    for label in sorted({event.label for event in story.events if event.label in types}):
        homes = {home(story, event) for event in story.events if event.label == label}
        if len(homes) > 1 or min(homes) < 0:
            continue
        taken = without_event(story, label)
        left = bare(taken.story)
        passages = scenario_passages(left)
        if not passages or not left.sentences:
            continue
        matches = script.matches(left, passages[0], told_events(left, passages))
        others = [match for match in matches if match.type != types[label]]
        if others:
            position = MatchedPassage(left, passages[0], script, others).place(types[label])
            yield abs(position.gap - taken.place)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--jobs", type=int, default=1)
    args = options.parse_args()
    model = ScriptModel()
    anyway, exact, near, claims, stories = Counted(), Counted(), Counted(), 0, 0
    for story in (labelled(one, "inscript", "dev") for one in read("inscript", "dev", args.jobs)):
        labels = event_labels(story.scenario)
        anyway = anyway.plus(*told_anyway(model, story, labels))
        errors = list(place_errors(model, story, labels))
        exact = exact.plus(sum(error == 0 for error in errors), len(errors))
        near = near.plus(sum(error <= 1 for error in errors), len(errors))
        claims, stories = claims + len(model.unsaid(bare(story))[0]), stories + 1
    print(f"{claims / stories:.1f} unsaid events a story; told anyway {anyway}; exact place {exact}, within one {near}")


if __name__ == "__main__":
    main()
