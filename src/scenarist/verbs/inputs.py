"""What a person names -> texts: the one way in for `read`, `detect`, `events`, `fill` and `order`.

A ``Path`` (or a name on the command line) is a file, a folder or an archive; ``-`` is standard input. A ``str`` is the text itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.formats.archive import READ, ArchivedFile, NamedText, decoded, folder_files, is_text, texts

STDIN = "stdin"
"""What a text from standard input is called."""


def named_texts(names: Iterable[str | Path], verb: str, encoding: str = "utf-8") -> Iterator[NamedText]:
    """The texts of files, folders and archives, in the order of names; ``-`` is standard input."""
    for name in names:
        if str(name) == "-":
            yield NamedText(STDIN, decoded(ArchivedFile(STDIN, sys.stdin.buffer.read(), "standard input"), encoding))
            continue
        path = existing(name, verb)
        empty = True
        for text in texts(path, READ, encoding, by_name=True):
            empty = False
            yield text
        if empty:
            raise BadInput(f"{path}: expected text files ({', '.join(READ)}) in it, found none.")


def titled_texts(
    names: Iterable[str | Path], verb: str, encoding: str = "utf-8", title: str = ""
) -> Iterator[tuple[str, str, str]]:
    """The same with their titles, as `read_all` takes them: (id, text, title); a file's name is its title where none is given."""
    for name, text in named_texts(names, verb, encoding):
        yield name, text, title or ("" if name == STDIN else title_of(name))


def existing(name: str | Path, verb: str) -> Path:
    """The path of a name, or an error that says what to type."""
    path = Path(name)
    if not path.exists():
        raise BadInput(
            f"{path}: there is no such file or folder. Type: scenarist {verb} FILE, or - for standard input."
        )
    return path


def count_texts(names: Iterable[str | Path]) -> int:
    """How many texts some names stand for, as far as a look at the folders tells."""
    paths = [Path(name) for name in names]
    return sum(
        sum(is_text(file.relative_to(path).as_posix()) for file in folder_files(path, READ)) if path.is_dir() else 1
        for path in paths
    )


def text_of(story: str | Path, verb: str, name: str = "story", encoding: str = "utf-8") -> NamedText:
    """One text: a string is the text itself, to be called ``name``; a path is a file, called by its own name."""
    if isinstance(story, str):
        return NamedText(name, story)
    given = named_texts([story], verb, encoding)
    text = next(given)
    if next(given, None) is not None:
        raise BadInput(
            f"{story} holds more than one text; expected one. Read them all: scenarist.{verb}_all(Path(...))"
        )
    return text


def lines_or_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text: its lines, or, where it is one line or paragraph, cut by rule."""
    from scenarist.formats import plain

    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return tuple(lines if len(lines) > 1 else (text[span.start : span.stop] for span in plain.sentences(text)))


def title_of(name: str) -> str:
    """A title from a file's name.

    >>> title_of("two-scenarios_at-once.txt")
    'Two scenarios at once'
    """
    words = Path(name).stem.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]
