"""The rows of the audit: length and frequency, nothing else."""

from __future__ import annotations

import pytest

from scenarist.errors import BadInput
from scenarist.question import Choice
from scenarist.registry import make
from scenarist.story import Sentence, Story

QUESTION = Choice(("Ann ran.",), ("The dog ran home.", "A zebra."))


def first(by: str) -> str:
    text = "The dog ran home. The dog ran."
    story = Story("s", text=text, sentences=(Sentence(0, 17), Sentence(18, 30)))
    return str(make("model", "choice-surface", by=by).fit([story]).answer(QUESTION).guesses[0].answer)


def test_each_way() -> None:
    assert [first(by) for by in ("longest", "shortest", "frequent", "rare")] == ["0", "1", "0", "1"]


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="one of longest"):
        make("model", "choice-surface", by="size")
    with pytest.raises(BadInput, match="has learned nothing"):
        make("model", "choice-surface", by="rare").answer(QUESTION)
