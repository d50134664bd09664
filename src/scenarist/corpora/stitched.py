"""Stories of single scenarios -> documents that tell several (corpus `stitched`), a stand-in for annotated Spinn3r text.

Wanzare et al. (2019), section 5.1, tune on made documents that join pieces of several MCScript stories. Their annotated blog
corpus is not to be had, so such documents stand in for it, always under their own name.
A document is a row of segments from different scenarios, each some neighbouring sentences of one story. ``other`` adds
*None* text from other corpora; ``nested`` puts a related scenario inside a segment (Appendix A.12: the inner passage bears
both labels); ``separators`` parts a segment by foreign sentences and ``lead_ins`` puts some before it (A.6 to A.10: short ones
belong to the segment, long ones do not); ``related`` draws neighbours from related scenarios, ``together`` as often as real
stories tell both (`resources/together`); ``blog`` takes away capitals, apostrophes and some full stops. Stories of one split
never meet those of another; on test, foreign text of a corpus that has no test part is a stretch of its train part that
nothing else draws from.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from scenarist.corpora import splits
from scenarist.errors import BadInput, Missing
from scenarist.formats.plain import sentences as cut
from scenarist.inventory import find, inventory, known
from scenarist.noun import Noun
from scenarist.registry import find as find_name
from scenarist.registry import make, suggest
from scenarist.store.home import resource
from scenarist.story import Label, Segment, Story, replace

OTHERS = ("short-fiction", "gum", "ewt")
EXCERPT = 12_000
"""Characters taken from the middle of a long work."""


class Part(NamedTuple):
    """Sentences of a document in a row: of a story (with its scenario) or of other text."""

    sentences: tuple[str, ...]
    label: str = ""
    source: str = ""
    """The story or other text they are from, as ``corpus:id``."""


class StitchedText(NamedTuple):
    """A document's sentences, its segments as (first, last, labels, group), and the texts it was made of."""

    sentences: list[str]
    segments: list[tuple[int, int, str, str]]
    sources: list[str]


@cache
def told_texts(corpus: str, split: str) -> tuple[Part, ...]:
    """The stories of a corpus as sentences with their canonical scenario."""
    found = []
    for story in make("corpus", corpus, split=split):
        if story.scenario:
            spans = story.sentences or cut(story.text)
            name = find(story.scenario).name if known(story.scenario) else story.scenario
            found.append(Part(tuple(" ".join(story.of(one).split()) for one in spans), name, f"{corpus}:{story.id}"))
    if not found:
        raise BadInput(
            f"stitched: no story of {corpus!r} ({split}) names its scenario, so nothing can be stitched from it."
        )
    return tuple(found)


def noise_split(corpus: str, split: str) -> str:
    """Where text without a scenario comes from: a corpus that has no test part gives of its train part what nobody else draws."""
    parts = getattr(find_name("corpus", corpus), "files", {})
    return "train" if split == "test" and parts and "test" not in parts else split


@cache
def noise_sources(others: tuple[str, ...], split: str) -> tuple[str, ...]:
    """The corpora that text without a scenario comes from; on test those whose test file is not at hand are left out."""
    if split != "test":
        return others
    there = []
    for corpus in others:
        with suppress(Missing):
            there += [corpus] if noise_texts(corpus, split) else []
    if others and not there:
        raise Missing(
            f"stitched: text without a scenario is asked for, but neither a test part of {', '.join(others)} nor another "
            "text of theirs that was not used before is on SCENARIST_DATA. See: scenarist corpus info short-fiction"
        )
    return tuple(there)


@cache
def noise_texts(corpus: str, split: str) -> tuple[Part, ...]:
    """Texts of a corpus that tell no scenario, as sentences; of a long work, a stretch from its middle.

    Where test texts come from the train part (`noise_split`), the stretch before that one: no training has drawn from it.
    """
    part = noise_split(corpus, split)
    found = []
    for story in make("corpus", corpus, split=part):
        if part == split and story.sentences:
            lines = tuple(" ".join(story.of(one).split()) for one in story.sentences)
        else:
            start = len(story.text) // 2 - EXCERPT // 2
            if part != split:
                if start < EXCERPT:
                    continue
                start -= EXCERPT
            start = max(0, start)
            text = " ".join(story.text[start : start + EXCERPT].split())
            lines = tuple(text[one.start : one.stop] for one in cut(text))
            lines = lines[1:-1] if start else lines
        if len(lines) > 2:
            found.append(Part(lines, source=f"{corpus}:{story.id}"))
    return tuple(found)


def stretch(lines: Sequence[str], draw: random.Random, low: int, high: int) -> tuple[str, ...]:
    """Some neighbouring sentences, or all where there are fewer."""
    size = min(draw.randint(low, high), len(lines))
    start = draw.randint(0, len(lines) - size)
    return tuple(lines[start : start + size])


def blogged(sentence: str, draw: random.Random) -> str:
    """A sentence as it may stand in a blog: no capitals, no apostrophes, the full stop set apart, doubled or gone."""
    sentence = re.sub(r"[’']", "", sentence.lower())
    return re.sub(r"\.$", draw.choice((" .", "...", ".", "!", " .")), sentence)


