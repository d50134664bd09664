"""Bennett's study of gaps in stories -> Story (its 20 blog documents, as CoreNLP read them), and its tables as nouns.

``responses()`` are the people's answers, ``annotated()`` and ``main_verbs()`` the hand annotation, ``rankings()`` the PMI model's,
``chains()`` the chains with their renderings. Known traps: 414 rows of 24 people x 17 documents, six of them surplus; the
condition varies between people; the ``caveman`` column is raw parser output. The study has one part only: every split but
train gives all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from scenarist.corpora import search_path as finding
from scenarist.corpora.loader import Loader
from scenarist.errors import BadInput
from scenarist.formats import archive, corenlp
from scenarist.formats.table import TableRow, rows
from scenarist.noun import Noun, finite
from scenarist.story import Story

CONDITIONS = {"original": "full", "caveman": "caveman", "event_only": "verb-subject"}


class Response(Noun, frozen=True):
    """What a person wrote into a gap."""

    person: str
    document: str
    """Three digits, as in the documents' names."""
    chain: str
    blank: int
    """Which sentence of the chain was removed, from 0."""
    original: str
    """The removed sentence."""
    gloss: str
    """The removed sentence as the person's condition would have shown it."""
    response: str
    condition: str
    """``full``, ``caveman`` or ``verb-subject``."""
    trial: int | None = None
    match: str = ""
    """The annotators' judgement of the verb phrase (``yes``, ``no``, ...), where annotated."""
    entity_match: str = ""
    verb: str = ""
    """The verb of the response, where annotated."""
    predicate: str = ""
    """Its main verb by parser, where given."""
    synset: str = ""


class Ranking(Noun, frozen=True):
    """Where the PMI model ranks an answer to a task."""

    document: str
    chain: str
    blank: int
    source: str
    """``actual`` (the removed verb) or ``response``."""
    exactness: str
    """``exact`` or ``syns``."""
    answer: str
    rank: float
    role: str

    def __post_init__(self) -> None:
        finite(rank=self.rank)


class ChainSentence(Noun, frozen=True):
    """A sentence of a chain in its three renderings."""

    chain: str
    document: str
    size: int
    """``ncloze``: how many sentences the chain has."""
    original: str
    caveman: str
    verb_subject: str


class Bennett(Loader[Story]):
    """The blog documents of the study."""

    name = "bennett"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(
        ("dev", "test", "all"), ("documents.tar.xz", "documents")
    )

    def __init__(self, split: str = "dev", path: str | Path | None = None) -> None:
        super().__init__(split, path)

    def file(self) -> Path:
        if self.split == "all" and self.path is None:
            return finding.require(self.name, *self.files["all"])
        return super().file()

    def read(self, path: Path) -> Iterator[Story]:
        texts: dict[str, str] = {}
        for member in archive.members(path, (".txt", ".txt.json")):
            name = member.name.removesuffix(".json")
            if name == member.name:
                texts[name] = archive.decoded(member)
            elif name not in texts:
                raise BadInput(f"{member.where}: expected {name} before its JSON")
            else:
                number = name.rpartition("document-")[2][:3]
                document = corenlp.load(member.data, member.where)
                yield corenlp.story(document, texts.pop(name), number, self.source, member.where)


def document(cell: str) -> str:
    """A document's number with three digits; the tables drop leading zeros here and there."""
    return cell.strip().zfill(3)


def responses() -> Iterator[Response]:
    """The people's answers (``experiment3.csv``)."""
    yield from (response(row) for row in table("experiment3.csv"))


def annotated() -> Iterator[Response]:
    """The answers with the hand annotation of the verb phrase (``experiment3-annotated.csv``)."""
    yield from (response(row) for row in table("experiment3-annotated.csv"))


def main_verbs() -> Iterator[Response]:
    """The same with the main verb of each answer (``experiment3-with-main-verbs.csv``)."""
    yield from (response(row) for row in table("experiment3-with-main-verbs.csv"))


def table(name: str) -> Iterator[TableRow]:
    """The rows of one of the answer tables."""
    needed = ("workerid", "document", "chain", "clozeIndex", "original", "gloss", "response", "condition", "trialnum")
    yield from rows(finding.require("bennett", name), needed)


def response(row: TableRow) -> Response:
    """A row as an answer."""
    values = row.values
    if values["condition"] not in CONDITIONS:
        raise BadInput(f"{row.where}: condition must be one of {', '.join(CONDITIONS)}, not {values['condition']!r}")
    return Response(
        values["workerid"],
        document(values["document"]),
        values["chain"],
        row.number("clozeIndex"),
        values["original"].strip(),
        values["gloss"].strip(),
        values["response"].strip(),
        CONDITIONS[values["condition"]],
        None if values["trialnum"] in ("NA", "") else row.number("trialnum"),
        values.get("vpmatch", ""),
        values.get("entitymatch", ""),
        values.get("vp", ""),
        values.get("root.predicate", ""),
        values.get("synset", ""),
    )


def rankings() -> Iterator[Ranking]:
    """The PMI model's rankings (``pmi-model-rankings.csv``)."""
    columns = ("document", "chain", "cloze", "source", "exactness", "answer", "ranking", "role")
    for row in rows(finding.require("bennett", "pmi-model-rankings.csv"), columns):
        rank = row["ranking"]
        try:
            number = float(rank)
        except ValueError as error:
            raise BadInput(f"{row.where}: ranking must be a number, not {rank!r}") from error
        where = document(row["document"]), row["chain"], row.number("cloze")
        yield Ranking(*where, row["source"], row["exactness"], row["answer"], number, row["role"])


def chains() -> Iterator[ChainSentence]:
    """The chains of the study (``all_chains_data.csv``)."""
    columns = ("chainID", "event_only", "caveman", "docIndex", "ncloze", "original")
    for row in rows(finding.require("bennett", "all_chains_data.csv"), columns):
        yield ChainSentence(
            row["chainID"],
            document(row["docIndex"]),
            row.number("ncloze"),
            row["original"],
            row["caveman"],
            row["event_only"],
        )
