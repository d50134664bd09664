"""Trained files -> release/: sizes and checksums in the manifest, and no older copy left in the home folder."""

from __future__ import annotations

import tomllib
from hashlib import sha256
from pathlib import Path

import pytest

from training import publish

MANIFEST = '[[release]]\nname = "tea"\nwhat = "Tea."\nlicence = "none"\nfiles = [\n  { name = "a.npz", sha256 = "0", size = 1, place = "tea/a.npz" },\n]\n'


def test_files_are_listed_and_older_copies_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("release/tea", "home/weights/tea", "out"):
        (tmp_path / folder).mkdir(parents=True)
    for path, text in {
        "release/tea/a.npz": "old",
        "home/weights/tea/a.npz": "old",
        "out/a.npz": "new",
        "out/b.npz": "more",
    }.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / "releases.toml").write_text(MANIFEST, encoding="utf-8")
    monkeypatch.setattr(publish, "RELEASES", tmp_path / "release")
    monkeypatch.setattr(publish, "MANIFEST", tmp_path / "releases.toml")
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    publish.main("tea", [tmp_path / "out" / "a.npz", tmp_path / "out" / "b.npz"])
    files = tomllib.loads((tmp_path / "releases.toml").read_text(encoding="utf-8"))["release"][0]["files"]
    assert [(file["name"], file["size"], file["sha256"]) for file in files] == [
        (name, len(text), sha256(text.encode()).hexdigest()) for name, text in (("a.npz", "new"), ("b.npz", "more"))
    ]
    assert (tmp_path / "home/weights/tea/a.npz").read_text(encoding="utf-8") == "new"
    assert not (tmp_path / "home/weights/tea/b.npz").exists()  # `scenarist get` brings it
