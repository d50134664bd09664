"""Stored results of all tables -> what one static site shows: figures by table, and a card for each exam's corpora."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput, Missing


def leaderboard(results: str | Path = "") -> list[dict[str, Any]]:
    """Every table with its stored results (None where there are none), and the cards of its corpora.

    ``results``: a folder of JSON files as ``scenarist bench TABLE --json`` prints them; those of the checkout where none is named.
    """
    from scenarist.bench.spec import CHECKOUT, load, names
    from scenarist.corpora.manifest import entries

    place = Path(results) if results else CHECKOUT / "results"
    if not place.is_dir():
        if results:
            raise BadInput(
                f"There is no folder {place}. Put results there: scenarist bench TABLE --json > {place}/TABLE.json"
            )
        raise Missing(
            "An installed package carries no results. Name a folder of them: scenarist bench all --results FOLDER --html SITE"
        )
    forms = stored_forms(place)
    cards = {card.name: card for card in entries()}
    out = []
    for name in names():
        spec = load(name)
        corpora = [
            cards[corpus]
            for corpus in dict.fromkeys(condition.corpus for condition in spec.condition)
            if corpus in cards
        ]
        out.append({"table": spec, "numbers": spec.numbers(), "forms": forms.get(name, []), "cards": corpora})
    return out


def stored_forms(place: Path) -> dict[str, list[Mapping[str, Any]]]:
    """The stored runs of each table."""
    forms: dict[str, list[Mapping[str, Any]]] = {}
    for path in sorted(place.glob("*.json")):
        try:
            form = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BadInput(
                f"{path}: not JSON ({error}). Expected what `scenarist bench TABLE --json` prints."
            ) from error
        if isinstance(form, dict) and isinstance(form.get("rows"), list) and "table" in form:
            forms.setdefault(str(form["table"]), []).append(form)
    return forms
