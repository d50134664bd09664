"""Texts -> Stories with events, who takes part in them, and the parse behind them; a Story -> its chains.

What `scenarist events` writes down is made here as well: chains as Parquet, the parse as CoNLL-U, sentences rendered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenarist.registry import make
from scenarist.story import Story, replace
from scenarist.verbs.inputs import named_texts, text_of

if TYPE_CHECKING:
    from scenarist.answers import StoryChains

DOCUMENTS = ("conllu", "conll-coref")
"""Readers whose files hold several documents, each with a name of its own."""


def events(
    story: str | Path, reader: str = "default", id: str = "story", encoding: str = "utf-8", **settings: Any
) -> Story:
    """Find the events of a text (or of a file: ``Path``), who takes part in them, and the parse behind them.

    >>> story = events("Ann fell. She cried.")
    >>> [(event.predicate, event.roles[0].entity) for event in story.events]
    [('fall', 'e1'), ('cry', 'e1')]
    """
    return next(events_all([text_of(story, "events", id, encoding)], reader, **settings))


def events_all(
    texts: Path | Iterable[tuple[str, str]], reader: str = "default", encoding: str = "utf-8", **settings: Any
) -> Iterator[Story]:
    """The same for many texts, (id, text) each or all of a folder, in order and in one stream; ``jobs=2`` reads with two processes."""
    given = named_texts([texts], "events", encoding) if isinstance(texts, Path) else texts
    ids: deque[str] = deque()

    def bare_texts() -> Iterator[str]:
        for id, text in given:
            ids.append(id)
            yield text

    for story in make("reader", reader, **settings)(bare_texts()):
        yield story if reader in DOCUMENTS else replace(story, id=ids.popleft())


def chains(story: Story, least: int = 1, view: str = "cj", realis: bool = False) -> StoryChains:
    """The chains of a story: what each entity takes part in; and whose story it is.

    >>> [str(chain) for chain in chains(events("Ann fell. She cried.")).chains]
    ['fall:subj cry:subj']
    """
    from scenarist.answers import StoryChains
    from scenarist.reading import chains as reading

    central = reading.protagonist(story)
    derived = reading.chains(story, least, view, realis=realis)
    return StoryChains(view, central.id if central else None, derived)


def check_view(view: str) -> None:
    """Refuse a view that is none, before anything is read."""
    from scenarist.reading.chains import checked

    checked(view)


def write_chains(path: Path, stories: Iterable[Story], least: int = 1, view: str = "cj") -> int:
    """Write the chains of all stories as Parquet and give their number; the file appears only when it is whole."""
    from scenarist.formats.chain_file import story_chain_file, story_chain_rows

    with story_chain_file(path, least, view) as file:
        for story in stories:
            derived = chains(story, least, view)
            file.add(story_chain_rows(story, derived.chains, derived.protagonist or ""))
    return file.count


def conllu_lines(story: Story) -> Iterator[str]:
    """The parse of a story with its entities as lines of CoNLL-U; none where there is no word in it."""
    from scenarist.formats.conllu import as_lines

    return iter(as_lines(story)) if story.tokens else iter(())


def rendered_lines(story: Story, form: str, rule: str = "paper") -> Iterator[str]:
    """The sentences of a story as ``full``, ``caveman`` or ``verb-subject``."""
    from scenarist.reading.render import render

    return iter(render(story, form, rule))
