"""A corpus by name -> CorpusReport: which of its files are there, whether their checksums are known, and whether it reads to the end.

The checksum of a file is the sha256 of its unpacked bytes, so that packing does not matter; that of a folder is the sha256 over the
sorted lines ``name<TAB>sha256`` of its files (names without packing suffix). A held-out file that is not there is no failure.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from scenarist.corpora import search_path as finding
from scenarist.corpora.at_hand import readable_splits
from scenarist.corpora.manifest import CARRIED, CorpusEntry, OfficialFile, entry
from scenarist.errors import ScenaristError
from scenarist.formats.lines import BROKEN, open_binary, truncated
from scenarist.noun import Noun
from scenarist.registry import make

BLOCK = 1 << 20
Tick = Callable[[str, int], None]
"""Called with what is being done and how many nouns were read so far."""


class FileState(Noun, frozen=True):
    """One file of the manifest, as it was found."""

    name: str
    state: str
    """``known`` (checksum of a known release), ``unknown`` (another one), ``unlisted`` (none to compare with), ``missing`` or
    ``held out``."""
    path: str = ""
    size: int = 0
    sha256: str = ""


class SplitState(Noun, frozen=True):
    """One split, as it was read."""

    split: str
    state: str
    """``ok``, ``differs`` (another count than the manifest's), ``missing`` or ``bad``."""
    count: int = 0
    expected: int | None = None
    seconds: float = 0.0
    message: str = ""


class CorpusReport(Noun, frozen=True):
    """What a check found."""

    corpus: str
    state: str
    """``ok``, ``warning``, ``missing`` or ``bad``."""
    files: tuple[FileState, ...] = ()
    splits: tuple[SplitState, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def code(self) -> int:
        """Exit code: 0 fine or with warnings, 1 a check failed, 3 missing."""
        return {"bad": 1, "missing": 3}.get(self.state, 0)


def nothing(doing: str, count: int) -> None:
    """No progress."""


def check(name: str, tick: Tick = nothing) -> CorpusReport:
    """Verify one corpus."""
    known = entry(name)
    files = tuple(file_state(known, one, tick) for one in known.files)
    at_hand = {one.split for one, state in zip(known.files, files, strict=True) if state.path and one.split}
    if name in CARRIED:
        at_hand = {count.split for count in known.counts}
    if not at_hand:
        return CorpusReport(name, "missing", files, (), (str(finding.missing(name)),))
    recognised = all(state.state != "unknown" for state in files)
    splits = tuple(split_state(known, split, tick) for split in wanted(known, at_hand))
    warnings = [
        f"{one.path}: unknown checksum {one.sha256[:12]}...; another release?"
        for one in files
        if one.state == "unknown"
    ]
    warnings += [one.message for one in splits if one.state == "differs" and not recognised]
    missing = [
        one.name
        for one, listed in zip(files, known.files, strict=True)
        if one.state == "missing" and not listed.optional
    ]
    warnings += [f"{one} is missing" for one in missing]
    bad = any(one.state == "bad" or (one.state == "differs" and recognised) for one in splits)
    return CorpusReport(name, "bad" if bad else "warning" if warnings else "ok", files, splits, tuple(warnings))


def wanted(known: CorpusEntry, at_hand: set[str]) -> list[str]:
    """The splits to read: those at hand, those the training file holds as well, and the counted whole of it."""
    readable = readable_splits(known, at_hand)
    whole = ["all"] if "train" in at_hand and any(count.split == "all" for count in known.counts) else []
    return [*readable, *whole]


def file_state(known: CorpusEntry, one: OfficialFile, tick: Tick) -> FileState:
    """One file: found, its size and its checksum."""
    path = finding.locate(known.name, one.name)
    if path is None:
        return FileState(one.name, "held out" if one.split == "test" or one.optional else "missing")
    tick(f"checksum of {one.name}", 0)
    found = digest(path)
    size = (
        path.stat().st_size
        if path.is_file()
        else sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    )
    state = "unlisted" if not one.sha256 else "known" if found in one.sha256 else "unknown"
    return FileState(one.name, state, str(path), size, found)


def split_state(known: CorpusEntry, split: str, tick: Tick) -> SplitState:
    """One split, read to its end."""
    expected = next((count.count for count in known.counts if count.split == split), None)
    begun = time.perf_counter()
    count = 0
    try:
        for count, _ in enumerate(make("corpus", known.name, split=split), start=1):
            if count % 1000 == 0:
                tick(f"reading {split}", count)
    except ScenaristError as error:
        return SplitState(split, "bad", count, expected, message=str(error))
    seconds = round(time.perf_counter() - begun, 2)
    if expected is not None and count != expected:
        message = f"{known.name}, split {split}: {count} read, {expected} expected of the known release"
        return SplitState(split, "differs", count, expected, seconds, message)
    return SplitState(split, "ok", count, expected, seconds)


def digest(path: Path) -> str:
    """The checksum of a file or folder (see above)."""
    if path.is_dir():
        total = sha256()
        for file in sorted(file for file in path.rglob("*") if file.is_file()):
            name = file.relative_to(path).as_posix()
            for packed in finding.PACKED:
                name = name.removesuffix(packed)
            total.update(f"{name}\t{digest(file)}\n".encode())
        return total.hexdigest()
    total = sha256()
    with open_binary(path) as stream:
        try:
            while block := stream.read(BLOCK):
                total.update(block)
        except (*BROKEN, OSError) as error:
            raise truncated(path, 0, error) from error
    return total.hexdigest()
