"""The web application as a process: `scenarist lab serve`, and the same started and killed by a simulation."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from scenarist.errors import Missing, missing_extra
from scenarist.lab.database.engine import open_database
from scenarist.lab.study import Study
from scenarist.lab.web.ports import free_port

if TYPE_CHECKING:
    from starlette.types import ASGIApp

STARTING_SECONDS = 600.0
"""A busy machine may take minutes; a server that ends is noticed at once."""


def serve(studies: Sequence[Study], url: str, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serve until interrupted."""
    from scenarist.lab.web.app import make_app

    listen(make_app(open_database(url), studies), host, port)


def listen(app: ASGIApp, host: str, port: int) -> None:
    """Answer requests to an application until interrupted."""
    try:
        import uvicorn
    except ModuleNotFoundError as error:
        raise missing_extra("uvicorn", "web", "the lab") from error
    uvicorn.run(
        app, host=host, port=port, log_level="warning", access_log=False, backlog=2048, timeout_keep_alive=30, server_header=False,
        proxy_headers=True,
    )  # fmt: skip


class ServerProcess:
    """A real server on this machine that can be killed at any moment."""

    def __init__(self, study: str, url: str, corpus: str = "", port: int = 0) -> None:
        self.port = port or free_port()
        self.command = [
            sys.executable, "-m", "scenarist", "lab", "serve", study, "--db", url, "--port", str(self.port), "--quiet",
            *(["--corpus", corpus] if corpus else []),
        ]  # fmt: skip
        self.process: subprocess.Popen[bytes] | None = None
        self.complaints: IO[bytes] | None = None
        """What it writes to standard error: a file, since a pipe that nobody reads stops it when it is full."""

    def start(self) -> None:
        """Start, and wait until it answers."""
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self.complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed where the process is ended
        self.process = subprocess.Popen(
            self.command, env=environment, stdout=subprocess.DEVNULL, stderr=self.complaints, start_new_session=True
        )
        deadline = time.monotonic() + STARTING_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                complaint = self.complaint()
                self.forget()
                raise Missing(f"the lab's server did not start: {complaint[-800:]}")
            with socket.socket() as probe:
                probe.settimeout(0.2)
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        self.kill()
        raise Missing(f"the lab's server did not answer within {STARTING_SECONDS:.0f} s.")

    def complaint(self) -> str:
        """What it wrote to standard error, once it has ended."""
        if self.complaints is None:
            return ""
        self.complaints.seek(0)
        return self.complaints.read().decode("utf-8", "replace").strip()

    def kill(self) -> None:
        """SIGKILL: no goodbye, nothing is written any more."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.forget()

    def stop(self) -> None:
        """End it the usual way."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.forget()

    def forget(self) -> None:
        """Let go of a process that has ended, and of what it wrote."""
        if self.complaints is not None:
            self.complaints.close()
        self.process = self.complaints = None
