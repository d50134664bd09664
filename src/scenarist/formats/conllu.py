"""CoNLL-U <-> Story: full parse, sentences, and GUM's entities and coreference from the MISC column.

One story a document (``# newdoc``). The text follows ``SpaceAfter=No``; a paragraph begins on a new line. The words of a
multiword token stand at their characters where they spell it ("do" + "n't"), otherwise each at the whole of it. Empty
nodes (8.1) are left out. GUM's brackets carry entity type and head; ``SplitAnte`` gives the members of a plural.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.formats.lines import Line, lines, stem
from scenarist.formats.mentions import Brackets, mention
from scenarist.formats.spacing import Page
from scenarist.store.home import write_whole
from scenarist.story import Entity, Sentence, Story, Token

BRACKET = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)")
KINDS = {"organization": "organisation"}
SPLIT = re.compile(r"([^<,]+)<([^<,]+)")


class ParseDraft:
    """A document while its sentences pass by."""

    def __init__(self, id: str, path: Path) -> None:
        self.id = id
        self.path = path
        self.page = Page()
        self.tokens: list[Token] = []
        self.sentences: list[Sentence] = []
        self.brackets = Brackets()
        self.members: dict[str, list[str]] = {}
        self.meta: dict[str, str] = {}
        self.order: tuple[str, ...] = ("GRP", "etype")
        self.space = ""
        """What stands before the next sentence."""

    def comment(self, text: str) -> None:
        """A ``# name = value`` line."""
        name, _, value = text.lstrip("# ").partition("=")
        name, value = name.strip(), value.strip()
        if name.startswith("newpar") and self.tokens:
            self.space = "\n"
        elif name.startswith("meta::"):
            self.meta[name.removeprefix("meta::")] = value
        elif name == "global.Entity":
            self.order = tuple(value.split("-"))

    def sentence(self, rows: list[Line]) -> None:
        """The token lines of one sentence."""
        first = len(self.tokens)
        self.page.raw(self.space)
        self.space = " "
        spans, places, miscs = self.place(rows)
        for row, (start, stop) in zip(places, spans, strict=True):
            cells = row.text.split("\t")
            head = self.head(cells[6], row, len(places))
            lemma, pos, tag, feats, dep = (
                "" if cell == "_" and cells[1] != "_" else cell for cell in (*cells[2:6], cells[7])
            )
            self.tokens.append(Token(start, stop, lemma, pos, tag, feats, first + head - 1 if head > 0 else -1, dep))
        if len(self.tokens) > first:
            start, stop = self.tokens[first].start, self.tokens[-1].stop
            self.sentences.append(Sentence(start, stop, first, len(self.tokens)))
        for offset, (row, misc) in enumerate(zip(places, miscs, strict=True)):
            self.entity(misc, first + offset, row)

    def place(self, rows: list[Line]) -> tuple[list[tuple[int, int]], list[Line], list[str]]:
        """Write the words of a sentence: their spans, their rows, their MISC cells (empty nodes left out)."""
        spans: list[tuple[int, int]] = []
        kept: list[Line] = []
        miscs: list[str] = []
        whole: tuple[int, int, str] | None = None
        """The multiword token at work: last word, start, surface."""
        spelled = 0
        glued = False
        for row in rows:
            cells = row.text.split("\t")
            if len(cells) != 10:
                raise BadInput(f"{self.path}, line {row.number}: expected 10 columns joined by tabs, got {len(cells)}")
            number, form, misc = cells[0], cells[1], cells[9]
            if "." in number:
                continue
            if "-" in number:
                self.page.raw("" if glued or not spans else " ")
                start, _ = self.page.raw(form)
                whole, spelled = (int(number.partition("-")[2]), start, form), 0
                glued = "SpaceAfter=No" in misc.split("|")
                continue
            if whole is not None and int(number) <= whole[0]:
                last, start, surface = whole
                if surface[spelled : spelled + len(form)] == form:
                    spans.append((start + spelled, start + spelled + len(form)))
                    spelled += len(form)
                else:
                    spans.append((start, start + len(surface)))
                whole = None if int(number) == last else whole
            else:
                self.page.raw("" if glued or not spans else " ")
                spans.append(self.page.raw(form))
                glued = "SpaceAfter=No" in misc.split("|")
            kept.append(row)
            miscs.append(misc)
        if glued:
            self.space = ""
        return spans, kept, miscs

    def head(self, cell: str, row: Line, size: int) -> int:
        """The head's number within the sentence, 0 for a root or no parse."""
        if cell == "_":
            return 0
        if not cell.isdecimal() or int(cell) > size:
            raise BadInput(f"{self.path}, line {row.number}: the head must be 0 to {size}, not {cell!r}")
        return int(cell)

    def entity(self, misc: str, token: int, row: Line) -> None:
        """GUM's brackets and split antecedents of one token."""
        for part in misc.split("|"):
            name, _, value = part.partition("=")
            if name == "Entity":
                for opened, closed, ended in BRACKET.findall(value):
                    id = (opened or ended).split("-")[0]
                    id = id.partition("[")[0]  # parts of a discontinuous mention share their entity
                    if opened:
                        self.brackets.open(id, token, opened)
                    if (closed or ended) and not self.brackets.close(id, token):
                        raise BadInput(
                            f"{self.path}, line {row.number}: the entity {id} is closed but was never opened"
                        )
            elif name == "SplitAnte":
                for member, plural in SPLIT.findall(value):
                    self.members.setdefault(plural, []).append(member)

    def entities(self) -> tuple[Entity, ...]:
        """Entities with types, heads and members."""
        entities = []
        kind_at = self.order.index("etype") if "etype" in self.order else -1
        head_at = self.order.index("minspan") if "minspan" in self.order else -1
        name_at = self.order.index("identity") if "identity" in self.order else -1
        for id, spans in self.brackets.spans.items():
            mentions = []
            kind = name = ""
            for first, last, attributes in sorted(spans, key=lambda span: (span[0], -span[1])):
                values = attributes.split("-", len(self.order) - 1)
                kind = kind or (values[kind_at] if 0 <= kind_at < len(values) else "")
                name = name or (values[name_at] if 0 <= name_at < len(values) else "")
                heads = values[head_at].split(",")[0] if 0 <= head_at < len(values) else ""
                head = first + int(heads) - 1 if heads.isdecimal() and first + int(heads) <= last else -1
                mentions.append(mention(self.tokens, first, last, head))
            name = name.replace("_", " ").replace("%2C", ",")
            entities.append(
                Entity(id, tuple(mentions), KINDS.get(kind, kind), name, members=tuple(self.members.get(id, ())))
            )
        return tuple(
            sorted(entities, key=lambda entity: (entity.mentions[0].start, -entity.mentions[0].stop, entity.id))
        )

    def story(self, source: str) -> Story:
        """The finished document."""
        if left := self.brackets.left_open():
            raise BadInput(f"{self.path}: document {self.id!r} ends with open entities {', '.join(left[:5])}")
        title, genre = self.meta.get("title", ""), self.meta.get("genre", "")
        return Story(
            self.id,
            self.page.text,
            title,
            tuple(self.sentences),
            tuple(self.tokens),
            self.entities(),
            source=source,
            genre=genre,
        )


