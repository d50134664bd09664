"""Story with several people's segments -> gold segments and the decisions that are left (Wanzare et al. 2019, section 3.3).

Identical and overlapping segments of one label by different people are merged into the longest one (Example 3.3); a segment in parts
(one ``group``) counts as one, and what it leaves out is kept out where nobody else fills it in. ``adjacent`` also joins segments of one
label with nothing but white space between them (guideline 4), which the paper's rule does not. What is left is decided by a person: a
segment that one person alone marked is accepted or discarded; where two people put different labels on overlapping text, one label is
taken, the other, or both. Spans cannot be changed, and only the annotators' labels are offered. A segment labelled *None* says that
nothing is told, as no segment does: it is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scenarist.errors import BadInput
from scenarist.inventory import NONE
from scenarist.noun import Noun
from scenarist.story import Label, Segment, Story, replace

Spans = tuple[tuple[int, int], ...]
ALONE, DIFFERENT = "alone", "different"


class Annotation(NamedTuple):
    """One label on a stretch of text (several stretches where it is in parts), and who put it there."""

    label: str
    spans: Spans
    people: tuple[str, ...]
    single: int = 1
    """How many single annotations it was merged from."""


class Offer(Noun, frozen=True):
    """A label that an adjudicator may take, where it stands, and who said it."""

    label: str
    spans: Spans
    people: tuple[str, ...]


class OpenDecision(Noun, frozen=True):
    """What people must decide: any of the offers, or none where one person alone marked something."""

    id: str
    kind: str
    """``alone``: accept or discard; ``different``: one label, the other, or both."""
    offers: tuple[Offer, ...]


class MergedStory(Noun, frozen=True):
    """A story with the segments that were merged automatically, and what is left to decide."""

    story: Story
    decisions: tuple[OpenDecision, ...]
    annotations: int
    """Single annotations: one label of one segment of one person."""
    merged: int
    """How many of them were merged automatically."""

    @property
    def id(self) -> str:
        """The story's."""
        return self.story.id


def annotations_of(segments: Iterable[Segment]) -> list[Annotation]:
    """The single annotations: a label a segment, the parts of one segment together.

    >>> annotations_of([Segment(0, 4, (Label("x"),), "g", "ann"), Segment(9, 12, (Label("x"),), "g", "ann")])
    [Annotation(label='x', spans=((0, 4), (9, 12)), people=('ann',), single=1)]
    """
    spans: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for number, segment in enumerate(segments):
        for name in segment.names:
            if name and name.lower() != NONE.lower() and segment.stop > segment.start:
                key = (name, segment.by, segment.group or number)
                spans.setdefault(key, []).append((segment.start, segment.stop))
    return [
        Annotation(str(name), united(pieces), (str(person),) if person else ("",))
        for (name, person, _), pieces in spans.items()
    ]


def united(spans: Iterable[tuple[int, int]], text: str | None = None) -> Spans:
    """Overlapping spans put together, and with a ``text`` also those with only white space between them.

    >>> united([(5, 9), (0, 6), (10, 12)]), united([(0, 2), (3, 5)], "ab cd")
    (((0, 9), (10, 12)), ((0, 5),))
    """
    whole: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if whole and (start < whole[-1][1] or (text is not None and not text[whole[-1][1] : start].strip())):
            whole[-1] = (whole[-1][0], max(whole[-1][1], stop))
        else:
            whole.append((start, stop))
    return tuple(whole)


def meet(left: Spans, right: Spans, text: str | None = None) -> bool:
    """Do two annotations share a character (or, with a ``text``, stand side by side)?"""
    return any(
        (a < d and c < b) or (text is not None and not text[min(b, d) : max(a, c)].strip())
        for a, b in left
        for c, d in right
    )


def joined(annotations: Sequence[Annotation], text: str | None = None) -> list[Annotation]:
    """The longest chains: annotations of one label that meet become one (Example 3.3).

    >>> whole, part = Annotation("x", ((0, 90),), ("ann",)), Annotation("x", ((20, 30),), ("bob",))
    >>> joined([part, whole])
    [Annotation(label='x', spans=((0, 90),), people=('ann', 'bob'), single=2)]
    """
    chains: list[Annotation] = []
    for annotation in sorted(annotations, key=lambda annotation: (annotation.label, annotation.spans)):
        touching = [
            chain for chain in chains if chain.label == annotation.label and meet(chain.spans, annotation.spans, text)
        ]
        parts = [*touching, annotation]
        spans = united((span for part in parts for span in part.spans), text)
        people = tuple(sorted({person for part in parts for person in part.people}))
        chains = [chain for chain in chains if chain not in touching]
        chains.append(Annotation(annotation.label, spans, people, sum(part.single for part in parts)))
    return sorted(chains, key=lambda chain: (chain.spans, chain.label))


def merge(story: Story, adjacent: bool = False, people: Collection[str] | None = None) -> MergedStory:
    """The automatic part, and what is left. ``people`` keeps only some annotators."""
    segments = [segment for segment in story.segments if people is None or segment.by in people]
    annotations = annotations_of(segments)
    chains = joined(annotations, story.text if adjacent else None)
    agreed = [chain for chain in chains if len(chain.people) > 1]
    left = [chain for chain in chains if len(chain.people) == 1]
    decisions = []
    for number, group in enumerate(clusters(left)):
        kind = DIFFERENT if len({chain.people for chain in group}) > 1 else ALONE
        offers = tuple(Offer(chain.label, chain.spans, chain.people) for chain in group)
        decisions.append(OpenDecision(f"{story.id}/{number}", kind, offers))
    gold = replace(story, segments=as_segments(agreed), notes=(*others(story), ("annotator", "gold")))
    return MergedStory(gold, tuple(decisions), len(annotations), sum(chain.single for chain in agreed))


