"""CoNLL-U or CoNLL coreference text -> Story with events: readers ``conllu`` and ``conll-coref``.

What the file says is kept: a CoNLL-U file brings its parse (and GUM's entities), a coreference file its entities. What
it lacks is added: coreference and events to a parse, a parse (by the default reader, on the file's own tokens) to
entities.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from scenarist.formats import conllcoref, conllu
from scenarist.formats.mentions import mention
from scenarist.reading.events.extract import events
from scenarist.reading.foreign.universal import universal
from scenarist.story import Entity, Story, Token


class ConlluReader:
    """Each text is the content of a CoNLL-U file; every document in it is a story."""

    name = "conllu"

    def __init__(self, light: bool = False, coreference: bool = True) -> None:
        self.light = light
        self.coreference = coreference

    def __call__(self, texts: Iterable[str]) -> Iterator[Story]:
        for text in texts:
            for story in stored(text, conllu.read):
                yield self.complete(story)

    def complete(self, story: Story) -> Story:
        """A parsed story with entities, where it has none, and events."""
        story = msgspec.structs.replace(story, tokens=universal(story))
        if self.coreference and not story.entities and story.tokens:
            from scenarist.reading.coref.resolve import resolve

            story = msgspec.structs.replace(story, entities=resolve(story))
        return msgspec.structs.replace(story, events=events(story, light=self.light))


class ConllCorefReader:
    """Each text is the content of a CoNLL coreference file; its tokens are parsed, its entities kept."""

    name = "conll-coref"

    def __init__(self, light: bool = False) -> None:
        self.light = light

    def __call__(self, texts: Iterable[str]) -> Iterator[Story]:
        for text in texts:
            for story in stored(text, conllcoref.read):
                yield self.complete(story)

    def complete(self, story: Story) -> Story:
        """A story with gold entities, parsed on its own tokens."""
        from scenarist.reading.parser.parse import parser

        spans = [(one.first, one.last) for one in story.sentences] or [(0, len(story.tokens))]
        words = [[story.of(token) for token in story.tokens[first:last]] for first, last in spans]
        (parsed,) = parser().words([words])
        tokens = tuple(
            msgspec.structs.replace(new, start=old.start, stop=old.stop)
            for old, new in zip(story.tokens, parsed.story.tokens, strict=True)
        )
        entities = tuple(with_heads(entity, tokens) for entity in story.entities)
        story = msgspec.structs.replace(story, tokens=tokens, entities=entities)
        return msgspec.structs.replace(story, events=events(story, parsed.realis, light=self.light))


def with_heads(entity: Entity, tokens: tuple[Token, ...]) -> Entity:
    """An entity whose mentions know their head tokens."""
    return msgspec.structs.replace(
        entity, mentions=tuple(mention(tokens, one.first, one.last, kind=one.kind) for one in entity.mentions)
    )


def stored(text: str, read) -> Iterator[Story]:  # type: ignore[no-untyped-def]
    """The documents of a file's content; the format readers take files."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_text(text if text.endswith("\n\n") else text.rstrip("\n") + "\n\n", encoding="utf-8")
        yield from list(read(path))
