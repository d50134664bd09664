"""LitBank (Bamman et al. 2019, 2020; Sims et al. 2019) -> Story: coreference, entity types and realis events.

``coref/conll`` gives tokens, sentences and entities (singletons kept), ``entities/tsv`` their types (nested BIO columns; the
commonest of an entity's mentions wins), ``events/tsv`` the realis events: only what happened is marked. The source has no
text; words are written with ordinary spacing. Dev is cut from the training folder by the rule, its text being the words
joined by one space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from scenarist.corpora.loader import Loader, members
from scenarist.errors import BadInput
from scenarist.formats import conllcoref
from scenarist.formats.lines import lines, stem
from scenarist.story import Entity, Event, Story, replace

KINDS = {"PER": "person", "LOC": "place", "GPE": "place", "FAC": "place", "ORG": "organisation", "VEH": "object"}


class LitBank(Loader[Story]):
    """Excerpts of about 2,000 words from novels."""

    name = "litbank"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"train": ("train",), "test": ("test",)}

    def read(self, path: Path) -> Iterator[Story]:
        for file in members(path / "coref" / "conll", lambda name: ".conll" in name):
            if not self.cut or self.keeps(words(file)):
                for story in conllcoref.read(file, self.source):
                    yield self.dress(story, path, stem(file))

    def dress(self, story: Story, folder: Path, name: str) -> Story:
        """Add entity types and events from the files beside."""
        kinds = spans(cells(story, folder / "entities" / "tsv", name))
        entities = tuple(typed(entity, kinds) for entity in story.entities)
        events = []
        for at, row in enumerate(cells(story, folder / "events" / "tsv", name)):
            if row[1] == "EVENT":
                token = story.tokens[at]
                form = story.of(token)
                events.append(Event(form.lower(), token=at, start=token.start, stop=token.stop, form=form))
        title = " ".join(name.removesuffix("_brat").split("_")[1:])
        return replace(story, title=title, entities=entities, events=tuple(events), genre="fiction")


def words(path: Path) -> str:
    """The words of a coreference file joined by one space: what the split is cut by."""
    fields = (line.text.split("\t") for line in lines(path) if not line.text.startswith("#"))
    return " ".join(cells[3] for cells in fields if len(cells) > 3)


def cells(story: Story, folder: Path, name: str) -> list[list[str]]:
    """The rows of a side file, which must have the tokens of the story."""
    path = next((path for suffix in ("", ".gz") if (path := folder / f"{name}.tsv{suffix}").exists()), None)
    if path is None:
        raise BadInput(f"{folder}: expected {name}.tsv (or .tsv.gz) beside the coreference file")
    rows: list[list[str]] = []
    for line in lines(path):
        if line.text.strip():
            row = line.text.split("\t")
            at = len(rows)
            if at >= len(story.tokens) or story.of(story.tokens[at]) != row[0] or len(row) < 2:
                raise BadInput(
                    f"{path}, line {line.number}: expected the token of the coreference file, got {row[0]!r}"
                )
            rows.append(row)
    if len(rows) != len(story.tokens):
        raise BadInput(f"{path}: expected {len(story.tokens)} tokens, got {len(rows)}; is the file truncated?")
    return rows


def spans(rows: list[list[str]]) -> dict[tuple[int, int], str]:
    """(first, last) -> type, from nested BIO columns."""
    found: dict[tuple[int, int], str] = {}
    for column in range(1, max((len(row) for row in rows), default=1)):
        begun, kind = -1, ""
        for at, row in enumerate([*rows, ["", *["O"] * 8]]):
            tag = row[column] if column < len(row) else "O"
            if begun >= 0 and not tag.startswith("I-"):
                found[begun, at] = kind
                begun = -1
            if tag.startswith("B-"):
                begun, kind = at, tag[2:]
    return found


def typed(entity: Entity, kinds: Mapping[tuple[int, int], str]) -> Entity:
    """The entity with the commonest type of its mentions."""
    seen = Counter(kinds[m.first, m.last] for m in entity.mentions if (m.first, m.last) in kinds)
    kind = seen.most_common(1)[0][0] if seen else ""
    return Entity(entity.id, entity.mentions, KINDS.get(kind, kind.lower()))
