"""Many pieces of work -> their results, in order, by several processes; and how far a long piece is."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeVar

W = TypeVar("W")


R = TypeVar("R")


AHEAD = 3
"""Pieces of work handed out per process before the first result is awaited."""


ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Pace:
    """How far a long text is, for who wants to know: ``tell`` is told what is done, how much of it and of how much."""

    def __init__(self, tell: Callable[[str, int, int], None], size: int) -> None:
        self.tell, self.size, self.done = tell, size, 0
        tell("reading characters", 0, size)

    def read(self, characters: int) -> None:
        """So many characters more are read."""
        self.done = min(self.size, self.done + characters)
        self.tell("reading characters", self.done, self.size)


PACE: ContextVar[Pace | None] = ContextVar("PACE", default=None)
"""Who is told how far a long piece of work is."""


@contextmanager
def paced(pace: Pace | None) -> Iterator[None]:
    """While the block lasts, ``pace`` is told of the work done in this process."""
    token = PACE.set(pace)
    try:
        yield
    finally:
        PACE.reset(token)


def step(characters: int) -> None:
    """Say that so many characters more are read, if anybody wants to know."""
    if pace := PACE.get():
        pace.read(characters)


def part(what: str, done: int, known: int) -> None:
    """Say how far a part of the work is that is not told in characters."""
    if pace := PACE.get():
        pace.tell(what, done, known)


class Workers(ProcessPoolExecutor):
    """A pool whose processes leave Ctrl-C to the program that began them, and end at once where its block is left early."""

    def submit(self, function: Callable[..., R], /, *args: Any, **settings: Any) -> Future[R]:
        with interrupts_held():  # a process is started here, and inherits what is held
            return super().submit(function, *args, **settings)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if kind is not None:
            end_workers()
        return super().__exit__(kind, error, trace)


def workers(jobs: int) -> Workers:
    """A pool of processes, each computing with one thread."""
    return Workers(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=prepare)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Ctrl-C is heard at the end of the block, by this process; a process that is started in it never hears it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_workers() -> None:
    """End the processes of this program: what they were at is not wanted any more, and files of theirs are whole or not there."""
    for process in multiprocessing.active_children():
        process.terminate()


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
