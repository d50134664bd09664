"""A story of five sentences with a title (Mostafazadeh et al. 2016, section 3.1): at most 70 characters a sentence, no quotation, no slang.

Certain rules (length, quotation, slang, an empty sentence) are refused; the others (everyday life, a beginning and an end with something
between, shared characters, nothing irrelevant) are said while one writes and shown to the reviewer.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.imagined import imagine_story
from scenarist.lab.kinds.compose import ComposeTexts
from scenarist.question import Compose

BAD = (
    {"title": ["A title"], "text": ["", "", "", "", ""]},
    {"title": ["Four"], "text": ["Ida woke up.", "She ate bread.", "She left.", "She came back.", ""]},
    {"title": ["Said"], "text": ["Ida woke up.", 'She said "hello".', "She ate.", "She left.", "She came back."]},
)


class WriteStory(ComposeTexts):
    """Five sentences and a title."""

    name = "write-story"
    label = "Sentence {number}"

    def faults(self, texts: Sequence[str], title: str, question: Compose) -> list[str]:
        """The rules that are certain."""
        return super().faults(texts, title, question) + rule_lines(texts, True)

    def doubts(self, texts: Sequence[str], title: str, question: Compose) -> list[str]:
        """The rules of thumb; they need the whole story."""
        return rule_lines(texts, False) if all(texts) else []

    def warm(self) -> None:
        """Load the reader."""
        rule_lines(("Ida left.", "She came back."), False)

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """A story of the library; now and then something that the page refuses."""
        if draw.random() < 0.04:
            return {name: list(values) for name, values in draw.choice(BAD).items()}
        story = imagine_story(draw)
        return {"title": [story.title], "text": list(story.sentences)}


def rule_lines(texts: Sequence[str], sure: bool) -> list[str]:
    """The broken rules of a story in words, those that are certain or the others."""
    return list(known_lines(tuple(texts), sure))


@lru_cache(maxsize=8192)
def known_lines(texts: tuple[str, ...], sure: bool) -> tuple[str, ...]:
    """The same, kept: a reviewer's queue asks again and again."""
    from scenarist.verbs.check_stories import certain_faults, doubtful_faults

    rules = certain_faults if sure else doubtful_faults
    listed = [fault for fault in rules(texts) if fault.rule != "five sentences"]
    return tuple(f"{f'Sentence {fault.sentence}: ' if fault.sentence else ''}{fault.text}" for fault in listed)
