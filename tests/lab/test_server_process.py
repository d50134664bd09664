"""A server as a process: what it complains of neither stops it nor is lost."""

from __future__ import annotations

import socket
import sys

import pytest

from scenarist.errors import BadInput, Missing
from scenarist.lab import server as module
from scenarist.lab.server import ServerProcess
from scenarist.lab.web.ports import listening_port

CHATTY = """
import socket, sys
print("a warning\\n" * 200_000, file=sys.stderr, flush=True)  # 2 MB, far more than a pipe holds
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    while True:
        visitor, _ = server.accept()
        print("another warning\\n" * 20_000, file=sys.stderr, flush=True)
        visitor.sendall(b"here")
        visitor.close()
"""


def script(text: str) -> ServerProcess:
    """A server that runs a script of ours, with its port."""
    server = ServerProcess("study.toml", "sqlite:///lab.db")
    server.command = [sys.executable, "-c", text, str(server.port)]
    return server


def test_a_server_that_complains_at_length_goes_on_answering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STARTING_SECONDS", 60.0)
    server = script(CHATTY)
    server.start()
    try:
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as visitor:
                assert visitor.recv(4) == b"here"
    finally:
        server.stop()
    assert server.process is None and server.complaints is None


def test_the_last_words_of_a_server_that_did_not_start_are_told() -> None:
    server = script("import sys; print('x' * 100_000, file=sys.stderr); sys.exit('the port is taken')")
    with pytest.raises(Missing, match=r"the lab's server did not start: x+\s+the port is taken$"):
        server.start()
    assert server.process is None and server.complaints is None


def test_it_is_killed_and_started_again() -> None:
    server = script(CHATTY)
    for end in (server.kill, server.stop):
        server.start()
        assert server.process is not None and server.process.poll() is None
        end()
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", server.port), timeout=5).close()


def test_a_port_that_is_taken_is_named_with_what_to_type() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=f"{port} cannot be listened on: .* --port 0"):
            listening_port("127.0.0.1", port)
    assert listening_port("127.0.0.1", port) == port
    assert listening_port("127.0.0.1", 0) > 0
