"""InScript (Modi et al. 2016) -> Story with gold participants (Entity.label), script events (Event.label), coreference.

The files hold word pieces, one a line: piece (a word begins with U+2581), participant label, its mark, event label, its
mark, coreference id. The mark ``single`` or ``yes`` stands on the head of an annotation. Pieces are put together to words;
the words are written with ordinary spacing. Labels lose the scenario they end in: ``@ScrPart_water_bath`` is
``ScrPart_water``, ``#ScrEv_dry_bath`` is ``ScrEv_dry``. The source has no sentence ends: a sentence ends at ``. ! ?``.
Predicates are lower-cased words, not lemmas. Dev is cut by the rule, the text being the words joined by one space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

from scenarist.corpora.loader import Loader, members
from scenarist.errors import BadInput
from scenarist.formats.lines import lines, stem
from scenarist.formats.mentions import mention
from scenarist.formats.spacing import Page
from scenarist.story import Entity, Event, Mention, Sentence, Story, Token

BEGINS = "\u2581"
END = "<end_of_story>"
SCENARIOS = {
    "bath": "taking a bath", "bicycle": "repairing a flat bicycle tire", "bus": "riding on a bus", "cake": "baking a cake",
    "flight": "flying in an airplane", "grocery": "going grocery shopping", "haircut": "getting a hair cut",
    "library": "borrowing a book from the library", "train": "going on a train", "tree": "planting a tree",
}  # fmt: skip
"""File -> scenario, by the name DeScript gives it."""


class Word(NamedTuple):
    """A word put together from its pieces, with the annotation of its first piece."""

    form: str
    participant: str
    participant_head: bool
    event: str
    event_head: bool
    coref: str


class InScript(Loader[Story]):
    """Stories about ten scenarios."""

    name = "inscript"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"train": ("train",), "test": ("test",)}

    def read(self, path: Path) -> Iterator[Story]:
        for file in members(path, lambda name: ".tsv" in name):
            name = stem(file)
            for number, words in enumerate(stories(file, name), start=1):
                if self.keeps(" ".join(word.form for word in words)):
                    yield story(f"inscript-{name}-{number:03d}", words, SCENARIOS.get(name, name), self.source)


def stories(path: Path, suffix: str) -> Iterator[list[Word]]:
    """The stories of a file as words."""
    pieces: list[list[str]] = []
    number = 0
    for number, text in lines(path):
        if text.strip() == END:
            if pieces:
                yield words(pieces, suffix)
            pieces = []
            continue
        cells = text.split(" ")
        if len(cells) < 6:
            raise BadInput(
                f"{path}, line {number}: expected piece, participant, mark, event, mark, chain; got {text!r}"
            )
        pieces.append(cells)
    if pieces:
        raise BadInput(f"{path}, line {number}: expected {END} at the end; is the file truncated?")


def words(pieces: list[list[str]], suffix: str) -> list[Word]:
    """Pieces -> words: a piece that begins a word carries its annotation."""
    made: list[Word] = []
    for piece, participant, mark, event, event_mark, coref, *_ in pieces:
        if piece.startswith(BEGINS) or not made:
            heads = mark in ("single", "yes"), event_mark in ("single", "yes")
            chain = "" if coref in ("none", "X", "") else coref
            form = piece.removeprefix(BEGINS)
            made.append(Word(form, label(participant, suffix), heads[0], label(event, suffix), heads[1], chain))
        else:
            made[-1] = made[-1]._replace(form=made[-1].form + piece)
    return [word for word in made if word.form]


def label(cell: str, suffix: str) -> str:
    """A label without its sign and its scenario; empty for none.

    >>> label("@ScrPart_water_bath", "bath"), label("none", "bath")
    ('ScrPart_water', '')
    """
    return "" if cell in ("none", "X", "") else cell.lstrip("@#").removesuffix(f"_{suffix}")


def story(id: str, words: list[Word], scenario: str, source: str) -> Story:
    """Words -> Story with all layers."""
    page = Page()
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    first = 0
    for at, word in enumerate(words):
        tokens.append(Token(*page.put(word.form)))
        if word.form in (".", "!", "?") or at == len(words) - 1:
            if at + 1 < len(words) and words[at + 1].form in ('"', "''", "”") and '"' in page.open:
                continue
            sentences.append(Sentence(tokens[first].start, tokens[at].stop, first, at + 1))
            first = at + 1
    layers = entities(words, tokens), events(words, tokens, page.text)
    return Story(
        id, page.text, sentences=tuple(sentences), tokens=tuple(tokens), entities=layers[0], events=layers[1],
        source=source, scenario=scenario,
    )  # fmt: skip


def runs(
    words: list[Word], name: Callable[[Word], str], head: Callable[[Word], bool]
) -> Iterator[tuple[int, int, int]]:
    """Stretches of one label as (first, last, head); a second head begins a new stretch behind the first one."""
    at = 0
    while at < len(words):
        if not name(words[at]):
            at += 1
            continue
        first = at
        found = -1
        while at < len(words) and name(words[at]) == name(words[first]):
            if head(words[at]):
                if found >= 0:
                    yield first, found + 1, found
                    first = found + 1
                found = at
            at += 1
        yield first, at, found


def entities(words: list[Word], tokens: list[Token]) -> tuple[Entity, ...]:
    """Participants: mentions of one coreference id are one entity, others stand alone."""
    groups: dict[str, list[tuple[Mention, str]]] = {}
    for first, last, head in runs(words, lambda word: word.participant, lambda word: word.participant_head):
        at = head if head >= 0 else last - 1
        chain = words[at].coref or next((word.coref for word in words[first:last] if word.coref), "")
        key = chain or f"s{at}"
        groups.setdefault(key, []).append((mention(tokens, first, last, at), words[at].participant))
    return tuple(
        Entity(
            key, tuple(one for one, _ in group), label=max((name for _, name in group), key=[n for _, n in group].count)
        )
        for key, group in groups.items()
    )


def events(words: list[Word], tokens: list[Token], text: str) -> tuple[Event, ...]:
    """Event annotations in text order; a stretch without a head (a particle) belongs to the event before it."""
    made: list[Event] = []
    for first, last, head in runs(words, lambda word: word.event, lambda word: word.event_head):
        name = words[first].event
        if head < 0 and made and made[-1].label == name and first - made[-1].token <= 6:
            last_made = made.pop()
            predicate = "_".join([last_made.predicate, *(word.form.lower() for word in words[first:last])])
            made.append(Event(predicate, token=last_made.token, start=last_made.start, stop=last_made.stop,
                              form=last_made.form, label=name))  # fmt: skip
            continue
        at = head if head >= 0 else first
        rest = [word.form.lower() for place, word in enumerate(words[first:last], start=first) if place > at]
        predicate = "_".join([words[at].form.lower(), *rest])
        start, stop = tokens[first].start, tokens[last - 1].stop
        made.append(Event(predicate, token=at, start=start, stop=stop, form=text[start:stop], label=name))
    return tuple(made)