def others(story: Story) -> tuple[tuple[str, str], ...]:
    """The notes of a story that do not name annotators."""
    return tuple(note for note in story.notes if note[0] != "annotator")


def clusters(chains: Sequence[Annotation]) -> list[list[Annotation]]:
    """What must be decided together: labels of different people that overlap; all else stands alone."""
    groups: list[list[Annotation]] = []
    for chain in chains:
        touching = [
            group
            for group in groups
            if any(other.people != chain.people and meet(other.spans, chain.spans) for other in group)
        ]
        groups = [group for group in groups if group not in touching]
        groups.append([*(other for group in touching for other in group), chain])
    return sorted((sorted(group, key=lambda chain: (chain.spans, chain.label)) for group in groups), key=lambda g: g[0])


def as_segments(annotations: Iterable[Annotation], by: str = "gold") -> tuple[Segment, ...]:
    """Annotations as segments; labels on the same stretches stand together, parts of one share a group."""
    stacks: dict[Spans, list[str]] = {}
    for annotation in annotations:
        names = stacks.setdefault(annotation.spans, [])
        if annotation.label not in names:
            names.append(annotation.label)
    segments: list[Segment] = []
    for number, (spans, names) in enumerate(sorted(stacks.items()), start=1):
        group = f"g{number}" if len(spans) > 1 else ""
        labels = tuple(Label(name) for name in names)
        segments += [Segment(start, stop, labels, group, by) for start, stop in spans]
    return tuple(sorted(segments, key=lambda segment: (segment.start, -segment.stop, segment.names)))


def decide(merged: MergedStory, taken: Mapping[str, Collection[int]]) -> Story:
    """The gold story: what was merged, and of each decision the offers that were taken, by their index.

    Every decision must be there; where two people differ, at least one label is taken.
    """
    chosen: list[Annotation] = []
    for decision in merged.decisions:
        if decision.id not in taken:
            raise BadInput(
                f"{merged.id}: {decision.id} is not decided yet; {len(merged.decisions)} decisions are asked."
            )
        chosen += [
            Annotation(decision.offers[place].label, decision.offers[place].spans, decision.offers[place].people)
            for place in checked(decision, taken[decision.id])
        ]
    agreed = annotations_of(merged.story.segments)
    return replace(merged.story, segments=as_segments([*agreed, *chosen]))


def checked(decision: OpenDecision, taken: Collection[int]) -> list[int]:
    """The offers that were taken, or what is wrong with them."""
    outside = [place for place in taken if not 0 <= place < len(decision.offers)]
    if outside:
        raise BadInput(f"{decision.id}: there is no offer {outside[0]}; expected 0 to {len(decision.offers) - 1}.")
    if decision.kind == DIFFERENT and not taken:
        raise BadInput(f"{decision.id}: two people gave different labels; take one of them, the other, or both.")
    return sorted(set(taken))


class Outcome(NamedTuple):
    """What became of one annotation of a person."""

    label: str
    spans: Spans
    became: str
    """``merged``, ``accepted`` or ``discarded``."""


def outcomes(story: Story, merged: MergedStory, taken: Mapping[str, Collection[int]], person: str) -> list[Outcome]:
    """What an annotator sees afterwards: each of her annotations, and what was decided."""
    asked = {
        (offer.label, offer.spans): place in taken.get(decision.id, ())
        for decision in merged.decisions
        for place, offer in enumerate(decision.offers)
        if person in offer.people
    }
    result = []
    for annotation in annotations_of(segment for segment in story.segments if segment.by == person):
        verdict = next(
            (accepted for (label, spans), accepted in asked.items() if label == annotation.label and meet(spans, annotation.spans)),
            None,
        )  # fmt: skip
        became = "merged" if verdict is None else "accepted" if verdict else "discarded"
        result.append(Outcome(annotation.label, annotation.spans, became))
    return result


class MergedFolder(Noun, frozen=True):
    """What a folder of annotated documents merges to."""

    documents: int
    alone: int
    """Documents that one person alone annotated: nothing to merge, left out of the share."""
    annotations: int
    merged: int
    decisions: int
    segments: int
    """Gold segments that need no decision."""
    files: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of single annotations that were merged automatically (the paper: 69 %)."""
        return self.merged / self.annotations if self.annotations else 0.0


def write_gold(folder: Path, stories: Iterable[Story], formats: Sequence[str]) -> tuple[str, ...]:
    """Gold documents as WebAnno files, as brat files (parts kept), or as JSON lines."""
    from scenarist.formats import brat, jsonl, webanno
    from scenarist.formats.plain import with_tokens

    def as_jsonl(path: Path, stories: Iterable[Story]) -> None:
        jsonl.write(path, stories)

    writers: dict[str, Any] = {"webanno": webanno.write, "brat": brat.write}
    whole = list(stories)
    for kind in formats:
        if kind == "jsonl":
            as_jsonl(folder / "gold.jsonl", whole)
            continue
        if kind not in writers:
            raise BadInput(f"gold is written as webanno, brat or jsonl, not as {kind!r}.")
        for story in whole:
            name = story.id + (".tsv" if kind == "webanno" else ".txt")
            writers[kind](folder / kind / "gold" / name, with_tokens(story) if kind == "webanno" else story)
    return tuple(str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.is_file())
