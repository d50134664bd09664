"""What all loaders share: a split, the file it comes from, re-iteration, and refusal of an empty corpus.

A loader names its files per split (``files``); a split without a file of its own is cut from the training file by the
rule of ``splits``. ``path`` reads a given file or folder instead of the search path.

A corpus -> its first so many things, re-iterable: for a first try.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from scenarist.corpora import search_path as finding
from scenarist.corpora import splits
from scenarist.errors import BadInput
from scenarist.formats.table import TableRow

T = TypeVar("T")


class Loader(Generic[T]):
    """A re-iterable stream: each ``iter`` opens the files anew."""

    name: str = ""
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Official names per split; several names are alternatives, the first one found is read."""
    usual_split: ClassVar[str] = "dev"
    """What an exam is set on where no split is named: ``all`` for a folder that is one set as it stands."""

    def __init__(self, split: str = "train", path: str | Path | None = None) -> None:
        self.split = splits.named(split)
        self.path = Path(path) if path is not None else None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(split={self.split!r})"

    def settings(self) -> Mapping[str, object]:
        """What the signature must say beside name and split; nothing where all is by default."""
        return {}

    @property
    def source(self) -> str:
        """What ``Story.source`` says: corpus and split."""
        return f"{self.name}:{self.split}"

    @property
    def cut(self) -> bool:
        """Is the split cut from the training file, because it has no file of its own?"""
        cuttable = self.split in ("train", "dev") and self.path is None and "train" in self.files
        return cuttable and not self.has_own_dev()

    def has_own_dev(self) -> bool:
        """Has the corpus a validation file of its own on the search path?"""
        return "dev" in self.files and finding.locate(self.name, *self.files["dev"]) is not None

    def file(self) -> Path:
        """The file or folder the split is read from."""
        if self.path is not None:
            if not self.path.exists():
                raise BadInput(f"{self.path}: no such file or folder")
            return self.path
        split = "train" if self.split == "all" else self.split
        if split == "dev" and "train" in self.files and not self.has_own_dev():
            split = "train"
        if split not in self.files:
            raise BadInput(
                f"{self.name} has no {self.split} split; it has {', '.join(self.files)}. "
                f"Type: scenarist corpus info {self.name}"
            )
        why = f"The {split} split of {self.name} is not at hand." if split == "test" else ""
        return finding.require(self.name, *self.files[split], why=why)

    def keeps(self, text: str) -> bool:
        """Does a text of the file belong to the split?"""
        return not self.cut or splits.keeps(self.split, text)

    def read(self, path: Path) -> Iterator[T]:
        """The nouns of the split in a file or folder; what each loader writes."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[T]:
        path = self.file()
        empty = True
        for noun in self.read(path):
            empty = False
            yield noun
        if empty:
            raise BadInput(f"{path}: empty corpus: nothing in it for {self.name}, split {self.split}")


class Ids:
    """Ids seen so far, with their places; an id that comes twice is an error.

    At most ``limit`` of them are remembered, so that memory stays bounded: a later duplicate of an id beyond them passes.
    """

    def __init__(self, limit: int = 500_000) -> None:
        self.limit = limit
        self.seen: dict[int, int] = {}
        self.paths: list[Path | str] = []

    def distinct(self, id: str, row: TableRow) -> str:
        """The id, remembered."""
        if not id:
            raise BadInput(f"{row.where}: the id is empty")
        if not self.paths or self.paths[-1] != row.path:
            self.paths.append(row.path)
        key = hash(id)
        before = self.seen.get(key)
        if before is not None:
            place = f"{self.paths[before >> 40]}, line {before & (1 << 40) - 1}"
            raise BadInput(f"{row.where}: duplicate id {id!r}, already given at {place}")
        if len(self.seen) < self.limit:
            self.seen[key] = (len(self.paths) - 1) << 40 | row.line
        return id


def members(folder: Path, matches: Callable[[str], bool]) -> Iterator[Path]:
    """The files of a folder whose name matches, sorted by name: the same order everywhere."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: expected a folder, found a file")
    found = sorted((path for path in folder.iterdir() if matches(path.name)), key=lambda path: path.name)
    if not found:
        raise BadInput(f"{folder}: the folder holds no file of the expected kind")
    yield from found


class Limited:
    """The beginning of a corpus."""

    def __init__(self, corpus: Iterable[Any], limit: int) -> None:
        self.corpus, self.limit = corpus, limit

    def __iter__(self) -> Iterator[Any]:
        return islice(iter(self.corpus), self.limit)
