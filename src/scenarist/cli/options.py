"""Options that mean the same in every verb, each written down once; examples for the end of a help page; inputs that were skipped.

A verb takes what it needs: ``encoding: Encoding = "utf-8"``, ``quiet: Quiet = False``. How verbs behave: docs/reference/conventions.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scenarist.verbs.inputs import Skips

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|FOLDER|-...", help="Text files, folders, archives (zip, tar), or - for standard input."
    ),
]
Encoding = Annotated[str, typer.Option("--encoding", help="Encoding of the files.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first input that cannot be used; else it is named and left out.")
]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", min=1, help="Processes; the result is the same whatever their number.")
]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained page.")]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that scenarist did not write.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (the form is a promise, see the docs).")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but what was asked for.")]
Top = Annotated[int, typer.Option("--top", min=1, help="Show so many, the best first.")]


def examples(*lines: str) -> str:
    """The end of a help page: one example a line.

    >>> examples("scenarist read story.txt", "scenarist read stories/")
    'Examples:\\n\\nscenarist read story.txt\\n\\nscenarist read stories/'
    """
    return "\n\n".join(("Examples:" if len(lines) > 1 else "Example:", *lines))


@contextmanager
def skipping(strict: bool = False) -> Iterator[Skips]:
    """Inputs that cannot be used are told on standard error and left out; at the end they make the exit code 1."""
    from scenarist.verbs.inputs import Skips

    skips = Skips(strict, lambda problem: print(f"scenarist: skipped: {problem}", file=sys.stderr))
    yield skips
    if len(skips):
        skips.flush()
        number = f"{len(skips)} input{'' if len(skips) == 1 else 's'}"
        print(f"scenarist: {number} skipped, the rest is done (--strict stops at the first).", file=sys.stderr)
        raise typer.Exit(1)
