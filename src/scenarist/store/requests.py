"""Requests to a server of a language model and what it answered, as JSONL in the home folder, one file for each address and model.

A line holds address, model, canary, the whole request and the whole answer, and is written before anything is made of the answer. Only
answers to deterministic requests (temperature 0) are taken from here again; an error is never kept. A line that was cut by a kill is
passed over. A line is handed to the system at once, so it survives a killed process; the file is synced to the disk when it is closed.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scenarist.signature import content_hash
from scenarist.store.home import folder

Request = Mapping[str, Any]
CLOSE = 0.05
"""Likelihoods of the canary, in nats, that may differ while the model is the same: batches round differently."""


class RequestLog:
    """The requests to one model at one address."""

    def __init__(self, address: str, model: str, path: Path | None = None) -> None:
        name = content_hash([address.encode(), model.encode()], length=16)
        self.path = path or folder("requests") / f"{name}.jsonl"
        self.address, self.model = address, model
        self.canary = ""
        self.reused = 0
        """Answers that were taken from here in this run."""
        self._lock = threading.Lock()
        self._answers: dict[str, Any] = {}
        self._canaries: dict[str, tuple[float, ...]] = {}
        self._read()
        self._file = self.path.open("ab", buffering=0)
        if self._torn:
            self._file.write(b"\n")

    def _read(self) -> None:
        """What is in the file; a torn last line is passed over."""
        self._torn = False
        if not self.path.is_file():
            return
        with self.path.open("rb") as lines:
            for line in lines:
                self._torn = not line.endswith(b"\n")
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue
                if "canary_logps" in entry:
                    self._canaries[entry["canary"]] = tuple(entry["canary_logps"])
                else:
                    self._answers[entry["key"]] = entry["answer"]

    def know(self, logps: tuple[float, ...]) -> str:
        """The name of the model that gives a canary these likelihoods: the one that is known, or a new one."""
        for name, known in self._canaries.items():
            if len(known) == len(logps) and all(abs(a - b) < CLOSE for a, b in zip(known, logps, strict=True)):
                self.canary = name
                return name
        self.canary = content_hash([json.dumps([round(value, 2) for value in logps]).encode()], length=8)
        self._canaries[self.canary] = logps
        self._write({"canary": self.canary, "canary_logps": logps, "address": self.address, "model": self.model})
        return self.canary

    def key(self, request: Request) -> str:
        """The name of a request: address, model, canary and all of the request."""
        parts = [self.address, self.model, self.canary, json.dumps(request, sort_keys=True, ensure_ascii=False)]
        return content_hash([part.encode() for part in parts], length=24)

    def find(self, request: Request) -> Any | None:
        """What was answered to this very request, where it was a deterministic one."""
        answer = self._answers.get(self.key(request)) if request.get("body", {}).get("temperature", 0) == 0 else None
        if answer is not None:
            with self._lock:
                self.reused += 1
        return answer

    def keep(self, request: Request, answer: Any) -> None:
        """Write a request and its answer down."""
        key = self.key(request)
        entry = {
            "key": key, "address": self.address, "model": self.model, "canary": self.canary, "request": request, "answer": answer,
        }  # fmt: skip
        self._write(entry)
        with self._lock:
            self._answers[key] = answer

    def _write(self, entry: Mapping[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
        with self._lock:
            self._file.write(line)

    def close(self) -> None:
        """Sync and close the file."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()
