"""The default reader as a spaCy pipeline gives what the default reader gives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as some
from spacy.tokens import Doc

import scenarist
from scenarist.errors import BadInput

TEXTS = (
    "  Mia walked into a bakery.  She asked for rye bread.\n\nThe baker told Mia they had sold out!! \n",
    "Carl challenged Nina to a chess match. Nina agreed. She practiced every evening. On Sunday she beat Carl.",
    "“Where is it?” he said—nobody knew...\r\n- one\n- two\tthree 🙂",
)


@pytest.fixture(scope="module")
def nlp() -> Any:
    made = spacy.blank("en")
    made.add_pipe("scenarist")
    return made


def same(doc: Any, text: str) -> None:
    story = scenarist.events(text)
    words = [word for word in doc if word.pos_ != "SPACE"]
    assert doc.text == text
    assert [(word.idx, word.lemma_, word.pos_, word.tag_, str(word.morph)) for word in words] == [
        (one.start, one.lemma, one.pos, one.tag, one.feats) for one in story.tokens
    ]
    assert [word.head.idx for word in words] == [
        story.tokens[one.head].start if one.head >= 0 else one.start for one in story.tokens
    ]
    assert [
        next(word.idx for word in sentence if word.pos_ != "SPACE")
        for sentence in doc.sents
        if sentence.text.strip("\0 \t\r\n")
    ] == [one.start for one in story.sentences]
    clusters = [[(span.start_char, span.end_char) for span in group] for group in doc.spans.values()]
    assert clusters == [
        [(one.start, one.stop) for one in entity.mentions] for entity in story.entities if len(entity.mentions) > 1
    ]
    assert [event.predicate for event in doc._.story.events] == [event.predicate for event in story.events]


@pytest.mark.parametrize("text", TEXTS)
def test_same_as_the_reader(nlp: Any, text: str) -> None:
    same(nlp(text), text)


def test_names_are_entities(nlp: Any) -> None:
    assert [(one.text, one.label_) for one in nlp(TEXTS[1]).ents][:2] == [("Carl", "person"), ("Nina", "person")]


def test_many_texts_at_once(nlp: Any) -> None:
    for doc, text in zip(nlp.pipe(TEXTS * 2, batch_size=2), TEXTS * 2, strict=True):
        same(doc, text)


@given(some.text(alphabet="aB.!?-'\"  \n\t\0é🙂", max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read(nlp: Any, text: str) -> None:
    assert nlp(text).text == text


def test_kept_and_loaded(nlp: Any, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "made")
    same(spacy.load(tmp_path / "made")(TEXTS[1]), TEXTS[1])


def test_found_by_name_in_a_fresh_process() -> None:
    code = "import spacy; nlp = spacy.blank('en'); nlp.add_pipe('scenarist', config={'light': True}); print([one.predicate for one in nlp('Ann took a shower.')._.story.events])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "['take_shower']", done.stderr


def test_words_cut_otherwise(nlp: Any) -> None:
    with pytest.raises(BadInput, match="its own words"):
        nlp.get_pipe("scenarist")(Doc(nlp.vocab, ["Ann saw", "a cat", "."], [True, False, False]))
