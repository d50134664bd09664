"""Model name -> the promises it keeps, and the files it opens meanwhile, watched from outside by an audit hook.

Meant for a process of its own (`multiprocessing`, forkserver): what was loaded before is not opened again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WATCHED = (ROOT / "src" / "scenarist" / "resources", ROOT / "release", ROOT / "packages", ROOT / ".cache")


def watch_safetensors(watch: Callable[[str, tuple[Any, ...]], None]) -> None:
    """Report the files that safetensors opens, too: it does so outside of Python, where no audit hook sees it."""
    try:
        import safetensors
        import safetensors.numpy
        import safetensors.torch
    except ModuleNotFoundError:
        return

    def reported(opener: Callable[..., Any]) -> Callable[..., Any]:
        def call(filename: Any, *arguments: Any, **more: Any) -> Any:
            watch("open", (filename,))
            return opener(filename, *arguments, **more)

        return call

    for module, names in (
        (safetensors, ("safe_open",)),
        (safetensors.torch, ("load_file", "safe_open")),
        (safetensors.numpy, ("load_file", "safe_open")),
    ):
        for name in names:
            setattr(module, name, reported(getattr(module, name)))


class Checked(NamedTuple):
    """What came of a model."""

    promises: list[str]
    opened: list[str]
    """Files of weights and tables that it opened."""
    reads: list[str]
    """Those it says it reads."""
    lacks: str = ""
    """What it could not be made without, in the words of the error."""
    loaded: list[str] = []  # noqa: RUF012
    """What making the questions had opened before; it is not opened again."""


def check_and_watch(name: str, settings: dict[str, Any]) -> Checked:
    """The promises a model kept, and the files it opened meanwhile."""
    from scenarist.bench.question_sets import KINDS, question_set
    from scenarist.conformance import check_model
    from scenarist.errors import Missing
    from scenarist.networks.pretrained import gguf_file
    from scenarist.registry import make

    try:
        weights = [str(gguf_file())]
    except Missing:
        weights = []
    watched = (*map(str, WATCHED), *weights)
    opened: set[str] = set()
    loaded: set[str] = set()
    now = loaded

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | os.PathLike):
            path = os.path.abspath(os.fspath(arguments[0]))  # noqa: PTH100
            if path.startswith(watched) and not path.endswith("releases.toml"):  # the list of what can be got
                now.add(path)

    sys.addaudithook(watch)
    watch_safetensors(watch)
    for kind in KINDS:
        question_set(kind)  # the toy corpus and the exams open files of their own
    now = opened
    try:
        model = make("model", name, **settings)
        promises = check_model(model)
    except Missing as missing:
        return Checked([], [], [], str(missing))
    reads = getattr(model, "reads", None)
    return Checked(
        promises,
        sorted(opened),
        sorted(str(path.resolve()) for path in reads()) if reads else [],
        loaded=sorted(loaded),
    )
