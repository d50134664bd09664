"""Texts -> a folder of Interpretations: accounts.jsonl, chains.parquet and untold.parquet; an interrupted run goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec

from scenarist.answers import ReadFolder
from scenarist.errors import BadInput, Missing
from scenarist.interpretation import Interpretation
from scenarist.parallel import Pace, paced
from scenarist.store.home import cannot_write
from scenarist.store.ledger import note_kept
from scenarist.verbs.inputs import titled_texts
from scenarist.verbs.read import read_lines
from scenarist.verbs.read_tables import ReadTables, table_rows
from scenarist.verbs.save import check_output_folder

FILE = "accounts.jsonl"
FILES = (FILE, "chains.parquet", "untold.parquet")
"""What is written to the folder."""


def read_folder(
    texts: Path | Iterable[tuple[str, str, str]],
    out: str | Path,
    jobs: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
    expected: int = 0,
    size: int = 0,
    force: bool = False,
) -> ReadFolder:
    """Read many stories, (id, text, title) each or all of a folder, into a folder; what an earlier run wrote is kept and passed over.

    ``progress`` is told of stories, of which there are ``expected`` (0: not known), or of the characters of a single one of ``size``.
    ``force`` writes over files of another program.
    """
    given = titled_texts([texts], "read") if isinstance(texts, Path) else texts
    out = Path(out)
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; expected a folder to write {FILE} to.")
    check_output_folder(out, FILES, force=force)
    file = out / FILE
    missing = ""
    with ExitStack() as stack:
        try:
            out.mkdir(parents=True, exist_ok=True)
            end = 0
            known: set[str] = set()
            tables: ReadTables | None = None
            try:
                tables = stack.enter_context(ReadTables(out))
            except Missing as error:
                missing = str(error)
            for interpretation, stop in lines_kept(file):
                end = stop
                known.add(interpretation.story.id)
                if tables:
                    tables.add(table_rows(interpretation))
            with file.open("r+b" if end else "wb") as kept:
                kept.seek(end)
                kept.truncate()  # a line an interruption tore
                number = len(known)
                stack.enter_context(paced(Pace(progress, size) if progress and size else None))
                for line in read_lines((text for text in given if text[0] not in known), jobs, tables is not None):
                    kept.write(line.json + b"\n")
                    kept.flush()
                    note_kept("stories")
                    if tables:
                        tables.add(line.rows)
                    number += 1
                    if progress and not size:
                        progress("reading stories", number, max(number, expected))
        except OSError as error:
            raise cannot_write(out, error) from error
    if tables is None:
        return ReadFolder(file, number, missing=missing)
    return ReadFolder(file, number, tables.chains.count, tables.untold.count)


def lines_kept(file: Path) -> Iterator[tuple[Interpretation, int]]:
    """What an earlier run has read, and where each whole line ends."""
    end = 0
    if file.exists():
        with file.open("rb") as lines:
            for line in lines:
                try:
                    interpretation = msgspec.json.decode(line, type=Interpretation)
                except (msgspec.DecodeError, ValueError):
                    break
                if not line.endswith(b"\n"):
                    break
                end += len(line)
                yield interpretation, end
