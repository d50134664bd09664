"""The same function for several seeds: side by side on a GPU, one after the other without."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from typing import Any

import torch


def side_by_side(
    function: Callable[..., None], calls: Sequence[tuple[Any, ...]], meanwhile: Callable[[], Any] = lambda: None
) -> Any:
    """Calls that leave their results in files; gives what ``meanwhile`` gives."""
    if len(calls) == 1 or not torch.cuda.is_available():
        for call in calls:
            function(*call)
        return meanwhile()
    context = multiprocessing.get_context("spawn")
    running = [context.Process(target=function, args=call) for call in calls]
    for process in running:
        process.start()
    found = meanwhile()
    for process in running:
        process.join()
    if any(process.exitcode for process in running):
        raise SystemExit("a run failed; its message is above")
    return found
