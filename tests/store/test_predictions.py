"""Recorded predictions: short, exact where it counts, found by item and question, merged by section."""

import lzma

import pytest

from scenarist.errors import BadInput
from scenarist.question import Choice, Guess, Item, Prediction, Reading, Segments, Unsaid
from scenarist.store import predictions as store
from scenarist.store.predictions import Header, Recorded, Section, question_hash, read_sections, write_sections
from scenarist.story import Label, Segment, Sentence, Story, Token, replace


def header(condition="all", seed=1, split="dev", items=1):
    return Header(
        "t", "r", condition, split, seed, "m", {"k": 1}, [], "e", "c#0", "make it", "here", "today", items=items
    )


def section(answer="x", **place):
    return Section(header(**place), {"i": Recorded("q", Prediction("i", (Guess(answer, -0.5),), key_rank=1.0))})


def test_sections_come_back_and_others_stay(tmp_path):
    path = tmp_path / "t-r.jsonl.xz"
    write_sections(path, [section(seed=2), section(seed=1), section(condition="some")])
    write_sections(path, [section("y", seed=2), section(split="test")])
    known = {one.header.place: one for one in read_sections(path)}
    assert list(known) == [("dev", "all", 1), ("dev", "all", 2), ("dev", "some", 1), ("test", "all", 1)]
    assert known["dev", "all", 2] == section("y", seed=2)
    before = path.read_bytes()
    write_sections(path, [section(seed=1)])
    assert path.read_bytes() == before  # the same content is the same file
    assert read_sections(tmp_path / "none.jsonl.xz") == []


def test_an_answer_is_found_by_item_and_question():
    question = Choice(("One.",), ("a", "b"))
    known = Section(header(), {"i": Recorded(question_hash(question), Prediction("i", (Guess("1"),)))})
    assert known.find(Item("i", question, "0")).best == "1"
    assert known.find(Item("j", question, "0")) is None
    assert known.find(Item("i", Choice(("One.",), ("b", "a")), "0")) is None


def test_the_hash_of_a_story_is_that_of_its_text_not_of_its_parse():
    story = Story("s", "He ran. He fell.", sentences=(Sentence(0, 7), Sentence(8, 16)))
    parsed = replace(story, tokens=(Token(0, 2, lemma="he"),))
    asked = question_hash(Unsaid(story, "jogging", 1))
    assert question_hash(Unsaid(parsed, "jogging", 1)) == asked
    others = [
        Unsaid(story, "jogging", 0),
        Unsaid(story, "", 1),
        Unsaid(replace(story, text="He ran. He felt."), "jogging", 1),
    ]
    assert asked not in map(question_hash, others)


def test_few_decimals_unless_they_make_a_tie():
    assert store.shorten([-0.12345678, None, -1.0]) == [-0.123457, None, -1.0]
    assert store.shorten([-0.12345678, -0.12345679]) == [-0.12345678, -0.12345679]
    close = Prediction("i", (Guess("a", -0.12345678, ("why",)),), key_logp=-0.12345679, rest=0.123456789, note="said")
    assert store.shorten_prediction(close) == Prediction(
        "i", (Guess("a", -0.12345678),), key_logp=-0.12345679, rest=0.123457
    )


def test_segments_lose_their_reasons_and_texts_are_refused():
    segment = Segment(0, 5, (Label("x", 0.75000004), Label("y", 0.1)), by="m", why=("word",))
    (guess,) = store.shorten_prediction(Prediction("i", (Guess(Segments((segment,))),))).guesses
    assert guess.answer.segments == (Segment(0, 5, (Label("x", 0.75), Label("y", 0.1)), by="m"),)
    with pytest.raises(BadInput, match="holds the text"):
        store.shorten_prediction(Prediction("i", (Guess(Reading(Story("s", "text"))),)))


def test_broken_files_are_named(tmp_path):
    path = tmp_path / "t-r.jsonl.xz"
    path.write_bytes(b"no xz")
    with pytest.raises(BadInput, match="not a whole file"):
        read_sections(path)
    write_sections(tmp_path / "good.xz", [section(items=2)])
    with pytest.raises(BadInput, match="1 of 2 answers"):
        read_sections(tmp_path / "good.xz")
    path.write_bytes(lzma.compress(b'{"table": "t"}\n'))
    with pytest.raises(BadInput, match="line 1"):
        read_sections(path)


def test_the_folder_is_the_checkouts_or_the_one_named(tmp_path, monkeypatch):
    monkeypatch.setenv("SCENARIST_PREDICTIONS", str(tmp_path))
    assert store.file_of("my table", "row/1") == tmp_path / "my-table-row-1.jsonl.xz"
    monkeypatch.delenv("SCENARIST_PREDICTIONS")
    monkeypatch.setattr(store, "FOLDER", tmp_path / "results" / "predictions")  # as in a wheel
    assert store.file_of("t", "r") is None
