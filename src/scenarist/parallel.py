"""Many pieces of work -> their results, in order, by several processes; and how far a long piece is."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

W = TypeVar("W")


R = TypeVar("R")


AHEAD = 3
"""Pieces of work handed out per process before the first result is awaited."""


ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


STEP: ContextVar[Callable[[int], None] | None] = ContextVar("STEP", default=None)
"""Who is told how far a long piece of work is."""


@contextmanager
def paced(step: Callable[[int], None] | None) -> Iterator[None]:
    """While the block lasts, ``step`` is told of the work done in this process, in characters of text."""
    token = STEP.set(step)
    try:
        yield
    finally:
        STEP.reset(token)


def step(characters: int) -> None:
    """Say that so many characters more are done, if anybody wants to know."""
    tell = STEP.get()
    if tell is not None:
        tell(characters)


def workers(jobs: int) -> ProcessPoolExecutor:
    """A pool of processes, each computing with one thread."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=prepare)


def in_order(
    function: Callable[[W], R], work: Iterable[W], pool: ProcessPoolExecutor | None, jobs: int = 1
) -> Iterator[R]:
    """The function's results in the order of the work, computed by a pool of ``jobs`` processes (no pool: in this one)."""
    if pool is None:
        yield from map(function, work)
        return
    waiting: deque[Future[R]] = deque()
    try:
        for piece in work:
            waiting.append(pool.submit(function, piece))
            if len(waiting) >= jobs * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def prepare() -> None:
    """A worker computes with one thread (the processes are the parallelism) and ends when the program that began it does."""
    for name in ONE_THREAD:
        os.environ[name] = "1"
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()
