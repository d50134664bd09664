"""A corpus -> its first so many things, re-iterable: for a first try."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any


class Limited:
    """The beginning of a corpus."""

    def __init__(self, corpus: Iterable[Any], limit: int) -> None:
        self.corpus, self.limit = corpus, limit

    def __iter__(self) -> Iterator[Any]:
        return islice(iter(self.corpus), self.limit)
