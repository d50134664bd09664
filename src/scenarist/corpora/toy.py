"""The toy corpus -> Story, ClozeStory, Pair, Chain: short everyday stories written for this project, carried in the package.

Six scenarios, five stories each (three train, one dev, one test), so that every exam runs with no data at all. ``kind`` asks for a
view: ``stories``, ``cloze`` (two endings), ``pairs`` (abstract and concrete instructions), ``chains`` (of the stories' entities),
``documents`` (stories of different scenarios one after the other, with their segments) or ``documents-noisy`` (with sentences between
them that tell no scenario).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from scenarist.corpora import search_path as finding
from scenarist.corpora import splits
from scenarist.corpora.loader import Loader
from scenarist.corpora.storycloze import ClozeStory
from scenarist.errors import BadInput
from scenarist.formats import jsonl
from scenarist.noun import Noun
from scenarist.store.home import resource
from scenarist.story import Chain, Label, Link, Pair, Segment, Story, sentence_texts

NOUNS: dict[str, tuple[str, type[Noun]]] = {
    "stories": ("stories", Story),
    "cloze": ("cloze", ClozeStory),
    "pairs": ("pairs", Pair),
    "chains": ("stories", Story),
    "documents": ("stories", Story),
    "documents-noisy": ("stories", Story),
}
ASIDES = ("The weather was nothing special that week.", "My cousin says that people remember odd things.")


class Toy(Loader[Any]):
    """Short everyday stories with all layers."""

    name = "toy"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(splits.SPLITS, ("toy",))

    def __init__(self, split: str = "train", kind: str = "stories") -> None:
        super().__init__(split)
        if kind not in NOUNS:
            raise BadInput(f"toy: kind must be one of {', '.join(NOUNS)}, not {kind!r}")
        self.kind = kind

    def settings(self) -> Mapping[str, object]:
        return {} if self.kind == "stories" else {"kind": self.kind}

    @property
    def cut(self) -> bool:
        return False

    def file(self) -> Path:
        return finding.locate(self.name, "stories.train.jsonl") or resource("toy")

    def read(self, path: Path) -> Iterator[Any]:
        folder = path if path.is_dir() else path.parent
        file, noun = NOUNS[self.kind]
        parts = ("train", "dev", "test") if self.split == "all" else (self.split,)
        nouns = (one for part in parts for one in jsonl.read(folder / f"{file}.{part}.jsonl", noun))
        if self.kind == "chains":
            for story in nouns:
                yield from chains(story)  # type: ignore[arg-type]
        elif self.kind.startswith("documents"):
            yield from documents(list(nouns), self.source, ASIDES if self.kind.endswith("noisy") else ())  # type: ignore[arg-type]
        else:
            yield from nouns


def chains(story: Story) -> Iterator[Chain]:
    """One chain for each entity that takes part in an event."""
    for entity in story.entities:
        links = [
            (Link(event.predicate, role.name), place)
            for place, event in enumerate(story.events)
            for role in event.roles
            if role.entity == entity.id
        ]
        if links:
            yield Chain(tuple(link for link, _ in links), entity.id, story.id, tuple(place for _, place in links))


def documents(stories: list[Story], source: str, asides: tuple[str, ...] = ()) -> Iterator[Story]:
    """Each story followed by the one of another scenario that comes next in the file: a segment each."""
    for place, story in enumerate(stories):
        after = stories[place + 1 :] + stories[:place]
        other = next((one for one in after if one.scenario != story.scenario), None)
        if other is None:
            continue
        parts = [(list(sentence_texts(story)), story.scenario)]
        parts += [(list(asides), "")] if asides else []
        parts += [(list(sentence_texts(other)), other.scenario)]
        made = Story.from_sentences(f"{story.id}+{other.id}", [text for texts, _ in parts for text in texts])
        segments, at = [], 0
        for texts, scenario in parts:
            first, last = made.sentences[at], made.sentences[at + len(texts) - 1]
            if scenario:
                segments.append(Segment(first.start, last.stop, (Label(scenario),)))
            at += len(texts)
        yield Story(made.id, made.text, sentences=made.sentences, segments=tuple(segments), source=source)
