"""A browser for simulated people: HTTP/1.1 over asyncio, cookies, forms, redirects. It sees what is sent and nothing else."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urlsplit

SECONDS = 60.0


@dataclass
class HttpReply:
    """What came back, and how long it took."""

    status: int
    location: str
    text: str
    seconds: float


@dataclass
class SimulatedBrowser:
    """One person's browser."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    async def get(self, path: str) -> HttpReply:
        """Open an address and follow where it leads."""
        reply = await self.send("GET", path)
        for _ in range(5):
            if reply.status not in (301, 302, 303, 307):
                break
            reply = await self.send("GET", reply.location)
        return reply

    async def post(self, path: str, fields: dict[str, list[str]]) -> HttpReply:
        """Send a form; a redirect is the acknowledgement and is not followed here."""
        return await self.send("POST", path, urlencode(fields, doseq=True, errors="replace").encode())

    async def send(self, method: str, path: str, body: bytes = b"") -> HttpReply:
        """One request and its answer; ConnectionError where the server is gone."""
        begun = time.perf_counter()
        try:
            reply = await asyncio.wait_for(self.exchange(method, path, body, begun), SECONDS)
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            self.close()
            raise ConnectionError(str(error)) from error
        self.times.append(reply.seconds)
        return reply

    async def exchange(self, method: str, path: str, body: bytes, begun: float) -> HttpReply:
        """Write the request, read the reply."""
        parts = urlsplit(path)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        if self.writer is None or self.writer.is_closing() or (self.reader is not None and self.reader.at_eof()):
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        assert self.reader is not None
        lines = [f"{method} {target} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", "Accept: text/html"]
        if self.cookies:
            lines.append("Cookie: " + "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        if method == "POST":
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await self.writer.drain()
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status, length, location, closing, chunked = int(head[0].split()[1]), 0, "", False, False
        for line in head[1:]:
            name, _, value = line.partition(":")
            name, value = name.strip().lower(), value.strip()
            if name == "content-length":
                length = int(value)
            elif name == "location":
                location = value
            elif name == "transfer-encoding":
                chunked = "chunked" in value
            elif name == "connection":
                closing = value.lower() == "close"
            elif name == "set-cookie":
                self.keep_cookie(value)
        data = await self.chunks() if chunked else await self.reader.readexactly(length)
        if closing:
            self.close()
        return HttpReply(status, location, data.decode("utf-8", "replace"), time.perf_counter() - begun)

    async def chunks(self) -> bytes:
        """A body in chunks."""
        assert self.reader is not None
        data = b""
        while size := int((await self.reader.readuntil(b"\r\n")).strip() or b"0", 16):
            data += await self.reader.readexactly(size)
            await self.reader.readexactly(2)
        await self.reader.readexactly(2)
        return data

    def keep_cookie(self, header: str) -> None:
        """Remember a cookie, or forget it."""
        for name, morsel in SimpleCookie(header).items():
            if morsel.value:
                self.cookies[name] = morsel.value
            else:
                self.cookies.pop(name, None)

    def close(self) -> None:
        """Hang up."""
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None
