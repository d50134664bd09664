"""`python -m scenarist` and `scenarist` are the command line; Ctrl-C is one line also while it still loads."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line, and exit with its code."""
    try:
        from scenarist.cli.main import run

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write("scenarist: interrupted; nothing was written.\n")
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
