"""A TimeML-like annotation -> how time runs in stories (Mostafazadeh et al. 2016, section 3.3).

The paper's simplified TimeML annotation of 20 stories gave: 62 % of the temporal links *before*, 10 % *simultaneous*,
and text order the same as story order in 55 % of the links. The form read here: ``<stories><story id=""><event id=""
sentence=""/> ... <tlink from="" to="" relation=""/></story></stories>``, events in the order of the text, relations
BEFORE, AFTER, SIMULTANEOUS, INCLUDES, IS_INCLUDED (case does not matter). `resources/temporal` holds twenty stories of
our own with five events each, every pair of events linked, annotated twice: first by placing each event on a line of time,
then pair by pair. One author made both passes, so their agreement is that of one reader with herself, not of two people.

A folder of files is one annotator a file; each pair of annotators is compared on the links that both gave (share of equal
relations, and Cohen's kappa), stories drawn whole.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist import __version__
from scenarist.bench.bootstrap import interval
from scenarist.bench.marks import total
from scenarist.bench.ratios import Tally, ratio
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.contracts import Totals
from scenarist.errors import BadInput
from scenarist.metrics.base import count, divide
from scenarist.noun import Noun
from scenarist.question import Item, Mark, Prediction
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
    except FileNotFoundError as error:
        raise BadInput(
            f"{path}: no such file or folder. Expected an XML file of links, or a folder with one an annotator."
        ) from error
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


class LinkAgreement(NamedTuple):
    """How far two annotators agree on the links that both gave."""

    same: Figure
    kappa: Figure
    links: int
    lost: int
    """Links that one of the two alone gave."""


class LinkKappa:
    """Cohen's kappa over relations, from counts of (first, second) pairs of relations."""

    name = "kappa"
    higher = True
    proportion = False
    bounds = (-1.0, 1.0)
    averages = False

    def settings(self) -> Mapping[str, object]:
        """Nothing to say."""
        return {}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """It marks nothing: the counts come from an analysis."""
        raise BadInput(f"{item.id}: kappa over links marks no prediction.")

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """Kappa; 1 where both always say the same one relation."""
        n = sum((count(totals, f"{a}/{b}") for a in RELATIONS for b in RELATIONS), start=np.zeros(()))
        observed = divide(sum((count(totals, f"{a}/{a}") for a in RELATIONS), start=np.zeros(())), n)
        expected = np.zeros(())
        for relation in RELATIONS:
            ours = sum((count(totals, f"{relation}/{other}") for other in RELATIONS), start=np.zeros(()))
            theirs = sum((count(totals, f"{other}/{relation}") for other in RELATIONS), start=np.zeros(()))
            expected = expected + divide(ours, n) * divide(theirs, n)
        rest = 1.0 - expected
        return np.where(rest > 1e-12, divide(observed - expected, np.where(rest > 1e-12, rest, 1.0)), 1.0)


def forward(link: Tlink) -> tuple[tuple[str, int, int], str]:
    """A link as written from the event told first to the other."""
    turned = {"before": "after", "after": "before", "includes": "is_included", "is_included": "includes"}
    if link.first < link.second:
        return (link.story, link.first, link.second), link.relation
    return (link.story, link.second, link.first), turned.get(link.relation, link.relation)


def link_agreement(first: Sequence[Tlink], second: Sequence[Tlink], seed: int = 13) -> LinkAgreement:
    """Two annotators of the same stories."""
    ours, theirs = dict(map(forward, first)), dict(map(forward, second))
    shared = [link for link in ours if link in theirs]
    if not shared:
        raise BadInput("temporal: two annotators share no link between the same events of a story.")
    names = [f"{a}/{b}" for a in RELATIONS for b in RELATIONS]
    by_story: dict[str, Counter[str]] = {}
    for link in shared:
        by_story.setdefault(link[0], Counter())[f"{ours[link]}/{theirs[link]}"] += 1
    marks = [
        Mark(story, tuple((name, float(pairs[name])) for name in names), story) for story, pairs in by_story.items()
    ]
    low, high = interval(LinkKappa(), marks, seed=seed) if len(marks) > 1 else (None, None)
    kappa = Figure(total(LinkKappa(), marks), low, high, len(shared), len(marks))
    same = ratio(
        Tally(sum(pairs[f"{name}/{name}"] for name in RELATIONS), pairs.total(), (story,))
        for story, pairs in by_story.items()
    )
    return LinkAgreement(same, kappa, len(shared), len(set(ours) ^ set(theirs)))


def annotators_of(folder: Path) -> dict[str, list[Tlink]]:
    """The links of every file of a folder, by the file's name."""
    paths = sorted(folder.glob("*.xml")) if folder.is_dir() else [folder]
    if not paths:
        raise BadInput(f"{folder}: expected XML files with <tlink> elements, one an annotator.")
    return {path.stem: read_links(path) for path in paths}


def run(split: str = "dev", seed: int = 13, limit: int | None = None, annotations: str = "") -> Analysis:  # noqa: ARG001
    """The table `temporal`; ``annotations``: a file of links, or a folder with a file an annotator; ``limit``: stories of each."""
    folder = Path(annotations) if annotations else resource("temporal")
    people = annotators_of(folder)
    if limit:
        people = {name: first_stories(links, limit) for name, links in people.items()}
    rows = []
    for name, links in people.items():
        scores = {f"{share}/tlinks": figure for share, figure in share_figures(links).items()}
        rows.append(FigureRow(f"toy-{name}" if not annotations else name, "human" if annotations else "ours", scores))
    remarks = []
    for first, second in combinations(people, 2):
        try:
            both = link_agreement(people[first], people[second], seed)
        except BadInput as error:
            remarks.append(f"{first} and {second}: {error}")
            continue
        scores = {"agreement/tlinks": both.same, "kappa/tlinks": both.kappa}
        rows.append(FigureRow(f"{first} and {second}", "human" if annotations else "ours", scores))
        if both.lost:
            remarks.append(
                f"{first} and {second}: {both.lost} links were given by one of the two alone and are left out."
            )
    if len(people) == 1:
        remarks.append("One annotator only: no agreement can be given.")
    data = f"{folder.name}#{content_hash(repr(link).encode() for links in people.values() for link in links)}"
    return Analysis(rows, sign("temporal", {"data": data, "seed": seed, "v": __version__}), {"remarks": remarks})


def first_stories(links: Sequence[Tlink], number: int) -> list[Tlink]:
    """The links of so many stories."""
    stories = list(dict.fromkeys(link.story for link in links))[:number]
    return [link for link in links if link.story in stories]