class StitchRecipe(Noun, frozen=True):
    """What a stitched document is made of; all of it may be set on ``Stitched`` by these names."""

    segments: tuple[int, int] = (2, 4)
    """Fewest and most segments of a document."""
    sentences: tuple[int, int] = (3, 8)
    """Fewest and most sentences of a segment."""
    other: float = 0.0
    """Share of text without a scenario."""
    runs: tuple[int, int] = (2, 6)
    """Fewest and most sentences of such text in a row."""
    others: tuple[str, ...] = OTHERS
    """The corpora it comes from."""
    nested: float = 0.0
    """Chance that a segment holds a related scenario."""
    inner: tuple[int, int] = (2, 4)
    """Fewest and most sentences of that."""
    related: float = 0.0
    """Chance that a segment's scenario is related to the one before."""
    together: float = 0.0
    """Chance that a segment's scenario is drawn by how often real texts tell it beside those before."""
    separators: float = 0.0
    """Chance that foreign sentences part a segment."""
    lead_ins: float = 0.0
    """Chance that foreign sentences lead in to a segment."""
    short: int = 2
    """Most foreign sentences that still belong to the segment."""
    blog: bool = False
    """Without capitals, apostrophes and some full stops."""

    def __post_init__(self) -> None:
        for what in ("segments", "sentences", "runs", "inner"):
            pair = getattr(self, what)
            if len(pair) != 2 or not 1 <= pair[0] <= pair[1]:
                raise BadInput(f"stitched: {what} is a pair (fewest, most) of numbers from 1 on, not {tuple(pair)}.")
        for what in ("nested", "related", "together", "separators", "lead_ins"):
            if not 0 <= getattr(self, what) <= 1:
                raise BadInput(f"stitched: {what} is a chance from 0 to 1, not {getattr(self, what)}.")
        if not 0 <= self.other < 1:
            raise BadInput(
                f"stitched: other is the share of text without scenario, from 0 to below 1, not {self.other}."
            )


