"""A model in a person's place: the page it is shown -> what it fills in. It sees the HTML, as people do.

The chain is read off the page, our reader finds its events, and the model names a verb for the blank; a sentence is written with it,
since the page takes sentences only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarist.errors import BadInput
from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.question import Choice, EventGap, Prediction, SentenceGap
from scenarist.reading.chains import chains
from scenarist.reading.sentence_check import check_sentence
from scenarist.registry import find, make
from scenarist.story import Link

TRIED = 20
"""Guesses that are tried for a sentence which the page takes."""


class PageSolver:
    """A registered model that fills in pages."""

    def __init__(self, model: str) -> None:
        self.name = model
        self.model = make_model(model)

    def fill(self, page: ParsedPage, form: ParsedForm) -> dict[str, list[str]] | None:
        """What the model writes or chooses; None where it has no answer to such a page."""
        if page.kind == "fill-gap" and form.named("answer"):
            return self.fill_gap(page)
        if page.kind == "choose" and Choice in getattr(self.model, "asks", ()):
            question = Choice(tuple(page.marked("context")), tuple(page.marked("choice")))
            best = self.model.answer(question).best
            return {"answer": [best]} if isinstance(best, str) else None
        return None

    def fill_gap(self, page: ParsedPage) -> dict[str, list[str]] | None:
        """A sentence with the model's verb."""
        sentences = page.marked("sentence")
        gap = int(page.marked("gap")[0])
        links, before = events_around(sentences, gap)
        question = SentenceGap(tuple(sentences), gap, "full", (), tuple(links), before)
        for guess in answer_gap(self.model, question).guesses[:TRIED]:
            if isinstance(guess.answer, str):
                text = sentence_with(guess.answer)
                if check_sentence(text) is None:
                    return {"answer": [text]}
        return None


def make_model(name: str) -> Any:
    """A model by name; event models get the counts that the package carries."""
    from scenarist.models.events.base import EventRanker
    from scenarist.store.home import resource

    kind = find("model", name)
    counted = isinstance(kind, type) and issubclass(kind, EventRanker)
    model = make("model", name, counts=resource("events/counts.npz")) if counted else make("model", name)
    asks = getattr(model, "asks", ())
    if not {EventGap, SentenceGap, Choice} & set(asks):
        raise BadInput(f"the model {name!r} answers neither gaps nor choices; it cannot sit a study. Try: mixture")
    return model


def answer_gap(model: Any, question: SentenceGap) -> Prediction:
    """A model's guesses for a missing sentence: of the sentences where it reads sentences, of their events otherwise."""
    asks = getattr(model, "asks", ())
    if SentenceGap in asks and EventGap not in asks:
        prediction: Prediction = model.answer(question)
        return prediction
    if not question.links:
        return Prediction("", ())
    prediction = model.answer(EventGap(question.links, question.link_gap))
    return prediction


def events_around(sentences: Sequence[str], gap: int) -> tuple[list[Link], int]:
    """The chain's events in the sentences that are shown, and how many stand before the blank."""
    (story,) = make("reader", "default")([" ".join(sentences)])
    longest = max(chains(story), key=lambda chain: len(chain.links), default=None)
    if longest is None:
        return [], 0
    cut = len(" ".join(sentences[:gap]))
    offsets = [story.tokens[story.events[place].token].start for place in longest.places]
    return list(longest.links), sum(offset < cut for offset in offsets)


def sentence_with(event: str) -> str:
    """A sentence that tells an event.

    >>> sentence_with("eat:subj"), sentence_with("arrest:obj")
    ('They eat it.', 'They arrest her.')
    """
    link = Link.parse(event) if ":" in event or "->" in event else Link(event, "subj")
    verb = link.predicate.replace("_", " ")
    return f"They {verb} {'her' if link.role.startswith(('obj', 'dobj', 'nsubjpass')) else 'it'}."
