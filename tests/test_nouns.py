"""Nouns: immutable, hashable, strict JSON, errors that name the field and the line."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarist.errors import BadInput
from scenarist.noun import from_json, read_jsonl, to_json, write_jsonl
from scenarist.question import Choice, EventGap, Guess, Item, Order, Permutation, Prediction, Segments, Where
from scenarist.story import Chain, Label, Link, Pair, Segment, Story, Token

words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
names = st.text("abcdefgh_", min_size=1, max_size=8)
links = st.builds(Link, names, st.sampled_from(["", "subj", "obj", "prep_at"]), st.lists(names, max_size=3).map(tuple))
numbers = st.floats(allow_nan=False, allow_infinity=False)
segments = st.builds(lambda a, n, labels: Segment(a, a + n, tuple(labels)), st.integers(0, 99), st.integers(0, 99),
                     st.lists(st.builds(Label, words, numbers), max_size=3))  # fmt: skip
answers = st.one_of(
    words, st.permutations(range(4)).map(lambda order: Permutation(tuple(order))),
    st.lists(segments, max_size=3).map(lambda found: Segments(tuple(found))),
)  # fmt: skip
questions = st.one_of(
    st.builds(Choice, st.lists(words).map(tuple), st.lists(words).map(tuple)),
    st.builds(EventGap, st.lists(links).map(tuple), st.none() | st.integers(0, 5), st.lists(links).map(tuple)),
    st.builds(Order, st.lists(words).map(tuple)),
    st.lists(words, max_size=4).map(lambda texts: Where(Story.from_sentences("s", texts))),
)


@given(st.builds(Item, names, questions, answers, names, st.lists(names).map(tuple)))
def test_item_survives_json(item):
    assert from_json(to_json(item), Item) == item
    assert hash(from_json(to_json(item), Item)) == hash(item)


@given(
    st.lists(st.builds(Prediction, names, st.lists(st.builds(Guess, answers, st.none() | numbers)).map(tuple), words))
)
def test_predictions_survive_jsonl(predictions):
    assert list(read_jsonl(write_jsonl(predictions), Prediction)) == predictions


@given(st.lists(words, max_size=6))
def test_sentences_point_into_the_text(texts):
    story = Story.from_sentences("s", texts)
    assert [story.of(sentence) for sentence in story.sentences] == texts


@given(st.lists(st.lists(names, min_size=1, max_size=5), max_size=5))
def test_words_point_into_the_text(sentences):
    story = Story.from_words("s", sentences)
    assert [list(story.words(sentence)) for sentence in story.sentences] == sentences
    assert [story.of(s) for s in story.sentences] == [" ".join(sentence) for sentence in sentences]


@given(links)
def test_links_are_read_as_they_are_written(link):
    if link.role:
        assert Link.parse(str(link)) == link


@pytest.mark.parametrize("text, link", [
    ("arrest:obj", Link("arrest", "obj")), ("arrest->dobj", Link("arrest", "dobj")), ("pick_up->prep_at", Link("pick_up", "prep_at")),
    ("go", Link("go")), ("tell:subj(x, y,-)", Link("tell", "subj", ("x", "y", "-"))), (":-):subj", Link(":-)", "subj")),
])  # fmt: skip
def test_link_forms(text, link):
    assert Link.parse(text) == link


def test_nouns_are_immutable():
    with pytest.raises(AttributeError):
        Chain((Link("go"),)).links = ()


def test_an_error_names_field_and_line():
    lines = [b'{"item": "a", "guesses": []}', b"", b'{"item": "b", "guesses": [{"answer": 3}]}']
    with pytest.raises(BadInput, match=r"p\.jsonl, line 3.*guesses\[0\]\.answer"):
        list(read_jsonl(lines, Prediction, "p.jsonl"))


@pytest.mark.parametrize("text, message", [
    (b'{"item": "a", "guesses": [], "extra": 1}', "extra"),
    (b'{"item": "a", "guesses": [{"answer": "x", "logp": NaN}]}', "malformed"),
    (b'{"item": "a"', "truncated"),
    (b'{"guesses": []}', "item"),
])  # fmt: skip
def test_bad_json_is_refused(text, message):
    with pytest.raises(BadInput, match=message):
        from_json(text, Prediction)


def test_numbers_are_finite():
    with pytest.raises(ValueError, match="logp"):
        Guess("a", float("-inf"))


def test_spans_are_checked():
    with pytest.raises(ValueError, match="beyond the text"):
        Story("s", "short", tokens=(Token(0, 9),))
    with pytest.raises(ValueError, match="start"):
        Token(3, 2)
    with pytest.raises(ValueError, match="blank"):
        Pair("p", ("a",), ("b", "c"), ((1, 3),))
    with pytest.raises(ValueError, match="each of"):
        Permutation((0, 0))


def test_schema_of_every_noun_can_be_made():
    assert msgspec.json.schema(Item)["$defs"]["Choice"]["properties"]["ask"]
