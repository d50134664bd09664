"""A chain with a blank -> a sentence (Bennett, Materials and Procedure).

Behind each sentence stands a blurred filler of the original's length, made of the length alone; a reminder stands above the box. The
answer must be a sentence, checked while it is written and again when it is sent.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, SentenceGap
from scenarist.reading.sentence_check import check_sentence

MOST = 400
SYLLABLES = tuple("lo rem ip sum do lor sit a met con sec te tur ad i pis cing e lit sed".split())
PEOPLE = ("He", "She", "They", "The man", "Our waiter", "Somebody", "The children")
DOINGS = (
    "opened the door", "went home", "asked for the bill", "waited for an hour", "laughed about it", "paid and left", "sat down",
    "called the owner", "ate everything", "put it on the table", "looked for the keys", "cleaned the kitchen",
)  # fmt: skip


@lru_cache(maxsize=512)
def filler(size: int) -> str:
    """Blurred letters of a length; they say nothing but the length.

    >>> len(filler(40)), filler(40) == filler(40)
    (40, True)
    """
    draw = random.Random(size)
    text = ""
    while len(text) < size:
        text += "".join(draw.choice(SYLLABLES) for _ in range(draw.randint(1, 3))) + " "
    return text[:size]


class FillGap(PageKind):
    """What sentence is missing?"""

    name = "fill-gap"
    asks = (SentenceGap,)
    script = "sentence.js"
    inputs: Mapping[str, str] = {"sentences": "the other sentences of the chain", "gap": "where the blank stands"}
    outputs: Mapping[str, str] = {"sentence": "the sentence that the person wrote"}
    template = """
<ol class="chain">{% for line in lines %}{% if line.text is none %}
<li class="blank"><label for="answer">{{ reminder }}</label>
<textarea id="answer" dir="auto" name="answer" rows="2" maxlength="{{ most }}" required autocomplete="off" spellcheck="true" data-check="sentence"
 aria-describedby="hint{% if problem %} problem{% endif %}"{% if problem %} aria-invalid="true"{% endif %}>{{ value.answer }}</textarea>
<p id="hint" role="status"></p></li>{% else %}
<li><span class="blur" aria-hidden="true" data-blur="{{ line.filler }}"></span><span class="over" data-text="sentence">{{ line.text }}</span></li>
{% endif %}{% endfor %}</ol><span hidden data-text="gap">{{ gap }}</span>"""

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The sentences around the blank, with fillers."""
        assert isinstance(question, SentenceGap)
        sizes = question.sizes or tuple(len(sentence) for sentence in question.sentences)
        lines: list[dict[str, str | None]] = [
            {"text": sentence, "filler": filler(min(size, 600))}
            for sentence, size in zip(question.sentences, sizes, strict=True)
        ]
        lines.insert(question.gap, {"text": None, "filler": ""})
        reminder = settings.get("reminder", "Please write the full sentence that you think stood here.")
        return {"lines": lines, "gap": question.gap, "reminder": reminder, "most": MOST}

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """A sentence."""
        text = " ".join(form.text("answer", MOST).split())
        complaint = check_sentence(text)
        if complaint is not None:
            raise NotAccepted(complaint)
        return LabAnswer(text)

    def check(self, text: str) -> str | None:
        """Is it a sentence yet?"""
        return check_sentence(text[:MOST])

    def warm(self) -> None:
        """Load the parser."""
        check_sentence("The man opened the door.")

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """Some sentence; now and then a phrase first, which the page refuses."""
        if draw.random() < 0.04:
            return {"answer": [draw.choice(["a bowl of soup", "walking home", "because of the rain", "🙂", ""])]}
        return {"answer": [f"{draw.choice(PEOPLE)} {draw.choice(DOINGS)}."]}
