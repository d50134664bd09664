"""The default reader: the chains a person would write down, any text at all, the same bytes whatever the processes."""

from __future__ import annotations

import itertools
import os
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scenarist.conformance import check_reader, check_story
from scenarist.noun import to_json
from scenarist.reading.chains import chains
from scenarist.reading.default import DefaultReader
from scenarist.reading.render import render
from scenarist.story import Story

STORIES: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "fixtures" / "stories.toml").read_text("utf-8"))[
    "story"
]
SHOWS = (
    "Mia walked into a bakery. She asked for rye bread. The baker told Mia they had sold out. The guards caught Tom but he slipped "
    "away. Tom left the city and was never seen again. To annoy them, she waited in the lobby for almost two days."
)


@pytest.fixture(scope="module")
def reader() -> DefaultReader:
    return DefaultReader()


def read(reader: DefaultReader, text: str) -> Story:
    (story,) = reader([text])
    return story


def chain_of(story: Story, who: str) -> str:
    """The chain of the entity that has a mention of this text (whatever modifies it may belong to the mention)."""
    for entity in story.entities:
        if any(story.of(mention) == who or story.of(mention).startswith(who + " ") for mention in entity.mentions):
            return " ".join(str(one) for one in chains(story) if one.entity == entity.id)
    return "nobody is called so"


@pytest.mark.parametrize("case", STORIES, ids=[case["id"] for case in STORIES])
def test_the_chains_a_person_would_write_down(reader: DefaultReader, case: dict[str, Any]) -> None:
    story = read(reader, case["text"])
    assert {who: chain_of(story, who) for who in case["chains"]} == case["chains"]


def test_the_sentences_of_the_issue(reader: DefaultReader) -> None:
    story = read(reader, SHOWS)
    assert chain_of(story, "Mia") == "walk:subj ask:subj tell:obj annoy:subj wait:subj"
    assert chain_of(story, "Tom") == "catch:obj slip_away:subj leave:subj see:obj"
    assert render(story)[-1] == "She wait in lobby for days."


def test_it_keeps_the_promises_of_a_reader() -> None:
    check_reader("default")


ODD = {
    "empty": "", "white space": " \n\t \u00a0 ", "one letter": "a", "one dot": ".", "NUL": "Ann\0 ran\0.", "surrogate": "Ann \ud83d ran.",
    "blog": "i don 't know . she was n't there , and he 'll come back . we ca n't wait",
    "capitals": "THE DOG BIT THE MAN. HE SCREAMED AND RAN AWAY.",
    "emoji": "We won 🎉🎉🎉 and I 😭 all night 👩‍👩‍👧‍👦!!!", "address": "Go to https://example.org/a?b=c&d=%20#x or mail a.b@c.de now.",
    "list": "- milk\n- eggs\n  * two\n1. Wash it.\n2) Dry it.\n\n\n\n• Done",
    "dialogue": "“Stop!” he cried. “He said ‘never’ and ‘I won’t,’” she said. \"What?\" 'Nothing.'",
    "open quotes": "\"\"\"''“““‘‘‘((([[[", "german": "Der Mann ging nach Hause und aß sein Brot, weil er müde und hungrig war.",

    "chinese": "我昨天去了商店,买了一些面包。", "arabic": "ذهب الرجل إلى السوق واشترى الخبز.",
    "controls": "a\x01b\x02\x1b[31mred\x7f\u200b\u202e",
    "one long word": "x" * 50_000, "no spaces": "a,b.c!d?" * 1000, "many lines": "\n" * 20_000, "many dots": ". " * 5_000,
    "one word again": "buffalo " * 2_000, "quotes only": '" ' * 2_000, "nested": "(" * 1000 + "he ran" + ")" * 1000,
}  # fmt: skip


