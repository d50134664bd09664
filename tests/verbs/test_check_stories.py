"""The rules for writers: our own good and bad stories in the manner of the paper's Table 1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarist.verbs.check_stories import faults_of

GOOD = [
    ["Paul was sure he could outrun anybody.", "He dared Rita to a race.", "Rita agreed at once.", "She trained every morning.", "In the end Rita beat Paul by a mile."],
    ["The Hale family kept a small boat.", "They sailed it every spring.", "One night a storm hit the harbour.", "Their boat sank in the waves.", "Now they miss the boat every spring."],
    ["Ivo was in third grade.", "He liked his teacher a lot.", "Once Ivo broke her cup by accident.", "He hid the pieces from his teacher.", "When she found them, he apologised to her."],
]  # fmt: skip


@pytest.mark.parametrize("story", GOOD)
def test_good_stories_pass(story):
    assert faults_of(story) == []


def changed(at, sentence, story=GOOD[0]):
    return [*story[:at], sentence, *story[at + 1 :]]


@pytest.mark.parametrize(
    ("story", "rule", "sentence", "sure"),
    [
        (GOOD[0][:3], "five sentences", 0, True),
        ([*GOOD[0], "Paul wept."], "five sentences", 0, True),
        (changed(2, "Rita agreed at once because she had nothing else to do on that very long day."), "length", 3, True),
        (changed(2, 'Rita said "yes" at once.'), "quotation", 3, True),
        (changed(2, "Rita was gonna win, lol."), "slang", 3, True),
        (["The little kitten was proud.", "The kitten challenged a dog to a race.", "The dog agreed.", "It trained hard.", "The dog won."], "realistic", 2, False),
        (changed(3, "She bought a potion from a wizard."), "realistic", 4, False),
        (["I am content.", "I am kind.", "I am in good shape.", "I am rich.", "Why not be content?"], "beginning and end", 0, False),
        (changed(1, "Purple walls surround offices.", GOOD[2]), "irrelevant", 2, False),
    ],
)  # fmt: skip
def test_bad_stories_are_told_what_is_wrong(story, rule, sentence, sure):
    found = [(fault.rule, fault.sentence, fault.sure) for fault in faults_of(story)]
    assert (rule, sentence, sure) in found
    assert all(fault.text for fault in faults_of(story))


def test_strangers_share_no_character():
    story = ["Rain fell.", "Trains stopped.", "Shops closed.", "Lamps failed.", "Dogs barked."]
    assert "shared characters" in {fault.rule for fault in faults_of(story)}


@pytest.mark.parametrize("sentence", ["It was a routine job.", "Ivo was making jerky.", "He's got a lamp that he lit."])
def test_what_stands_for_something_told_is_not_irrelevant(sentence):
    """*It* and a name that others take up as *he* are no strangers; *lit* is no slang."""
    assert faults_of(changed(0, sentence, GOOD[2])) == []


def test_sixty_stories():
    """Thirty good ones and thirty with one fault each, written by us: at least 24 of the bad are found, at most 3 of the good refused."""
    stories = [
        json.loads(line) for line in (Path(__file__).parent / "fixtures" / "quality.jsonl").open(encoding="utf-8")
    ]
    refused = [story["broken"] for story in stories if faults_of(story["sentences"])]
    assert (len(stories), sum(map(bool, (story["broken"] for story in stories)))) == (60, 30)
    assert sum(map(bool, refused)) >= 24
    assert refused.count("") <= 3


@pytest.mark.parametrize(
    ("story", "rule", "sentence"),
    [
        (changed(3, "The moon is smaller than the earth."), "irrelevant", 4),
        (["The toaster woke up.", "It walked to the door.", "Ana saw it there.", "She picked it up.", "She put it back."], "realistic", 1),
        (["Ann sang.", "A tiger slept.", "Prices rose.", "The bus stopped.", "Bob lost his key."], "shared characters", 0),
    ],
)  # fmt: skip
def test_what_stands_apart_and_what_does_not_live(story, rule, sentence):
    assert (rule, sentence) in [(fault.rule, fault.sentence) for fault in faults_of(story)]
