"""Name of a table -> Sheet: the table as run; the tables there are. On the command line: `scenarist bench`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from scenarist.errors import BadInput

if TYPE_CHECKING:
    from scenarist.bench.run_table import Progress
    from scenarist.bench.sheet import Sheet as Sheet
    from scenarist.bench.spec import Table


def run_table(
    table: str,
    split: str = "",
    only: Sequence[str] = (),
    limit: int | None = None,
    seed: int | None = None,
    refresh: bool = False,
    progress: Progress | None = None,
    live: bool = False,
    record: bool = False,
    corpus: str = "",
    annotations: str = "",
    answers: str = "",
    models: Sequence[str] = (),
    settings: Mapping[str, object] | None = None,
    budget: str = "",
    prices: str = "",
    say: Callable[[str], None] | None = None,
) -> Sheet:
    """Run a table (or what of it is not recorded or stored yet), on dev where no split is named.

    ``corpus``: the same rows on another corpus, e.g. ``webanno:DIR``; ``annotations`` and ``answers``: folders with what people marked or
    answered, for the analyses that take them;
    ``models``: language models by address (``hf:NAME``, ``gguf:FILE``, ``openai:URL#NAME``), each a further row, with ``settings``;
    ``budget`` and ``prices``: what servers may be asked for in this run, e.g. ``requests=1000,money=2`` and ``in=0.15,out=0.60``;
    ``say`` is told, before the first request to a server, what the run will ask for at most;
    ``live``: ask the models of recorded rows as well; ``record``: do so, and write their answers to `results/predictions`.
    """
    from scenarist.bench.candidates import estimate, with_candidates
    from scenarist.bench.other_corpus import on_corpus, usual_split
    from scenarist.bench.records import write_records
    from scenarist.bench.run_table import Ways
    from scenarist.bench.run_table import run_table as run
    from scenarist.bench.spec import load
    from scenarist.store.results import Results

    spec = load(table)
    if corpus and record:
        raise BadInput("--record keeps answers of the table's own corpus; leave out --corpus or --record.")
    given = {"annotations": annotations, "answers": answers}
    if corpus and spec.kind == "analysis":
        given["corpus"] = corpus
    elif corpus:
        spec, split = on_corpus(spec, corpus), usual_split(corpus, split)
    if models:
        spec, only = with_candidates(spec, models, settings or {}, only)
    more = tuple((name, value) for name, value in given.items() if value)
    ways = Ways(split or "dev", limit, seed, refresh, live, record, more)
    if say and any(address.startswith("openai:") for address in models):
        from scenarist.networks.addresses.budget import Budget

        say(estimate(spec, ways, models, settings or {}, Budget.parse(budget, prices)))
    with Results() as store, limited_spending(budget, prices):
        sheet = run(spec, store, ways, only, progress)
    if record:
        write_records(sheet)
    return sheet


def limited_spending(budget: str, prices: str) -> AbstractContextManager[object]:
    """What servers may be asked for while it lasts; nothing of the kind where neither is given."""
    if not budget and not prices:
        return nullcontext()
    from scenarist.networks.addresses.budget import Budget, spending

    return spending(Budget.parse(budget, prices))


def tables() -> tuple[Table, ...]:
    """All published tables there are, and those of our own."""
    from scenarist.bench.spec import load, names

    return tuple(load(name) for name in names())


def explain_signature(signature: str) -> tuple[str, ...]:
    """A signature in words, a line each: what the number is, then what was measured, how, and on what.

    >>> explain_signature("accuracy|exam:storycloze|seed:13")[1]
    "the exam was 'storycloze'"
    """
    from scenarist.bench import spec
    from scenarist.registry import find
    from scenarist.signature import explain

    first, *others = explain(signature)
    number = signature.strip().partition("|")[0]
    metric, _, part = number.partition("/")
    if number in spec.names():
        return (f"the whole table '{number}': {spec.load(number).title}", *others)
    try:
        meaning = (find("metric", metric).__doc__ or "").strip().splitlines()[:1]
    except BadInput:  # a figure of an analysis
        return (f"the number is '{metric}' of '{part}'" if part else first, *others)
    return (": ".join((f"the number is '{metric}' of '{part}'" if part else first, *meaning)), *others)
