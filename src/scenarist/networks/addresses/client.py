"""Path and JSON -> JSON: a client for servers that speak OpenAI's protocol, with back-off, and errors that say what to type.

One kept-alive connection for each thread. Status 429 and 5xx, cut streams and lost connections are tried again with growing pauses
(``Retry-After`` is obeyed); anything else that is wrong is an error at once. The key is taken from ``SCENARIST_API_KEY`` or
``OPENAI_API_KEY`` and is never written anywhere.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import ssl
import threading
import time
from typing import Any
from urllib.parse import urlsplit

from scenarist.errors import BadInput, Missing

TRIES, FIRST_PAUSE, LONGEST_PAUSE = 6, 0.5, 30.0
AGAIN = {408, 409, 425, 429, 500, 502, 503, 504}
CONTEXT_WORDS = ("context", "too long", "maximum", "exceed")


class Refused(BadInput):
    """A server refused a request for what it asks, not for how it is: the next step of the ladder may do."""


class Client:
    """Connections to one server."""

    def __init__(self, url: str, timeout: float = 120.0) -> None:
        parts = urlsplit(url if "//" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(
                f"openai:{url} is no address. Expected openai:URL#NAME, e.g. openai:http://localhost:8080/v1#my-model"
            )
        self.url, self.secure = f"{parts.scheme}://{parts.netloc}", parts.scheme == "https"
        self.host, self.port = parts.hostname, parts.port
        self.base = parts.path.rstrip("/")
        self.timeout = timeout
        self.pause = FIRST_PAUSE
        self._own = threading.local()

    def post(self, path: str, body: dict[str, Any], root: bool = False) -> Any:
        """What the server answers to a request; ``root``: the path stands outside of the protocol's own (``/tokenize``)."""
        return self._ask("POST", path, json.dumps(body).encode(), root)

    def get(self, path: str) -> Any:
        """What the server tells at a path."""
        return self._ask("GET", path, None, False)

    def _ask(self, method: str, path: str, data: bytes | None, root: bool) -> Any:
        place = f"{self.base.removesuffix('/v1') if root else self.base}{path}"
        problem, pause = "", self.pause
        for attempt in range(TRIES):
            if attempt:
                time.sleep(min(LONGEST_PAUSE, pause) * random.uniform(0.8, 1.2))
                pause *= 2
            try:
                status, answer, headers = self._send(method, place, data)
            except ConnectionRefusedError as error:
                raise Missing(
                    f"No server answers at {self.url}. Start it and type the same again; for llama.cpp: "
                    "llama-server -m FILE.gguf --port 8080, and --model openai:http://localhost:8080/v1#NAME"
                ) from error
            except ssl.SSLError as error:
                raise Missing(f"{self.url}: the secure connection failed ({error.reason}).") from error
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, OSError) and "Name or service" in str(error):
                    raise Missing(f"There is no host {self.host}. Check the address: openai:URL#NAME") from error
                problem = f"the connection was lost ({type(error).__name__})"
                continue
            if status in AGAIN:
                problem = f"status {status}: {message_of(answer)}"
                if (wait := headers.get("Retry-After", "")).replace(".", "", 1).isdigit():
                    pause = float(wait)
                continue
            if status != 200:
                self._refuse(status, answer, place)
            try:
                return json.loads(answer)
            except ValueError:
                if answer.lstrip()[:1] == b"<":
                    raise BadInput(
                        f"{self.url}{place} answers with a web page, not JSON. Is the address right? It usually ends in /v1, "
                        "e.g. openai:http://localhost:8080/v1#my-model"
                    ) from None
                problem = "the answer was cut off"
        raise Missing(
            f"{self.url}{place}: no whole answer after {TRIES} tries; {problem}. What was answered is kept; try later."
        )

    def _send(self, method: str, place: str, data: bytes | None) -> tuple[int, bytes, http.client.HTTPMessage]:
        """One exchange on this thread's connection."""
        connection: http.client.HTTPConnection | None = getattr(self._own, "connection", None)
        if connection is None:
            kind = http.client.HTTPSConnection if self.secure else http.client.HTTPConnection
            connection = self._own.connection = kind(self.host, self.port, timeout=self.timeout)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key := os.environ.get("SCENARIST_API_KEY") or os.environ.get("OPENAI_API_KEY"):
            headers["Authorization"] = f"Bearer {key}"
        try:
            connection.request(method, place, data, headers)
            response = connection.getresponse()
            return response.status, response.read(), response.headers
        except (OSError, http.client.HTTPException):
            connection.close()
            self._own.connection = None
            raise

    def _refuse(self, status: int, answer: bytes, place: str) -> None:
        """Say in a sentence why a request failed."""
        said = message_of(answer)
        if status in (401, 403):
            raise BadInput(f"{self.url} refuses the key (status {status}). Put the right one in SCENARIST_API_KEY.")
        if status == 404 and "model" in said.lower():
            raise BadInput(
                f"{self.url} knows no such model: {said}. It serves: {', '.join(self.models()) or 'none that it names'}."
            )
        if (
            status in (400, 413, 422)
            and any(word in said.lower() for word in CONTEXT_WORDS)
            and "context" in said.lower()
        ):
            raise BadInput(
                f"A text is too long for the model at {self.url}: {said}. Start the server with a longer context "
                "(llama-server -c 4096), or ask fewer sentences or shots."
            )
        raise Refused(f"{self.url}{place} refuses the request (status {status}): {said}")

    def models(self) -> list[str]:
        """The names of the models that it serves."""
        try:
            return [str(entry["id"]) for entry in self.get("/models").get("data", [])]
        except (BadInput, Missing, KeyError, AttributeError, TypeError):
            return []


def message_of(answer: bytes) -> str:
    """What an error's body says.

    >>> message_of(b'{"error": {"message": "no"}}'), message_of(b"<html>Bad gateway</html>")
    ('no', 'a web page')
    """
    if answer.lstrip()[:1] == b"<":
        return "a web page"
    try:
        value = json.loads(answer)
    except ValueError:
        return answer[:200].decode("utf-8", "replace") or "nothing"
    error = value.get("error", value) if isinstance(value, dict) else value
    return str(error.get("message", error) if isinstance(error, dict) else error)[:300]
