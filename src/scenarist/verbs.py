"""The Python API: the same verbs as the command line, as functions that return nouns and never print."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenarist.registry import make

if TYPE_CHECKING:
    from scenarist.account import Account
    from scenarist.bench.folder import Card
    from scenarist.bench.run import Progress, Sheet
    from scenarist.bench.score import Scored
    from scenarist.question import Item
    from scenarist.script import Scenario, Script
    from scenarist.story import Story


def read(text: str, title: str = "", id: str = "story") -> Account:
    """Read a story: scenarios, events, who takes part, and what goes without saying.

    >>> account = read("We went to a restaurant. The waiter brought us the menu. We ordered pizza and ate it. Then we left.")
    >>> account.story.segments[0].names[0]
    'eating in a restaurant'
    """
    return next(read_all([(id, text, title)]))


def read_all(texts: Iterable[tuple[str, str, str]], jobs: int = 1) -> Iterator[Account]:
    """Read many stories, (id, text, title) each, in order; the same whatever ``jobs``."""
    from scenarist.models.accounts import accounts

    return accounts(texts, jobs)


def events(text: str, reader: str = "default", id: str = "story", **settings: Any) -> Story:
    """Find the events of a text, who takes part in them, and the parse behind them; chains of it: `scenarist.reading.chains`.

    >>> story = events("Ann fell. She cried.")
    >>> [(event.predicate, event.roles[0].entity) for event in story.events]
    [('fall', 'e1'), ('cry', 'e1')]
    """
    return next(events_all([(id, text)], reader, **settings))


def events_all(texts: Iterable[tuple[str, str]], reader: str = "default", **settings: Any) -> Iterator[Story]:
    """The same for many texts, (id, text) each, in order and in one stream; ``jobs=2`` reads with two processes."""
    from scenarist.story import replace

    names: deque[str] = deque()

    def told() -> Iterator[str]:
        for id, text in texts:
            names.append(id)
            yield text

    for story in make("reader", reader, **settings)(told()):
        yield replace(story, id=names.popleft())


def show(name: str) -> tuple[Script, Scenario]:
    """What is known of a scenario, by its name or an alias: its script and its place in the inventory."""
    from scenarist.errors import BadInput
    from scenarist.learning import knowledge, scenario_inventory

    scripts = knowledge.carried()
    if name in scripts and not scenario_inventory.known(name):
        from scenarist.script import Scenario

        return scripts[name], Scenario(name)
    scenario = scenario_inventory.find(name)
    if scenario.name not in scripts:
        raise BadInput(
            f"The inventory lists {scenario.name!r}, but no stories of it were at hand to learn from. See: scenarist scenarios"
        )
    return scripts[scenario.name], scenario


def exam(
    name: str,
    corpus: str,
    split: str = "dev",
    seed: int = 13,
    limit: int | None = None,
    settings: Mapping[str, Any] | None = None,
    corpus_settings: Mapping[str, Any] | None = None,
) -> tuple[list[Item], Card]:
    """Set an exam on a corpus: its items and the card that describes them."""
    from scenarist import __version__
    from scenarist.bench.folder import Card
    from scenarist.bench.run import settings_of, takes
    from scenarist.bench.runner import data_hash, items_of, unfold
    from scenarist.registry import find
    from scenarist.signature import plain

    switches = dict(settings or {})
    if takes(find("exam", name), "seed"):
        switches.setdefault("seed", seed)
    made = make("exam", name, **switches)
    parts = dict(corpus_settings or {})
    if hasattr(made, "view") and takes(find("corpus", corpus), "kind"):
        parts.setdefault("kind", made.view)
    stories = make("corpus", corpus, split=split, **parts)
    items = unfold(made, items_of(made, stories, limit))
    fixed = tuple((key, plain(value)) for key, value in {**settings_of(stories), **made.settings()}.items())
    metrics = tuple(getattr(made, "metrics", ("accuracy",)))
    card = Card(
        name, corpus, split, len(items), f"{corpus}#{data_hash(items)}", fixed, metrics, seed, version=__version__
    )
    return items, card


def score(
    folder: str | Path,
    predictions: Sequence[str | Path],
    metrics: Sequence[str] = (),
    strict: bool = False,
    seed: int = 13,
) -> Scored:
    """Score one or more predictions files against an exam folder; two or more are also compared pairwise."""
    from scenarist.bench.score import score_files

    return score_files(Path(folder), [Path(path) for path in predictions], metrics, strict, seed)


def bench(
    table: str,
    split: str = "dev",
    only: Sequence[str] = (),
    limit: int | None = None,
    seed: int | None = None,
    refresh: bool = False,
    progress: Progress | None = None,
) -> Sheet:
    """Run a table (or what of it is not stored yet)."""
    from scenarist.bench.run import run_table
    from scenarist.bench.table import load
    from scenarist.store import Results

    found = load(table)
    with Results() as store:
        return run_table(found, store, split, only, limit, seed, refresh, progress)
