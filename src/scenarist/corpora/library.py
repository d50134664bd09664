"""resources/scripts -> WrittenScript: the library, scripts of everyday activities written by hand, carried in the package.

Schank and Abelson (1977) wrote scripts so. Each of the 200 scenarios of Wanzare et al. (2019), Appendix B, has one, and so have
twenty more of our own. A folder of a user's own scripts is read the same way: ``library:DIR``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.formats.script_file import read_script
from scenarist.script import WrittenScript
from scenarist.store.home import resource


class Library:
    """Written scripts, in the order of their file names; ``split`` is not looked at: they are knowledge, not examples."""

    name = "library"

    def __init__(self, split: str = "train", target: str | Path = "") -> None:
        self.split, self.folder = split, Path(target) if target else resource("scripts")

    def files(self) -> list[Path]:
        """The script files."""
        files = sorted(self.folder.glob("*.toml"))
        if not files:
            raise BadInput(
                f"{self.folder}: expected script files (*.toml), found none. A form to start from: docs/reference/script-files.md"
            )
        return files

    def __iter__(self) -> Iterator[WrittenScript]:
        return map(read_script, self.files())
