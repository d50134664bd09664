"""An abstract instruction and its concrete telling with a blank -> the next word of the blank (Bisk et al. 2019, section 4.1).

As models see it: the text up to the blank, and how many words the blank has; what follows is shown only where the question has it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, WordGap

MOST = 40
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
KITCHEN = "bowl pan spoon knife pot stove heat pieces water hands spatula plate board cup minutes oven lid drawer fork towel".split()


class FillWord(PageKind):
    """Which word is missing?"""

    name = "word"
    asks = (WordGap,)
    inputs: Mapping[str, str] = {
        "abstract": "the short instruction",
        "before": "the long one up to the blank",
        "left": "words of the blank that are still to come",
        "after": "what follows the blank, where the exam shows it",
    }
    outputs: Mapping[str, str] = {"word": "the word that the person wrote"}
    template = """
<p>In short: <strong class="over" data-text="abstract">{{ abstract }}</strong></p>
<p class="over" data-text="before">{{ before }} <mark><span aria-hidden="true">{{ blank }}</span><span class="away">{{ left }} {{ "word is" if left == 1 else "words are" }} missing</span></mark> {{ after }}</p>
<label for="answer">{% if left == 1 %}Which word is missing?{% else %}{{ left }} words are missing here. Which is the first of them?{% endif %}</label>
<input type="text" id="answer" dir="auto" name="answer" maxlength="{{ most }}" required autocomplete="off" autocapitalize="off" value="{{ value.answer }}"
{% if problem %} aria-invalid="true" aria-describedby="problem"{% else %} autofocus{% endif %}>"""

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Both texts, with the blank."""
        assert isinstance(question, WordGap)
        return {
            "abstract": joined(question.abstract), "before": joined(question.prefix), "after": joined(question.suffix),
            "left": question.left, "blank": " ".join(["____"] * question.left), "most": MOST,
        }  # fmt: skip

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """One word, in lower case as the texts are."""
        text = form.text("answer", MOST).strip(" .,;:!?").lower()
        if not text:
            raise NotAccepted("Please write a word.")
        if len(text.split()) > 1:
            raise NotAccepted(
                "Please write one word only: the next page asks for the rest, or for another text."
                if isinstance(question, WordGap) and question.left > 1
                else "Please write one word only."
            )
        if WORD.fullmatch(text) is None:
            raise NotAccepted(f"{text[:20]!r} is not a word: please write letters.")
        return LabAnswer(text)

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """A thing of the kitchen; now and then two words, which the page refuses."""
        return {"answer": ["the bowl" if draw.random() < 0.03 else draw.choice(KITCHEN)]}


def joined(words: tuple[str, ...]) -> str:
    """Words as a text, its stops close to the word before.

    >>> joined(("put", "it", "down", ".", "wait", ","))
    'put it down. wait,'
    """
    return re.sub(r" ([.,;:!?])", r"\1", " ".join(words))
