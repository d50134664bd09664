"""A loss -> trained adapters, within a time: after some steps the number of steps is cut so that the stage keeps its budget.

Batches are made by a second thread, a few ahead of the card.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from queue import Full, Queue
from threading import Event, Thread
from typing import Any

import torch

from scenarist.networks.adapters import Lora
from training.storycloze.job import Job


def ahead(make: Callable[[Any], Any], given: Sequence[Any], depth: int = 4) -> Iterator[Any]:
    """What ``make`` makes of each, in order, made by one other thread some steps ahead; an error there is raised here.

    >>> list(ahead(lambda number: number * 2, [1, 2, 3]))
    [2, 4, 6]
    """
    queue: Queue[tuple[bool, Any]] = Queue(depth)
    enough = Event()

    def put(one: tuple[bool, Any]) -> None:
        while not enough.is_set():
            try:
                return queue.put(one, timeout=0.2)
            except Full:
                continue

    def work() -> None:
        for one in given:
            if enough.is_set():
                return
            try:
                put((True, make(one)))
            except BaseException as error:
                return put((False, error))

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        for _ in given:
            fine, made = queue.get()
            if not fine:
                raise made
            yield made
    finally:
        enough.set()
        thread.join()


def train(
    job: Job, name: str, lora: Lora, epochs_of: Callable[[int], Sequence[Any]], make: Callable[[Any], Any],
    step: Callable[[Any], tuple[Any, Any]], rate: float, budget: float, epochs: int, head_rate: float | None = None,
    warm: float = 0.06, decay: float = 0.01,
) -> None:  # fmt: skip
    """AdamW with a linear warm-up and decline; ``make`` makes arrays of a batch, ``step`` gives their loss and what to log."""
    low, heads = list(lora.low.values()), list(lora.heads.values())
    groups = [{"params": low, "base": rate}, {"params": heads, "base": head_rate or rate, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=rate, weight_decay=decay, betas=(0.9, 0.99), fused=job.device == "cuda")
    began = timed = time.time()
    total, done = 0, 0
    log: list[Any] = []
    lora.train()
    for epoch in range(epochs):
        found = epochs_of(epoch)
        total = total or len(found) * epochs
        if done >= total:
            break
        for batch in ahead(make, found):
            pace = min(1.0, (done + 1) / max(1.0, warm * total)) * max(0.02, 1 - done / total)
            for group in optimiser.param_groups:
                group["lr"] = group["base"] * pace
            loss, info = step(batch)
            loss.backward()
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
            done += 1
            log.append(info.detach())
            if done == 30:
                job.wait()
                timed = time.time()
            if done in (60, 200, 500):
                job.wait()
                each = (time.time() - timed) / (done - 30)
                total = max(done, min(total, int(done + (budget - (time.time() - began)) / each)))
                job.say(f"{name}: {each * 1000:.1f} ms a step, {total} steps planned ({total / len(found):.2f} epochs)")
            if done % 200 == 0:
                job.say(f"{name}: step {done}/{total} {means(log)}")
            if done >= total:
                break
    lora.eval()
    job.wait()
    job.say(f"{name}: done {done} steps in {time.time() - began:.1f} s; last {means(log)}")


def means(log: Sequence[Any]) -> list[float]:
    """Means over the last hundred steps."""
    return [round(value, 4) for value in torch.stack(list(log[-100:])).mean(0).flatten().tolist()]
