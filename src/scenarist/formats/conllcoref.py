"""CoNLL coreference <-> Story: tokens, sentences and entities, one document after the other.

Two dialects are read: the long one of CoNLL 2012 and LitBank (document, part, number, word, ..., chain) and the short one
of OntoGUM (number, word, chain). Where the source has no text, the words are written with ordinary spacing. Known
traps: OntoGUM has no sentence ends (the sentence layer stays empty), empty document names (the id is the file's name), and
in GUM_news_iodine a token without a word (left out; its brackets go to the neighbours).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.formats.lines import lines, stem
from scenarist.formats.mentions import Brackets
from scenarist.formats.spacing import Page
from scenarist.store.home import write_whole
from scenarist.story import Sentence, Story, Token

BRACKET = re.compile(r"\([^()|]+\)?|[^()|]+\)")
NOTHING = ("", "_", "-", "*")


class CoreferenceDraft:
    """A document while its lines pass by."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.page = Page()
        self.tokens: list[Token] = []
        self.sentences: list[Sentence] = []
        self.brackets = Brackets()
        self.first = 0
        self.pending: list[str] = []
        """Opening brackets of a token without a word."""

    def word(self, word: str, cell: str, where: str) -> None:
        """One token and its brackets."""
        word = word.strip()
        parts = [] if cell in NOTHING else BRACKET.findall(cell)
        if "".join(parts) != ("" if cell in NOTHING else cell.replace("|", "")):
            raise BadInput(f"{where}: expected brackets such as (12, 12), (12) or (1|(2, got {cell!r}")
        if word:
            self.tokens.append(Token(*self.page.put(word)))
        here = len(self.tokens) - 1
        for id in self.pending if word else ():
            self.brackets.open(id, here)
        if word:
            self.pending = []
        for part in parts:
            id = part.strip("()")
            if part.startswith("("):
                if word:
                    self.brackets.open(id, here)
                elif not part.endswith(")"):
                    self.pending.append(id)
            if part.endswith(")") and (word or not part.startswith("(")) and not self.brackets.close(id, here):
                raise BadInput(f"{where}: the chain {id} is closed but was never opened")

    def end(self) -> None:
        """A sentence ends here."""
        if len(self.tokens) > self.first:
            start, stop = self.tokens[self.first].start, self.tokens[-1].stop
            self.sentences.append(Sentence(start, stop, self.first, len(self.tokens)))
            self.first = len(self.tokens)

    def story(self, where: str, source: str) -> Story:
        """The finished document."""
        if left := self.brackets.left_open():
            raise BadInput(
                f"{where}: document {self.id!r} ends with open chains {', '.join(left[:5])}; is it truncated?"
            )
        if self.sentences:
            self.end()
        tokens = tuple(self.tokens)
        entities = self.brackets.entities(tokens)
        sentences = tuple(self.sentences)
        return Story(self.id, self.page.text, sentences=sentences, tokens=tokens, entities=entities, source=source)


def read(path: Path, source: str = "") -> Iterator[Story]:
    """The documents of a file."""
    draft: CoreferenceDraft | None = None
    number = 0
    where = str(path)
    for line in lines(path):
        where = f"{path}, line {line.number}"
        text = line.text
        if text.startswith(("#begin document", "# begin document")):
            draft = CoreferenceDraft(named(text, path, number))
        elif text.startswith(("#end document", "# end document")):
            if draft is not None and draft.tokens:
                number += 1
                yield draft.story(where, source)
            draft = None
        elif not text.strip():
            if draft is not None:
                draft.end()
        elif draft is None:
            raise BadInput(f"{where}: expected '#begin document' before the first token")
        else:
            cells = text.split("\t") if "\t" in text else text.split()
            if len(cells) == 2 and (cells[1].strip() in NOTHING or BRACKET.match(cells[1])):
                cells.insert(1, "")  # a token without a word
            if len(cells) < 3:
                raise BadInput(f"{where}: expected at least 3 columns (number, word, chain), got {len(cells)}")
            draft.word(cells[1] if len(cells) == 3 else cells[3 if len(cells) > 4 else 1], cells[-1].strip(), where)
    if draft is not None and draft.tokens:
        raise BadInput(f"{where}: expected '#end document'; is the file truncated?")


def named(text: str, path: Path, earlier: int) -> str:
    """The document's name: as given, or the file's, numbered from the second document on."""
    name = text.partition("document")[2].strip()
    if name.startswith("("):
        name, _, part = name[1:].partition(")")
        number = part.strip("; ").removeprefix("part").strip().lstrip("0")
        name += f".{number}" if number else ""
    return name or stem(path) + (f".{earlier}" if earlier else "")


def write(path: Path, stories: Iterable[Story]) -> None:
    """Write stories in the long dialect."""
    write_whole(path, (line.encode("utf-8") for story in stories for line in as_lines(story)))


def as_lines(story: Story) -> Iterator[str]:
    """A story as the lines of the long dialect; a story without sentences is one sentence."""
    cells: dict[int, list[str]] = {}
    spans = [(m.first, m.last, entity.id) for entity in story.entities for m in entity.mentions if m.last > m.first]
    numbers = {id: str(number) for number, id in enumerate(dict.fromkeys(entity.id for entity in story.entities))}
    for first, last, id in sorted(spans, key=lambda span: (span[0], -span[1])):
        if last - first > 1:
            cells.setdefault(first, []).append(f"({numbers[id]}")
    for first, last, id in spans:
        if last - first == 1:
            cells.setdefault(first, []).append(f"({numbers[id]})")
    for first, last, id in sorted(spans, key=lambda span: (-span[0], span[1])):
        if last - first > 1:
            cells.setdefault(last - 1, []).append(f"{numbers[id]})")
    yield f"#begin document ({story.id}); part 000\n"
    name = story.id.replace(" ", "_") or "-"
    for sentence in story.sentences or (Sentence(0, len(story.text), 0, len(story.tokens)),):
        for number, index in enumerate(range(sentence.first, sentence.last)):
            token = story.tokens[index]
            chain = "|".join(cells.get(index, ())) or "-"
            fields = (name, "0", str(number), story.of(token), token.tag or "-", "-", "-", "-", "-", "-", "-", chain)
            yield "\t".join(fields) + "\n"
        yield "\n"
    yield "#end document\n"
