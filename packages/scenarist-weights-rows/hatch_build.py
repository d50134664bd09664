"""Collects the weights of this package from the checkout's release/ while a wheel or an sdist is built.

Which files: those that the manifest (src/scenarist/resources/releases.toml) gives to this package, with the card of their release. In an
unpacked sdist there is no checkout; the files lie in the package already.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CARDS = ("CARD.md", "card.md")


class ReleaseFiles(BuildHookInterface):
    """Adds the files to what is built, each held against its checksum."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        checkout = Path(self.root).parents[1]
        manifest = checkout / "src" / "scenarist" / "resources" / "releases.toml"
        if version == "editable" or not manifest.is_file():
            return
        module, carried = self.config["module"], self.config["carried"]
        inside = f"src/{module}" if self.target_name == "sdist" else module
        for release in tomllib.loads(manifest.read_text(encoding="utf-8"))["release"]:
            files = [file for file in release["files"] if file.get("carried") == carried]
            for file in files:
                path = checkout / "release" / release["name"] / file["name"]
                if hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]:
                    raise ValueError(f"{path} is not what the manifest says (checksum)")
                build_data["force_include"][str(path)] = f"{inside}/{release['name']}/{file['name']}"
            for card in CARDS if files else ():
                path = checkout / "release" / release["name"] / card
                if path.is_file():
                    build_data["force_include"][str(path)] = f"{inside}/{release['name']}/CARD.md"
