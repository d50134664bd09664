"""The carried parser: words, sentences, trees and lemmas of plain stories, and any input at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarist.reading.parser.lemmas import lemma
from scenarist.reading.parser.parse import Parsed, paragraphs, parser, pieces
from scenarist.story import Story

BAKERY = "Mia walked into a bakery. She asked for rye bread. The baker told Mia they had sold out."


def read(text: str) -> Parsed:
    return next(iter(parser()([text])))


def arguments(story: Story) -> set[tuple[str, str, str]]:
    """(verb, relation, argument) as lemmas."""
    return {
        (story.tokens[token.head].lemma, token.dep, token.lemma)
        for token in story.tokens
        if token.head >= 0 and token.dep in {"nsubj", "nsubj:pass", "obj", "iobj"}
    }


def check(parsed: Parsed) -> None:
    """What must hold of any text."""
    story = parsed.story
    assert len(parsed.kinds) == len(parsed.realis) == len(story.tokens)
    end = 0
    for token in story.tokens:
        assert end <= token.start < token.stop <= len(story.text)
        assert story.text[token.start : token.stop].strip()
        end = token.stop
    covered = 0
    for sentence in story.sentences:
        assert sentence.first == covered < sentence.last
        covered = sentence.last
        heads = [story.tokens[place].head for place in range(sentence.first, sentence.last)]
        assert heads.count(-1) == 1
        assert all(head == -1 or sentence.first <= head < sentence.last for head in heads)
        for place in range(sentence.first, sentence.last):
            steps = 0
            while place >= 0:
                place, steps = story.tokens[place].head, steps + 1
                assert steps <= len(heads)
    assert covered == len(story.tokens)
    assert all(0 <= chance <= 1 for chance in parsed.realis)


def test_a_plain_story() -> None:
    parsed = read(BAKERY)
    check(parsed)
    assert [parsed.story.of(one) for one in parsed.story.sentences] == [
        "Mia walked into a bakery.",
        "She asked for rye bread.",
        "The baker told Mia they had sold out.",
    ]
    assert {
        ("walk", "nsubj", "Mia"),
        ("ask", "nsubj", "she"),
        ("tell", "nsubj", "baker"),
        ("tell", "iobj", "Mia"),
    } <= arguments(parsed.story)
    kinds = {parsed.story.of(token): kind for token, kind in zip(parsed.story.tokens, parsed.kinds, strict=True)}
    assert kinds["Mia"] == "person"
    assert kinds["bakery"] == "place"
    assert kinds["walked"] == ""


def test_passive_and_control() -> None:
    found = arguments(read("Tom was arrested by the police. John wanted to eat an apple.").story)
    assert ("arrest", "nsubj:pass", "Tom") in found
    assert ("eat", "obj", "apple") in found


def test_realis_follows_what_happened() -> None:
    parsed = read("Anna opened the door. She did not open the window. She might open it tomorrow.")
    chance = [value for token, value in zip(parsed.story.tokens, parsed.realis, strict=True) if token.lemma == "open"]
    assert chance[0] > 0.5 > max(chance[1:])


def test_blog_spelling() -> None:
    story = read("i don 't know why , but he didn 't call me . we can 't wait").story
    assert [token.lemma for token in story.tokens if story.of(token) == "'t"] == ["not"] * 3
    assert ("call", "nsubj", "he") in arguments(story)
    assert len(story.sentences) == 2


def test_all_capitals_and_lower_case_keep_the_core() -> None:
    text = "The man bought a car. He drove it home."
    for spelled in (text, text.lower(), text.upper()):
        story = read(spelled).story
        found = {(verb.lower(), dep, word.lower()) for verb, dep, word in arguments(story)}
        assert {("buy", "nsubj", "man"), ("buy", "obj", "car"), ("drive", "nsubj", "he")} <= found, spelled


def test_given_words_stay() -> None:
    parsed = next(iter(parser().words([[["Ann", "ran", "."], ["She", "fell", "."]]])))
    check(parsed)
    assert parsed.story.text == "Ann ran . She fell ."
    assert [one.last for one in parsed.story.sentences] == [3, 6]


def test_many_texts_are_read_as_one_by_one() -> None:
    texts = [BAKERY, "", "Sam sang.", "x", BAKERY.upper()]
    together = list(parser()(texts))
    assert [parsed.story for parsed in together] == [read(text).story for text in texts]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\n \t",
        "\x00",
        "a\x00b",
        "😀😀 ok",
        "http://x.y/z?a=1&b=2",
        "...",
        '"""',
        "- one\n- two\n",
        "¿Dónde está?",
        "日本語の文",
        "\ufffd",
        "’t",
    ],
)
def test_odd_texts(text: str) -> None:
    check(read(text))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    check(read(text))


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab \n.!-1", max_size=9000), st.integers(1, 4))
def test_pieces_cover_every_paragraph(text: str, times: int) -> None:
    text *= times
    for start, stop in paragraphs(text):
        found = list(pieces(text, start, stop))
        assert found[0][0] == start
        assert found[-1][1] == stop
        assert all(a[1] == b[0] for a, b in zip(found, found[1:], strict=False))


@pytest.mark.parametrize("unit", ["word ", "a", "-a", "Ann ran. ", '"', "a\n"])
def test_cost_grows_linearly(unit: str) -> None:
    """Cutting eight times the text takes far less than 64 times as long."""
    spent = []
    for size in (20_000, 160_000):
        text = unit * (size // len(unit))
        begun = time.process_time()
        parser().cut(text)
        spent.append(time.process_time() - begun)
    assert spent[1] < 20 * max(spent[0], 0.01)


@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [("were", "VBD", "be"), ("’s", "VBZ", "be"), ("went", "VBD", "go"), ("making", "VBG", "make"), ("stopped", "VBD", "stop"), ("children", "NNS", "child"),
     ("buses", "NNS", "bus"), ("better", "JJR", "good"), ("him", "PRP", "he"), ("n't", "RB", "not"), ("Mia", "NNP", "Mia"), ("hoping", "VBG", "hope"),
     ("lying", "VBG", "lie"), ("cities", "NNS", "city"), ("wives", "NNS", "wife"), ("said", "VBD", "say"), ("an", "DT", "a")],
)  # fmt: skip
def test_lemmas(word: str, tag: str, expected: str) -> None:
    assert lemma(word, tag) == expected
