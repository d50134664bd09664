"""Question -> page, form -> Answer: what every page kind is.

A page kind is one file: its template (Jinja2, shown inside the lab's page), how it reads the form, how it behaves when it is simulated,
its keys, and its columns described. It is handed the Question, never the Item: what it does not know, no page can show.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.errors import ScenaristError
from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.noun import Noun
from scenarist.question import Answer, AnyQuestion, Question

LONGEST = 5_000
"""Characters of a text box at most, where a kind says nothing else."""
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class NotAccepted(ScenaristError):
    """An answer that cannot be taken as it is; the message says what is wrong and what to do. ``field`` is where it stands."""

    def __init__(self, message: str, field: str = "answer") -> None:
        super().__init__(message)
        self.field = field


class LabAnswer(Noun, frozen=True):
    """An answer as it is stored: what an exam reads, and what else the page asked."""

    answer: Answer
    more: tuple[tuple[str, str], ...] = ()

    def get(self, name: str) -> str:
        """A further field, empty where it is not there."""
        return dict(self.more).get(name, "")


class FormFields:
    """What a browser sent, field by field, made safe to keep: no control characters, line ends as they should be."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.pairs = [(name, clean(value)) for name, value in pairs]

    def all(self, name: str) -> list[str]:
        """Every value of a field."""
        return [value for key, value in self.pairs if key == name]

    def get(self, name: str) -> str:
        """The first value of a field, empty where there is none."""
        return next((value for key, value in self.pairs if key == name), "")

    def text(self, name: str, most: int = LONGEST) -> str:
        """A text that was written, without white space around it; too long a one is not accepted."""
        text = self.get(name).strip()
        if len(text) > most:
            raise NotAccepted(
                f"This is {len(text):,} characters long; please write at most {most:,}. Nothing of it was kept.", name
            )
        return text


def clean(text: str) -> str:
    """A text without characters that no database and no page should hold.

    >>> clean("a\\x00b\\r\\nc")
    'ab\\nc'
    """
    return CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


class PageKind:
    """Base of the page kinds."""

    name = ""
    asks: tuple[type[Question], ...] = ()
    """The questions it can show; none for a page that asks nothing of its own."""
    template = ""
    """The body of the form; it knows what ``show`` gives, ``title``, ``text``, ``value`` and ``problem``."""
    script = ""
    """A file of `lab/static`; every page works without it."""
    inputs: Mapping[str, str] = {}
    """What the page shows, described."""
    outputs: Mapping[str, str] = {}
    """The columns its answers give, described."""
    button = "Save and go on"
    unique = False
    """Is an answer refused that somebody gave before, word for word?"""
    scale = False
    """Are answers steps of a scale: is somebody asked who gives the same one again and again?"""

    def hotkeys(self, settings: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """Keys with a meaning on this page."""
        return ()

    def prepare(self, question: AnyQuestion) -> AnyQuestion:
        """A question from a study file as the page needs it (a story is read)."""
        return question

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What the template is filled with; it depends on the question alone, so that it is made once."""
        return {}

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """The answer in a form; NotAccepted where it is none."""
        raise NotImplementedError

    def value(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, Any]:
        """An earlier answer as the template shows it again."""
        return {"answer": answer.answer if isinstance(answer.answer, str) else "", **dict(answer.more)}

    def again(self, form: FormFields) -> dict[str, Any]:
        """What was sent and not accepted, as the template shows it again."""
        return {name: form.get(name) for name, _ in form.pairs if name not in ("csrf", "attempt", "opened")}

    def check(self, text: str) -> str | None:
        """What is wrong with a text while it is written; None where nothing is, or where nothing can be said."""
        return None

    def warm(self) -> None:
        """Load what the first page will need."""

    def columns(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, str]:
        """An answer as columns of a table; the names are those of ``outputs``."""
        first = next(iter(self.outputs), "answer")
        return {first: answer.answer if isinstance(answer.answer, str) else "", **dict(answer.more)}

    def compare(self, answer: LabAnswer, earlier: Sequence[LabAnswer], form: FormFields) -> None:
        """NotAccepted where an answer does not go with the same person's earlier ones to other pages of this kind."""

    def remarks(self, answer: LabAnswer, question: AnyQuestion | None) -> Sequence[str]:
        """What a reviewer should look at in an answer."""
        return ()

    def lines(self, answer: LabAnswer, question: AnyQuestion | None) -> Sequence[tuple[str, str]]:
        """Question and answer as (name, text), for a reviewer."""
        return tuple(self.columns(answer, question).items())

    def written(self, answer: LabAnswer) -> str:
        """The text that a person made up, to be held against others'; empty where the answer is none."""
        return ""

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """What somebody might answer, knowing nothing but the page."""
        return {}
