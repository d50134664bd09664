"""How good is what `read` calls unsaid? InScript's dev stories with their gold scenario -> two figures: `python -m training.knowledge.claims`.

*Told anyway*: the share of unsaid events whose label the annotators found told in the story (what an event type means is known from the train
part). *Right side*: a told event is taken for untold; the share of the other recognised events that stand on the right side of the place it is given.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from scenarist.learning.scripts import carried, meanings
from scenarist.learning.tellings import is_script
from scenarist.models.untold.scripts import Known, Teller, passages, told_of
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
    events = tuple(msgspec.structs.replace(one, label="") for one in story.events)
    return msgspec.structs.replace(
        story, events=events, segments=(Segment(0, len(story.text), (Label(story.scenario, 1.0),)),)
    )


def labels_of(known: Known, meant: Mapping[str, str]) -> list[str]:
    """The label of each event type: that of its commonest phrase that has one, or none."""
    return [next((meant[one] for one in (kind.id, *kind.phrases) if one in meant), "") for kind in known.types]


def told_anyway(teller: Teller, story: Story, label: Mapping[str, str]) -> Counted:
    """Unsaid events that the annotators found told, of those whose label is known."""
    told = {one.label for one in story.events if is_script(one.label)}
    claims, _ = teller.unsaid(bare(story))
    said = [label[one.event] for one in claims if label.get(one.event)]
    return Counted(sum(one in told for one in said), len(said))


def right_side(teller: Teller, known: Known, story: Story, labels: list[str]) -> Counted:
    """Each event told once is taken out: how many of the others does its place have on the right side?"""
    seen = bare(story)
    (passage,) = passages(seen)
    matched = teller.matches(
        seen, passage, known, {number: told_of(seen.events[number], {}) for number in passage.events}
    )
    found = Counted()
    for label in sorted({one.label for one in story.events if one.label in labels}):
        mine = [number for number, one in enumerate(story.events) if one.label == label]
        kind = labels.index(label)
        rest = [one for one in matched if one.event not in mine and one.type != kind]
        others = {one.event for one in rest}
        if len(mine) == 1 and others:
            behind, _ = teller.place(known, kind, rest)
            found = found.plus(sum((one <= behind) == (one < mine[0]) for one in others), len(others))
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--jobs", type=int, default=1)
    args = options.parse_args()
    by_scenario: dict[str, list[Story]] = defaultdict(list)
    for corpus in ("inscript", "descript"):
        for story in read(corpus, "train", args.jobs):
            by_scenario[story.scenario].append(labelled(story, corpus, "train"))
    teller = Teller(carried())
    anyway, side = Counted(), Counted()
    for story in (labelled(one, "inscript", "dev") for one in read("inscript", "dev", args.jobs)):
        known = teller.known(story.scenario)
        if known is None:
            continue
        labels = labels_of(known, {str(one): label for one, label in meanings(by_scenario[story.scenario]).items()})
        anyway = anyway.plus(
            *told_anyway(teller, story, {kind.id: label for kind, label in zip(known.types, labels, strict=True)})
        )
        side = side.plus(*right_side(teller, known, story, labels))
    print(f"told anyway {anyway} unsaid events; on the right side {side} pairs")


if __name__ == "__main__":
    main()
