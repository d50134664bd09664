"""Unsaid -> Guesses: SmolLM2 with adapters stands at the gap of a story and says which main verb is missing; extra `deep`.

It is shown the scenario, what follows and what precedes, in this order: a causal network then stands at the gap with all of the story
behind it. A table of verb vectors is read there. Trained by ``training/knowledge/deep.py``; the adapters are `scenarist get untold`, the
base network `scenarist get smollm2`. Its log-chances may be mixed with those of `untold-network`, which knows the counts and answers
labelled questions alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput, missing_extra
from scenarist.models.untold.base import log_chances, scenario_of
from scenarist.models.untold.counts import UntoldNetwork
from scenarist.models.untold.labels import is_labelled
from scenarist.networks.llama import Llama, TextTree
from scenarist.networks.pretrained import find_released, gguf_file, smollm2
from scenarist.question import Answer, AnyQuestion, Prediction, Unsaid

if TYPE_CHECKING:
    from scenarist.networks.checkpoint import Checkpoint
    from scenarist.story import Story

BEGIN, FOLLOWS, PRECEDES, GAP = 0, 1, 2, 3
"""Control tokens of SmolLM2 that mark the parts."""
LONGEST_AFTER, LONGEST_BEFORE = 160, 240
"""Tokens of each side, the nearest to the gap."""
UNKNOWN = "a story"

Encode = Callable[[str], list[int]]


class GapText(NamedTuple):
    """Scenario (empty: not known) and lines on both sides."""

    scenario: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def label_phrase(label: str) -> str:
    """A script event label in words.

    >>> label_phrase("ScrEv_turn_water_on")
    'turn water on'
    """
    return label.removeprefix("ScrEv_").replace("_", " ").lower()


def marked_line(text: str, labels: Sequence[str] = ()) -> str:
    """A sentence with the labels of its events.

    >>> marked_line("I dried off.", ["ScrEv_dry"])
    'I dried off. (dry)'
    """
    said = "; ".join(label_phrase(label) for label in labels)
    return " ".join(part for part in (" ".join(text.split()), f"({said})" if said else "") if part)


def gap_ids(gap: GapText, encode: Encode) -> list[int]:
    """Token ids up to the gap, line by line; ``encode`` gives those of a text without marks.

    >>> gap_ids(GapText("taking a bath", ("a",), ("b", "c")), lambda text: [ord(one) for one in text if one.isalpha()][:3])
    [0, 116, 97, 107, 1, 98, 99, 2, 97, 3]
    """
    after, before = ([one for text in side for one in encode(" " + text)] for side in (gap.after, gap.before))
    return [
        BEGIN, *encode(" " + (gap.scenario or UNKNOWN)), FOLLOWS, *after[:LONGEST_AFTER], PRECEDES, *before[-LONGEST_BEFORE:], GAP,
    ]  # fmt: skip


def gap_text(story: Story, scenario: str, place: int, event: int | None = None) -> GapText:
    """The lines around a gap before sentence ``place``; with ``event``, the labels of the told script events stand beside them."""
    texts = [story.text[s.start : s.stop] for s in story.sentences]
    if event is None:
        lines = [marked_line(text) for text in texts]
        return GapText(scenario, tuple(lines[:place]), tuple(lines[place:]))
    sides: tuple[list[tuple[float, str]], list[tuple[float, str]]] = ([], [])
    own: list[list[str]] = [[] for _ in texts]
    starts = [s.start for s in story.sentences]
    for number, one in enumerate(story.events):
        if not one.label.startswith("ScrEv_"):
            continue
        at = sum(start <= one.start for start in starts) - 1
        if one.stop > one.start:
            own[max(at, 0)].append(one.label)
        else:  # told in a sentence that was taken out; it stands ahead of sentence `at`, or behind the last one
            ahead = at if at >= 0 and starts[at] == one.start else len(texts)
            sides[number >= event].append((ahead - 0.5, marked_line("", [one.label])))
    for number, text in enumerate(texts):
        sides[number >= place].append((number, marked_line(text, own[number])))
    before, after = (tuple(text for _, text in sorted(side, key=lambda pair: pair[0])) for side in sides)
    return GapText(scenario, before, after)


Array = npt.NDArray[np.float32]
TOGETHER = 8
"""Gaps that go forward at once."""
KEPT = 4000
"""Gaps whose answers are remembered: an exam asks for them once with the gold and once with the detected scenario."""


class DeepGaps:
    """The network with its adapters folded in (once a question needs it), and the table of verbs."""

    def __init__(self, base: Llama, held: Checkpoint) -> None:
        self.plain, self.held = base, held
        self.words = list(held.lists["words"])
        self.verbs, self.bias = held.state["verbs"], held.state["verbs_bias"]
        if self.verbs.shape[1] != base.size:
            raise BadInput(f"the adapters are for a network of width {self.verbs.shape[1]}, this one has {base.size}.")
        self.encode = lru_cache(maxsize=KEPT)(self._encode)
        self._known: dict[GapText, Array] = {}

    @cached_property
    def base(self) -> Llama:
        """The network as it was trained."""
        from scenarist.networks.adapters import Lora

        return self.plain.folded(Lora.of(self.held.state, self.held.settings["factor"]))

    def _encode(self, text: str) -> list[int]:
        found: list[int] = self.plain.tokenizer.encode(text, add_special_tokens=False).ids
        return found

    def logp(self, gaps: Sequence[GapText]) -> Array:
        """Log-chances of all verbs (n, v)."""
        import torch

        new = list(dict.fromkeys(gap for gap in gaps if gap not in self._known))
        if len(self._known) > KEPT:
            self._known = {}
            new = list(dict.fromkeys(gaps))
        rows = {gap: gap_ids(gap, self.encode) for gap in new}
        new.sort(key=lambda gap: len(rows[gap]))
        with torch.inference_mode():
            for at in range(0, len(new), TOGETHER):
                some = new[at : at + TOGETHER]
                states = self.base.states_of_trees([TextTree.grow(rows[gap], []) for gap in some])  # (b, t, d)
                ends = torch.tensor([len(rows[gap]) - 1 for gap in some])
                scores = states[torch.arange(len(some)), ends] @ self.verbs.T + self.bias
                self._known.update(zip(some, scores.log_softmax(-1).numpy(), strict=True))
        return np.stack([self._known[gap] for gap in gaps])


@lru_cache(maxsize=3)
def load_gaps(path: Path) -> DeepGaps:
    """The network of a file of adapters, loaded once a process."""
    try:
        from scenarist.networks import checkpoint
    except ModuleNotFoundError as error:
        raise missing_extra("torch", "deep", "The deep model of gaps") from error
    return DeepGaps(smollm2(), checkpoint.load(path, "gap-network"))


class RankedVerbs(NamedTuple):
    """Candidates and their log-chances."""

    names: list[str]
    logp: Array


class UntoldDeep(UntoldNetwork):
    """A language model that reads the story up to the gap, with the counts beside it."""

    name = "untold-deep"
    trained_on = ("mcscript", "inscript", "descript", "rocstories", "smollm2")

    def __init__(self, weight: float = 0.0, weights: str = "deep-1") -> None:
        """``weight``: how much `untold-network` has a say (on dev it adds nothing); ``weights``: released adapters by name, or a path;
        several joined by ``+``: the mean of their chances."""
        self.weight, self.weights = weight, weights
        self._last: dict[int, tuple[AnyQuestion, RankedVerbs]] = {}

    def adapters(self) -> list[Path]:
        """The files of the networks that speak."""
        return [Path(name) if Path(name).suffix else find_released("untold", name) for name in self.weights.split("+")]

    def reads(self) -> list[Path]:
        """The adapters, SmolLM2, and what `untold-network` reads."""
        return [*self.adapters(), *super().reads(), gguf_file()]

    def ranked(self, question: AnyQuestion) -> tuple[list[str], Array]:
        (one,) = self.ranked_many([question])
        return one.names, one.logp

    def ranked_many(self, questions: Sequence[AnyQuestion]) -> list[RankedVerbs]:
        """All questions, the open ones together; the last ones asked are remembered, since a key is rated after its guesses."""
        new = [one for one in questions if id(one) not in self._last or self._last[id(one)][0] is not one]
        if new:
            self._last = {id(one): (one, made) for one, made in zip(new, self.fresh(new), strict=True)} | {
                id(one): self._last[id(one)]
                for one in questions
                if id(one) in self._last and self._last[id(one)][0] is one
            }
        return [self._last[id(one)][1] for one in questions]

    def fresh(self, questions: Sequence[AnyQuestion]) -> list[RankedVerbs]:
        """Answers to questions not asked just before."""
        plain = [RankedVerbs(*super(UntoldDeep, self).ranked(one)) for one in questions]
        open_ = [
            (number, one) for number, one in enumerate(questions)
            if isinstance(one, Unsaid) and not is_labelled(one) and not one.choices and one.place is not None
            and not any(event.label for event in one.story.events)
        ]  # fmt: skip
        if not open_:
            return plain
        nets = [load_gaps(path) for path in self.adapters()]
        asked = [gap_text(one.story, scenario_of(one), one.place or 0) for _, one in open_]
        mean = np.logaddexp.reduce([net.logp(asked) for net in nets], axis=0) - np.log(
            len(nets)
        )  # all know the same words
        for (number, _), line in zip(open_, mean, strict=True):
            plain[number] = self.mixed(nets[0].words, line, plain[number])
        return plain

    def mixed(self, words: list[str], deep: Array, light: RankedVerbs) -> RankedVerbs:
        """Both together, over the verbs the deep network knows; a verb the light one does not know is its least likely."""
        known = dict(zip(light.names, light.logp, strict=True))
        least = min(known.values())
        other = np.array([known.get(word, least) for word in words], np.float32)
        return RankedVerbs(words, log_chances(deep + self.weight * other))

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """Guesses for many questions."""
        return [self.prediction(ranked.names, ranked.logp) for ranked in self.ranked_many(questions)]

    def rate_many(self, questions: list[AnyQuestion], answers: list[Answer]) -> list[tuple[float | None, float | None]]:
        self.ranked_many(questions)  # together, not one by one
        return super().rate_many(questions, answers)
