"""`scenarist doctor`: what is installed, found and missing here."""

from __future__ import annotations

import functools
import textwrap
from typing import TYPE_CHECKING

import typer

from scenarist.cli.console import Json, Quiet, examples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scenarist.answers import Finding

app = typer.Typer(add_completion=False)
WIDTH = 80
PART, STATE = 24, 8
"""Columns of a part's name and of its state."""


@app.command(epilog=examples("scenarist doctor", "scenarist doctor --json"))
def doctor(as_json: Json = False, quiet: Quiet = False) -> None:
    """Say what is installed, found and missing here, and what to type next; --quiet: only what is missing."""
    from scenarist.cli.console import console, json_out, piped
    from scenarist.verbs.doctor import doctor as examine

    findings = examine()
    if as_json:
        json_out(findings)
        return
    out = console()
    width = WIDTH if piped() else min(out.width, 100)
    for finding in findings:
        if quiet and not finding.next:
            continue
        for line in finding_lines(finding, width):
            print(line)


def finding_lines(finding: Finding, width: int = WIDTH) -> Iterator[str]:
    """A finding in lines of at most ``width`` columns: what it is, then what to type; a command is broken at spaces only.

    >>> from scenarist.answers import Finding
    >>> print(*finding_lines(Finding("extra [learn]", "missing", "learn scripts", "pip install 'scenarist[learn]'")), sep="\\n")
    extra [learn]           missing learn scripts
                            type:   pip install 'scenarist[learn]'
    """
    indent = " " * (PART + STATE)
    wrap = functools.partial(
        textwrap.wrap, width=max(width, PART + STATE + 20), break_on_hyphens=False, subsequent_indent=indent
    )
    head = f"{finding.part:<{PART}}{finding.state:<{STATE}}"
    yield from wrap(f"{head}{finding.detail}") or [head.rstrip()]
    if finding.next:
        yield from wrap(f"{' ' * PART}{'type:':<{STATE}}{finding.next}")
