"""Files, folders, archives and their encodings; results in order; the cache; chains as Parquet."""

from __future__ import annotations

import gzip
import tarfile
import zipfile
from pathlib import Path

import pytest
from scenarist.reading.batch import texts

from scenarist.errors import BadInput
from scenarist.parallel import in_order, workers
from scenarist.reading.foreign.conllu import ConlluReader
from scenarist.reading.parser.clean import clean, not_english
from scenarist.store.readings import Cache, key
from scenarist.story import Story

HAND = Path(__file__).parent / "fixtures" / "hand.conllu"


def square(number: int) -> int:
    return number * number


def test_results_come_in_order_whatever_the_processes() -> None:
    alone = list(in_order(square, range(40), None))
    with workers(2) as pool:
        assert list(in_order(square, range(40), pool, 2)) == alone == [number * number for number in range(40)]


def test_files_folders_and_archives(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.txt").write_text("Bo ran.\r\n", newline="")
    (folder / "deep" / "a.txt").write_bytes("\ufeffAnn sat.".encode())
    (folder / "c.txt.gz").write_bytes(gzip.compress(b"Cy fell."))
    (folder / "picture.png").write_bytes(b"\x89PNG")
    assert list(texts([folder])) == [("b.txt", "Bo ran.\n"), ("c.txt.gz", "Cy fell."), ("deep/a.txt", "Ann sat.")]
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(folder / "b.txt", "b.txt")
        archive.write(folder / "picture.png", "picture.png")
    assert [one.id for one in texts([tmp_path / "all.zip"])] == ["b.txt"]
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as bundle:
        bundle.add(folder / "b.txt", "x/b.txt")
    assert [one.id for one in texts([tmp_path / "all.tar.gz"])] == ["x/b.txt"]


def test_bad_files_are_told_with_what_to_type(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("Zoë fell.".encode("latin-1"))
    with pytest.raises(BadInput, match=r"byte 3 is 0xeb.*--encoding latin-1"):
        list(texts([tmp_path / "latin.txt"]))
    assert next(iter(texts([tmp_path / "latin.txt"], "latin-1"))).text == "Zoë fell."
    with pytest.raises(BadInput, match="no encoding 'klingon'"):
        list(texts([tmp_path / "latin.txt"], "klingon"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="found none"):
        list(texts([tmp_path / "empty"]))
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"Ann ran. " * 99)[:-9])
    with pytest.raises(BadInput, match="truncated or damaged"):
        list(texts([tmp_path / "cut.txt.gz"]))
    with pytest.raises(BadInput, match="no such file"):
        list(texts([tmp_path / "none.txt"]))


def test_the_cache_remembers_and_survives_damage(tmp_path: Path) -> None:
    path = tmp_path / "reading.sqlite"
    story = Story("s", "Ann ran.")
    name = key("default|1", "Ann ran.")
    assert name != key("default|2", "Ann ran.")
    cache = Cache(path)
    cache.put({name: story})
    cache.close()
    again = Cache(path)
    assert again.get([name, b"other"]) == {name: story}
    assert again.base is not None
    again.base.execute("UPDATE reading SET story = x'00'")
    assert again.get([name]) == {}
    again.close()
    path.write_bytes(b"this is no database at all, but long enough to look like one" * 30)
    broken = Cache(path)
    assert broken.get([name]) == {}
    broken.put({name: story})
    broken.close()


def test_odd_text_is_cleaned_in_place_and_noted() -> None:
    kept, read, notes = clean("Ann\0ran \ud83d home")
    assert len(kept) == len(read) == 14
    assert read == "Ann ran   home"
    assert kept == "Ann\0ran \ufffd home"
    assert dict(notes)["cleaned"].startswith("2 ")
    assert clean("Ann ran.")[2] == ()


@pytest.mark.parametrize(
    "text",
    [
        "Il gatto dormiva sul tappeto mentre la pioggia cadeva sopra i tetti della vecchia casa.",
        "Собака бежала по улице и громко лаяла",
        "猫がマットの上に座っていた",
        "Le chien a mangé le pain que ma mère avait acheté hier soir chez le boulanger du village.",
    ],
)
def test_other_languages_are_said_to_be_so(text: str) -> None:
    assert not_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "Ann ran.", "i don 't know what he 's doing but i was at home and then we went to the store",
        "THE DOG RAN TO THE HOUSE AND THEN IT ATE ALL OF THE FOOD THAT WAS IN IT",
        "First, crack the eggs into a bowl. Then whisk them with a fork until they are smooth.", "😀 😀 😀", "1 2 3 4",
    ],
)  # fmt: skip
def test_english_is_not_taken_for_something_else(text: str) -> None:
    assert not not_english(text)


def test_chains_as_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    from scenarist.reading.chainfile import write

    stories = list(ConlluReader(coreference=False)([HAND.read_text("utf-8")]))
    assert write(tmp_path / "c.parquet", stories, 2, "dep") == sum(
        1 for _ in parquet.read_table(tmp_path / "c.parquet").to_pylist()
    )
    rows = parquet.read_table(tmp_path / "c.parquet").to_pylist()
    tom = next(row for row in rows if row["name"] == "Tom")
    assert tom["events"] == ["catch:dobj", "slip:nsubj", "leave:nsubj", "see:nsubjpass"]
    assert tom["polarity"] == [True, True, True, False]
    assert parquet.read_schema(tmp_path / "c.parquet").metadata[b"view"] == b"dep"
    first = (tmp_path / "c.parquet").read_bytes()
    write(tmp_path / "c.parquet", stories, 2, "dep")
    assert (tmp_path / "c.parquet").read_bytes() == first
