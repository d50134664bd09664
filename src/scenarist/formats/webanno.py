"""WebAnno TSV 3 (WebAnno, INCEpTION) <-> Story: tokens, sentences, and segments with stacked labels.

Annotations that cover the same characters, of one group and one annotator, become one Segment with several labels; other layers are
passed over. Java counts characters beyond U+FFFF as two: the offsets are put right both ways. White space between sentences is not in
the format: it is read as spaces, so that all offsets hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scenarist.errors import BadInput
from scenarist.formats.corenlp import places_of
from scenarist.formats.lines import lines, stem
from scenarist.store.home import write_whole
from scenarist.story import Label, Segment, Sentence, Story, Token

LAYER = "webanno.custom.Scenario"
FEATURES = ("label", "weight", "group", "by")
RESERVED = re.compile(r"([\\\[\]|_;*]|->)")
STACKED = re.compile(r"(?<!\\)\|")
NUMBERED = re.compile(r"^(.*?)(?<!\\)\[(\d+)\]$", re.DOTALL)


class TokenAnnotation(NamedTuple):
    """What one token says of an annotation: feature values, its characters (Java's), and the number that joins pieces."""

    values: tuple[str, ...]
    start: int
    stop: int
    number: str


class AnnotationDraft:
    """A document while its lines pass by."""

    def __init__(self) -> None:
        self.units: list[str] = []
        """The text, a string a Java character: a pair is the letter and an empty string."""
        self.spans: list[tuple[int, int]] = []
        self.sentences: list[tuple[int, int]] = []
        """Token ranges."""
        self.pieces: list[TokenAnnotation] = []
        self.waiting = ""
        """The text of the sentence whose first token is to come."""

    def put(self, start: int, text: str) -> None:
        """Write a text at a Java offset; what lies between is space."""
        units = [unit for letter in text for unit in ((letter, "") if ord(letter) > 0xFFFF else (letter,))]
        self.units += [" "] * (start - len(self.units))
        self.units[start : start + len(units)] = units


def read(path: Path, layer: str = "", source: str = "") -> Story:
    """One document; ``layer`` names the span layer to read (the first one by default)."""
    draft = AnnotationDraft()
    columns: dict[str, range] = {}
    features: dict[str, tuple[str, ...]] = {}
    column = 3
    seen = False
    for line in lines(path):
        where = f"{path}, line {line.number}"
        text = line.text
        if not seen:
            if not text.startswith("#FORMAT=WebAnno TSV 3"):
                raise BadInput(f"{where}: expected '#FORMAT=WebAnno TSV 3.x', got {text[:40]!r}")
            seen = True
        elif text.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
            name, *names = text[6:].split("|")
            columns[name] = range(column, column + max(1, len(names)))
            if text.startswith("#T_SP="):
                features[name] = tuple(names)
            column = columns[name].stop
        elif text.startswith("#Text="):
            draft.waiting = (
                text[6:].replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r").replace("\\\\", "\\")
            )
            draft.sentences.append((len(draft.spans), len(draft.spans)))
        elif text.strip() and not text.startswith("#"):
            token_line(draft, text, columns.get(chosen(layer, features, path), range(0)), where)
    if not seen or not draft.spans:
        raise BadInput(f"{path}: empty file; expected WebAnno TSV 3 with at least one token")
    return story(draft, features.get(chosen(layer, features, path), ()), stem(path), source)


def chosen(layer: str, features: dict[str, tuple[str, ...]], path: Path) -> str:
    """The layer to read."""
    if layer and layer not in features:
        raise BadInput(f"{path}: there is no span layer {layer!r}; found {', '.join(features) or 'none'}")
    return layer or (LAYER if LAYER in features else next(iter(features), ""))


def token_line(draft: AnnotationDraft, text: str, columns: range, where: str) -> None:
    """A token and its annotations; ``1-2.1`` is a part of a token."""
    cells = text.split("\t")
    offsets = re.fullmatch(r"(\d+)-(\d+)", cells[1]) if len(cells) > 2 else None
    if offsets is None:
        raise BadInput(
            f"{where}: expected sentence-token, begin-end, token and annotations joined by tabs, got {text[:60]!r}"
        )
    start, stop = int(offsets[1]), int(offsets[2])
    if "." not in cells[0]:
        if draft.waiting:
            place = draft.waiting.find(cells[2])
            if place < 0:
                raise BadInput(f"{where}: the token {cells[2]!r} is not in the sentence's #Text")
            wide = sum(ord(letter) > 0xFFFF for letter in draft.waiting[:place])
            draft.put(start - place - wide, draft.waiting)
            draft.waiting = ""
        draft.spans.append((start, stop))
        if draft.sentences:
            draft.sentences[-1] = (draft.sentences[-1][0], len(draft.spans))
    values = [STACKED.split(cells[column]) if column < len(cells) else ["_"] for column in columns]
    for stack in zip(*values, strict=False):
        if stack and stack[0] != "_":
            matched = [NUMBERED.match(value) for value in stack]
            plain = tuple(unescaped(match[1] if match else value) for match, value in zip(matched, stack, strict=True))
            draft.pieces.append(TokenAnnotation(plain, start, stop, matched[0][2] if matched[0] else ""))


def unescaped(value: str) -> str:
    """A feature value without escapes; ``*`` is an annotation without a value."""
    return "" if value in ("*", "_") else re.sub(r"\\(->|.)", r"\1", value)


def story(draft: AnnotationDraft, features: tuple[str, ...], id: str, source: str) -> Story:
    """The finished document."""
    text = "".join(draft.units)
    places = places_of(text)
    tokens = tuple(Token(places[start], places[stop]) for start, stop in draft.spans)
    sentences = tuple(Sentence(tokens[a].start, tokens[z - 1].stop, a, z) for a, z in draft.sentences if z > a)
    whole: dict[str, TokenAnnotation] = {}
    for order, piece in enumerate(draft.pieces):
        key = piece.number or f"single {order}"
        whole[key] = piece._replace(start=whole[key].start) if key in whole else piece
    merged: dict[tuple[int, int, str, str], list[Label]] = {}
    for piece in whole.values():
        named = dict(zip(features, piece.values, strict=False))
        label = named.get("label") or (piece.values[0] if "label" not in named else "")
        place = places[piece.start], places[piece.stop], named.get("group", ""), named.get("by", "")
        labels = merged.setdefault(place, [])
        if label:
            labels.append(Label(label, float(named["weight"]) if named.get("weight") else 1.0))
    segments = tuple(
        Segment(start, stop, tuple(sorted(labels, key=lambda label: -label.weight)), group, by)
        for (start, stop, group, by), labels in sorted(
            merged.items(), key=lambda item: (item[0][0], -item[0][1], item[0][2:])
        )
    )
    return Story(id, text, sentences=sentences, tokens=tokens, segments=segments, source=source)


def write(path: Path, story: Story) -> None:
    """Write one document."""
    write_whole(path, (line.encode("utf-8") for line in as_lines(story)))


def as_lines(story: Story) -> Iterator[str]:
    """A story as TSV lines; a segment covers the tokens it touches."""
    if not story.tokens or not story.sentences:
        raise BadInput(
            f"story {story.id!r}: WebAnno TSV needs sentences and tokens; read it first: scenarist events FILE"
        )
    units = [0]
    for letter in story.text:
        units.append(units[-1] + (2 if ord(letter) > 0xFFFF else 1))
    stacks: dict[int, list[tuple[str, ...]]] = {}
    number = 0
    for segment in story.segments:
        covered = [
            index
            for index, token in enumerate(story.tokens)
            if token.start < segment.stop and token.stop > segment.start
        ]
        for label in segment.labels or (Label(""),):
            number += 1
            weight = f"{label.weight:g}" if label.weight != 1.0 else ""
            values = tuple(escaped(value) + f"[{number}]" for value in (label.name, weight, segment.group, segment.by))
            for index in covered:
                stacks.setdefault(index, []).append(values)
    yield f"#FORMAT=WebAnno TSV 3.3\n#T_SP={'|'.join((LAYER, *FEATURES))}\n\n"
    for number, sentence in enumerate(story.sentences, start=1):
        text = story.of(sentence).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
        yield f"\n#Text={text}\n"
        for place, index in enumerate(range(sentence.first, sentence.last), start=1):
            token = story.tokens[index]
            cells = (
                ["|".join(column) for column in zip(*stacks[index], strict=True)]
                if index in stacks
                else ["_"] * len(FEATURES)
            )
            offsets = f"{units[token.start]}-{units[token.stop]}"
            yield "\t".join([f"{number}-{place}", offsets, story.of(token), *cells, ""]) + "\n"


def escaped(value: str) -> str:
    """A feature value with what the format reserves escaped.

    >>> escaped("a|b"), escaped("")
    ('a\\\\|b', '*')
    """
    return RESERVED.sub(r"\\\1", value) if value else "*"
