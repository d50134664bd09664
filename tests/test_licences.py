"""Everything that is carried has a card with its licence, the metadata of the packages name them, and nothing of it is a pickle."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RESOURCES = ROOT / "src" / "scenarist" / "resources"
PACKAGES = sorted((ROOT / "packages").iterdir())
SPDX = {
    "Apache-2.0": "Apache-2.0", "CC BY 4.0": "CC-BY-4.0", "CC BY-SA 4.0": "CC-BY-SA-4.0", "CC0-1.0": "CC0-1.0",
    "BSD-2-Clause": "BSD-2-Clause", "BSD 2-clause": "BSD-2-Clause", "WordNet 3.0": "LicenseRef-WordNet",
}  # fmt: skip
"""A licence as cards call it -> as metadata do."""
CODE = ("src", "training", "experiments", "benchmarks", "packages")


def project(folder: Path) -> dict[str, object]:
    """The metadata of a package."""
    table: dict[str, object] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def card_of(folder: Path) -> Path:
    """The card of a folder."""
    cards = [folder / name for name in ("CARD.md", "card.md", "README.md") if (folder / name).is_file()]
    assert len(cards) == 1, f"{folder.name}: expected one card, found {[card.name for card in cards]}"
    return cards[0]


def licences(text: str) -> set[str]:
    """The licences that a text names."""
    return {spdx for name, spdx in SPDX.items() if name in text}


def carried() -> list[Path]:
    """The folders of resources and of releases."""
    folders = [
        path for path in RESOURCES.iterdir() if path.is_dir() and any(path.rglob("*.*")) and path.name != "__pycache__"
    ]
    return sorted(folders) + sorted(path for path in (ROOT / "release").iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", carried(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_card_lies_beside_every_resource_and_names_its_licence(folder: Path) -> None:
    text = card_of(folder).read_text(encoding="utf-8")
    assert re.search("licence", text, re.IGNORECASE), f"{folder.name}: its card names no licence"
    assert licences(text), f"{folder.name}: expected one of {', '.join(SPDX)}"


def test_the_list_of_resources_is_whole_and_says_what_the_cards_say() -> None:
    rows = dict(re.findall(r"^\| `([^`]+)` \|.*\| (.*) \|$", (RESOURCES / "CARD.md").read_text(encoding="utf-8"), re.M))
    there = {f"{path.name}/" for path in RESOURCES.iterdir() if path.is_dir() and path.name != "__pycache__"}
    there |= {path.name for path in RESOURCES.glob("*.toml")}
    assert set(rows) == there
    for name, said in rows.items():
        if name.endswith("/"):
            assert licences(said) <= licences(card_of(RESOURCES / name).read_text(encoding="utf-8")), name


def test_the_metadata_name_every_licence_and_carry_every_card() -> None:
    metadata = project(ROOT)
    named = set(str(metadata["license"]).split(" AND "))
    globs = [str(pattern) for pattern in metadata["license-files"]]  # type: ignore[attr-defined]
    assert licences((RESOURCES / "CARD.md").read_text(encoding="utf-8")) | {"Apache-2.0"} == named
    files = [card_of(path) for path in RESOURCES.iterdir() if path.is_dir() and path.name != "__pycache__"]
    files += [path for path in RESOURCES.rglob("*") if path.name == "NOTICE" or path.name.startswith("LICENSE")]
    for file in (*files, RESOURCES / "CARD.md"):
        path = file.relative_to(ROOT).as_posix()
        assert any(fnmatch(path, pattern.replace("**/", "*")) for pattern in globs), path


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_packages_of_weights_name_the_licences_of_their_releases(package: Path) -> None:
    kind = {"scenarist-weights": "weights", "scenarist-weights-rows": "rows"}[package.name]
    manifest = tomllib.loads((RESOURCES / "releases.toml").read_text(encoding="utf-8"))["release"]
    releases = [release for release in manifest if any(file.get("carried") == kind for file in release["files"])]
    assert releases
    named = set(str(project(package)["license"]).split(" AND "))
    assert {part for release in releases for part in release["licence"].split(" AND ")} == named
    for release in releases:
        card = card_of(ROOT / "release" / release["name"]).read_text(encoding="utf-8")
        assert set(release["licence"].split(" AND ")) <= licences(card), release["name"]


def test_no_pickle_is_loaded_and_no_package_is_built_while_it_is_got() -> None:
    """PyTorch loads weights only, NumPy no pickles, pip takes ready-made wheels, each held against its checksum."""
    for folder in CODE:
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            where = path.relative_to(ROOT)
            for call in re.findall(r"torch\.load\((?:[^()]|\([^()]*\))*\)", text):
                assert "weights_only=True" in call, f"{where}: {call}"
            assert text.count("torch.load(") == len(re.findall(r"torch\.load\((?:[^()]|\([^()]*\))*\)", text)), where
            assert "allow_pickle=True" not in text, where
            assert not re.search(r"^\s*(import pickle|from pickle)\b|\bpickle\.loads?\(", text, re.M), where
            for call in re.findall(r'"pip", "download"[^\]]*', text):
                assert "--only-binary=:all:" in call and "--no-deps" in call, f"{where}: {call}"


def test_every_file_that_can_be_got_has_a_checksum() -> None:
    manifest = tomllib.loads((RESOURCES / "releases.toml").read_text(encoding="utf-8"))["release"]
    for release in manifest:
        for file in release["files"]:
            assert re.fullmatch("[0-9a-f]{64}", file["sha256"]), file["name"]
            assert file["size"] > 0
