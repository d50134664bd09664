"""The `scenarist` command: verbs are imported only when they are used, errors become one clear message and an exit code.

Exit codes: 0 done, 1 a check failed, 2 bad input, 3 something missing, 130 interrupted.
"""

from __future__ import annotations

import importlib
import os
import sys

import click
import typer
from typer.core import TyperGroup

from scenarist import __version__
from scenarist.errors import ScenaristError

VERBS = {
    "read": ("scenarist.cli.read", "Read a story: scenarios, events, and what goes without saying."),
    "detect": ("scenarist.cli.detect", "Find which everyday scenarios a text tells, and where."),
    "events": ("scenarist.cli.events", "Find events, who takes part in them, and chains."),
    "fill": ("scenarist.cli.fill", "Fill a gap: the missing event of a chain, the ending of a story."),
    "show": ("scenarist.cli.show", "Show what is known of a scenario."),
    "scenarios": ("scenarist.cli.scenarios", "List the inventory of scenarios and their relations."),
    "learn": ("scenarist.cli.learn", "Learn scripts from a corpus."),
    "corpus": ("scenarist.cli.corpus", "List, describe and check corpora."),
    "exam": ("scenarist.cli.exam", "Write an exam: questions and keys in separate files."),
    "score": ("scenarist.cli.score", "Score predictions files against an exam."),
    "bench": ("scenarist.cli.bench", "Run a published table beside our own rows."),
    "order": ("scenarist.cli.order", "Put shuffled sentences into story order."),
    "align": ("scenarist.cli.align", "Look up which concrete phrase an abstract word stands for."),
    "explain": ("scenarist.cli.explain", "Write the concrete steps of an abstract instruction."),
    "get": ("scenarist.cli.get", "Put release files (models, adapters) into place."),
    "doctor": ("scenarist.cli.doctor", "Say what is installed, found and missing here."),
}
"""verb -> (module, one line). Each module defines `app`, a Typer app with one command or a group of them."""


class Verbs(TyperGroup):
    """A group whose commands load when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module, line = VERBS[cmd_name]
        if ctx.resilient_parsing is False and listing(ctx):
            return click.Command(cmd_name, help=line, short_help=line)
        command = typer.main.get_command(importlib.import_module(module).app)
        command.name = cmd_name
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in VERBS:
            from scenarist.registry import suggest

            raise suggest(args[0], list(VERBS), "verb")
        return super().resolve_command(ctx, args)


def listing(ctx: click.Context) -> bool:
    """Is this only the list of verbs (`scenarist --help`)?"""
    return not ctx.protected_args and not ctx.args and ctx.parent is None and bool({"--help", "-h"} & set(sys.argv[1:2]))


app = typer.Typer(
    cls=Verbs,
    name="scenarist",
    help="Script knowledge: read what everyday stories tell and leave unsaid; learn scripts; examine models and people.",
    epilog="Try: scenarist bench toy  |  scenarist corpus list  |  scenarist VERB --help",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def version(asked: bool) -> None:
    if asked:
        print(f"scenarist {__version__}")
        raise typer.Exit


@app.callback()
def options(
    shown: bool = typer.Option(False, "--version", callback=version, is_eager=True, help="Show the version and exit."),
) -> None:
    """Options before the verb."""


def run(args: list[str] | None = None) -> int:
    """Run the command line and give its exit code."""
    debug = os.environ.get("SCENARIST_DEBUG")
    try:
        code = typer.main.get_command(app).main(args, prog_name="scenarist", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except ScenaristError as error:
        if debug:
            raise
        print(f"scenarist: {error}", file=sys.stderr)
        return error.code
    except click.exceptions.Exit as done:
        return done.exit_code
    except (click.Abort, KeyboardInterrupt):
        print("scenarist: interrupted; what was done is kept, the same command goes on from there.", file=sys.stderr)
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def main() -> None:
    """Entry point."""
    sys.exit(run())
