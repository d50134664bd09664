"""Host and port -> the port that a server can listen on."""

from __future__ import annotations

import socket

from scenarist.errors import BadInput


def listening_port(host: str, port: int) -> int:
    """The port to listen on, a free one for 0; an error where somebody listens there already."""
    if port == 0:
        return free_port()
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise BadInput(
                f"{host}:{port} cannot be listened on: {error.strerror or error}. "
                f"Take another port, e.g. --port {port + 1}, or --port 0 for a free one."
            ) from error
    return port


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
