"""What a run may spend on servers: requests, tokens, money. Estimated before the first call, checked before each.

``with spending(Budget(...))`` holds for all that is asked inside of it, in every thread. Prices are dollars for a million tokens, given
by the user: none are known here.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from scenarist.errors import BadInput, BudgetSpent

CHARACTERS_A_TOKEN = 4.0
"""For estimates before a server has counted."""
NAMES = ("requests", "tokens", "money")


class Budget:
    """What is left of what may be spent."""

    def __init__(
        self,
        requests: int | None = None,
        tokens: int | None = None,
        money: float | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
    ) -> None:
        if money is not None and (price_in is None or price_out is None):
            raise BadInput("A budget in money needs prices (dollars for a million tokens): --prices in=0.15,out=0.60")
        self.requests, self.tokens, self.money = requests, tokens, money
        self.price_in, self.price_out = price_in or 0.0, price_out or 0.0
        self.spent_requests, self.tokens_in, self.tokens_out = 0, 0, 0
        self._lock = threading.Lock()

    @classmethod
    def parse(cls, text: str, prices: str = "") -> Budget:
        """A budget as it is typed.

        >>> Budget.parse("requests=100,money=2", "in=0.15,out=0.6").requests
        100
        """
        given = {**numbers(text, NAMES, "--budget requests=1000,tokens=500000,money=2.50")}
        cost = numbers(prices, ("in", "out"), "--prices in=0.15,out=0.60")
        whole = {name: int(given[name]) if name in given else None for name in ("requests", "tokens")}
        return cls(whole["requests"], whole["tokens"], given.get("money"), cost.get("in"), cost.get("out"))

    @property
    def spent_money(self) -> float:
        """Dollars so far."""
        return (self.tokens_in * self.price_in + self.tokens_out * self.price_out) / 1e6

    def estimate(self, requests: int, characters: int, written: int) -> str:
        """What so many requests would cost, in words."""
        tokens_in, tokens_out = int(characters / CHARACTERS_A_TOKEN), written
        money = (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6
        cost = f", {money:.2f} dollars" if self.price_in or self.price_out else ""
        return f"about {requests:,} requests, {tokens_in:,} tokens read, {tokens_out:,} written{cost}"

    def check(self, characters: int, written: int) -> None:
        """Count a request that is about to be sent, or end here."""
        with self._lock:
            tokens = characters / CHARACTERS_A_TOKEN + written
            money = (characters / CHARACTERS_A_TOKEN * self.price_in + written * self.price_out) / 1e6
            if self.requests is not None and self.spent_requests + 1 > self.requests:
                self._end(f"{self.requests:,} requests")
            if self.tokens is not None and self.tokens_in + self.tokens_out + tokens > self.tokens:
                self._end(f"{self.tokens:,} tokens")
            if self.money is not None and self.spent_money + money > self.money:
                self._end(f"{self.money:.2f} dollars")
            self.spent_requests += 1

    def _end(self, what: str) -> None:
        raise BudgetSpent(
            f"The budget of {what} is spent ({self.spent_requests:,} requests, {self.tokens_in + self.tokens_out:,} tokens, "
            f"{self.spent_money:.2f} dollars). What was answered is kept: the same command goes on from here."
        )

    def count(self, read: int, written: int) -> None:
        """Add the tokens that a server says it has read and written."""
        with self._lock:
            self.tokens_in += read
            self.tokens_out += written


def numbers(text: str, names: tuple[str, ...], example: str) -> dict[str, float]:
    """``name=number`` pairs joined by commas."""
    values: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = re.fullmatch(r"(\w+)\s*=\s*([0-9.eE+_]+)", part)
        if match is None or match[1] not in names:
            raise BadInput(f"Not understood: {part!r}. Expected e.g. {example}")
        values[match[1]] = float(match[2])
    return values


_current: list[Budget] = [Budget()]


def current() -> Budget:
    """The budget in force; without limits where none was set."""
    return _current[-1]


@contextmanager
def spending(budget: Budget) -> Iterator[Budget]:
    """Let a budget hold for the block."""
    _current.append(budget)
    try:
        yield budget
    finally:
        _current.pop()
