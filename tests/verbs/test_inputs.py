"""What a person names: files, folders, archives and standard input, the same for every verb; a string is the text itself."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from scenarist.errors import BadInput
from scenarist.verbs.inputs import count_texts, lines_or_sentences, named_texts, text_of, titled_texts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.txt").write_text("Bo ran.\r\n", newline="")
    (folder / "deep" / "a.txt").write_bytes("\ufeffAnn sat.".encode())
    (folder / "c.txt.gz").write_bytes(gzip.compress(b"Cy fell."))
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "README.md").write_text("What this is.")
    return folder


def test_files_folders_and_archives(folder: Path, tmp_path: Path) -> None:
    assert list(named_texts([folder], "read")) == [
        ("b", "Bo ran.\n"),
        ("c", "Cy fell."),
        ("deep/a", "Ann sat."),
    ]
    assert count_texts([folder, folder / "b.txt"]) == 4
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(folder / "b.txt", "b.txt")
        archive.write(folder / "picture.png", "picture.png")
    assert [text.name for text in named_texts([tmp_path / "all.zip"], "read")] == ["b"]
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as bundle:
        bundle.add(folder / "b.txt", "x/b.txt")
        bundle.add(folder / "deep" / "a.txt", "a.txt")
    names = [text.name for text in named_texts([tmp_path / "all.tar.gz", folder / "b.txt"], "read")]
    assert names == ["a", "x/b", "b"], "the files of an archive by name, the arguments in their order"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Ann ran.")))
    assert list(titled_texts(["-"], "read")) == [("stdin", "Ann ran.", "")]


def test_titles(folder: Path) -> None:
    assert [title for _, _, title in titled_texts([folder], "read")] == ["B", "C", "A"]
    assert [title for _, _, title in titled_texts([folder / "b.txt"], "read", title="My story")] == ["My story"]


def test_bad_files_are_told_with_what_to_type(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("Zoë fell.".encode("latin-1"))
    with pytest.raises(BadInput, match=r"line 1.*byte 3 is 0xeb.*--encoding latin-1"):
        list(named_texts([tmp_path / "latin.txt"], "events"))
    assert next(named_texts([tmp_path / "latin.txt"], "events", "latin-1")).text == "Zoë fell."
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="found none"):
        list(named_texts([tmp_path / "empty"], "events"))
    with zipfile.ZipFile(tmp_path / "pictures.zip", "w") as archive:
        archive.writestr("picture.png", "x")
    with pytest.raises(BadInput, match="found none"):
        list(named_texts([tmp_path / "pictures.zip"], "events"))
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"Ann ran. " * 99)[:-9])
    with pytest.raises(BadInput, match="truncated or damaged"):
        list(named_texts([tmp_path / "cut.txt.gz"], "events"))
    with pytest.raises(BadInput, match=r"no such file.*scenarist events FILE"):
        list(named_texts([tmp_path / "none.txt"], "events"))


def test_a_string_is_the_text_and_a_path_is_the_file(folder: Path) -> None:
    assert text_of("b.txt", "read") == ("story", "b.txt")
    assert text_of(folder / "b.txt", "read") == ("b", "Bo ran.\n")
    with pytest.raises(BadInput, match=r"more than one text.*scenarist\.read_all"):
        text_of(folder, "read")


def test_lines_or_sentences() -> None:
    assert lines_or_sentences("Ann ran. She fell.\n") == ("Ann ran.", "She fell.")
    assert lines_or_sentences("She fell. Hard.\n\nAnn ran.") == ("She fell. Hard.", "Ann ran.")
    assert lines_or_sentences(" ") == ()
