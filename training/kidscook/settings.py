"""Settings as typed (`--set epochs=3 dropout=0.2`) -> what a word model's constructor takes: those of its network and of its training apart."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.models.words.head import HeadReading, WordHeadModel
from scenarist.models.words.in_domain import InDomain, Recipe
from scenarist.models.words.pretrained import Tuning
from scenarist.models.words.recurrent import NetworkShape
from scenarist.registry import find


def parsed(words: Sequence[str], parser: argparse.ArgumentParser) -> dict[str, Any]:
    """NAME=VALUE words, values as in JSON."""
    try:
        return {name: json.loads(value) for name, _, value in (word.partition("=") for word in words)}
    except json.JSONDecodeError as error:
        parser.error(f"--set: expected NAME=VALUE with a value as in JSON (0.2, true, '\"mlp\"'), got {error.doc!r}")


def grouped(model: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What `make("model", model, ...)` takes, from settings in a row."""
    kind = find("model", model)
    if issubclass(kind, InDomain):
        groups = {"shape": NetworkShape._fields, "recipe": Recipe._fields, "code": getattr(kind, "switches", ())}
    else:
        reading = (*HeadReading._fields, "sighted", "blind_weight") if issubclass(kind, WordHeadModel) else ()
        groups = {"tuning": Tuning._fields, "reading": reading}
    known = {name: group for group, names in groups.items() for name in names if name not in ("seed", "device")}
    made: dict[str, Any] = {name: value for name, value in settings.items() if name not in known}
    for name, value in settings.items():
        if name in known:
            made.setdefault(known[name], {})[name] = value
    return made
