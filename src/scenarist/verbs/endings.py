"""A story and endings -> a ranking; a story alone -> written endings. What `scenarist fill --ending` answers with.

The models by name: ``labelled`` (SmolLM2 tuned on stories and on labelled endings), ``unlabelled`` (the discriminator that saw raw
stories only), or any registered model that chooses endings and needs no training data. Without SmolLM2 or torch the answer
falls back to counting shared n-grams, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from scenarist.errors import BadInput, Missing
from scenarist.formats import plain
from scenarist.question import Choice, Prediction
from scenarist.registry import make

MOST, LONGEST = 20, 28
"""Endings written at once, and tokens of one; a draft that does not end within them is dropped."""
READY = ("lm-ending", "sentence-encoder", "ngram-overlap", "sentiment")
NAMES = {"labelled": ("lm-classifier", {"adapter": "all"}), "unlabelled": ("story-discriminator", {})}


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a story; the models were trained on four, any number from one is taken."""
    found = tuple(text[span.start : span.stop] for span in plain.sentences(text))
    if not found:
        raise BadInput("Expected a story of one or more sentences (four is what the models know), got none.")
    return found


def chooser(model: str = "", settings: Mapping[str, Any] | None = None) -> Any:
    """The model of a name that chooses endings as it is, without training data."""
    name, own = NAMES.get(model or "labelled", (model, {}))
    made: Any = make("model", name, **own, **(settings or {}))
    if made.learns != "nothing":
        raise BadInput(f"{name} has to learn first; choose one of {', '.join((*NAMES, *READY))}.")
    return made


def choose_ending(
    text: str, endings: Sequence[str], model: str = "", settings: Mapping[str, Any] | None = None
) -> Prediction:
    """Rank the endings of a story; the first guess is the best one."""
    told = sentences(text)
    if len(endings) < 2 or not all(ending.strip() for ending in endings):
        raise BadInput(f"Expected two or more endings, none of them empty, got {list(endings)}.")
    if len({ending.strip() for ending in endings}) < len(endings):
        raise BadInput("Two of the endings are the same; each must be another one.")
    question = Choice(told, tuple(endings))
    made = chooser(model, settings)
    try:
        found: Prediction = made.answer(question)
    except Missing as error:
        if model:
            raise
        found = make("model", "ngram-overlap").answer(question)
        return msgspec.structs.replace(found, note=f"Only shared words were counted: {error}")
    note = "" if len(told) == 4 else f"The story has {len(told)} sentences; the model was trained on four."
    return msgspec.structs.replace(found, note=note)


def write_endings(text: str, count: int = 3, seed: int = 13) -> list[str]:
    """Write endings for a story with SmolLM2 tuned on stories: continuations drawn with a seed, the discriminator's best first."""
    from scenarist.models.endings.language_model import last_logits, story_tree
    from scenarist.models.endings.story_network import BOS, MARK, adapter, story_network

    told = sentences(text)
    if not 1 <= count <= MOST:
        raise BadInput(f"Expected 1 to {MOST} endings to write, got {count}.")
    net = story_network(1)
    trunk = [BOS, *(token for sentence in told for token in net.encode(sentence)), MARK]
    drafts = net.draw_endings(trunk, 3 * count + 3, LONGEST, seed=seed)
    lines = list(dict.fromkeys(line for tokens in drafts if len(tokens) < LONGEST and (line := net.decode(tokens))))
    if not lines:
        return []
    scores = last_logits(net, [story_tree(net, told, lines)], None, adapter("stories", "1"))[0]
    return [line for _, line in sorted(zip(scores, lines, strict=True), reverse=True)][:count]
