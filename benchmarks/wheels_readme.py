"""README's commands in an environment: each must be done, or end with exit code 3 and the line to type.

The commands are read from README itself (its table, its consoles, its Python block), so that a command added there is tried. They run in
an empty folder outside the checkout, with a home folder of their own and no corpora.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TO_TYPE = ("pip install", "scenarist get", "scenarist corpus", "SCENARIST_DATA")
"""What a message with exit code 3 names, one of them."""
STORY = (
    "I mixed flour, sugar and eggs in a bowl. I poured the batter into a pan. I put it into the oven for an hour. "
    "When the cake was done, I let it cool. My grandmother was happy."
)
ENTRY = r"`(scenarist [^`]+)`"
BEYOND = (
    "scenarist bench --explain SIGNATURE", "scenarist get --list", "scenarist detect story.txt --model deep-detector",
    "scenarist learn TEXTS -o learned-texts", "scenarist learn CORPUS -o learned-spark --engine spark",
    "scenarist lab simulate fill-gap --people 2 --corpus toy", "scenarist bench chambers2017-single --only event-lm --limit 5",
    "scenarist corpus check", "scenarist corpus stats CORPUS", "scenarist nonsense",
)  # fmt: skip
"""Commands that README's prose speaks of, and what its extras are for."""
SERVES = {
    "base": ("read", "events", "detect", "show", "fill --chain", "exam", "score", "bench --list", "bench TABLE", "corpus", "doctor", "get"),
    "learn": ("learn CORPUS -o DIR", "learn TEXTS"),
    "cluster": ("learn CORPUS -o DIR", "learn CORPUS -o learned-spark"),
    "neural": ("explain",),
    "lm": ("order", "fill story.txt", "fill --story", "explain"),
    "deep": ("detect story.txt --model deep-detector",),
    "web": ("lab simulate", "serve"),
}  # fmt: skip
"""Extra -> how the commands begin that must be done with it, not only say what is missing; those of the base must be done with each."""
AGAIN = ("get", "read", "doctor", "bench TABLE")
"""Commands of the base that are tried with each extra again, which may change what is imported."""
APART = ("detect story.txt --model", "corpus check")
"""What the base does not do although these commands begin as others of it: the deep detector, and corpora that are not here."""
SECONDS = 900
"""The most a command may take."""


class Walk(NamedTuple):
    """What README's commands came to."""

    done: list[str]
    missing: list[str]
    """The command, and the line to type."""
    failed: list[str]


def readme_commands(text: str) -> list[str]:
    """The commands that README shows: those of its table, and the lines of its consoles.

    >>> readme_commands("| `scenarist read a.txt` | a page |\\n```console\\n$ scenarist exam toy \\\\\\n  -o d && ls   # questions\\n```")
    ['scenarist read a.txt', 'scenarist exam toy    -o d']
    """
    commands = [entry for line in text.splitlines() if line.startswith("|") for entry in re.findall(ENTRY, line)]
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        lines = block.replace("\\\n", " ").splitlines()
        commands += [
            part.strip() for line in lines if line.startswith("$ ") for part in line[2:].split("#")[0].split("&&")
        ]
    commands = [command for command in commands if command.startswith("scenarist ")]
    first = [command for command in commands if command.startswith("scenarist get ")]  # what others need
    return list(dict.fromkeys([*first, *commands]))


def filled(command: str) -> list[str]:
    """A command of README with something real for its placeholders."""
    places = {
        "CORPUS": "toy", "TEXTS": "texts", "TABLE": "toy", "DIR": "learned", "FILE": "shuffled.txt",
        "SIGNATURE": "mrr|exam:eventcloze|seed:13|v:0.1",
    }  # fmt: skip
    words = [places.get(word, word) for word in shlex.split(command)]
    return [word.replace("examples/a-cake-for-grandma.txt", "story.txt") for word in words]


def prepare(folder: Path, scenarist: Path, settings: dict[str, str]) -> None:
    """The files that README speaks of: a story, shuffled sentences, an exam and two files of answers."""
    (folder / "texts").mkdir()
    for name in ("story.txt", "texts/story.txt"):
        (folder / name).write_text(STORY, encoding="utf-8")
    sentences = [f"{sentence.strip('. ')}." for sentence in STORY.split(". ")]
    (folder / "shuffled.txt").write_text("\n".join(reversed(sentences)), encoding="utf-8")
    subprocess.run(
        [scenarist, "exam", "storycloze", "toy", "-o", "d"], cwd=folder, env=settings, check=True, capture_output=True
    )
    keys = [json.loads(line) for line in (folder / "d" / "keys.jsonl").read_text(encoding="utf-8").splitlines()]
    for name, answer in (("mine", None), ("theirs", "0")):
        lines = [{"item": key["id"], "guesses": [{"answer": answer or key["key"]}], "by": name} for key in keys]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")


