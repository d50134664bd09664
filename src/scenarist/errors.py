"""The ways a user's request can fail, and the exit code of each.

An error message says what was expected, what came, and what to type next. Only the command line turns it into an exit.
"""

from __future__ import annotations


class ScenaristError(Exception):
    """Base of the errors that are the caller's to fix; ``code`` is the exit code of the command line."""

    code = 2


class BadInput(ScenaristError, ValueError):
    """Something given is wrong: a file, a line, a name, a value."""

    code = 2


class Missing(ScenaristError, LookupError):
    """Something needed is not there: a corpus, an extra, a model file."""

    code = 3

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class BudgetSpent(ScenaristError):
    """What the user allowed to be spent is spent; the same command goes on where it ended."""

    code = 4


def missing_extra(package: str, extra: str, purpose: str) -> Missing:
    """The error for an optional dependency that is not installed; it names the install line."""
    return Missing(f"{purpose} needs the package '{package}'. Install it with: pip install 'scenarist[{extra}]'")
