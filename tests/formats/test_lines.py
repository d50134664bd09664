from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from scenarist.errors import BadInput
from scenarist.formats import jsonl
from scenarist.formats.lines import Line, lines, stem
from scenarist.formats.markup import elements
from scenarist.formats.table import rows
from scenarist.story import Story


def test_lines_are_numbered_and_unpacked(tmp_path: Path) -> None:
    data = "\ufeffone\r\ntwo\n\nfour".encode()
    for name, packed in (("a", data), ("a.gz", gzip.compress(data)), ("a.xz", lzma.compress(data))):
        path = tmp_path / name
        path.write_bytes(packed)
        assert list(lines(path)) == [Line(1, "one"), Line(2, "two"), Line(3, ""), Line(4, "four")]


def test_wrong_encoding_names_file_line_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(b"fine\nna\xefve is not\n")
    with pytest.raises(BadInput, match=r"latin\.txt, line 2: expected utf-8 text, byte 3 of the line is 0xef"):
        list(lines(path))


@pytest.mark.parametrize("keep", [30, 90])
def test_truncated_gzip_is_one_clear_error(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(b"".join(f"line {number} of many\n".encode() for number in range(999)))[:-keep])
    with pytest.raises(BadInput, match=r"cut\.gz, after line \d+: the packed file is truncated"):
        list(lines(path))


def test_not_gzip_at_all(tmp_path: Path) -> None:
    path = tmp_path / "not.gz"
    path.write_bytes(b"plain text under a wrong name\n")
    with pytest.raises(BadInput, match="truncated or damaged"):
        list(lines(path))


def test_table_missing_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,text\n1,hello\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"t\.csv, line 1: missing column scenario; found id, text"):
        list(rows(path, ("id", "scenario")))


def test_table_short_row_and_bad_number(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('id,text\n1,"two\nlines"\nx,ok\n3\n', encoding="utf-8")
    found = rows(path, ("id",))
    first = next(found)
    assert first["text"] == "two\nlines"
    assert first.number("id") == 1
    with pytest.raises(BadInput, match=r"line 4: column 'id' must be a whole number, not 'x'"):
        next(found).number("id")
    with pytest.raises(BadInput, match=r"line 5: expected 2 columns"):
        next(found)


def test_table_empty_and_unclosed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("", encoding="utf-8")
    with pytest.raises(BadInput, match="empty file"):
        list(rows(path, ("id",)))
    path.write_text('id,text\n1,"never closed\n', encoding="utf-8")
    with pytest.raises(BadInput, match="not a valid table"):
        list(rows(path, ("id",)))


@pytest.mark.parametrize("name", ["s.jsonl", "s.jsonl.gz"])
def test_jsonl_round_trip(tmp_path: Path, name: str) -> None:
    stories = [Story.from_sentences(f"s{number}", ["Ann ran.", "Bob läuft 🏃."]) for number in range(3)]
    assert jsonl.write(tmp_path / name, stories) == 3
    first = (tmp_path / name).read_bytes()
    assert list(jsonl.read(tmp_path / name, Story)) == stories
    jsonl.write(tmp_path / name, stories)
    assert (tmp_path / name).read_bytes() == first  # same bytes, no time stamp


def test_jsonl_error_names_line_and_field(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"id":"a","text":"x"}\n{"id":"b"}\n', encoding="utf-8")
    with pytest.raises(BadInput, match=r"s\.jsonl, line 2: not a valid Story: .*`text`"):
        list(jsonl.read(path, Story))


def test_xml_streams_and_reports_where(tmp_path: Path) -> None:
    path = tmp_path / "d.xml"
    path.write_text('<data><a id="1"/><a id="2"><b/></a></data>', encoding="utf-8")
    assert [element.get("id") for element in elements(path, "a")] == ["1", "2"]
    path.write_text('<data>\n<a id="1"/>\n<a id="2">', encoding="utf-8")
    with pytest.raises(BadInput, match=r"d\.xml, line 3, column \d+: not well-formed XML"):
        list(elements(path, "a"))


def test_stem() -> None:
    assert stem(Path("GUM_bio_byron.conll.gz")) == "GUM_bio_byron"
    assert stem(Path("105_persuasion_brat.tsv")) == "105_persuasion_brat"
