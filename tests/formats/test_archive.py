from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from scenarist.errors import BadInput
from scenarist.formats.archive import READ, texts
from scenarist.formats.markup import plain
from scenarist.registry import make

FILES = {
    "b/two.txt": "Second text.\r\nTwo lines.",
    "a.txt": "First text.",
    "notes.md": "not a text",
    ".hidden.txt": "no",
}


def as_tar(path: Path, mode: str) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, text in FILES.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return path


def as_zip(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
    return path


def as_folder(path: Path) -> Path:
    for name, text in FILES.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(text.encode())
    return path


@pytest.fixture(params=["tar", "tar.gz", "tar.xz", "zip", "folder"])
def packed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    kind = request.param
    if kind == "zip":
        return as_zip(tmp_path / "t.zip")
    if kind == "folder":
        return as_folder(tmp_path / "t")
    return as_tar(tmp_path / f"t.{kind}", {"tar": "w", "tar.gz": "w:gz", "tar.xz": "w:xz"}[kind])


def test_texts_of_any_container(packed: Path) -> None:
    assert {text.name: text.text for text in texts(packed)} == {
        "a.txt": "First text.",
        "b/two.txt": "Second text.\nTwo lines.",
    }


def test_texts_as_corpus_is_reiterable(packed: Path) -> None:
    corpus = make("corpus", f"texts:{packed}")
    first = list(corpus)
    assert sorted(story.id for story in first) == ["a", "b/two"]
    assert list(corpus) == first


def test_single_file_and_bad_bytes(tmp_path: Path) -> None:
    path = tmp_path / "diary.log"
    path.write_text("Dear diary.", encoding="utf-8")
    assert [text.text for text in texts(path)] == ["Dear diary."]
    path.write_bytes(b"one\ntwo \xff\n")
    with pytest.raises(BadInput, match=r"diary\.log, line 2: expected utf-8 text, but byte 9 is 0xff"):
        list(texts(path))
    assert [text.text for text in texts(path, encoding="latin-1")] == ["one\ntwo ÿ\n"]


def test_damaged_archives(tmp_path: Path) -> None:
    tar = as_tar(tmp_path / "t.tar.gz", "w:gz")
    tar.write_bytes(tar.read_bytes()[:-40])
    with pytest.raises(BadInput, match="truncated or damaged"):
        list(texts(tar))
    archive = as_zip(tmp_path / "t.zip")
    archive.write_bytes(archive.read_bytes()[:30])
    with pytest.raises(BadInput, match="truncated or damaged"):
        list(texts(archive))


def test_missing_path(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        list(texts(tmp_path / "nowhere"))


def test_html_to_text() -> None:
    assert plain("<style>p{}</style><p>One<br/>two</p><script>x()</script> &lt;3 &nbsp; ok") == "One\ntwo\n<3 ok"


def test_members_by_name_and_packed_members(tmp_path: Path) -> None:
    path = tmp_path / "t.tar"
    with tarfile.open(path, "w") as archive:
        for name, data in (("b.txt", b"Bo."), ("a.txt.gz", gzip.compress(b"Ann.")), ("README.md", b"About.")):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    assert list(texts(path, READ)) == [("b.txt", "Bo."), ("a.txt.gz", "Ann.")]
    assert list(texts(path, READ, by_name=True)) == [("a.txt.gz", "Ann."), ("b.txt", "Bo.")]


def test_a_zip_is_known_by_its_bytes(tmp_path: Path) -> None:
    assert len(list(texts(as_zip(tmp_path / "stories")))) == 2


def test_an_encoding_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no encoding 'klingon'"):
        list(texts(as_folder(tmp_path), encoding="klingon"))
