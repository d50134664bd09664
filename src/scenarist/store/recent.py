"""Key -> value, the last few of them: a memory that does not grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(dict[Key, Value]):
    """A dict of at most ``most`` entries; the oldest go.

    >>> memory = Recent(2)
    >>> for word in ("sit", "eat", "pay"):
    ...     memory[word] = len(word)
    >>> list(memory)
    ['eat', 'pay']
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        while len(self) > self.most:
            del self[next(iter(self))]

    def get_or_make(self, key: Key, make: Callable[[], Value]) -> Value:
        """What is remembered under a key, made where nothing is."""
        if key not in self:
            self[key] = make()
        return self[key]
