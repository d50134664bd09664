"""Text -> Story with its scenario segments: what `scenarist detect` does with a file, and how `scenarist read` finds its scenarios.

Any model that answers a Where can be asked. The text need not be parsed: sentences are cut by rule, so that a book takes
seconds. Notes say where a text is too short, is not English or tells nothing of the inventory.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput
from scenarist.formats.plain import clean, sentences
from scenarist.formats.plain import with_tokens as with_tokens
from scenarist.inventory import UserFile, user_files
from scenarist.learning.library.evidence import own_folder
from scenarist.models.untold.base import story_segments
from scenarist.noun import from_json, to_json
from scenarist.parallel import in_order, workers
from scenarist.registry import find, make
from scenarist.story import Segment, Story, replace
from scenarist.verbs.inputs import Skips, named_texts, text_of
from scenarist.verbs.save import check_output_folder, refuse_input

DETECTOR = "library-detector"
"""The model that `detect` and `read` find scenarios with."""


def verb_model(name: str) -> Any:
    """The model behind a verb, by name: it knows the scenarios the user added, if it can; made again where these have changed."""
    return _model(name, user_files(), own_folder())


@lru_cache(maxsize=4)
def _model(name: str, _added: tuple[UserFile, ...], _own: str) -> Any:
    taught = "taught" in inspect.signature(find("model", name)).parameters
    return make("model", name, **({"taught": True} if taught else {}))


def segments(story: Story, model: str = DETECTOR, least: float = 0.1) -> tuple[Segment, ...]:
    """The scenario segments of a text: the one way of `detect` and `read`.

    Sentences are cut by rule whatever parse the story has, as they are in the stitched documents of the exam `detection` and of the
    detector's training. Labels lighter than ``least`` are left out, but never a segment's first.
    """
    return story_segments(verb_model(model), story, least)


def detect(
    story: str | Path, id: str = "story", model: str = DETECTOR, least: float = 0.1, encoding: str = "utf-8"
) -> Story:
    """Find which everyday scenarios a text (or a file: ``Path``) tells, and where: a Story with its segments.

    Labels lighter than ``least`` are left out, but never a segment's first.

    >>> detect("We mixed flour, sugar and eggs. Then we poured the batter into a pan and baked the cake.").segments[0].names[0]
    'baking a cake'
    """
    if isinstance(story, str):
        return detect_text(story, id, model, least)
    name, text = text_of(story, "detect", encoding=encoding)
    return detect_text(text.removesuffix("\n"), name, model, least)


def detect_all(
    texts: Path | Iterable[tuple[str, str]],
    model: str = DETECTOR,
    least: float = 0.1,
    encoding: str = "utf-8",
    jobs: int = 1,
) -> Iterator[Story]:
    """The same for many texts, (id, text) each or all of a folder or archive, in order; the same whatever ``jobs``."""
    given = detect_texts([texts], encoding) if isinstance(texts, Path) else texts
    if jobs == 1:
        yield from (detect_text(text, id, model, least) for id, text in given)
        return
    with workers(jobs) as pool:
        for line in in_order(partial(detected_line, model=model, least=least), given, pool, jobs):
            yield from_json(line, Story, "a worker")


def detected_line(text: tuple[str, str], model: str, least: float) -> bytes:
    """One text in a process of its own; stories travel as JSON."""
    return to_json(detect_text(text[1], text[0], model, least))


def detect_texts(
    names: Iterable[str | Path], encoding: str = "utf-8", skip: Skips | None = None
) -> Iterator[tuple[str, str]]:
    """The texts of files, folders and archives as `detect_all` takes them, without the last line's end."""
    for name, text in named_texts(names, "detect", encoding, skip):
        yield name, text.removesuffix("\n")


def detect_text(text: str, id: str, model: str, least: float) -> Story:
    """A text as a story with the segments a model finds."""
    if not text.strip():
        raise BadInput(f"{id}: expected a text, got an empty one.")
    kept_text, ready, notes = clean(text)
    story = Story(id, kept_text, sentences=sentences(ready), source="text", notes=notes)
    detected = segments(story, model, least)
    if not detected and not notes:
        story = replace(story, notes=(("scenarios", "none of the inventory is told here"),))
    return replace(story, segments=detected)


def write_stories(path: str | Path, stories: Iterable[Story]) -> None:
    """Write stories as JSON lines, the form of the corpus ``jsonl:FILE``."""
    from scenarist.formats import jsonl

    jsonl.write(Path(path), stories)


def check_webanno(path: str | Path, inputs: Iterable[str | Path]) -> None:
    """Refuse a file or folder for WebAnno TSV that is an input, before anything is detected."""
    path = Path(path)
    if path.is_dir():
        check_output_folder(path, (), inputs)
    elif path.exists():
        refuse_input(path, inputs)


def write_webanno(path: str | Path, stories: Sequence[Story], force: bool = True) -> None:
    """Write stories as WebAnno TSV 3: a file for one text, a folder for several.

    Without ``force`` a file that holds other annotations than these is left alone: somebody may have worked on it.
    """
    from scenarist.formats.webanno import as_lines, write

    path = Path(path)
    if len(stories) == 1 and not path.is_dir():
        files = {path: with_tokens(stories[0])}
    else:
        files = {path / f"{story.id.replace('/', '-') or 'text'}.tsv": with_tokens(story) for story in stories}
    for file, story in files.items():
        if not force and file.exists() and file.read_bytes() != "".join(as_lines(story)).encode("utf-8"):
            raise BadInput(f"{file} holds other annotations. Choose another name, or write over it with --force.")
    if path.is_file() and len(stories) > 1:
        raise BadInput(f"{path} is a file; expected a folder for {len(stories)} texts.")
    for file, story in files.items():
        write(file, story)
