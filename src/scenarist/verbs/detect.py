"""Text -> Story with its scenario segments: what `scenarist detect` does with a file, and how `scenarist read` finds its scenarios.

Any model that answers a Where can be asked. The text need not be parsed: sentences are cut by rule, so that a book takes
seconds. Notes say where a text is too short, is not English or tells nothing of the inventory.
"""

from __future__ import annotations

import inspect
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.formats.lines import whole
from scenarist.formats.plain import sentences, tokens
from scenarist.inventory import UserFile, user_files
from scenarist.question import Segments, Where
from scenarist.reading.parser.clean import clean
from scenarist.registry import find, make
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


def verb_model(name: str) -> Any:
    """The model behind a verb, by name: it knows the scenarios the user added, if it can; made again where these have changed."""
    return _model(name, user_files())


@lru_cache(maxsize=4)
def _model(name: str, _added: tuple[UserFile, ...]) -> Any:
    taught = "taught" in inspect.signature(find("model", name)).parameters
    return make("model", name, **({"taught": True} if taught else {}))


def segments(story: Story, model: str = "detector", least: float = 0.1) -> tuple[Segment, ...]:
    """The scenario segments of a text: the one way of `detect` and `read`.

    Sentences are cut by rule whatever parse the story has, as they are in the stitched documents of the exam `detection` and of the
    detector's training. Labels lighter than ``least`` are left out, but never a segment's first.
    """
    _, ready, _ = clean(story.text)
    bare = Story(story.id, story.text, sentences=sentences(ready), source=story.source)
    answer = verb_model(model).answer(Where(bare)).best
    if not isinstance(answer, Segments):
        raise BadInput(f"the model {model!r} does not detect segments; try detector.")
    return tuple(
        msgspec.structs.replace(
            segment,
            labels=tuple(label for rank, label in enumerate(segment.labels) if not rank or label.weight >= least),
        )
        for segment in answer.segments
        if segment.labels
    )


def detect_text(text: str, id: str = "text", model: str = "detector", least: float = 0.1) -> Story:
    """A story with the segments a model finds; labels lighter than ``least`` are left out, but never a segment's first."""
    if not text.strip():
        raise BadInput(f"{id}: expected a text, got an empty one.")
    kept_text, ready, notes = clean(text)
    story = Story(id, kept_text, sentences=sentences(ready), source="text", notes=notes)
    detected = segments(story, model, least)
    if not detected and not notes:
        story = replace(story, notes=(("scenarios", "none of the inventory is told here"),))
    return replace(story, segments=detected)


def with_tokens(story: Story) -> Story:
    """The story with words as tokens, as WebAnno's format wants them."""
    if story.tokens:
        return story
    spans: list[Sentence] = []
    words: list[Token] = []
    for sentence in story.sentences:
        fresh = tokens(story.text, sentence.start, sentence.stop)
        spans.append(Sentence(sentence.start, sentence.stop, len(words), len(words) + len(fresh)))
        words += fresh
    return replace(story, sentences=tuple(spans), tokens=tuple(words))
