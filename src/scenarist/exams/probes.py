"""ProbeCase -> Item: five probes that people and models sit alike, each with a key.

- `goes-without-saying`: how surprising is the last sentence? Its cause is ``stated``, ``omitted`` or ``negated`` (the switch ``cause``).
People read *omitted* like *stated*; language models did not (*CSK*, *SEM 2024). Key: 1 where the cause holds, 5 where it is negated. -
`the-or-a`: props of a script take *the* at first mention, other things *a* (Schank and Abelson 1977; Bennett, Background). - `tellable`:
how much is an event worth telling? Key: 1 for the event that goes without saying, 5 for the unusual one. - `false-memory`: which of two
sentences, neither of which stood there, is remembered? The typical one; and events told in an odd order are put right (Bower, Black and
Turner 1979). - `winograd`: whom does the pronoun mean? Two readings of a sentence inside a script (Winograd 1972; Levesque et al. 2011).

Choices stand in an order that depends on the case alone, so that the first is right half of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from scenarist.corpora.probes import ProbeCase
from scenarist.errors import BadInput
from scenarist.question import Choice, Item, Rate
from scenarist.signature import content_hash

CAUSES = ("stated", "omitted", "negated")
SURPRISING = "How surprising is the last sentence after what came before?"
WORTH = "Somebody tells this story. How much is this event worth telling, too?"


class Probe:
    """What the probes share."""

    name = "probe"
    metrics: tuple[str, ...] = ("accuracy",)

    @property
    def view(self) -> str:
        """The kind of the corpus `probes` that it is set on."""
        return self.name

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        return {}

    def set(self, stories: Iterable[ProbeCase]) -> Iterator[Item]:
        """All cases, in their order."""
        for case in stories:
            yield from self.items(case)

    def items(self, case: ProbeCase) -> Iterator[Item]:
        """The items of a case: a choice of two."""
        texts = list(case.texts)
        key = case.key
        if content_hash([case.id.encode()])[-1] in "02468ace":
            texts, key = texts[::-1], 1 - key
        tags = (case.scenario, *((case.kind,) if case.kind else ()))
        yield Item(case.id, Choice(case.context, tuple(texts)), str(key), case.id, (), tags)


class GoesWithoutSaying(Probe):
    """Is what goes without saying as unsurprising as what is said?"""

    name = "goes-without-saying"

    def __init__(self, cause: str = "omitted") -> None:
        if cause not in CAUSES:
            raise BadInput(f"goes-without-saying: cause is one of {', '.join(CAUSES)}, not {cause!r}.")
        self.cause = cause

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        return {"cause": self.cause}

    def items(self, case: ProbeCase) -> Iterator[Item]:
        """The target behind its cause, behind nothing, or behind the cause denied."""
        stated, negated, target = case.texts
        before = {"stated": (*case.context, stated), "negated": (*case.context, negated), "omitted": case.context}
        question = Rate(target, SURPRISING, before[self.cause], 1, 5, ("not at all", "very"))
        yield Item(case.id, question, "5" if self.cause == "negated" else "1", case.id, (), (case.scenario,))


class TheOrA(Probe):
    """Does the script know this thing?"""

    name = "the-or-a"


class Tellable(Probe):
    """Which events are worth telling?"""

    name = "tellable"

    def items(self, case: ProbeCase) -> Iterator[Item]:
        """The usual and the unusual event of a story, each to be rated."""
        for name, text, key in zip(("usual", "unusual"), case.texts, ("1", "5"), strict=True):
            question = Rate(text, WORTH, case.context, 1, 5, ("not at all", "very much"))
            yield Item(f"{case.id}.{name}", question, key, case.id, (), (case.scenario, name))


class FalseMemory(Probe):
    """What is remembered that was not there?"""

    name = "false-memory"


class ScriptWinograd(Probe):
    """Whom does the pronoun mean?"""

    name = "winograd"
