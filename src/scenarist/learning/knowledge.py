"""resources/knowledge -> Scripts: what the package knows of everyday scenarios, learned by ``training/knowledge``.

One JSON line a scenario (gzip), only event types, counts and orders; no corpus sentence. ``SCENARIST_KNOWLEDGE`` names another file
of the same form (made by ``scenarist learn --by-scenario``).
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.noun import Noun, read_jsonl, to_json, write_jsonl
from scenarist.script import Script
from scenarist.store import resource, write_whole

SCHEMA = 1
VARIABLE = "SCENARIST_KNOWLEDGE"


class Head(Noun, frozen=True):
    """First line of a knowledge file."""

    schema: int
    what: str
    evidence: str = ""


def write(path: Path, scripts: Iterable[Script], evidence: str) -> None:
    """Write a knowledge file, the same bytes for the same scripts."""
    lines = [to_json(Head(SCHEMA, "scripts", evidence)) + b"\n", *write_jsonl(scripts)]
    packed = gzip.compress(b"".join(lines), compresslevel=9, mtime=0)
    write_whole(path, [packed])


def read(path: Path) -> dict[str, Script]:
    """The scripts of a knowledge file by scenario."""
    if not path.exists():
        raise BadInput(f"There is no knowledge file {path}. Make one with: scenarist learn CORPUS --by-scenario -o FOLDER")
    try:
        with gzip.open(path, "rb") as lines:
            first = next(read_jsonl(lines, Head, str(path)), None)
            if first is None or first.schema != SCHEMA:
                found = "nothing" if first is None else f"schema {first.schema}"
                raise BadInput(f"{path}: expected schema {SCHEMA}, found {found}. Learn it again with this version.")
            return {script.scenario: script for script in read_jsonl(lines, Script, str(path))}
    except (OSError, EOFError) as error:
        raise BadInput(f"{path}: not a knowledge file ({error}).") from error


@cache
def carried() -> Mapping[str, Script]:
    """The knowledge in use: the embedded default, or the file that ``SCENARIST_KNOWLEDGE`` names."""
    given = os.environ.get(VARIABLE)
    return read(Path(given) if given else resource("knowledge/scripts.jsonl.gz"))
