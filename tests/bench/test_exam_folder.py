"""Exam folders: questions and keys apart, predictions files checked."""

import pytest

from scenarist.bench import exam_folder as folder
from scenarist.bench.sit import data_hash
from scenarist.errors import BadInput
from scenarist.marked import ExamCard
from scenarist.question import Choice, Item

ITEMS = [Item(f"i{n}", Choice((f"Sentence {n}.",), ("Yes.", "No.")), str(n % 2)) for n in range(4)]


@pytest.fixture
def exam(tmp_path):
    path = tmp_path / "exam"
    folder.write(
        path, ITEMS, ExamCard("storycloze", "mine", "dev", 4, f"mine#{data_hash(ITEMS)}", metrics=("accuracy",))
    )
    return path


def lines(path, *texts):
    path.write_text("".join(text + "\n" for text in texts))
    return path


def line(item, answer="0"):
    return f'{{"item": "{item}", "guesses": [{{"answer": "{answer}"}}]}}'


def test_items_come_back_and_questions_hold_no_key(exam):
    items, card = folder.read(exam)
    assert items == ITEMS
    assert card.exam == "storycloze"
    assert "key" not in (exam / "questions.jsonl").read_text()


def test_a_changed_key_is_noticed(exam):
    text = (exam / "keys.jsonl").read_text()
    (exam / "keys.jsonl").write_text(text.replace('"key":"0"', '"key":"1"', 1))
    with pytest.raises(BadInput, match="changed"):
        folder.read(exam)


@pytest.mark.parametrize("texts, message", [
    ((line("i0"), line("i9")), r"prediction 2.*no item 'i9'"),
    ((line("i0"), line("i0")), "second prediction"),
    ((), "holds no prediction"),
    ((line("i0"), '{"item": "i1", "guesses": [{"answer": "0", "logp": NaN}]}'), "line 2"),
    ((line("i0"), '{"item": "i1", "gues'), "line 2"),
])  # fmt: skip
def test_bad_predictions_are_refused(exam, tmp_path, texts, message):
    with pytest.raises(BadInput, match=message):
        folder.predictions(lines(tmp_path / "p.jsonl", *texts), ITEMS)


def test_missing_predictions_are_refused_only_when_strict(exam, tmp_path):
    path = lines(tmp_path / "p.jsonl", line("i0"))
    assert set(folder.predictions(path, ITEMS)) == {"i0"}
    with pytest.raises(BadInput, match="3 of 4 items"):
        folder.predictions(path, ITEMS, strict=True)


def test_a_folder_that_is_no_exam_says_what_to_type(tmp_path):
    with pytest.raises(BadInput, match="scenarist exam NAME CORPUS"):
        folder.read(tmp_path)
