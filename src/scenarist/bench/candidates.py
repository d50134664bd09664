"""Table x addresses of language models -> Table: each address is a further row.

A row is named for the model and the settings that differ from the usual, without path and host. Where rows are chosen by ``only``, the
added ones are run beside them. Where a condition hides the story from its rows (`ending-only`), it is hidden from the models, too; where it
is for rows that learn from labels, they do not sit it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from scenarist.bench.spec import Row, Table
from scenarist.errors import BadInput, Missing
from scenarist.noun import to_json
from scenarist.question import Choice
from scenarist.registry import index

if TYPE_CHECKING:
    from scenarist.bench.run_table import Ways
    from scenarist.networks.addresses.budget import Budget

MOST_WRITTEN = 160
"""Tokens of the longest answer that is asked for in words."""
KINDS = ("hf", "gguf", "openai")


def short_address(address: str) -> str:
    """What a table calls the model at an address.

    >>> short_address("gguf:/data/smol.gguf"), short_address("openai:http://localhost:8080/v1#org/tiny"), short_address("hf:org/tiny")
    ('smol.gguf', 'tiny@server', 'tiny')
    """
    kind, _, target = address.partition(":")
    if kind == "openai":
        return f"{target.partition('#')[2].rstrip('/').rpartition('/')[2] or 'model'}@server"
    return Path(target.rstrip("/")).name


def with_candidates(
    table: Table, addresses: Sequence[str], settings: Mapping[str, object], only: Sequence[str]
) -> tuple[Table, Sequence[str]]:
    """The table with the models as further rows, and the rows to run."""
    if table.kind != "exam":
        raise BadInput(f"table {table.name} is no grid of models and exams: it takes no --model.")
    rows = list(table.row)
    names: list[str] = []
    for address in addresses:
        kind, colon, target = address.partition(":")
        if not (colon and target and f"{kind}:" in index("model")):
            raise BadInput(
                f"--model {address}: expected an address ({', '.join(KINDS)}), e.g. hf:HuggingFaceTB/SmolLM2-135M, "
                "gguf:smollm2-135m.gguf or openai:http://localhost:8080/v1#my-model."
            )
        own = {name: value for name, value in settings.items() if name != "device" or kind == "hf"}
        said = "".join(f" {name}={value}" for name, value in own.items() if name not in ("device", "concurrency"))
        name = f"{short_address(address)}{said}"
        while name in [row.name for row in rows]:
            name += "'"
        sources = (
            [source for condition in table.condition for source in condition.train][:1] if own.get("shots") else []
        )
        for see, settings_ in (("story", own), ("choices", own | {"see": "choices"})):
            sat = [condition.name for condition in table.condition if condition.candidates == see]
            if sat:
                rows.append(Row(model=address, label=name, settings=settings_, train=sources, only=sat))
        names.append(name)
    return msgspec.structs.replace(table, row=rows), [*only, *names] if only else only


def estimate(table: Table, ways: Ways, addresses: Sequence[str], settings: Mapping[str, object], budget: Budget) -> str:
    """What the models on servers will be asked for at most, in words: nothing is asked to find out, and kept answers cost nothing.

    A choice is reckoned as one request a text, twice where what a text is likely by itself is taken off; all else as one request.
    """
    from scenarist.bench.run_table import plan_of

    served = sum(address.startswith("openai:") for address in addresses)
    if not served:
        return ""
    requests, characters, written = 0, 0, 0
    for condition in table.condition:
        if condition.candidates == "no":
            continue
        try:
            items = plan_of(condition, ways).items
        except Missing:
            continue
        for question in (item.question for item in items):
            size = len(to_json(question))
            if isinstance(question, Choice):
                each = len(question.choices) * (
                    2 if settings.get("how", "pmi") == "pmi" and not settings.get("score") else 1
                )
                each = 2 if settings.get("score") in ("letters", "text") else each
            else:
                each, written = 1, written + MOST_WRITTEN
            requests, characters = requests + each, characters + each * size
    return budget.estimate(served * requests, served * characters, served * (written + requests))
