"""Name -> path: the home folder (weights, caches), what the package carries, and files written whole or not at all."""

from __future__ import annotations

import errno
import importlib.util
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from scenarist.errors import BadInput, Missing
from scenarist.store.ledger import note_kept


def home() -> Path:
    """The folder for weights, caches and results: ``SCENARIST_HOME``, or the system's place for such things."""
    if given := os.environ.get("SCENARIST_HOME"):
        return Path(given).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "scenarist"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "scenarist"
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "scenarist"


def folder(name: str) -> Path:
    """A folder of the home, made where it is missing: ``weights``, ``cache``, ``results``."""
    path = home() / name
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"Cannot make the folder {path}: {error.strerror}. Set SCENARIST_HOME to a folder you may write to."
        ) from error
    return path


def resource(name: str) -> Path:
    """A file carried inside the package."""
    path = Path(__file__).parents[1] / "resources" / name
    if not path.exists():
        raise Missing(
            f"The package does not hold resources/{name}; reinstall it with: pip install --force-reinstall scenarist"
        )
    return path


PACKAGES = {"weights": "scenarist-weights", "rows": "scenarist-weights-rows"}
"""Packages of weights that pip installs, by what the manifest calls them."""


def release_places(release: str, name: str) -> list[Path]:
    """Where a file of a release may lie: in the home folder (`scenarist get`), in an installed package of weights, in the checkout."""
    places = [home() / "weights" / release / name]
    for package in PACKAGES.values():
        spec = importlib.util.find_spec(package.replace("-", "_"))
        places += [Path(place) / release / name for place in (spec.submodule_search_locations or ())] if spec else []
    return [*places, checkout_release() / release / name]


def checkout_release() -> Path:
    """Where the weights lie in a checkout; a wheel has no such folder."""
    return Path(__file__).parents[3] / "release"


def release_file(release: str, name: str) -> Path:
    """A file of a release by its name, or an error that says what brings it: a package, or a training."""
    for path in release_places(release, name):
        if path.is_file():
            return path
    from scenarist.store.releases import install_line, manifest

    entry = manifest()[release]
    known = {file.name: file for file in entry.files}
    if name not in known:
        stem = re.sub(r"-?\d*\.\w+$", "", name)
        near = [file for file in known if re.fullmatch(re.escape(stem) + r"-?\d*\.\w+", file)]
        trained = f" Other seeds and variants are trained by: {entry.made}." if entry.made else ""
        raise Missing(f"The release {release} has no weights {name}. It has: {', '.join(near or known)}.{trained}")
    raise Missing(f"The release file {release}/{name} is not here. It comes with: {install_line(entry, [known[name]])}")


def weights_file(release: str, weights: str | Path, suffix: str = ".npz") -> Path:
    """The file that ``weights`` names: a path as it is (it has a suffix), else the released file of that name."""
    path = Path(weights)
    return path if path.suffix else release_file(release, f"{weights}{suffix}")


def inside(*folders: Path) -> list[Path]:
    """The files of some folders of weights, without their cards."""
    found = [path for folder in folders for path in sorted(folder.iterdir())]
    return [path for path in found if path.is_file() and path.suffix not in (".md", "")]


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary file beside ``path`` that takes its place only when all went well: nothing is left half-written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
        if not path.is_relative_to(home()):  # what was asked for, not a cache
            note_kept("files")
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def cannot_write(path: Path, error: OSError) -> BadInput:
    """The error for a file or folder that cannot be written; a full disk is called one."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return BadInput(f"The disk is full: {path} cannot be written. Free some space, or choose another place.")
    return BadInput(f"Cannot write {path}: {error.strerror or error}. Choose another place to write to.")


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file whole or not at all."""
    with whole_file(path) as temporary, temporary.open("wb") as out:
        for part in parts:
            out.write(part)


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    sum_ = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            sum_.update(block)
    return sum_.hexdigest()
