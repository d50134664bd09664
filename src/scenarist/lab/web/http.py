"""What stands before every route: the body is read within a limit, and every answer carries the headers of a careful site.

Plain `def` routes run in threads and cannot wait for a body, so it is read here and handed on in the scope.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import defaultdict, deque
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scenarist.lab.kinds.base import FormFields

MOST_BYTES = 512 * 1024
MOST_BYTES_ADMIN = 8 * 1024 * 1024
MOST_FIELDS = 5_000
HEADERS = (
    (b"content-security-policy", b"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
     b"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)  # fmt: skip
TOO_LONG = b"""<!doctype html><html lang="en"><title>Too long</title><main><h1>This was too long</h1>
<p>What you sent is larger than this study takes, and nothing of it was kept. Your earlier answers are safe.
Please go back and send a shorter answer.</p></main></html>"""


class Front:
    """Middleware: bodies within a limit, headers on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        static = scope["path"].startswith("/static/")

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), *HEADERS]
                if not static:
                    headers.append((b"cache-control", b"no-store"))
                message = {**message, "headers": headers}
            await send(message)

        if scope["method"] in ("POST", "PUT", "PATCH", "DELETE"):
            limit = MOST_BYTES_ADMIN if scope["path"].startswith("/admin/") else MOST_BYTES
            body = await read_body(receive, limit)
            if body is None:
                await headed(
                    {"type": "http.response.start", "status": 413,
                     "headers": [(b"content-type", b"text/html; charset=utf-8"), (b"connection", b"close"),
                                 (b"content-length", str(len(TOO_LONG)).encode())]}
                )  # fmt: skip
                await send({"type": "http.response.body", "body": TOO_LONG})
                return
            scope = {**scope, "lab.body": body}
        await self.app(scope, receive, headed)


async def read_body(receive: Receive, limit: int) -> bytes | None:
    """The body, or None where it is longer than the limit (what is too much is not kept in memory)."""
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(pieces)
        size += len(message.get("body", b""))
        if size <= limit:
            pieces.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(pieces) if size <= limit else None


def form_of(request: Request) -> FormFields:
    """The fields of a form that was sent."""
    body: bytes = request.scope.get("lab.body", b"")
    try:
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        pairs = []
    return FormFields(pairs)


def new_token() -> str:
    """A cookie's value."""
    return secrets.token_urlsafe(24)


def hashed(token: str) -> str:
    """What the database knows of a cookie."""
    return hashlib.sha256(token.encode()).hexdigest()


def form_key(secret: str, token: str) -> str:
    """What a form must carry so that no other site can send it."""
    return hmac.new(secret.encode(), b"form" + token.encode(), hashlib.sha256).hexdigest()[:32]


def same(left: str, right: str) -> bool:
    """Are two secrets equal, in a time that tells nothing?"""
    return hmac.compare_digest(left.encode(), right.encode())


class RateLimit:
    """At most so many tries in a time, by key."""

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self.times: dict[str, deque[float]] = defaultdict(deque)
        self.lock = threading.Lock()

    def allows(self, key: str) -> bool:
        """Count a try; False where there were too many."""
        now = time.monotonic()
        with self.lock:
            if len(self.times) > 10_000:
                self.times = defaultdict(
                    deque, {k: v for k, v in self.times.items() if v and v[-1] > now - self.seconds}
                )
            tries = self.times[key]
            while tries and tries[0] < now - self.seconds:
                tries.popleft()
            if len(tries) >= self.most:
                return False
            tries.append(now)
            return True

    def forget(self, key: str) -> None:
        """Somebody proved to be welcome."""
        with self.lock:
            self.times.pop(key, None)


def address(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else "unknown"


def secure(request: Request) -> bool:
    """Did it come over https?"""
    return request.url.scheme == "https"


def cookie(request: Request, path: str) -> dict[str, Any]:
    """How our cookies are set."""
    return {"path": path, "httponly": True, "samesite": "lax", "secure": secure(request)}
