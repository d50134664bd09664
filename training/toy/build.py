"""stories.txt, pairs.txt -> src/scenarist/resources/toy/*.jsonl: the toy corpus, with all layers.

    python -m training.toy.build

Tokens are words and punctuation; there is no parse. Which ending comes first depends on the story's id alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path

from scenarist.corpora.storycloze import ClozeStory
from scenarist.formats import jsonl
from scenarist.story import Entity, Event, Mention, Pair, Role, Sentence, Story, Token

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "src" / "scenarist" / "resources" / "toy"
MARK = re.compile(r"\[(?P<id>\w+) (?P<mention>[^\]]+)\]|\{(?P<event>[^|}]+)\|(?P<form>[^}]+)\}")
WORD = re.compile(r"\w+(?:-\w+)*|[^\w\s]")


class Draft:
    """A story while its lines pass by."""

    def __init__(self, head: str, number: int) -> None:
        self.split, self.scenario, self.title = (part.strip() for part in head.removeprefix("==").split("|"))
        self.id = f"toy-{number:02d}"
        self.text = ""
        self.sentences: list[tuple[int, int]] = []
        self.mentions: list[tuple[str, int, int]] = []
        self.marked: list[tuple[str, int, int]] = []
        self.wrong = ""

    def add(self, line: str) -> None:
        """One marked sentence."""
        self.text += " " if self.text else ""
        start, at = len(self.text), 0
        for found in MARK.finditer(line):
            self.text += line[at : found.start()]
            at = found.end()
            begun = len(self.text)
            self.text += found["mention"] or found["form"]
            if found["mention"]:
                self.mentions.append((found["id"], begun, len(self.text)))
            else:
                self.marked.append((found["event"], begun, len(self.text)))
        self.text += line[at:]
        self.sentences.append((start, len(self.text)))

    def story(self) -> Story:
        """The finished story."""
        tokens = tuple(Token(word.start(), word.end()) for word in WORD.finditer(self.text))
        first = {token.start: number for number, token in enumerate(tokens)}
        last = {token.stop: number + 1 for number, token in enumerate(tokens)}
        sentences = tuple(Sentence(start, stop, first[start], last[stop]) for start, stop in self.sentences)
        ids = tuple(dict.fromkeys(id for id, _, _ in self.mentions))
        entities = []
        for id in ids:
            spans = [(start, stop) for name, start, stop in self.mentions if name == id]
            mentions = tuple(Mention(a, z, first[a], last[z], last[z] - 1) for a, z in spans)
            name = self.text[spans[0][0] : spans[0][1]]
            entities.append(Entity(id, mentions, "object" if id in ("cake", "bus", "book", "tree") else "person", name))
        events = []
        for mark, start, stop in self.marked:
            predicate, *pairs = mark.split()
            roles = tuple(
                Role(name, filler if filler in ids else "", filler if filler not in ids or len(filler) > 1 else "")
                for name, _, filler in (pair.partition("=") for pair in pairs)
            )
            form = self.text[start:stop]
            events.append(Event(predicate, roles, first[start], start, stop, form=form))
        return Story(
            self.id, self.text, self.title, sentences, tokens, tuple(entities), tuple(events), source=f"toy:{self.split}",
            scenario=self.scenario,
        )  # fmt: skip

    def cloze(self) -> ClozeStory:
        """The story as a choice between two endings."""
        parts = [self.text[start:stop] for start, stop in self.sentences]
        answer = sha1(self.id.encode()).digest()[0] % 2
        endings = (parts[4], self.wrong) if answer == 0 else (self.wrong, parts[4])
        return ClozeStory(self.id, (parts[0], parts[1], parts[2], parts[3]), endings, answer, f"toy:{self.split}")


def drafts() -> Iterator[Draft]:
    """The stories of stories.txt."""
    draft: Draft | None = None
    number = 0
    for line in HERE.joinpath("stories.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("=="):
            number += 1
            draft = Draft(line, number)
        elif draft is not None and line.startswith("! "):
            draft.wrong = line[2:]
            assert len(draft.sentences) == 5, draft.id
            yield draft
            draft = None
        elif draft is not None and line.strip():
            draft.add(line.strip())


def pairs() -> Iterator[Pair]:
    """The pairs of pairs.txt."""
    lines = HERE.joinpath("pairs.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate((line for line in lines if "=>" in line), start=1):
        split, _, rest = line.partition(" | ")
        abstract, _, concrete = rest.partition(" => ")
        words: list[str] = []
        blanks: list[tuple[int, int]] = []
        for place, part in enumerate(concrete.split("*")):
            inside = part.split()
            if place % 2:
                blanks.append((len(words), len(words) + len(inside)))
            words += inside
        yield Pair(f"toy-pair-{number:02d}", tuple(abstract.split()), tuple(words), tuple(blanks), f"toy:{split}")


def main() -> None:
    """Write the files."""
    made = list(drafts())
    for split in ("train", "dev", "test"):
        chosen = [draft for draft in made if draft.split == split]
        jsonl.write(OUT / f"stories.{split}.jsonl", (draft.story() for draft in chosen))
        jsonl.write(OUT / f"cloze.{split}.jsonl", (draft.cloze() for draft in chosen))
        jsonl.write(OUT / f"pairs.{split}.jsonl", (pair for pair in pairs() if pair.source == f"toy:{split}"))
        print(split, len(chosen), "stories")


if __name__ == "__main__":
    main()