def expected(command: str, extra: str) -> bool:
    """Must this command be done with this extra?"""
    rest = command.removeprefix("scenarist ")
    if rest.startswith(APART):
        return any(rest.startswith(start) and start.startswith(APART) for start in SERVES.get(extra, ()))
    return any(rest.startswith(start) for start in (*SERVES["base"], *SERVES.get(extra, ())))


def verdict(command: str, extra: str, code: int, said: str) -> str:
    """``done``, ``missing`` or ``failed``.

    >>> verdict("scenarist order FILE", "base", 3, "... pip install 'scenarist[lm]'"), verdict("scenarist order FILE", "lm", 3, "...")
    ('missing', 'failed')
    """
    if "Traceback" in said:
        return "failed"
    if command == "scenarist nonsense":
        return "done" if code == 2 else "failed"
    if code == 0:
        return "done"
    named = code == 3 and any(line in said for line in TO_TYPE)
    return "missing" if named and not expected(command, extra) else "failed"


def ran(words: list[str], folder: Path, settings: dict[str, str]) -> tuple[int, str]:
    """A command's exit code and what it complained of; a server is asked for its first page and interrupted."""
    if words[1:2] != ["serve"]:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            env=settings,
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
        )
        return done.returncode, done.stderr
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryFile("w+") as complaints:
        server = subprocess.Popen(
            [*words, "--port", str(port)],
            cwd=folder,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
        )
        answered, until = False, time.monotonic() + SECONDS
        while server.poll() is None and not answered and time.monotonic() < until:
            time.sleep(0.2)
            with contextlib.suppress(OSError):
                answered = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60).status == 200
        if server.poll() is None:
            server.send_signal(signal.SIGINT)
        server.wait(60)
        complaints.seek(0)
        return 0 if answered else server.returncode or 1, complaints.read()


def python_blocks(text: str) -> Iterator[str]:
    """README's Python."""
    yield from re.findall(r"```python\n(.*?)```", text, re.S)


def of_extra(command: str, extra: str, left: Collection[str]) -> bool:
    """Is a command worth trying with an extra, where all were tried with the base? ``left``: those that the base did not do."""
    rest = command.removeprefix("scenarist ")
    return command in left or any(rest.startswith(start) for start in (*SERVES.get(extra, ()), *AGAIN))


def walk(
    inside: Path, extra: str, folder: Path, tell: Callable[[str], None], left: Collection[str] | None = None
) -> Walk:
    """README's commands with the environment whose Python is ``inside``, in an empty folder.

    ``left``: what the base did not do; then only that is tried, what the extra is for, and some commands of the base again.
    """
    settings = {
        **os.environ, "SCENARIST_HOME": str(folder / "home"), "SCENARIST_DATA": "", "PYTHONNOUSERSITE": "1", "TERM": "dumb",
        "PATH": f"{inside.parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    settings.pop("PYTHONPATH", None)
    scenarist = inside.parent / "scenarist"
    outcome = Walk([], [], [])
    try:
        prepare(folder, scenarist, settings)
    except subprocess.CalledProcessError as error:
        outcome.failed.append(f"scenarist exam: {error.stderr.decode(errors='replace')[-400:]}")
        return outcome
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [*readme_commands(text), *BEYOND]
    tried = [(command, filled(command)) for command in commands]
    blocks = (block.replace("examples/a-cake-for-grandma.txt", "story.txt") for block in python_blocks(text))
    tried += [("README's Python", [str(inside), "-c", block]) for block in blocks]
    if left is not None:
        tried = [(command, words) for command, words in tried if of_extra(command, extra, left)]
    for number, (command, words) in enumerate(tried, start=1):
        tell(f"{number}/{len(tried)} {command}")
        try:
            code, complaint = ran(words, folder, settings)
        except subprocess.TimeoutExpired:
            outcome.failed.append(f"{command}: not done after {SECONDS} s")
            continue
        said = " ".join(complaint.split()).replace(str(folder), ".")
        kind = verdict(command, extra, code, said)
        line = f"{command}: {said[-300:]}" if kind == "missing" else f"{command}: code {code}: {said[-600:]}"
        getattr(outcome, kind).append(command if kind == "done" else line)
    return outcome
