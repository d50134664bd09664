"""What all nouns share: frozen, hashable, strict JSON, and errors that name the field and the line.

A noun is an msgspec struct. It never holds a dict (it must hash) and never a float that is not finite (an impossible
guess is absent, not minus infinity).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from scenarist.errors import BadInput

SCHEMA = 1
"""Version of the JSON shape of all nouns; raised when a field changes its meaning."""


class Noun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, repr_omit_defaults=True):
    """Base of every noun."""


N = TypeVar("N")


def finite(**numbers: float | None) -> None:
    """Raise where a number is NaN or infinite; called from ``__post_init__``."""
    for field, number in numbers.items():
        if number is not None and not math.isfinite(number):
            raise ValueError(f"`{field}` must be a finite number, not {number}")


def ordered(start: int, stop: int, what: str = "span") -> None:
    """Raise where a half-open span is backwards or negative."""
    if start < 0 or stop < start:
        raise ValueError(f"{what}: expected 0 <= start <= stop, got start={start}, stop={stop}")


def to_json(noun: Any) -> bytes:
    """One noun as one JSON value, keys in the order of the class, no line break."""
    return msgspec.json.encode(noun)


def from_json(data: bytes | str, kind: type[N], where: str = "JSON") -> N:
    """One JSON value as a noun; ``where`` (file and line) leads the error message."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, ValueError) as error:
        name = getattr(kind, "__name__", str(kind))
        raise BadInput(f"{where}: not a valid {name}: {error}") from error


def write_jsonl(nouns: Iterable[Any]) -> Iterator[bytes]:
    """Nouns as JSON lines, one at a time."""
    for noun in nouns:
        yield to_json(noun) + b"\n"


def read_jsonl(lines: Iterable[bytes | str], kind: type[N], where: str = "input") -> Iterator[N]:
    """JSON lines as nouns, one at a time; blank lines are passed over, errors name their line."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield from_json(line, kind, where=f"{where}, line {number}")
