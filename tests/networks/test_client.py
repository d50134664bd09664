"""The client of servers: how long it waits, what it takes for a wait, and what is said of a refusal."""

from __future__ import annotations

from email.message import Message
from typing import Any

import pytest

from scenarist.errors import BadInput, Missing
from scenarist.networks.addresses import client as module
from scenarist.networks.addresses.client import Client, Refused
from scenarist.networks.addresses.ladder import by_token_grammar


class Scripted(Client):
    """Every exchange has the same outcome, and nothing is sent."""

    def __init__(self, status: int, answer: bytes = b"{}", **headers: str) -> None:
        super().__init__("http://localhost:1/v1")
        self.outcome, self.headers = (status, answer), Message()
        for name, value in headers.items():
            self.headers[name.replace("_", "-")] = value

    def _send(self, method: str, place: str, data: bytes | None) -> Any:
        return *self.outcome, self.headers


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited, without waiting and without chance."""
    waited: list[float] = []
    monkeypatch.setattr(module.time, "sleep", waited.append)
    monkeypatch.setattr(module.random, "uniform", lambda low, high: (low + high) / 2)
    return waited


def test_pauses_double_and_six_tries_are_made(pauses: list[float]) -> None:
    with pytest.raises(Missing, match="no whole answer after 6 tries; status 503"):
        Scripted(503).get("/models")
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0]


def test_no_pause_is_longer_than_half_a_minute(pauses: list[float]) -> None:
    with pytest.raises(Missing):
        Scripted(429, Retry_After="300").get("/models")
    assert pauses == [30.0] * 5


@pytest.mark.parametrize(
    ("said", "first"), [("2", 2.0), ("0.25", 0.25), ("1.2.3", 0.5), ("Wed, 21 Oct 2026 07:28:00 GMT", 0.5), ("", 0.5)]
)
def test_a_wait_that_is_no_number_is_passed_over(said: str, first: float, pauses: list[float]) -> None:
    with pytest.raises(Missing):
        Scripted(429, Retry_After=said).get("/models")
    assert pauses[0] == first


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_text_that_is_too_long_is_said_whatever_the_status(status: int) -> None:
    with pytest.raises(BadInput, match="A text is too long for the model"):
        Scripted(status, b'{"error": {"message": "exceeds the context size"}}').post("/completions", {})
    with pytest.raises(Refused, match=f"refuses the request .status {status}.: no such field"):
        Scripted(status, b'{"error": {"message": "no such field"}}').post("/completions", {})


def grammar_server(content: object) -> Any:
    """A server that cuts every text into the pieces 7 and 9, and answers a completion with these tokens."""

    def ask(path: str, body: dict[str, Any], root: bool = False) -> dict[str, Any]:
        if path == "/tokenize":
            return {"tokens": [7, 9]}
        assert body["grammar"] == "root ::= <[7]> <[9]>" and body["max_tokens"] == 2
        return {"choices": [{"text": " ran", "logprobs": {"content": content}}]}

    return ask


def test_a_grammar_makes_the_server_write_these_tokens() -> None:
    score = by_token_grammar(grammar_server([{"id": 7, "logprob": -1.5}, {"id": 9, "logprob": -0.25}]), "Ann", " ran")
    assert (score.logp, score.tokens) == (-1.75, 2)


@pytest.mark.parametrize("content", [None, "text", [], [{"id": 7, "logprob": -1.0}], [{"id": 7}, {"id": 8}]])
def test_other_tokens_are_no_answer(content: object) -> None:
    with pytest.raises(Refused, match="other tokens come back"):
        by_token_grammar(grammar_server(content), "Ann", " ran")
