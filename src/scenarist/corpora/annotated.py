"""Annotated files of one's own -> Story with segments: ``webanno:DIR`` (WebAnno TSV 3, INCEpTION) and ``brat:DIR`` (stand-off).

Three ways to lay them out are understood, and all documents of a folder are laid out alike:

- ``DIR/doc.tsv``: a file a document; WebAnno files written here name the annotator in the feature ``by``;
- ``DIR/ann/doc.tsv``: a sub-folder an annotator;
- ``DIR/annotation/doc.txt/ann.tsv`` with ``DIR/curation/doc.txt/CURATION_USER.tsv``: a project as WebAnno and INCEpTION export it.

An annotator called ``gold`` (or a curation) is the gold annotation: it is read where it is there, else everybody's. ``whose`` asks for
``everybody`` or for one annotator. Who read a document and marked nothing stands in its notes. A whole folder is sat as one set: the
usual split is ``all``; train and dev are cut by the rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

from scenarist.corpora import splits
from scenarist.corpora.loader import Loader
from scenarist.errors import BadInput
from scenarist.formats import brat, webanno
from scenarist.formats.lines import stem
from scenarist.formats.plain import sentences
from scenarist.story import Segment, Story, replace

GOLD = "gold"
CURATOR = "CURATION_USER"
EXPORT = ("annotation", "curation")
EVERYBODY = "everybody"


class AnnotatedFile(NamedTuple):
    """One person's file of one document; the annotator is empty where the file itself says who."""

    document: str
    annotator: str
    path: Path


class WebAnnoFiles(Loader[Story]):
    """``webanno:DIR``: documents annotated in WebAnno or INCEpTION (TSV 3), by several annotators or as gold."""

    name = "webanno"
    ending: ClassVar[str] = ".tsv"
    usual_split = "all"

    def __init__(self, target: str | Path, split: str = "all", whose: str = "", layer: str = "") -> None:
        super().__init__(split, target)
        self.whose, self.layer = whose, layer

    def settings(self) -> Mapping[str, object]:
        return {key: value for key, value in (("whose", self.whose), ("layer", self.layer)) if value}

    def document(self, path: Path) -> Story:
        """One file."""
        return webanno.read(path, self.layer, self.source)

    def read(self, path: Path) -> Iterator[Story]:
        documents: dict[str, list[AnnotatedFile]] = {}
        for file in self.annotated_files(path):
            documents.setdefault(file.document, []).append(file)
        if not documents:
            raise BadInput(f"{path}: expected files that end in {self.ending}, found none; see docs/how-to/detect.md")
        for name, files in documents.items():
            story = self.chosen(self.joined(name, files), path)
            if story is not None and splits.keeps(self.split, story.text):
                yield story

    def annotated_files(self, path: Path) -> Iterator[AnnotatedFile]:
        """All files of the folder with their document and annotator, sorted by document."""
        if path.is_file():
            yield AnnotatedFile(stem(path), "", path)
            return
        files = []
        for file in path.rglob(f"*{self.ending}"):
            parts = file.relative_to(path).parts
            if any(part.startswith(".") for part in parts):
                continue
            if len(parts) > 2 and parts[0] in EXPORT:
                files.append(AnnotatedFile(stem(Path(parts[-2])), file.stem, file))
            elif len(parts) == 1:
                files.append(AnnotatedFile(stem(file), "", file))
            else:
                files.append(AnnotatedFile("/".join((*parts[1:-1], stem(file))), parts[0], file))
        named = ((file.document, GOLD if file.annotator == CURATOR else file.annotator, file.path) for file in files)
        yield from sorted(AnnotatedFile(*file) for file in named)

    def joined(self, name: str, files: list[AnnotatedFile]) -> Story:
        """One document with the segments of all who annotated it."""
        stories = [self.document(file.path) for file in files]
        segments: list[Segment] = []
        notes: list[tuple[str, str]] = []
        for file, story in zip(files, stories, strict=True):
            if story.text != stories[0].text:
                raise BadInput(
                    f"{file.path}: its text differs from that of {files[0].path}, another annotator's file of {name!r}; "
                    "expected the same text, so that offsets meet"
                )
            for segment in story.segments:
                group = f"{file.annotator}:{segment.group}" if segment.group and file.annotator else segment.group
                by = file.annotator or segment.by
                segments.append(Segment(segment.start, segment.stop, segment.labels, group, by, segment.why))
            people = {file.annotator} if file.annotator else {segment.by for segment in story.segments}
            notes += [("annotator", person) for person in sorted(people) if person]
        spans = stories[0].sentences or sentences(stories[0].text)
        return replace(stories[0], id=name, sentences=spans, segments=tuple(segments), notes=tuple(notes))

    def chosen(self, story: Story, path: Path) -> Story | None:
        """The document with the annotation that is asked for; None where that person did not annotate it."""
        people = {value for key, value in story.notes if key == "annotator"}
        whose = self.whose or (GOLD if self.has_gold(path) else EVERYBODY)
        if whose == EVERYBODY:
            others = people - {GOLD}
            if GOLD not in people or not others:
                return story
            segments = tuple(segment for segment in story.segments if segment.by != GOLD)
            notes = tuple(note for note in story.notes if note != ("annotator", GOLD))
            return replace(story, segments=segments, notes=notes)
        if whose not in people:
            return None
        segments = tuple(segment for segment in story.segments if segment.by == whose)
        return replace(story, segments=segments, notes=(("annotator", whose),))

    def has_gold(self, path: Path) -> bool:
        """Is there a gold annotation beside those of people?"""
        return path.is_dir() and any((path / name).is_dir() for name in (GOLD, EXPORT[1]))


class BratFiles(WebAnnoFiles):
    """``brat:DIR``: documents annotated in brat, a ``.txt`` and an ``.ann`` side by side; segments in parts are kept."""

    name = "brat"
    ending = ".ann"

    def __init__(self, target: str | Path, split: str = "all", whose: str = "") -> None:
        super().__init__(target, split, whose)

    def document(self, path: Path) -> Story:
        return brat.read(path, self.source)
