"""Story with segments -> Item: which everyday scenarios does this text tell, and where?

Wanzare et al. (2019), section 3. The question holds the story without its segments; the key holds them, under the canonical
names of the inventory. ``whole`` asks for one scenario a story instead (the key is its name). Stories annotated by several
people are adjudicated as section 3.3 does automatically: segments that overlap and bear the same label are joined;
``least`` keeps only the labels at least so many people gave. Sentences come from the corpus or, where it has none, from
`formats.plain`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from scenarist.corpora.adjudication import annotations_of, as_segments, joined
from scenarist.errors import BadInput
from scenarist.formats.plain import sentences
from scenarist.inventory import NONE, find, known, unknown
from scenarist.question import Item, Segments, Where
from scenarist.story import Label, Segment, Story, replace


class Detection:
    """Where are which scenarios?"""

    name = "detection"
    percent = False
    """Papers on segmentation and detection print fractions."""

    def __init__(self, whole: bool = False, labels: str = "inventory", by: str = "", least: int = 1) -> None:
        if labels not in ("inventory", "any"):
            raise BadInput(f"detection: labels is 'inventory' (only the 200) or 'any', not {labels!r}.")
        if least < 1:
            raise BadInput(f"detection: least must be at least 1, not {least}.")
        self.whole, self.labels, self.by, self.least = whole, labels, by, least
        self.metrics = ("accuracy",) if whole else ("f1", "precision", "recall", "none_f1", "pk", "windowdiff")

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        found: dict[str, object] = {"unit": "story" if self.whole else "sentence", "labels": self.labels}
        if self.by:
            found["by"] = self.by
        if self.least > 1:
            found["least"] = self.least
        return found

    def set(self, stories: Iterable[Story]) -> Iterator[Item]:
        """One item a story."""
        for story in stories:
            bare = replace(story, segments=(), scenario="", title="", notes=(), entities=(), events=())
            if not bare.sentences:
                bare = replace(bare, sentences=sentences(story.text))
            seed = story.note("seed")
            tags = (f"seed:{seed}",) if seed else ()
            if self.whole:
                if story.scenario:
                    name = self.canonical(story.scenario, story)
                    yield Item(story.id, Where(bare, whole=True), name, story.id, tags=(*tags, name))
                continue
            found = tuple(self.checked(story))
            people = {one.by for one in found}
            if self.by:
                if self.by not in people:
                    raise BadInput(
                        f"story {story.id!r}: nobody called {self.by!r} annotated it, only {', '.join(sorted(people)) or 'nobody'}."
                    )
                found = tuple(one for one in found if one.by == self.by)
            elif len(people) > 1:
                found = adjudicate(found, self.least)
            yield Item(story.id, Where(bare), Segments(found), story.id, tags=tags, groups=story.made_of)

    def checked(self, story: Story) -> Iterator[Segment]:
        """The segments with canonical labels, empty ones and *None* dropped."""
        for segment in story.segments:
            labels = tuple(
                Label(self.canonical(label.name, story), label.weight)
                for label in segment.labels
                if label.name and label.name.lower() != NONE.lower()
            )
            if labels and segment.stop > segment.start:
                yield Segment(segment.start, segment.stop, labels, segment.group, segment.by)

    def canonical(self, label: str, story: Story) -> str:
        """The inventory's name of a label; an unknown one is named with suggestions."""
        if known(label):
            return find(label).name
        if self.labels == "any":
            return label
        near = unknown([label])[label]
        hint = f" Did you mean {', '.join(map(repr, near))}?" if near else ""
        raise BadInput(
            f"story {story.id!r}: the label {label!r} is not in the inventory.{hint} "
            "Take labels as they stand with the exam setting labels='any'."
        )


def adjudicate(segments: Sequence[Segment], least: int = 1) -> tuple[Segment, ...]:
    """The longest chains: overlapping or identical segments of one label become one (section 3.3).

    >>> a, b = Segment(0, 9, (Label("x"),), by="1"), Segment(5, 20, (Label("x"),), by="2")
    >>> [(one.start, one.stop) for one in adjudicate((a, b))], adjudicate((a,), least=2)
    ([(0, 20)], ())
    """
    chains = joined(annotations_of(segments))
    return as_segments((chain for chain in chains if len(chain.people) >= least), by="adjudicated")
