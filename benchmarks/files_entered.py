"""A verb -> the files of the package that a reader of the code would enter: those with a function that is really called.

`python benchmarks/files_entered.py` counts three ways: `read` of an example, `bench kidscook --only transducer-summed` on three items, `learn` on
the toy corpus; `python benchmarks/files_entered.py VERB ARGUMENTS...` counts any other. What is only imported, or runs while a module is
being imported, does not count. One line a room: its files in the order in which they are entered.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = str(ROOT / "src" / "scenarist") + os.sep
FUNCTION = 0x1
"""The flag of code that is a function's, not a module's or a class's."""
WAYS = {
    "read": ["read", str(ROOT / "examples" / "a-cake-for-grandma.txt")],
    "bench kidscook --only transducer-summed": ["bench", "kidscook", "--only", "transducer-summed", "--limit", "3"],
    "learn": ["learn", "toy", "--out", "{folder}/learned"],
}


def importing(frame: FrameType | None) -> bool:
    """Is a module being imported further up the stack?"""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def entered(arguments: list[str]) -> list[str]:
    """The files entered by a command line, in order."""
    files: dict[str, None] = {}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        path = code.co_filename
        if path in files or not path.startswith(PACKAGE):
            return
        if code.co_flags & FUNCTION and not importing(frame.f_back):
            files[path] = None

    from scenarist.cli.main import main

    sys.argv = ["scenarist", *arguments]
    out = io.StringIO()
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            main()
    except SystemExit as end:
        if end.code:
            sys.setprofile(None)
            raise SystemExit(f"scenarist {' '.join(arguments)}: exit code {end.code}\n{out.getvalue()}") from end
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return [path.removeprefix(PACKAGE) for path in files]


def rooms(files: list[str]) -> dict[str, list[str]]:
    """The files by room, as they come."""
    found: dict[str, list[str]] = {}
    for file in files:
        folder, _, name = file.rpartition("/")
        found.setdefault(folder or ".", []).append(name.removesuffix(".py"))
    return found


def in_a_process(arguments: list[str]) -> list[str]:
    """The same in a process of its own, with a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        line = [part.replace("{folder}", folder) for part in arguments]
        environment = os.environ | {"SCENARIST_HOME": f"{folder}/home"}
        done = subprocess.run(
            [sys.executable, __file__, "--json", *line], env=environment, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise SystemExit(done.stderr)
    files: list[str] = json.loads(done.stdout.splitlines()[-1])
    return files


if __name__ == "__main__":
    if sys.argv[1:2] == ["--json"]:
        print(json.dumps(entered(sys.argv[2:])))
        raise SystemExit
    for name, line in ({" ".join(sys.argv[1:]): sys.argv[1:]} if sys.argv[1:] else WAYS).items():
        files = in_a_process(line)
        print(f"{name}: {len(files)} files")
        for room, names in rooms(files).items():
            print(f"  {room}: {', '.join(names)}")
