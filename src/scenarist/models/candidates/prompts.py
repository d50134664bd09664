"""Question -> the texts a language model is given: prompts out of a file that one can read, versioned and hashed.

`resources/prompts/v1.toml` is carried; a file of the user's own in the same form is named by its path.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput
from scenarist.question import Choice, EventGap, Unsaid
from scenarist.store.home import resource
from scenarist.story import Link, sentence_texts

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NEEDED = {
    "alone": ("before",),
    "continue": ("before", "after", "ask"), "effect": ("before", "after", "ask"), "cause": ("before", "after", "ask"),
    "activity": ("before",), "event-gap": ("before", "after", "ask"), "unsaid": ("before", "after", "ask"),
    "word-gap": ("before", "after", "ask"), "where": ("ask",), "where-whole": ("ask",), "order": ("ask",),
}  # fmt: skip


class Prompts:
    """The prompts of a file."""

    def __init__(self, name: str = "v1") -> None:
        path = Path(name) if name.endswith(".toml") else resource(f"prompts/{name}.toml")
        if not path.is_file():
            raise BadInput(f"There is no file of prompts {name}. Expected v1, or a path that ends in .toml.")
        data = path.read_bytes()
        try:
            self.texts: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"{path}: not a file of prompts: {error}") from error
        for section, fields in NEEDED.items():
            for field in fields:
                if not isinstance(self.texts.get(section, {}).get(field), str):
                    raise BadInput(f"{path}: expected a text `{field}` under [{section}].")
        self.name = f"{path.stem}#{sha256(data).hexdigest()[:8]}"

    def fill(self, section: str, field: str, **values: str) -> str:
        """A prompt with its gaps filled."""
        text: str = self.texts[section][field]
        for name, value in values.items():
            text = text.replace("{" + name + "}", value)
        return text


@cache
def prompts_of(name: str) -> Prompts:
    """The prompts of a name, read once."""
    return Prompts(name)


def sentence_case(text: str) -> str:
    """A phrase as a sentence: a capital, a space after each stop inside, a stop at the end.

    >>> sentence_case("get eggs.get milk")
    'Get eggs. Get milk.'
    """
    parts = [part.strip() for part in text.replace(".", ". ").split(". ") if part.strip(" .")]
    whole = " ".join(part[0].upper() + part[1:].rstrip(".") + "." for part in parts)
    return whole if text.strip()[-1:] not in "!?" else text.strip()


def clause_case(text: str) -> str:
    """A phrase as the rest of a sentence: no capital in front where it is no name or I.

    >>> clause_case("Get eggs."), clause_case("I ran.")
    ('get eggs.', 'I ran.')
    """
    first = text.split(" ", 1)[0]
    return text if first in ("I", "I'm") else text[:1].lower() + text[1:]


def lettered(choices: Sequence[str]) -> str:
    """Choices with letters in front."""
    return "\n".join(f"{LETTERS[index]}. {choice}" for index, choice in enumerate(choices))


def numbered(sentences: Sequence[str]) -> str:
    """Sentences with numbers in front."""
    return "\n".join(f"{index}. {sentence}" for index, sentence in enumerate(sentences, start=1))


def story_of(question: Choice) -> str:
    """The context as one text."""
    if question.relation and question.focus is None:
        return " ".join(sentence_case(text) for text in question.context)
    return " ".join(question.context)


def focus_of(question: Choice) -> str:
    """The event in question; empty where there is no context."""
    if not question.context:
        return ""
    return sentence_case(question.context[question.focus if question.focus is not None else -1])


def spoken_link(link: Link) -> str:
    """An event as a short sentence about *they*; a triple as it stands.

    >>> spoken_link(Link("arrest", "obj")), spoken_link(Link("play", "", ("band", "song")))
    ('someone arrest them.', 'band play song.')
    """
    predicate = link.predicate.replace("_", " ")
    if link.args:
        parts = [*link.args[:1], predicate, *link.args[1:]]
        return " ".join(part for part in parts if part and part != "-").replace("_", " ") + "."
    if "subj" in link.role:
        return f"they {predicate}."
    return (
        f"someone {predicate} them."
        if "obj" in link.role
        else f"someone {predicate} {link.role.replace('prep_', '')} them."
    )


def told_events(question: EventGap) -> str:
    """The chain in words, the gap as ___ where its place is told."""
    lines = [sentence_case(spoken_link(link)) for link in question.links]
    if question.gap is not None:
        lines.insert(question.gap, "___")
    return " ".join(lines)


def told_story(question: Unsaid) -> str:
    """The story up to the place that is asked about, or all of it."""
    sentences = list(sentence_texts(question.story))
    return " ".join(sentences if question.place is None else sentences[: question.place])