def read(path: Path, source: str = "") -> Iterator[Story]:
    """The documents of a CoNLL-U file; a file without ``# newdoc`` is one document of the file's name."""
    draft: ParseDraft | None = None
    rows: list[Line] = []
    for line in lines(path):
        if line.text.startswith("# newdoc"):
            if draft is not None and draft.tokens:
                yield draft.story(source)
            draft = ParseDraft(line.text.partition("=")[2].strip() or stem(path), path)
        elif draft is None and line.text.strip():
            draft = ParseDraft(stem(path), path)
        if draft is None:
            continue
        if line.text.startswith("#"):
            draft.comment(line.text)
        elif line.text.strip():
            rows.append(line)
        elif rows:
            draft.sentence(rows)
            rows = []
    if rows:
        raise BadInput(
            f"{path}, line {rows[-1].number}: expected an empty line after the last sentence; is it truncated?"
        )
    if draft is not None and draft.tokens:
        yield draft.story(source)


def write(path: Path, stories: Iterable[Story]) -> None:
    """Write stories; see ``as_lines``."""
    write_whole(path, (line.encode("utf-8") for story in stories for line in as_lines(story)))


def as_lines(story: Story) -> Iterator[str]:
    """A story as CoNLL-U lines: text and spacing are kept; entities stand in MISC as ``(id-type``."""
    if not story.sentences or not story.tokens:
        raise BadInput(f"story {story.id!r}: CoNLL-U needs sentences and tokens; read it first: scenarist events FILE")
    cells = bracket_cells(story)
    yield f"# newdoc id = {story.id}\n"
    for name, value in (("title", story.title), ("genre", story.genre)):
        if value:
            yield f"# meta::{name} = {value}\n"
    if story.entities:
        yield "# global.Entity = GRP-etype\n"
    for number, sentence in enumerate(story.sentences, start=1):
        before = story.text[story.sentences[number - 2].stop : sentence.start] if number > 1 else ""
        if "\n" in before:
            yield "# newpar\n"
        yield f"# sent_id = {story.id}-{number}\n"
        yield f"# text = {' '.join(story.of(sentence).split())}\n"
        for index in range(sentence.first, sentence.last):
            token = story.tokens[index]
            following = story.text[token.stop : token.stop + 1]
            misc = [f"Entity={cells[index]}"] if index in cells else []
            if following and not following.isspace():
                misc.append("SpaceAfter=No")
            head = 0 if token.head < 0 else token.head - sentence.first + 1
            fields = (
                str(index - sentence.first + 1), story.of(token), token.lemma, token.pos, token.tag, token.feats,
                str(head) if token.dep else "", token.dep, "", "|".join(misc),
            )  # fmt: skip
            yield "\t".join(field or "_" for field in fields) + "\n"
        yield "\n"


def bracket_cells(story: Story) -> dict[int, str]:
    """Token -> its Entity brackets: longer mentions open first and close last."""
    cells: dict[int, str] = {}
    spans = [(m.first, m.last, entity) for entity in story.entities for m in entity.mentions if m.last > m.first]
    for first, last, entity in sorted(spans, key=lambda span: (span[0], -span[1])):
        kind = {"organisation": "organization"}.get(entity.kind, entity.kind)
        opening = f"({entity.id}-{kind}" if kind else f"({entity.id}"
        cells[first] = cells.get(first, "") + opening + (")" if last - first == 1 else "")
    for first, last, entity in sorted(spans, key=lambda span: (-span[0], span[1])):
        if last - first > 1:
            cells[last - 1] = cells.get(last - 1, "") + f"{entity.id})"
    return cells
