"""Table x addresses of language models -> Table: each address is a further row.

A row is named for the model and the settings that differ from the usual, without path and host. Where rows are chosen by ``only``, the
added ones are run beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from scenarist.bench.spec import Row, Table
from scenarist.errors import BadInput
from scenarist.registry import index

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
        rows.append(Row(model=address, label=name, settings=own, train=sources))
        names.append(name)
    return msgspec.structs.replace(table, row=rows), [*only, *names] if only else only
