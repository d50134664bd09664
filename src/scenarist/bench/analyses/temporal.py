"""A TimeML-like annotation -> how time runs in stories (Mostafazadeh et al. 2016, section 3.3).

The paper's simplified TimeML annotation of 20 stories gave: 62 % of the temporal links *before*, 10 % *simultaneous*,
and text order the same as story order in 55 % of the links. The form read here: ``<stories><story id=""><event id=""
sentence=""/> ... <tlink from="" to="" relation=""/></story></stories>``, events in the order of the text, relations
BEFORE, AFTER, SIMULTANEOUS, INCLUDES, IS_INCLUDED (case does not matter). `resources/temporal.xml` holds stories of
our own, annotated for this project.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

from scenarist import __version__
from scenarist.bench.ratios import Tally, ratio
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.errors import BadInput
from scenarist.noun import Noun
from scenarist.signature import content_hash, sign
from scenarist.store.home import resource

RELATIONS = ("before", "after", "simultaneous", "includes", "is_included")


class Tlink(Noun, frozen=True):
    """A temporal link between two events, given by their places in the text."""

    story: str
    first: int
    second: int
    relation: str

    @property
    def in_order(self) -> bool:
        """Is the event told first also the one that happened first?"""
        return (
            (self.relation == "before") == (self.first < self.second) if self.relation in ("before", "after") else False
        )


def read_links(path: Path) -> list[Tlink]:
    """The links of an annotation file; what is wrong is named with its story."""
    try:
        root = ET.parse(path).getroot()
    except (ET.ParseError, OSError) as error:
        raise BadInput(f"{path}: not a readable annotation file: {error}") from error
    links: list[Tlink] = []
    for story in root.iter("story"):
        name = story.get("id", "?")
        places = {event.get("id"): at for at, event in enumerate(story.iter("event"))}
        for link in story.iter("tlink"):
            relation = (link.get("relation") or "").lower()
            if relation not in RELATIONS:
                raise BadInput(f"{path}, story {name}: relation {relation!r}; known: {', '.join(RELATIONS)}.")
            ends = [places.get(link.get(end)) for end in ("from", "to")]
            if ends[0] is None or ends[1] is None:
                raise BadInput(
                    f"{path}, story {name}: a tlink from {link.get('from')!r} to {link.get('to')!r} names an unknown event."
                )
            links.append(Tlink(name, ends[0], ends[1], relation))
    if not links:
        raise BadInput(f"{path}: no <tlink> in any <story>.")
    return links


def shares(links: list[Tlink]) -> dict[str, float]:
    """Shares of *before* (in either direction of writing), *simultaneous*, and of links told in the order they happened."""
    found = Counter("before" if link.relation == "after" else link.relation for link in links)
    n = len(links)
    return {
        "before": found["before"] / n,
        "simultaneous": found["simultaneous"] / n,
        "text_order": sum(link.in_order for link in links) / n,
    }


def share_figures(links: list[Tlink]) -> dict[str, Figure]:
    """The same with intervals; the links of a story are drawn together."""
    of_story: dict[str, list[Tlink]] = {}
    for link in links:
        of_story.setdefault(link.story, []).append(link)
    by_story = [(story, shares(part), len(part)) for story, part in of_story.items()]
    names = shares(links)
    return {name: ratio(Tally(part[name] * size, size, (story,)) for story, part, size in by_story) for name in names}


def run(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:  # noqa: ARG001
    """The table `temporal`."""
    path = resource("temporal.xml")
    links = read_links(path)[:limit]
    scores = {f"{name}/tlinks": figure for name, figure in share_figures(links).items()}
    data = f"temporal.xml#{content_hash([path.read_bytes()])}"
    return Analysis([FigureRow("toy-annotation", "ours", scores)], sign("temporal", {"data": data, "v": __version__}))
