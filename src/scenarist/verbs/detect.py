"""Text -> Story with its scenario segments: what `scenarist detect` does with a file, and `verbs.detect` with a string.

Any model that answers a Where can be asked. The text need not be parsed: sentences are cut by rule, so that a book takes
seconds. Notes say where a text is too short, is not English or tells nothing of the inventory.
"""

from __future__ import annotations

import sys
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.formats.lines import whole
from scenarist.formats.plain import sentences, tokens
from scenarist.question import Segments, Where
from scenarist.reading.parser.clean import clean
from scenarist.registry import make
from scenarist.story import Segment, Sentence, Story, Token, replace


def read_text(name: str) -> tuple[str, str]:
    """The text of a file (or of standard input, for ``-``) and an id for it."""
    if name == "-":
        return sys.stdin.buffer.read().decode("utf-8", errors="replace"), "stdin"
    path = Path(name)
    if path.is_dir():
        raise BadInput(f"{path} is a folder; expected text files, e.g. {path}/*.txt")
    if not path.exists():
        raise BadInput(f"{path}: there is no such file. Type: scenarist detect FILE, or - for standard input.")
    return whole(path), path.name.removesuffix(path.suffix) or path.name


def detect_text(text: str, id: str = "text", model: str = "detector", least: float = 0.1) -> Story:
    """A story with the segments a model finds; labels lighter than ``least`` are left out, but never a segment's first."""
    if not text.strip():
        raise BadInput(f"{id}: expected a text, got an empty one.")
    kept_text, ready, notes = clean(text)
    story = Story(id, kept_text, sentences=sentences(ready), source="text", notes=notes)
    solver = make("model", model, **({"taught": True} if model == "detector" else {}))
    answer = solver.answer(Where(story)).best
    if not isinstance(answer, Segments):
        raise BadInput(f"the model {model!r} does not detect segments; try detector.")
    kept = tuple(
        Segment(
            one.start,
            one.stop,
            tuple(label for at, label in enumerate(one.labels) if not at or label.weight >= least),
            one.group,
            one.by,
            one.why,
        )
        for one in answer.segments
        if one.labels
    )
    if not kept and not notes:
        story = replace(story, notes=(("scenarios", "none of the inventory is told here"),))
    return replace(story, segments=kept)


def with_tokens(story: Story) -> Story:
    """The story with words as tokens, as WebAnno's format wants them."""
    if story.tokens:
        return story
    spans: list[Sentence] = []
    words: list[Token] = []
    for sentence in story.sentences:
        some = tokens(story.text, sentence.start, sentence.stop)
        spans.append(Sentence(sentence.start, sentence.stop, len(words), len(words) + len(some)))
        words += some
    return replace(story, sentences=tuple(spans), tokens=tuple(words))
