"""Four sentences -> a right and a wrong ending (Mostafazadeh et al. 2016, section 4.2).

Both follow the story by sharing a character, and both are realistic and sensible when read alone. What can be said for certain is refused:
equal endings, one that is a sentence of the story, one that names nobody and nothing of it. The rest is said while one writes.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.imagined import imagine_endings
from scenarist.lab.kinds.compose import ComposeTexts, bare
from scenarist.lab.kinds.write_story import rule_lines
from scenarist.question import Compose

LABELS = ("Right ending", "Wrong ending")
PRONOUNS = frozenset(
    "i me my we us our he him his she her hers they them their it its you your everyone everybody".split()
)
STARTERS = frozenset("the a an one when then after before finally suddenly in on at it this that there".split())
WORD = re.compile(r"[A-Za-z']+")


class WriteEndings(ComposeTexts):
    """How does it end, and how does it not?"""

    name = "write-endings"

    def labels(self, question: Compose, settings: Mapping[str, Any]) -> list[str]:
        """Right and wrong."""
        return list(LABELS)

    def faults(self, texts: Sequence[str], title: str, question: Compose) -> list[str]:
        """What is certain."""
        problems = []
        if len(texts) > 1 and texts[0] and bare(texts[0]) == bare(texts[1]):
            problems.append("Both endings are the same: one must follow from the story, the other must not.")
        for label, text in zip(LABELS, texts, strict=False):
            if not text:
                continue
            if bare(text) in {bare(sentence) for sentence in question.context}:
                problems.append(f"The {label.lower()} stands in the story already.")
            elif question.context and not shares_character(question.context, text):
                problems.append(f"The {label.lower()} is about nobody of the story: let one of its characters act.")
            problems += [f"The {label.lower()}: {line}" for line in rule_lines([text], True)]
        return problems

    def doubts(self, texts: Sequence[str], title: str, question: Compose) -> list[str]:
        """What may be wrong with an ending that is read alone."""
        from scenarist.verbs.check_stories import realistic

        return [
            f"The {label.lower()}: {fault.text}"
            for label, text in zip(LABELS, texts, strict=False)
            for fault in realistic([text])
        ]

    def warm(self) -> None:
        """Load the reader."""
        rule_lines(("Ida left.",), True)

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """What the script goes on with, and an event of another one; now and then two that are equal."""
        right, wrong = imagine_endings(page.marked("context"), draw)
        return {"text": [right, right if draw.random() < 0.03 else wrong]}


def shares_character(context: Sequence[str], ending: str) -> bool:
    """Does an ending name somebody or something of the story, or speak of it by a pronoun?

    >>> story = ("Ida wanted a cake.", "She bought flour.")
    >>> [shares_character(story, text) for text in ("She baked it.", "Ida slept.", "The cake was good.", "Dogs bark.")]
    [True, True, True, False]
    """
    words = {word.lower() for word in WORD.findall(ending)}
    known = {word.lower() for sentence in context for word in WORD.findall(sentence)} - STARTERS
    return bool(words & PRONOUNS) or any(len(word) > 2 and word in known for word in words)
