"""A story with a gap -> the lines before and after it, and their token ids: what the deep reader of gaps is shown.

The order is scenario, what follows, what precedes: a causal network then stands at the gap with all of the story behind it. No
import but ours without dependencies, so that training needs only torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scenarist.story import Story

BEGIN, FOLLOWS, PRECEDES, GAP = 0, 1, 2, 3
"""Control tokens of SmolLM2 that mark the parts."""
LONGEST_AFTER, LONGEST_BEFORE = 160, 240
"""Tokens of each side, the nearest to the gap."""
UNKNOWN = "a story"

Encode = Callable[[str], list[int]]


class Gap(NamedTuple):
    """Scenario (empty: not known) and lines on both sides."""

    scenario: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def phrase(label: str) -> str:
    """A script event label in words.

    >>> phrase("ScrEv_turn_water_on")
    'turn water on'
    """
    return label.removeprefix("ScrEv_").replace("_", " ").lower()


def line(text: str, labels: Sequence[str] = ()) -> str:
    """A sentence with the labels of its events.

    >>> line("I dried off.", ["ScrEv_dry"])
    'I dried off. (dry)'
    """
    said = "; ".join(phrase(label) for label in labels)
    return " ".join(part for part in (" ".join(text.split()), f"({said})" if said else "") if part)


def ids(gap: Gap, encode: Encode) -> list[int]:
    """Token ids up to the gap, line by line; ``encode`` gives those of a text without marks.

    >>> ids(Gap("taking a bath", ("a",), ("b", "c")), lambda text: [ord(one) for one in text if one.isalpha()][:3])
    [0, 116, 97, 107, 1, 98, 99, 2, 97, 3]
    """
    after, before = ([one for text in side for one in encode(" " + text)] for side in (gap.after, gap.before))
    return [
        BEGIN, *encode(" " + (gap.scenario or UNKNOWN)), FOLLOWS, *after[:LONGEST_AFTER], PRECEDES, *before[-LONGEST_BEFORE:], GAP,
    ]  # fmt: skip


def of_story(story: Story, scenario: str, place: int, event: int | None = None) -> Gap:
    """The lines around a gap before sentence ``place``; with ``event``, the labels of the told script events stand beside them."""
    texts = [story.text[s.start : s.stop] for s in story.sentences]
    if event is None:
        said = [line(text) for text in texts]
        return Gap(scenario, tuple(said[:place]), tuple(said[place:]))
    sides: tuple[list[tuple[float, str]], list[tuple[float, str]]] = ([], [])
    own: list[list[str]] = [[] for _ in texts]
    starts = [s.start for s in story.sentences]
    for number, one in enumerate(story.events):
        if not one.label.startswith("ScrEv_"):
            continue
        at = sum(start <= one.start for start in starts) - 1
        if one.stop > one.start:
            own[max(at, 0)].append(one.label)
        else:  # told in a sentence that was taken out; it stands ahead of sentence `at`, or behind the last one
            ahead = at if at >= 0 and starts[at] == one.start else len(texts)
            sides[number >= event].append((ahead - 0.5, line("", [one.label])))
    for number, text in enumerate(texts):
        sides[number >= place].append((number, line(text, own[number])))
    before, after = (tuple(text for _, text in sorted(side, key=lambda pair: pair[0])) for side in sides)
    return Gap(scenario, before, after)
