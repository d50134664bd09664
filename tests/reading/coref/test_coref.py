"""Who is who in plain stories; what the rules forbid; and what must hold of any text."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarist.reading.coref import lexicon as lex
from scenarist.reading.coref.mentions import find
from scenarist.reading.coref.pairs import FEATURES, MOST, slices
from scenarist.reading.coref.resolve import resolve
from scenarist.reading.parser.parse import Parsed, parser
from scenarist.story import Entity, Sentence, Story, Token


def read(text: str) -> tuple[Story, tuple[Entity, ...]]:
    parsed: Parsed = next(iter(parser()([text])))
    return parsed.story, resolve(parsed.story, parsed.kinds)


def together(text: str) -> list[list[str]]:
    """The clusters of two and more mentions, as strings."""
    story, entities = read(text)
    return [[story.of(mention) for mention in entity.mentions] for entity in entities if len(entity.mentions) > 1]


def test_names_and_pronouns() -> None:
    assert together("Mia walked into a bakery. She asked for bread. The baker told Mia to wait.") == [
        ["Mia", "She", "Mia"]
    ]


def test_two_sexes_stay_apart() -> None:
    found = together("Anna met Peter at the station. He gave her a book. She thanked him.")
    assert ["Anna", "her", "She"] in found
    assert ["Peter", "He", "him"] in found


def test_nominals_by_head() -> None:
    found = together("A waiter brought some soup. Tim tasted the soup. The waiter apologized.")
    assert ["A waiter", "The waiter"] in found
    assert ["some soup", "the soup"] in found


def test_first_person_in_narration() -> None:
    assert ["I", "My", "me", "I"] in together("I woke up late. My neighbor offered me a ride. I thanked her.")


def test_speaker_of_a_quotation() -> None:
    found = together('"I am hungry," said Anna. Anna cut a slice of bread.')
    assert ["I", "Anna", "Anna"] in found


def test_objects_are_not_their_subject() -> None:
    """him is never the he of its own verb, nor of one that shares its subject."""
    for text in ("Hugo phoned. He saw him.", "Hugo sat down. Then he took the phone and called him."):
        story, entities = read(text)
        for entity in entities:
            words = [story.of(mention) for mention in entity.mentions]
            assert not ("him" in words and ("He" in words or "he" in words)), text


def test_reflexives_are_their_subject() -> None:
    assert ["Tom", "himself"] in together("Tom cut himself.")


def test_coordination_keeps_its_members() -> None:
    story, entities = read("Kim and Leo went to the beach. They swam for hours. Leo got sick.")
    names = {story.of(entity.mentions[0]): entity for entity in entities}
    both = names["Kim and Leo"]
    assert set(both.members) == {names["Kim"].id, names["Leo"].id}
    assert both.number == "plural"
    assert [story.of(mention) for mention in names["Leo"].mentions] == ["Leo", "Leo"]


def test_every_link_says_why_and_first_mentions_do_not() -> None:
    story, entities = read("Bob robbed a bank. The police chased him. He was sent to prison.")
    bob = next(entity for entity in entities if story.of(entity.mentions[0]) == "Bob")
    assert bob.mentions[0].why == ""
    assert len(bob.mentions) == 3
    assert all("pronoun" in mention.why for mention in bob.mentions[1:])
    assert (bob.kind, bob.gender, bob.number, bob.name) == ("person", "male", "singular", "Bob")


def test_singletons_are_kept_and_ids_follow_the_text() -> None:
    _, entities = read("Mia bought a hat in Paris.")
    assert [entity.id for entity in entities] == ["e1", "e2", "e3"]
    assert all(len(entity.mentions) == 1 for entity in entities)


def test_titles_tell_the_sex() -> None:
    parsed = next(iter(parser()(["Mrs. Lund met Mr. Gray."])))
    mentions = find(parsed.story, parsed.kinds)
    names = {
        mentions.texts[place]: int(mentions.gender[place])
        for place in range(len(mentions))
        if mentions.cls[place] == lex.NAME
    }
    assert names == {"mrs. lund": 2, "mr. gray": 1}


def test_unparsed_and_empty_stories() -> None:
    assert resolve(Story("s", "")) == ()
    assert resolve(Story("s", "Ann ran", tokens=(Token(0, 3), Token(4, 7)), sentences=(Sentence(0, 7, 0, 2),))) == ()


def check(story: Story, entities: tuple[Entity, ...]) -> None:
    seen: set[tuple[int, int]] = set()
    ids = {entity.id for entity in entities}
    assert len(ids) == len(entities)
    for entity in entities:
        assert entity.mentions
        assert set(entity.members) <= ids - {entity.id}
        for mention in entity.mentions:
            assert mention.first <= mention.head < mention.last <= len(story.tokens)
            assert (mention.start, mention.stop) == (
                story.tokens[mention.first].start,
                story.tokens[mention.last - 1].stop,
            )
            assert (mention.first, mention.last) not in seen
            seen.add((mention.first, mention.last))
        assert [one.first for one in entity.mentions] == sorted(one.first for one in entity.mentions)


WORDS = [
    "Mia",
    "she",
    "her",
    "the",
    "dog",
    "and",
    "Tom",
    "he",
    "said",
    ",",
    ".",
    '"',
    "I",
    "you",
    "they",
    "saw",
    "it",
    "who",
    "'s",
    "of",
    "park",
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_any_words(words: list[str]) -> None:
    check(*read(" ".join(words)))


def test_pairs_are_few_and_finite() -> None:
    parsed = next(iter(parser()(["Tom saw the dog. The dog saw Tom. He ran to it. " * 60])))
    mentions = find(parsed.story, parsed.kinds)
    (part,) = slices(mentions, parser().vectors)
    made = part.pairs
    assert (part.rows[part.mine] == made.mine).all()
    assert (part.rows[part.its] == made.its).all()
    assert made.features.shape == (len(made.mine), len(FEATURES))
    assert np.isfinite(made.features).all()
    assert (made.its < made.mine).all()
    assert np.bincount(made.mine).max() <= MOST


@pytest.mark.slow
def test_cost_grows_linearly() -> None:
    text = "Tom saw the old dog near the river. The dog barked at him and he ran. She told them about it. "
    spent = []
    for times in (50, 400):
        parsed = next(iter(parser()([text * times])))
        runs = []
        for _ in range(3):  # the quickest: what else runs here only adds
            begun = time.process_time()
            resolve(parsed.story, parsed.kinds)
            runs.append(time.process_time() - begun)
        spent.append(min(runs))
    assert spent[1] < 32 * max(spent[0], 0.01), (
        "eight times the text; were each pair compared, it would be 64 times the work"
    )


def test_numbers_of_a_list_and_emoji_are_nobody() -> None:
    parsed = next(iter(parser()(["1. Wash the cup.\n2. Dry it.\n\nWe won 🎉🎉 again."])))
    found = {
        parsed.story.text[parsed.story.tokens[at].start : parsed.story.tokens[at].stop]
        for at in find(parsed.story, parsed.kinds).head
    }
    assert {"cup", "it", "We"} <= found
    assert not found & {"1", "2", "1.", "2.", "🎉", "🎉🎉"}