class Stitched:
    """Documents made of several stories; the same settings give the same documents everywhere."""

    name = "stitched"

    def __init__(
        self,
        split: str = "train",
        documents: int = 400,
        source: str = "mcscript",
        seeds: Sequence[int] = (13,),
        **recipe: Any,
    ) -> None:
        if documents < 1:
            raise BadInput(f"stitched: documents must be at least 1, not {documents}.")
        if strange := [name for name in recipe if name not in StitchRecipe.__struct_fields__]:
            raise suggest(strange[0], list(StitchRecipe.__struct_fields__), "setting of stitched")
        self.split, self.documents, self.source, self.seeds = splits.named(split), documents, source, tuple(seeds)
        chosen: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in recipe.items()
        }
        self.recipe = StitchRecipe(**chosen)

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature: the usual parameters always, the others where they are used."""
        dash = "-".join
        found: dict[str, object] = {
            "of": self.source,
            "documents": self.documents,
            "segments": dash(map(str, self.recipe.segments)),
            "sentences": dash(map(str, self.recipe.sentences)),
            "stitch": list(self.seeds),
        }
        if self.recipe.other or self.recipe.separators or self.recipe.lead_ins:
            found |= {
                "other": round(self.recipe.other, 3),
                "runs": dash(map(str, self.recipe.runs)),
                "others": self.others(),
            }
        if self.recipe.nested:
            found |= {"nested": self.recipe.nested, "inner": dash(map(str, self.recipe.inner))}
        for what in ("related", "together", "separators", "lead_ins", "blog"):
            if getattr(self.recipe, what):
                found[what] = getattr(self.recipe, what)
        return found

    def others(self) -> list[str]:
        """The corpora that text without a scenario comes from, on test with the part that is taken."""
        if self.split != "test":
            return list(self.recipe.others)
        return [f"{name}:{noise_split(name, self.split)}" for name in noise_sources(self.recipe.others, self.split)]

    def __iter__(self) -> Iterator[Story]:
        for seed in self.seeds:
            for number in range(self.documents):
                draw = random.Random(f"{seed} {number}")
                yield self.story(f"stitched-{self.split}-{seed}-{number:04d}", draw, seed)

    def story(self, id: str, draw: random.Random, seed: int) -> Story:
        """One document as a story with its segments."""
        made = self.document(draw)
        lines = [blogged(one, draw) for one in made.sentences] if self.recipe.blog else made.sentences
        notes = (("seed", str(seed)), *(("source", name) for name in dict.fromkeys(made.sources)))
        story = Story.from_sentences(id, lines, source=f"{self.name}:{self.split}", notes=notes)
        spans = story.sentences
        found = tuple(
            Segment(spans[first].start, spans[last - 1].stop, (Label(label),), group, by="stitched")
            for first, last, label, group in made.segments
        )
        return replace(story, segments=found)

    def document(self, draw: random.Random) -> StitchedText:
        """Draw the parts and lay them in a row."""
        parts = self.told(draw)
        want = sum(len(part.sentences) for part in parts) * self.recipe.other / (1 - self.recipe.other)
        while want > 0.5:
            run = self.foreign(draw, *self.recipe.runs)
            parts.insert(draw.randint(0, len(parts)), run)
            want -= len(run.sentences)
        made = StitchedText([], [], [])
        for number, part in enumerate(parts):
            if part.label:
                self.lay(made, part, f"g{number}", draw)
            else:
                made.sentences.extend(part.sentences)
                made.sources.append(part.source)
        return made

    def told(self, draw: random.Random) -> list[Part]:
        """The segments of a document, all of different scenarios."""
        stories = told_texts(self.source, self.split)
        parts: list[Part] = []
        count = min(draw.randint(*self.recipe.segments), len({one.label for one in stories}))
        while len(parts) < count:
            pool: Sequence[Part] = stories
            if parts and self.recipe.related and draw.random() < self.recipe.related:
                near = kin(parts[-1].label)
                pool = [one for one in stories if one.label in near] or stories
            if parts and self.recipe.together and draw.random() < self.recipe.together:
                label = beside([part.label for part in parts], draw)
                pool = [one for one in stories if one.label == label] or stories
            used = {part.label for part in parts}
            pool = [one for one in pool if one.label not in used] or [one for one in stories if one.label not in used]
            story = draw.choice(pool)
            parts.append(story._replace(sentences=stretch(story.sentences, draw, *self.recipe.sentences)))
        return parts

    def foreign(self, draw: random.Random, low: int, high: int) -> Part:
        """Some sentences without a scenario, from one of the other corpora (each as likely)."""
        if not self.recipe.others:
            raise BadInput("stitched: text without a scenario is asked for, but `others` names no corpus.")
        texts = noise_texts(draw.choice(noise_sources(self.recipe.others, self.split)), self.split)
        text = draw.choice(texts)
        return text._replace(sentences=stretch(text.sentences, draw, low, high))

    def lay(self, made: StitchedText, part: Part, group: str, draw: random.Random) -> None:
        """Append a segment, with what may lead in to it, part it or nest in it."""
        lines = list(part.sentences)
        made.sources.append(part.source)
        if self.recipe.lead_ins and draw.random() < self.recipe.lead_ins:
            lead = self.foreign(draw, 1, 2 * self.recipe.short)
            made.sources.append(lead.source)
            if len(lead.sentences) > self.recipe.short:
                made.sentences.extend(lead.sentences)
            else:
                lines[:0] = lead.sentences
        first = len(made.sentences)
        place = draw.randint(1, len(lines) - 1) if len(lines) > 1 else len(lines)
        if self.recipe.nested and len(lines) > 2 and draw.random() < self.recipe.nested:
            story = self.inside(part.label, draw)
            if story is not None:
                middle = stretch(story.sentences, draw, *self.recipe.inner)
                made.sources.append(story.source)
                made.segments.append((first + place, first + place + len(middle), story.label, group + "n"))
                lines[place:place] = middle
        elif self.recipe.separators and len(lines) > 2 and draw.random() < self.recipe.separators:
            apart = self.foreign(draw, 1, 3 * self.recipe.short)
            middle = apart.sentences
            made.sources.append(apart.source)
            if len(middle) > self.recipe.short:  # a long one is left out: two parts of one segment
                made.segments.append((first, first + place, part.label, group))
                made.segments.append((first + place + len(middle), first + len(lines) + len(middle), part.label, group))
                made.sentences.extend([*lines[:place], *middle, *lines[place:]])
                return
            lines[place:place] = middle
        made.segments.append((first, first + len(lines), part.label, group))
        made.sentences.extend(lines)

    def inside(self, label: str, draw: random.Random) -> Part | None:
        """A story of a scenario related to this one."""
        near = kin(label)
        pool = [one for one in told_texts(self.source, self.split) if one.label in near]
        return draw.choice(pool) if pool else None


@cache
def told_together() -> Mapping[str, Mapping[str, int]]:
    """Scenario -> those that real texts tell beside it, with the number of texts."""
    pairs: dict[str, dict[str, int]] = {}
    for line in resource("together/pairs.tsv").read_text(encoding="utf-8").splitlines():
        first, second, count = line.split("\t")
        pairs.setdefault(first, {})[second] = int(count)
        pairs.setdefault(second, {})[first] = int(count)
    return pairs


def beside(labels: Sequence[str], draw: random.Random) -> str:
    """A scenario that real texts tell beside these, drawn by how often; none where they were never seen beside another."""
    weights: dict[str, int] = {}
    for label in labels:
        for other, count in told_together().get(label, {}).items():
            if other not in labels:
                weights[other] = weights.get(other, 0) + count
    return draw.choices(list(weights), list(weights.values()))[0] if weights else ""


@cache
def kin(label: str) -> frozenset[str]:
    """The scenarios related to one, in either direction."""
    there = {other for one in inventory() if one.name == label for _, other in one.relations}
    back = {one.name for one in inventory() if any(other == label for _, other in one.relations)}
    return frozenset(there | back)
