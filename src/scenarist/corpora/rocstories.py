"""ROCStories (Mostafazadeh et al. 2016, section 3) -> Story of five sentences.

Reads the official CSV (storyid, storytitle, sentence1 to sentence5; one file a season, all found are read) and the
JSONL that holds ``sentences`` without titles. The JSONL marks with ``cased_original`` the stories in their original
case; the others are lower-cased with names masked. ``cased`` keeps only one kind, ``restored`` puts the masked ones back into ordinary
writing with invented names. No validation file: dev is cut by
the rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import msgspec

from scenarist.corpora import search_path as finding
from scenarist.corpora import splits
from scenarist.corpora.loader import Ids, Loader
from scenarist.corpora.masked_names import restore
from scenarist.errors import BadInput
from scenarist.formats import jsonl
from scenarist.formats.table import rows
from scenarist.story import Story

SENTENCES = tuple(f"sentence{number}" for number in range(1, 6))
OFFICIAL = (
    "ROCStories_spring2016.csv",
    "ROCStories__spring2016 - ROCStories_spring2016.csv",
    "ROCStories_winter2017.csv",
    "ROCStories_winter2017 - ROCStories_winter2017.csv",
)


class RocStoriesLine(msgspec.Struct):
    """A line of the JSONL form."""

    sentences: tuple[str, ...]
    cased_original: bool = True
    source: str = ""
    storyid: str = ""
    storytitle: str = ""


class ROCStories(Loader[Story]):
    """Five-sentence everyday stories."""

    name = "rocstories"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"train": (*OFFICIAL, "stories.jsonl")}

    def __init__(
        self, split: str = "train", cased: bool | None = None, restored: bool = False, path: str | Path | None = None
    ) -> None:
        super().__init__(split, path)
        self.cased, self.restored = cased, restored

    def settings(self) -> Mapping[str, object]:
        return {
            **({} if self.cased is None else {"cased": self.cased}),
            **({"restored": True} if self.restored else {}),
        }

    def read(self, path: Path) -> Iterator[Story]:
        ids = Ids()
        for file in self.seasons(path):
            yield from self.read_csv(file, ids) if ".csv" in file.suffixes else self.read_jsonl(file)

    def seasons(self, path: Path) -> list[Path]:
        """All CSV files of the official release, or the one file given."""
        if self.path is not None or ".csv" not in path.suffixes:
            return [path]
        found = (finding.locate(self.name, name) for name in OFFICIAL)
        return [file for file in found if file is not None]

    def read_csv(self, path: Path, ids: Ids) -> Iterator[Story]:
        if self.cased is False:
            return
        for row in rows(path, ("storyid", "storytitle", *SENTENCES)):
            id = ids.distinct(row["storyid"].strip(), row)
            story = Story.from_sentences(
                id, [row[column].strip() for column in SENTENCES], title=row["storytitle"].strip(), source=self.source
            )
            if self.keeps(story.text):
                yield story

    def read_jsonl(self, path: Path) -> Iterator[Story]:
        for number, record in enumerate(jsonl.read(path, RocStoriesLine), start=1):
            if len(record.sentences) != 5:
                raise BadInput(f"{path}, story {number}: expected five sentences, got {len(record.sentences)}")
            if self.cased is not None and record.cased_original != self.cased:
                continue
            id = record.storyid or f"roc-{number:06d}"
            notes = (("cased", "yes" if record.cased_original else "no"), ("from", record.source))
            story = Story.from_sentences(id, record.sentences, title=record.storytitle, source=self.source, notes=notes)
            if not self.keeps(story.text):  # the split is that of the text as it came
                continue
            if self.restored and not record.cased_original:
                plain = restore(record.sentences)
                story = Story.from_sentences(id, plain, title=record.storytitle, source=self.source, notes=notes)
            yield story


class ROCStoriesFolder(ROCStories):
    """Stories of one's own in the official columns: a folder (``rocstories:DIR``) with the official file names, or one file."""

    usual_split: ClassVar[str] = "all"

    def __init__(self, target: str | Path, split: str = "all") -> None:
        super().__init__(split, path=target)

    def read(self, path: Path) -> Iterator[Story]:
        files = [path] if path.is_file() else [path / name for name in OFFICIAL if (path / name).is_file()]
        if not files:
            raise BadInput(
                f"{path}: expected stories ({OFFICIAL[0]}). Make them from a study: "
                f"scenarist corpus from-study lab.db write-story -o {path}"
            )
        ids = Ids()
        for file in files:
            yield from self.read_csv(file, ids)

    def keeps(self, text: str) -> bool:
        """Splits are cut by the rule; there is no file for each."""
        return self.split == "all" or splits.keeps(self.split, text)
