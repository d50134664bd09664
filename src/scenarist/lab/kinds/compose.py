"""Something to write, in parts -> Parts: a text box a part, perhaps a title; the rules are checked while one writes and again when it is sent.

Settings: ``least`` parts that must be written (0: all of them), ``title`` (1: a title is wanted too), ``label`` (what a part is called),
``longest_title``. Kinds with rules of their own (`write_story.py`, `write_endings.py`) say them in ``faults`` and ``doubts``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, Compose, Parts

MOST = 400
LONGEST_TITLE = 60
STEPS = (
    "Take what you need.", "Clean the table.", "Ask somebody for help.", "Read the instructions.", "Open the box.", "Put the parts together.",
    "Wait for a while.", "Check whether it works.", "Throw the rest away.", "Wash your hands.",
)  # fmt: skip


class ComposeTexts(PageKind):
    """Write something in so many parts."""

    name = "compose"
    asks = (Compose,)
    script = "compose.js"
    unique = True
    label = "Part {number}"
    inputs: Mapping[str, str] = {"ask_for": "what to write", "context": "texts above the boxes"}
    outputs: Mapping[str, str] = {"texts": "what was written, part by part, joined by |", "title": "the title"}
    template = """
{% for sentence in context %}<p class="story" data-text="context">{{ sentence }}</p>{% endfor %}
<p id="ask">{{ ask_for }}</p>
{% if title_wanted %}<label for="title">Title</label>
<input type="text" id="title" dir="auto" name="title" maxlength="{{ longest_title + 40 }}" data-most="{{ longest_title }}" autocomplete="off" value="{{ value.title|default('') }}"{% if problem %} aria-invalid="true"{% endif %} aria-describedby="counttitle{% if problem %} problem{% endif %}">
<p class="count" id="counttitle">At most {{ longest_title }} characters.</p>{% endif %}
{% for label in labels %}<label for="t{{ loop.index0 }}">{{ label }}</label>
<textarea id="t{{ loop.index0 }}" dir="auto" name="text" rows="{{ rows }}" maxlength="{{ most + 200 }}" data-most="{{ most }}" spellcheck="true" autocomplete="off"{% if problem %} aria-invalid="true"{% endif %} aria-describedby="count{{ loop.index0 }}{% if problem %} problem{% endif %}">{{ value.texts[loop.index0] if value.texts is defined and loop.index0 < value.texts|length else "" }}</textarea>
<p class="count" id="count{{ loop.index0 }}">At most {{ most }} characters.</p>{% endfor %}
<p id="hint" role="status"></p>"""

    def labels(self, question: Compose, settings: Mapping[str, Any]) -> list[str]:
        """What the boxes are called."""
        form = str(settings.get("label", self.label))
        return [form.format(number=number) for number in range(1, question.parts + 1)]

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What to write, and so many boxes."""
        assert isinstance(question, Compose)
        most = question.most or MOST
        return {
            "ask_for": question.ask_for, "context": question.context, "labels": self.labels(question, settings), "most": most,
            "title_wanted": bool(settings.get("title", 0)), "longest_title": int(settings.get("longest_title", LONGEST_TITLE)),
            "rows": 2,
        }  # fmt: skip

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """The parts, and the title; all that is wrong is said at once."""
        assert isinstance(question, Compose)
        texts = [" ".join(text.split()) for text in form.all("text")][: question.parts]
        texts += [""] * (question.parts - len(texts))
        title = " ".join(form.get("title").split())
        problems = self.missing(texts, title, question, settings)
        problems += self.too_long(texts, title, question, settings)
        if not problems:
            problems = self.faults(texts, title, question)
        if problems:
            raise NotAccepted(" ".join(problems), "text")
        while texts and not texts[-1]:
            texts.pop()
        return LabAnswer(Parts(tuple(texts)), (("title", title),) if settings.get("title", 0) else ())

    def missing(self, texts: Sequence[str], title: str, question: Compose, settings: Mapping[str, Any]) -> list[str]:
        """Parts that are not there."""
        labels = self.labels(question, settings)
        least = int(settings.get("least", 0)) or question.parts
        empty = [label for label, text in zip(labels, texts, strict=True) if not text]
        filled = question.parts - len(empty)
        problems = []
        if title and not filled:
            problems.append("There is a title and nothing below it: please write the text, too.")
        elif filled < least and least == question.parts:
            problems.append(f"{', '.join(empty)} {'is' if len(empty) == 1 else 'are'} empty: please write all {least}.")
        elif filled < least:
            problems.append(f"{filled} of at least {least} are written: please write {least - filled} more.")
        elif "" in texts[:filled]:
            problems.append(f"{labels[texts.index('')]} is empty and a later one is not: please leave no gap.")
        if settings.get("title", 0) and not title:
            problems.append("The title is missing: please write one.")
        return problems

    def too_long(self, texts: Sequence[str], title: str, question: Compose, settings: Mapping[str, Any]) -> list[str]:
        """Parts with too many characters."""
        most, longest = question.most or MOST, int(settings.get("longest_title", LONGEST_TITLE))
        problems = [
            f"{label} has {len(text)} characters; at most {most}. Leave out a detail."
            for label, text in zip(self.labels(question, settings), texts, strict=True)
            if len(text) > most
        ]
        if len(title) > longest:
            problems.append(f"The title has {len(title)} characters; at most {longest}.")
        return problems

    def faults(self, texts: Sequence[str], title: str, question: Compose) -> list[str]:
        """What is wrong for certain; such a text is not accepted."""
        written = [text.casefold() for text in texts if text]
        twice = next((text for text in texts if text and written.count(text.casefold()) > 1), "")
        return [f"The same text stands there twice: {twice!r}. Please write each part once."] if twice else []

    def doubts(self, texts: Sequence[str], title: str, question: Compose) -> list[str]:
        """What may be wrong; it is said while one writes, and to the reviewer."""
        return []

    def check(self, text: str) -> str | None:
        """Said while one writes: a block of context, an empty line, then the title and the parts, a line each."""
        context, _, body = text.partition("\n\n")
        lines = body.split("\n")
        texts = [" ".join(line.split()) for line in lines[1:]]
        question = Compose("", tuple(line for line in context.split("\n") if line), max(1, len(texts)))
        problems = self.faults(texts, lines[0], question) or self.doubts(texts, lines[0], question)
        return " ".join(problems) or None

    def again(self, form: FormFields) -> dict[str, Any]:
        """The texts as they were sent."""
        return {"texts": form.all("text"), "title": form.get("title")}

    def value(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, Any]:
        """The texts of an earlier answer."""
        return {"texts": list(parts_of(answer)), "title": answer.get("title")}

    def columns(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, str]:
        """The parts in one cell."""
        return {"texts": " | ".join(parts_of(answer)), "title": answer.get("title")}

    def remarks(self, answer: LabAnswer, question: AnyQuestion | None) -> Sequence[str]:
        """Broken and doubtful rules."""
        asked = question if isinstance(question, Compose) else Compose("", (), len(parts_of(answer)))
        texts, title = parts_of(answer), answer.get("title")
        return [*self.faults(texts, title, asked), *self.doubts(texts, title, asked)]

    def lines(self, answer: LabAnswer, question: AnyQuestion | None) -> Sequence[tuple[str, str]]:
        """What stood above the boxes, the title, the parts."""
        asked = question if isinstance(question, Compose) else Compose("", (), len(parts_of(answer)))
        above = [("", sentence) for sentence in asked.context]
        title = [("Title", answer.get("title"))] if answer.get("title") else []
        return [*above, *title, *zip(self.labels(asked, {}), parts_of(answer), strict=False)]

    def written(self, answer: LabAnswer) -> str:
        """The parts as one text."""
        return " ".join(parts_of(answer))

    def compare(self, answer: LabAnswer, earlier: Sequence[LabAnswer], form: FormFields) -> None:
        """The same person does not write the same text twice, whatever its case and its stops."""
        text = bare(self.written(answer))
        if any(bare(self.written(other)) == text for other in earlier):
            raise NotAccepted("You sent this text before. Please write another one.", "text")

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """Some steps, as many as there are boxes or some less."""
        boxes = len(form.named("text"))
        steps = draw.sample(STEPS, min(boxes, len(STEPS)))
        return {"text": [f"{step[:-1]} {draw.randint(2, 999)} times." for step in steps]}


def parts_of(answer: LabAnswer) -> tuple[str, ...]:
    """The texts of an answer."""
    return answer.answer.texts if isinstance(answer.answer, Parts) else ()


def bare(text: str) -> str:
    """Letters and digits alone.

    >>> bare("She left, at last.") == bare("she left at last")
    True
    """
    return "".join(letter for letter in text.casefold() if letter.isalnum())
