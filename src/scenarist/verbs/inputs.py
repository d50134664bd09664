"""What a person names -> texts: the one way in for `read`, `detect`, `events`, `learn`, `fill` and `order`.

A ``Path`` (or a name on the command line) is a file, a folder or an archive; ``-`` is standard input. A ``str`` is the text itself.
One input that cannot be used does not end the others: with ``Skips`` it is told and counted, and the next one is read.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.formats.archive import READ, ArchivedFile, NamedText, decoded, folder_files, is_archive, is_text, texts
from scenarist.formats.lines import without_ending

STDIN = "stdin"
"""What a text from standard input is called."""


class Skips:
    """Inputs that could not be used: each is told and counted; ``strict`` raises the first.

    Nothing is told before the first text that can be used: where there is none, the error itself says all.
    """

    def __init__(self, strict: bool = False, tell: Callable[[str], None] | None = None) -> None:
        self.strict = strict
        self.tell = tell
        self.errors: list[BadInput] = []
        self.used = False
        self._told = 0

    def __call__(self, error: BadInput) -> None:
        if self.strict:
            raise error
        self.errors.append(error)
        if self.used:
            self.flush()

    def use(self) -> None:
        """A text could be used."""
        if not self.used:
            self.used = True
            self.flush()

    def flush(self) -> None:
        """Tell what was not told yet."""
        for error in self.errors[self._told :]:
            if self.tell:
                self.tell(str(error))
        self._told = len(self.errors)

    def __len__(self) -> int:
        return len(self.errors)

    def __bool__(self) -> bool:
        return True


def named_texts(
    names: Iterable[str | Path], verb: str, encoding: str = "utf-8", skip: Skips | None = None
) -> Iterator[NamedText]:
    """The texts of files, folders and archives, in the order of names; ``-`` is standard input.

    A text is called by its file's name without the ending. Two texts of one name are told apart: the second is called after its folder,
    or gets a number. With ``skip``, what cannot be used is handed to it; where nothing at all can be used, the only error (or one that
    counts them) is raised.
    """
    names = list(names)
    taken: set[str] = set()
    for name in names:
        try:
            for text in texts_of(name, verb, encoding, skip):
                free = free_name(without_ending(text.name), name, taken)
                taken.add(free)
                if skip:
                    skip.use()
                yield text._replace(name=free)
        except BadInput as error:
            if skip is None:
                raise
            skip(error)
    if skip and len(skip) and not taken:
        if len(skip) == 1:
            raise skip.errors[0]
        skip.flush()
        raise BadInput(f"None of the {len(skip)} inputs could be used.")


def texts_of(name: str | Path, verb: str, encoding: str, skip: Skips | None) -> Iterator[NamedText]:
    """The texts of one name."""
    if str(name) == "-":
        typed = decoded(ArchivedFile(STDIN, sys.stdin.buffer.read(), "standard input"), encoding)
        if skip and not typed.strip():
            raise BadInput("Standard input is empty; expected a text.")
        yield NamedText(STDIN, typed)
        return
    path = existing(name, verb)
    before = len(skip) if skip else 0
    empty = True
    for text in texts(path, READ, encoding, by_name=True, skip=skip):
        empty = False
        yield text
    if empty and (len(skip) if skip else 0) == before:
        raise BadInput(f"{path}: expected text files ({', '.join(READ)}) in it, found none.")


def free_name(name: str, source: str | Path, taken: set[str]) -> str:
    """A name that no text has yet."""
    if name not in taken:
        return name
    base = f"{Path(source).resolve().parent.name if Path(source).is_file() else Path(source).resolve().name}/{name}"
    return next(
        free for number in itertools.count(1) if (free := base if number == 1 else f"{base}-{number}") not in taken
    )


def titled_texts(
    names: Iterable[str | Path], verb: str, encoding: str = "utf-8", title: str = "", skip: Skips | None = None
) -> Iterator[tuple[str, str, str]]:
    """The same with their titles, as `read_all` takes them: (id, text, title); a file's name is its title where none is given."""
    for name, text in named_texts(names, verb, encoding, skip):
        yield name, text, title or ("" if name == STDIN else title_of(name))


def existing(name: str | Path, verb: str) -> Path:
    """The path of a name, or an error that says what to type; an empty name is none (``Path("")`` would be this folder)."""
    path = Path(name)
    if name == "":
        raise BadInput(f"The name of a file is empty. Type: scenarist {verb} FILE, or - for standard input.")
    if not path.exists():
        raise BadInput(
            f"{path}: there is no such file or folder. Type: scenarist {verb} FILE, or - for standard input."
        )
    return path


def input_files(names: Iterable[str | Path]) -> Iterator[Path]:
    """The files that some names stand for, those of folders among them: what no output may overwrite."""
    for name in names:
        path = Path(name)
        if path.is_dir():
            yield from (
                file
                for file in folder_files(path, READ, nested=True)
                if is_archive(file) or is_text(file.relative_to(path).as_posix())
            )
        elif str(name) != "-" and path.exists():
            yield path


def count_texts(names: Iterable[str | Path]) -> int:
    """How many texts some names stand for, as far as a look at the folders tells."""
    return sum(1 for _ in input_files(names)) + sum(str(name) == "-" for name in names)


def single_size(names: Iterable[str | Path]) -> int:
    """How large a single file is, in characters as far as its bytes tell; 0 for several, a folder, an archive or standard input."""
    files = [Path(name) for name in names]
    if len(files) != 1 or not files[0].is_file() or is_archive(files[0]):
        return 0
    return files[0].stat().st_size


def text_of(story: str | Path, verb: str, name: str = "story", encoding: str = "utf-8") -> NamedText:
    """One text: a string is the text itself, to be called ``name``; a path is a file, called by its own name without the ending."""
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
    """A title from what a text is called.

    >>> title_of("diary/two-scenarios_at-once")
    'Two scenarios at once'
    """
    words = Path(name).name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]