@pytest.mark.parametrize("text", list(ODD.values()), ids=list(ODD))
def test_odd_text_neither_crashes_nor_hangs(reader: DefaultReader, text: str) -> None:
    begun = time.perf_counter()
    story = read(reader, text)
    assert time.perf_counter() - begun < 60
    assert len(story.text) == len(text)
    check_story(story)
    to_json(story)
    render(story)
    chains(story, view="pm")


def test_what_is_odd_is_noted(reader: DefaultReader) -> None:
    assert "English" in (read(reader, ODD["german"]).note("language") or "")
    assert "English" in (read(reader, ODD["chinese"]).note("language") or "")
    assert read(reader, SHOWS).note("language") is None
    assert (read(reader, ODD["NUL"]).note("cleaned") or "").startswith("2 ")


def test_lower_case_and_cut_up_tokens_are_read(reader: DefaultReader) -> None:
    story = read(reader, "i did n't sleep . then she called me and i went home .")
    assert [event.predicate for event in story.events if event.kind == "verb"] == ["sleep", "call", "go"]
    assert not story.events[0].polarity
    assert "sleep:subj call:obj go:subj" in {str(one) for one in chains(story)}


PIECES = st.one_of(
    st.text(max_size=12),
    st.text(st.characters(codec="utf-8"), max_size=6),
    st.sampled_from(
        [
            "he",
            "she said",
            "Tom",
            "was",
            "n't",
            "don 't",
            ".",
            "?",
            '"',
            "“",
            "”",
            "\n\n",
            "\t",
            "and",
            "to",
            "who",
            "ran",
            "\0",
        ]
    ),
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(PIECES, max_size=40).map(" ".join))
def test_any_text_gives_a_sound_story(text: str) -> None:
    (story,) = DefaultReader()([text])
    assert story.text == text
    check_story(story)
    to_json(story)
    covered = [token for token in story.tokens if not story.of(token).isspace()]
    assert all(one.stop <= two.start for one, two in itertools.pairwise(covered))
    render(story)
    render(story, "caveman", "released")


def test_the_same_bytes_whatever_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenarist.reading.default.BATCH", 2_000)
    texts = [case["text"] for case in STORIES] * 4
    texts[5] = ""
    alone = [to_json(story) for story in DefaultReader()(texts)]
    assert [to_json(story) for story in DefaultReader(jobs=2)(texts)] == alone
    assert len(alone) == len(texts)


def test_what_was_read_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    texts = [case["text"] for case in STORIES[:5]]
    first = list(DefaultReader(cache=True)(texts))
    assert (tmp_path / "cache" / "reading.sqlite").exists()
    again = list(DefaultReader(cache=True)([*texts, "Ann sat down.", texts[0]]))
    assert again[:5] == first
    assert again[6] == first[0]
    assert list(DefaultReader(cache=False)(texts)) == first
    light = next(iter(DefaultReader(cache=True, light=True)(["Ann took a shower."])))
    assert [one.predicate for one in light.events] == ["take_shower"]


def test_a_home_that_cannot_be_written_costs_only_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "file"))
    assert next(iter(DefaultReader(cache=True)(["Ann ran."]))).events


@pytest.mark.slow
def test_cost_grows_with_length_only(reader: DefaultReader) -> None:
    """Eight times the text takes about eight times as long (a wide margin: the machine may be busy)."""
    text = " ".join(case["text"] for case in STORIES)
    read(reader, text)

    def spent(times: int) -> float:
        begun = time.process_time()
        read(reader, " ".join([text] * times))
        return time.process_time() - begun

    few, many = min(spent(2) for _ in range(2)), spent(16)
    assert many < 8 * few * 2.0 + 0.5


@pytest.mark.data("mcscript")
def test_real_stories_of_many_scenarios(reader: DefaultReader) -> None:
    from scenarist.registry import make

    texts = [story.text for story in itertools.islice(make("corpus", "mcscript", split="dev"), 10)]
    assert os.environ["SCENARIST_DATA"]
    for story in reader(texts):
        check_story(story)
        assert any(len(one) >= 5 for one in chains(story))
