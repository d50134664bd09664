"""What every stage of the training shares: the machine, the clock, the log, the output folder, the predictions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scenarist.networks import checkpoint
from scenarist.networks.adapters import Lora

SEEDS = (1, 2, 3)


class Job:
    """One run: where it writes, how long it may take, on which machine; ``tiny`` shrinks everything to a handful."""

    def __init__(self, out: Path, budget: float = 560.0, tiny: bool = False) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self.out, self.budget, self.tiny, self.start = out, budget, tiny, time.time()
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.dtype = torch.bfloat16 if self.device == "cuda" else torch.float32
        torch.backends.cuda.matmul.allow_tf32 = True
        self.kept: dict[str, Any] = {}

    def say(self, *words: object) -> None:
        """A line to the screen and to the log, with the seconds since the start."""
        line = f"[{time.time() - self.start:6.1f}] " + " ".join(str(word) for word in words)
        print(line, flush=True)
        with (self.out / "log.txt").open("a", encoding="utf-8") as log:
            log.write(line + "\n")

    def left(self) -> float:
        """Seconds left."""
        return self.budget - (time.time() - self.start)

    def wait(self) -> None:
        """Let the device finish, before the clock is read."""
        if self.device == "cuda":
            torch.cuda.synchronize()

    def put(self, array: np.ndarray) -> Any:
        """An array on the device."""
        tensor = torch.from_numpy(array)
        return tensor.pin_memory().to(self.device, non_blocking=True) if self.device == "cuda" else tensor

    def keep(self, name: str, values: np.ndarray) -> None:
        """Keep an array of predictions; all of them are written anew, so that a job that is cut short leaves what it had."""
        self.kept[name] = np.asarray(values)
        np.savez_compressed(self.out / "predictions.npz", **self.kept)

    def save(self, name: str, lora: Lora, what: str, groups: Sequence[str] = ("",)) -> None:
        """Adapters as a checkpoint; ``groups``: the names of those side by side."""
        path = self.out / f"{name}.safetensors"
        settings = {"factor": lora.setup.factor, "what": what}
        checkpoint.save(path, name.partition("-")[0], settings, {}, lora.packed(groups))
        self.say(f"saved {name}: {path.stat().st_size / 1e6:.1f} MB")
