"""A story and endings -> a ranking; a story alone -> written endings; a table of both -> predictions. What stands behind `fill`.

The models by name: ``labelled`` (SmolLM2 tuned on stories and on labelled endings), ``unlabelled`` (the discriminator that saw raw
stories only), ``rule`` (the same with a language model, chosen on held-out stories without a label), or any registered model that
chooses endings and needs no training data. Without SmolLM2 or torch there is no answer but what to type: counting shared words is not
better than chance (`ngram-overlap` in `scenarist bench storycloze2016`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.formats import plain
from scenarist.question import Choice, Prediction
from scenarist.registry import make, missing_module
from scenarist.verbs.inputs import text_of

MOST, LONGEST = 20, 28
"""Endings written at once, and tokens of one; a draft that does not end within them is dropped."""
READY = ("lm-ending", "sentence-encoder", "ngram-overlap", "sentiment")
NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "labelled": ("lm-classifier", {"weights": "labelled"}),
    "unlabelled": ("story-discriminator", {}),
    "rule": (
        "ending-ensemble",
        {
            "members": [
                ["story-discriminator", {"weights": "stories-1"}, 0.284],
                ["story-lm", {"weights": "stories-1"}, 0.1167],
            ]
        },
    ),
}
"""``rule`` is the row `story-rule` of storycloze2016: discriminator and language model, each of unit spread."""


def sentences(story: str | Path) -> tuple[str, ...]:
    """The sentences of a story or of a file of it; the models were trained on four, any number from one is taken."""
    name, text = text_of(story, "fill")
    spans = plain.sentences(text)
    if not spans:
        raise BadInput(
            f"{name}: the story is empty; expected one or more sentences (four is what the models know), got none."
        )
    return tuple(text[span.start : span.stop] for span in spans)


def chooser(model: str = "", settings: Mapping[str, Any] | None = None) -> Any:
    """The model of a name that chooses endings as it is, without training data."""
    name, own = NAMES.get(model or "labelled", (model, {}))
    solver: Any = make("model", name, **own, **(settings or {}))
    if solver.learns != "nothing":
        raise BadInput(f"{name} has to learn first; choose one of {', '.join((*NAMES, *READY))}.")
    return solver


def choose_ending(
    story: str | Path, endings: Sequence[str], model: str = "", settings: Mapping[str, Any] | None = None
) -> Prediction:
    """Rank the endings of a story; the first guess is the best one."""
    context = sentences(story)
    if len(endings) < 2 or not all(ending.strip() for ending in endings):
        raise BadInput(f"Expected two or more endings, none of them empty, got {list(endings)}.")
    if len({ending.strip() for ending in endings}) < len(endings):
        raise BadInput("Two of the endings are the same; each must be another one.")
    question = Choice(context, tuple(endings))
    solver = chooser(model, settings)
    try:
        prediction: Prediction = solver.answer(question)
    except ModuleNotFoundError as problem:
        raise missing_module(problem, "fill with endings", "lm") or problem from problem
    note = "" if len(context) == 4 else f"The story has {len(context)} sentences; the model was trained on four."
    return msgspec.structs.replace(prediction, note=note)


def fill_table(path: str | Path, model: str = "", settings: Mapping[str, Any] | None = None) -> Iterator[Prediction]:
    """Stories and endings in the official CSV columns -> one prediction a line, with answers in the file or without."""
    from scenarist.bench.sit import ask

    corpus = make("corpus", "storycloze-2016", path=Path(path))
    items = list(make("exam", "storycloze", blind=True).set(corpus))
    yield from ask(chooser(model, settings), items)


def write_endings(story: str | Path, count: int = 3, seed: int = 13) -> list[str]:
    """Write endings for a story with SmolLM2 tuned on stories: continuations drawn with a seed, the discriminator's best first."""
    from scenarist.models.endings.language_model import last_logits, story_tree
    from scenarist.models.endings.story_network import BOS, MARK, seed_adapter, story_network

    told = sentences(story)
    if not 1 <= count <= MOST:
        raise BadInput(f"Expected 1 to {MOST} endings to write, got {count}.")
    net = story_network()
    trunk = [BOS, *(token for sentence in told for token in net.encode(sentence)), MARK]
    drafts = net.draw_endings(trunk, 3 * count + 3, LONGEST, seed=seed)
    lines = list(dict.fromkeys(line for tokens in drafts if len(tokens) < LONGEST and (line := net.decode(tokens))))
    if not lines:
        return []
    scores = last_logits(net, [story_tree(net, told, lines)], None, seed_adapter("stories-1"))[0]
    return [line for _, line in sorted(zip(scores, lines, strict=True), reverse=True)][:count]
