"""Chains as Parquet: of stories for people, of shards for counting."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarist.story import Chain, Entity, Event, Link, Mention, Story

pytest.importorskip("pyarrow", reason="needs the extra 'learn'")

import pyarrow.parquet as parquet

from scenarist.formats.chain_file import (
    ChainRow,
    SentenceRow,
    event_id,
    read_chains,
    stamp_of,
    story_chain_file,
    story_chain_rows,
    write_chains,
    write_sentences,
)

STORY = Story(
    "s", "Tom ran. He did not fall.", entities=(Entity("e1", (Mention(0, 1),), kind="person", name="Tom"),),
    events=(Event("run", start=4, stop=7), Event("fall", start=20, stop=24, polarity=False)),
)  # fmt: skip
CHAIN = Chain((Link("run", "subj"), Link("fall", "subj")), "e1", "s", (0, 1))


def test_the_chains_of_a_story_are_rows_that_say_how_they_were_derived(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    with story_chain_file(path, 2, "dep") as file:
        file.add(story_chain_rows(STORY, [CHAIN], "e1"))
    assert file.count == 1
    assert parquet.read_table(path).to_pylist() == [
        {
            "story": "s", "entity": "e1", "name": "Tom", "kind": "person", "protagonist": True, "events": ["run:subj", "fall:subj"],
            "predicates": ["run", "fall"], "roles": ["subj", "subj"], "realis": [True, True], "polarity": [True, False], "starts": [4, 20],
        }
    ]  # fmt: skip
    about = parquet.read_schema(path).metadata
    assert (about[b"view"], about[b"min"]) == (b"dep", b"2")


def test_a_shard_comes_back_with_its_stamp(tmp_path: Path) -> None:
    rows = [
        ChainRow("d", 0, "e", "", ("run:subj", "fall:subj"), ("x -",), (0, 1)),
        ChainRow("d", 1, "f", "", ("sit:subj",)),
    ]
    path = tmp_path / "part.parquet"
    assert write_chains(path, rows, "made of this") == 2
    assert stamp_of(path) == "made of this"
    assert list(read_chains(path)) == rows
    schema = parquet.read_schema(path)
    assert [str(schema.field(name).type) for name in ("chain", "ids", "sentences")] == [
        "int32", "list<element: int64>", "list<element: int32>",
    ]  # fmt: skip
    assert parquet.read_table(path)["ids"].to_pylist()[1] == [event_id("sit:subj")]


def test_the_sentences_of_a_shard(tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    assert write_sentences(path, [SentenceRow("d", 3, "Tom ran.")], "s") == 1
    assert parquet.read_table(path).to_pylist() == [{"document": "d", "sentence": 3, "text": "Tom ran."}]
    assert stamp_of(path) == "s"


def test_a_missing_or_damaged_shard_has_no_stamp(tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    assert stamp_of(path) is None
    write_chains(path, [ChainRow("d", 0, "e", "", ("run:subj",))], "s")
    path.write_bytes(path.read_bytes()[:-20])
    assert stamp_of(path) is None
