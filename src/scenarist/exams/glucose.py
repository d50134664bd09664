"""Explained -> Item: which unstated event led to this sentence, or came of it? (Mostafazadeh et al. 2020, *GLUCOSE*, dimensions 1 and 6.)

Asked is only for what the story does not state: at most half of the statement's content words stand in it. The wrong choices are statements
of the same dimension about other stories, so that an answer cannot be told by its form; names and persons become *someone* in all choices,
so that it cannot be told by a name either. Departure: the paper has statements generated and
compared with BLEU.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha1

from scenarist.corpora.glucose import Explained
from scenarist.errors import BadInput
from scenarist.question import Choice, Item
from scenarist.reading.content_words import content_words

ASKED = {1: "cause", 6: "effect"}
WORD = re.compile(r"[A-Za-z]+")
PERSONS = frozenset("i we he she they me us him them you".split())
OWNERS = frozenset("my our his her their your".split())


class GlucoseExam:
    """A sentence in its story, one right cause or effect among several."""

    name = "glucose"
    metrics = ("accuracy", "mrr")

    def __init__(self, choices: int = 10, share: float = 0.5, see: str = "story") -> None:
        if choices < 2 or not 0 <= share <= 1 or see not in ("story", "choices"):
            raise BadInput("glucose: expected two or more choices, a share from 0 to 1, and see=story or see=choices.")
        self.choices, self.share, self.see = choices, share, see

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        return {"choices": self.choices, "stated": self.share, "see": self.see}

    def set(self, stories: Iterable[Explained]) -> Iterator[Item]:
        """One item for the first unstated answer of a sentence in each of the two dimensions."""
        whole = list(stories)
        if not all(isinstance(story, Explained) for story in whole):
            raise BadInput("glucose takes the corpus glucose.")
        names = names_in(whole)
        for dimension, relation in ASKED.items():
            pool = {
                hide_names(statement.text, names): story.story
                for story in whole
                for statement in story.statements
                if statement.dimension == dimension and self.unstated(statement.text, story)
            }
            for story in whole:
                right = [
                    hide_names(statement.text, names)
                    for statement in story.statements
                    if statement.dimension == dimension and self.unstated(statement.text, story)
                ]
                if right:
                    others = [text for text, source in pool.items() if source != story.story and text not in right]
                    yield self.item(story, dimension, relation, right, others)

    def unstated(self, text: str, story: Explained) -> bool:
        """Do at most so many of its content words stand in the story?"""
        words = content(text)
        told = content(story.story)
        return bool(words) and len(words & told) <= self.share * len(words)

    def item(self, story: Explained, dimension: int, relation: str, right: list[str], others: list[str]) -> Item:
        """The first answer among so many of other stories, in an order that does not depend on which is right."""
        id = f"{story.id}/{dimension}"
        wrong = sorted(others, key=lambda text: sha1(f"{id} {text}".encode()).digest())[: self.choices - 1]
        if len(wrong) < self.choices - 1:
            raise BadInput(f"glucose: only {len(wrong)} wrong choices for {id!r}; ask for fewer (--set choices=2).")
        choices = sorted([right[0], *wrong], key=lambda text: sha1(f"{text} {id}".encode()).digest())
        seen = self.see == "story"
        question = Choice(
            story.sentences if seen else (), tuple(choices), relation, focus=story.place if seen else None
        )
        return Item(id, question, str(choices.index(right[0])), story.story, tags=(relation,))


def content(text: str) -> frozenset[str]:
    """The stems of the content words.

    >>> sorted(content("The dog barked at the man"))
    ['bark', 'dog', 'man']
    """
    return frozenset(content_words([text], words="stems")[0])


def names_in(stories: Iterable[Explained]) -> frozenset[str]:
    """The names, small: words that are written with a capital more often than without."""
    capital: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for story in stories:
        for text in (*story.sentences, *(statement.text for statement in story.statements)):
            for word in WORD.findall(text):
                (capital if word[0].isupper() else small)[word.lower()] += 1
    return frozenset(word for word, count in capital.items() if count > small[word])


def hide_names(text: str, names: frozenset[str]) -> str:
    """A statement without its names and persons, all small.

    >>> hide_names("Jan and her dog meet me", frozenset({"jan"}))
    "someone and someone's dog meet someone"
    """

    def hidden(match: re.Match[str]) -> str:
        word = match[0].lower()
        if word in OWNERS:
            return "someone's"
        return "someone" if word in names or word in PERSONS else word

    return WORD.sub(hidden, text).strip(" .")
