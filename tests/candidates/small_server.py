"""A small real HTTP server that speaks OpenAI's protocol, well or badly, on the loopback: what the tests of candidates talk to.

Its "model" gives a text the log-probability that its words have by their letters: the same for the same text, another for another.
"""

from __future__ import annotations

import json
import threading
import time
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LIKELY = {" milk", " key", " Paris"}


def word_logp(before: str, token: str) -> float:
    """A stable number below zero; the canaries' right words are likely."""
    if token in LIKELY:
        return -1.0
    return -2.0 - int(sha1(f"{before[-40:]}|{token}".encode()).hexdigest()[:4], 16) / 6553.6


def pieces(text: str) -> list[str]:
    """A text as words with the space before them."""
    out: list[str] = []
    for part in text.split(" "):
        out.append(part if not out else f" {part}")
    return [piece for piece in out if piece]


class SmallServer:
    """``manner`` says what is wrong with it: empty for nothing."""

    def __init__(self, manner: str = "", delay: float = 0.0) -> None:
        self.manner, self.delay = manner, delay
        self.requests: list[dict[str, Any]] = []
        self.hiccups = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self.reply(200, {"data": [{"id": "small"}]})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.answer(self, self.path, body)

            def reply(self, status: int, value: object, headers: dict[str, str] | None = None) -> None:
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                for name, text in (headers or {}).items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    @property
    def address(self) -> str:
        return f"openai:{self.url}#small"

    def __enter__(self) -> SmallServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler: Any, path: str, body: dict[str, Any]) -> None:
        if self.delay:
            time.sleep(self.delay)
        self.requests.append({"path": path, "body": body})
        manner = self.manner
        if manner == "html":
            return handler.reply(200, b"<!doctype html><html><body>It works!</body></html>")
        if manner == "wrong-key" and handler.headers.get("Authorization") != "Bearer right":
            return handler.reply(401, {"error": {"message": "Incorrect API key provided"}})
        if manner == "busy" and self.hiccups < 2:
            self.hiccups += 1
            return handler.reply(429, {"error": {"message": "slow down"}}, {"Retry-After": "0.05"})
        if manner == "cut" and self.hiccups < 2:
            self.hiccups += 1
            handler.send_response(200)
            handler.send_header("Content-Length", "5000")
            handler.end_headers()
            handler.wfile.write(b'{"choices": [{"te')
            handler.close_connection = True
            return None
        if manner == "long":
            return handler.reply(400, {"error": {"message": "request exceeds the available context size"}})
        if path.endswith("/chat/completions"):
            return self.chat(handler, body)
        if path.endswith("/completions"):
            return self.complete(handler, body)
        return handler.reply(404, {"error": {"message": "no such path"}})

    def chat(self, handler: Any, body: dict[str, Any]) -> None:
        if self.manner in ("", "busy", "cut", "echo-ignored", "null-logprobs", "chat-logprobs", "flat", "flat-later"):
            return handler.reply(404, {"error": {"message": "no chat here"}})
        text = body["messages"][-1]["content"]
        if body.get("response_format") and self.manner != "schema":
            return handler.reply(400, {"error": {"message": "response_format is not known"}})
        said = self.say(text)
        choice: dict[str, Any] = {"message": {"role": "assistant", "content": said}}
        if body.get("logprobs"):
            if self.manner == "text-only":
                choice["logprobs"] = None
            else:
                top = [{"token": letter, "logprob": word_logp(text, letter)} for letter in ("A", "B", "C")]
                choice["logprobs"] = {"content": [{"token": "A", "logprob": -1.0, "top_logprobs": top}]}
        return handler.reply(
            200, {"choices": [choice], "usage": {"prompt_tokens": len(text.split()), "completion_tokens": 1}}
        )

    def say(self, text: str) -> str:
        """What it writes: refuses, rambles, or answers the first choice."""
        if "right order" in text:
            return "2, 1, 3, 4, 5"
        if "refuse" in text:
            return "I'm sorry, but I cannot answer that."
        if "ramble" in text:
            return "Well, it depends on many things."
        return "A"

    def complete(self, handler: Any, body: dict[str, Any]) -> None:
        prompt, usage = str(body["prompt"]), {"prompt_tokens": len(str(body["prompt"]).split()), "completion_tokens": 1}
        if self.manner in ("text-only", "letters", "schema"):
            return handler.reply(404, {"error": {"message": "no completions here"}})
        choice: dict[str, Any] = {"text": " yes", "logprobs": None}
        if body.get("echo") and self.manner not in ("echo-ignored", "vllm", "chat-logprobs"):
            tokens = [*pieces(prompt), " yes"]
            offsets = [sum(len(token) for token in tokens[:index]) for index in range(len(tokens))]
            values: list[float | None] = [word_logp("".join(tokens[:i]), token) for i, token in enumerate(tokens)]
            values[0] = None
            if self.manner == "flat":
                values = [0.0] * len(tokens)
            if self.manner == "flat-later" and all(word not in prompt for word in ("bowl", "door", "France")):
                values = [-1.0] * len(tokens)
            logprobs: dict[str, Any] | None = {"tokens": tokens, "token_logprobs": values, "text_offset": offsets}
            choice = {"text": f"{prompt} yes", "logprobs": None if self.manner == "null-logprobs" else logprobs}
        elif self.manner == "chat-logprobs":
            top = [{"id": 1, "token": " yes", "logprob": -0.5}]
            choice["logprobs"] = {"content": [{"id": 1, "token": " yes", "logprob": -0.5, "top_logprobs": top}]}
        elif self.manner == "vllm" and "prompt_logprobs" in body:
            tokens = pieces(prompt)
            whole: list[Any] = [None]
            for index, token in enumerate(tokens[1:], start=1):
                entry = {"logprob": word_logp("".join(tokens[:index]), token), "decoded_token": token}
                whole.append({str(index): entry})
            choice["prompt_logprobs"] = whole
        return handler.reply(200, {"choices": [choice], "usage": usage})
