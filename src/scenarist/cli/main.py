"""The `scenarist` command: verbs are imported only when they are used, errors become one clear message and an exit code.

Exit codes: 0 done, 1 a check failed, 2 bad input, 3 something missing, 4 budget spent, 130 interrupted.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from scenarist import __version__
from scenarist.errors import ScenaristError

INTERRUPTED = 130
FULL = (errno.ENOSPC, errno.EDQUOT)

UsageProblem: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""The base of Typer's own complaints about the command line."""

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
    "view": ("scenarist.cli.view", "Look at answers item by item, two systems side by side."),
    "export": ("scenarist.cli.export", "Write tasks that other harnesses run unchanged."),
    "order": ("scenarist.cli.order", "Put shuffled sentences into story order."),
    "align": ("scenarist.cli.align", "Look up which concrete phrase an abstract word stands for."),
    "explain": ("scenarist.cli.explain", "Write the concrete steps of an abstract instruction."),
    "serve": ("scenarist.cli.serve", "Read stories and look at scripts and results in a browser."),
    "lab": ("scenarist.cli.lab", "Let people answer the questions that models face."),
    "get": ("scenarist.cli.get", "Put release files (models, adapters) into place."),
    "doctor": ("scenarist.cli.doctor", "Say what is installed, found and missing here."),
}
"""verb -> (module, one line). Each module defines `app`, a Typer app with one command or a group of them."""


VERB_EXTRAS = {"order": "lm", "fill": "lm", "explain": "lm", "detect": "deep"}
"""The extra that brings all a verb needs, where one missing package alone would name a smaller one."""


class Verbs(TyperGroup):
    """A group whose commands load when they are asked for; the list of verbs loads none of them."""

    listing = False

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(VERBS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> TyperCommand | None:  # type: ignore[override]
        if cmd_name not in VERBS:
            if self.listing or ctx.resilient_parsing:
                return None
            from scenarist.registry import suggest

            raise suggest(cmd_name, list(VERBS), "verb")
        module, line = VERBS[cmd_name]
        if self.listing:
            return TyperCommand(cmd_name, help=line, short_help=line)
        command: TyperCommand = typer.main.get_command(importlib.import_module(module).app)  # type: ignore[assignment]
        command.name = cmd_name
        return command

    def format_help(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        self.listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self.listing = False


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


def interrupted() -> int:
    """What Ctrl-C says and gives."""
    from scenarist.cli.console import INTERRUPTED as KINDS
    from scenarist.verbs.save import end_workers, kept_so_far

    end_workers()
    if KINDS:
        what = kept_so_far(*KINDS.pop())
        kept = f"{what}; the same command goes on from there" if what else "nothing was finished yet"
    else:
        what = kept_so_far()
        kept = f"{what}, each whole" if what else "nothing was written"
    print(f"scenarist: interrupted; {kept}.", file=sys.stderr)
    return INTERRUPTED


def run(args: list[str] | None = None) -> int:
    """Run the command line and give its exit code."""
    debug = os.environ.get("SCENARIST_DEBUG")
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(
            name, "1"
        )  # our matrices are small: threads only wait for each other; --jobs is the parallelism
    try:
        code = typer.main.get_command(app).main(args, prog_name="scenarist", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:  # Typer turns Ctrl-C into this code and says nothing
            return interrupted()
        return code if isinstance(code, int) else 0
    except ScenaristError as error:
        if debug:
            raise
        print(f"scenarist: {error}", file=sys.stderr)
        return error.code
    except ModuleNotFoundError as error:
        from scenarist.registry import missing_module

        verb = next(iter(args if args is not None else sys.argv[1:]), "")
        missing = missing_module(error, f"scenarist {verb}", VERB_EXTRAS.get(verb, ""))
        if debug or missing is None:
            raise
        print(f"scenarist: {missing}", file=sys.stderr)
        return missing.code
    except typer.Exit as done:
        return interrupted() if done.exit_code == INTERRUPTED else int(done.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return interrupted()
    except UsageProblem as error:
        error.show()
        return int(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno not in FULL:
            raise
        where = f": {error.filename}" if error.filename else ""
        print(f"scenarist: the disk is full{where}. Free some space and run the same command again.", file=sys.stderr)
        return 2


def main() -> None:
    """Entry point."""
    sys.exit(run())
