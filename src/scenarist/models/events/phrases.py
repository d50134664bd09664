"""EventGap over phrases -> Guesses: how MCNC's and CMCNC's triples are put to a model that knows verbs and roles.

Their events are subject | phrase | object with no coreference, and half of the phrases hold no verb ("part of"). A triple is mapped to
``verb:nsubj``: the first word of the phrase whose base form the model has seen as a verb (by regular endings, checked against the verbs the
model knows), the subject being the entity that the chain is about. A choice without such a verb is ranked behind those that have one; how
many could be mapped is said in the note.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np

from scenarist.errors import BadInput
from scenarist.models.events.base import EventRanker
from scenarist.question import AnyQuestion, EventGap, Guess, Prediction, Question
from scenarist.registry import make
from scenarist.story import Link

FORMS = """
said>say went>go gone>go got>get made>make took>take taken>take came>come saw>see seen>see knew>know
known>know gave>give given>give told>tell felt>feel left>leave kept>keep began>begin begun>begin brought>bring
bought>buy held>hold wrote>write written>write stood>stand lost>lose paid>pay met>meet ran>run sat>sit
spoke>speak spoken>speak led>lead grew>grow grown>grow fell>fall fallen>fall sent>send built>build drew>draw
drawn>draw broke>break broken>break spent>spend rose>rise risen>rise drove>drive driven>drive won>win
chose>choose chosen>choose taught>teach caught>catch fought>fight thought>think sought>seek sold>sell is>be
are>be was>be were>be been>be has>have had>have did>do done>do
"""
IRREGULAR = dict(part.split(">", 1) for part in FORMS.split())


def bases(word: str) -> Iterator[str]:
    """What a word may be a form of, the word itself first.

    >>> list(bases("stopped"))[:3], "carry" in bases("carries"), "advance" in bases("advancing")
    (['stopped', 'stopp', 'stop'], True, True)
    """
    yield word
    if word in IRREGULAR:
        yield IRREGULAR[word]
    for ending, instead in (
        ("ied", "y"),
        ("ies", "y"),
        ("ed", ""),
        ("ed", "e"),
        ("ing", ""),
        ("ing", "e"),
        ("es", ""),
        ("s", ""),
    ):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word[: -len(ending)] + instead
            yield stem
            if not instead and len(stem) > 2 and stem[-1] == stem[-2]:
                yield stem[:-1]


class PhraseEvents:
    """A model of verbs and roles, asked about phrases; ``by`` names it."""

    name = "phrase-events"
    learns = "stories"
    asks: tuple[type[Question], ...] = (EventGap,)

    def __init__(self, by: str = "event-combination", **settings: Any) -> None:
        self.model = make("model", by, **settings)
        if not isinstance(self.model, EventRanker):
            raise BadInput(f"phrase-events: {by!r} does not rank events.")

    @property
    def trained_on(self) -> tuple[str, ...]:
        """What the model behind it learned from beforehand."""
        return tuple(getattr(self.model, "trained_on", ()))

    def reads(self) -> list[Path]:
        """What the model behind it reads."""
        return list(self.model.reads()) if hasattr(self.model, "reads") else []

    def fit(self, data: Iterable[Any]) -> Self:
        """Learn what the model behind it learns."""
        self.model.fit(data)
        return self

    def mapped(self, link: Link) -> Link | None:
        """A phrase as verb and role; None where it holds no verb that the model knows."""
        self.model.gap(EventGap((Link("be", "nsubj"),), None))  # a model that reads its weights late reads them now
        ids = self.model.counts_.ids
        for word in link.predicate.lower().split():
            found = next((base for base in bases(word) if f"{base}:nsubj" in ids), None)
            if found is not None:
                return Link(found, "nsubj")
        return None

    def answer(self, question: AnyQuestion) -> Prediction:
        """The choices in order."""
        if not isinstance(question, EventGap) or not question.choices:
            raise BadInput("phrase-events answers event gaps with choices (MCNC, CMCNC).")
        chain = [one for link in question.links if (one := self.mapped(link)) is not None]
        logp = self.model.scored(EventGap(tuple(chain), question.gap if question.gap is None else len(chain)))
        floor = float(logp.min()) - 1.0
        rated, missing = [], 0
        for choice in question.choices:
            one = self.mapped(choice)
            missing += one is None
            rated.append((floor if one is None else float(logp[self.model.counts_.ids[str(one)]]), str(choice)))
        rated.sort(key=lambda pair: (-pair[0], pair[1]))
        note = f"{len(chain)} of {len(question.links)} events and {len(rated) - missing} of {len(rated)} choices hold a known verb"
        return Prediction("", tuple(Guess(text, value) for value, text in rated), by=self.name, note=note)


class PhraseVectors:
    """The choice whose sentence vector is nearest the chain's: each triple is written as a sentence and encoded by MiniLM.

    A yardstick that reads words and knows nothing of chains. ``strongest`` takes the best event of the chain in place of the mean of all.
    """

    name = "phrase-vectors"
    learns = "nothing"
    trained_on = ("minilm",)
    asks: tuple[type[Question], ...] = (EventGap,)

    def __init__(self, strongest: bool = False) -> None:
        self.strongest = strongest

    def fit(self, data: Iterable[Any]) -> Self:
        """Nothing to learn: MiniLM comes trained."""
        return self

    def answer(self, question: AnyQuestion) -> Prediction:
        """The choices in order."""
        if not isinstance(question, EventGap) or not question.choices:
            raise BadInput("phrase-vectors answers event gaps with choices (MCNC, CMCNC).")
        from scenarist.models.endings.similarity import encoder

        links = [*question.links, *question.choices]
        vectors = np.asarray(
            encoder().encode([spoken(link) for link in links], show_progress_bar=False, normalize_embeddings=True)
        )
        chain, choices = vectors[: len(question.links)], vectors[len(question.links) :]
        near = choices @ chain.T if len(chain) else np.zeros((len(choices), 1))  # [choices, chain]
        scores = near.max(1) if self.strongest else near.mean(1)
        logp = scores - np.log(np.exp(scores).sum())
        rated = sorted(
            zip(logp.tolist(), map(str, question.choices), strict=True), key=lambda pair: (-pair[0], pair[1])
        )
        return Prediction("", tuple(Guess(text, value) for value, text in rated), by=self.name)


def spoken(link: Link) -> str:
    """A triple as a sentence.

    >>> spoken(Link("played on", args=("band", "night")))
    'band played on night'
    """
    parts = [*link.args[:1], link.predicate, *link.args[1:]]
    return " ".join(part for part in parts if part and part != "-").replace("_", " ")
