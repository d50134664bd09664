"""text -> Story through a running CoreNLP server: reader ``corenlp:URL``; and CoreNLP's JSON -> Story.

The JSON of CoreNLP 3.6 (``basic-dependencies``, UD v1) to 4.x (``basicDependencies``, UD v2) is read; labels are
brought to UD v2 (`labels.py`), named entity classes to our kinds. Offsets count UTF-16 units there and code points
here.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from scenarist.errors import BadInput, Missing
from scenarist.reading.events.extract import events
from scenarist.reading.labels import Row, to_ud2, upos
from scenarist.story import Entity, Mention, Sentence, Story, Token

ANNOTATORS = "tokenize,ssplit,pos,lemma,ner,depparse,coref"
KINDS = {
    "PERSON": "person", "LOCATION": "place", "CITY": "place", "COUNTRY": "place", "STATE_OR_PROVINCE": "place",
    "ORGANIZATION": "organisation", "DATE": "time", "TIME": "time", "DURATION": "time", "SET": "time",
}  # fmt: skip
MENTIONS = {"PROPER": "name", "NOMINAL": "nominal", "PRONOMINAL": "pronoun", "LIST": "nominal"}


class CoreNLPReader:
    """Asks a server for each text; ``target`` is its address, e.g. ``http://localhost:9000``."""

    def __init__(self, target: str = "http://localhost:9000", timeout: float = 120.0, light: bool = False) -> None:
        self.name = f"corenlp:{target}"
        self.target = target if "://" in target else f"http://{target}"
        self.timeout = timeout
        self.light = light
        if urllib.parse.urlparse(self.target).scheme not in ("http", "https"):
            raise BadInput(f"corenlp: expected an address such as corenlp:http://localhost:9000, got {target!r}")

    def __call__(self, texts: Iterable[str]) -> Iterator[Story]:
        for text in texts:
            yield from_json(self.ask(text), text, light=self.light) if text.strip() else Story("", text)

    def ask(self, text: str) -> Mapping[str, Any]:
        """The server's JSON for one text."""
        properties = json.dumps({"annotators": ANNOTATORS, "outputFormat": "json"})
        address = f"{self.target.rstrip('/')}/?{urllib.parse.urlencode({'properties': properties})}"
        request = urllib.request.Request(
            address, text.encode("utf-8", "replace"), {"Content-Type": "text/plain; charset=utf-8"}
        )
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                answer = response.read()
        except urllib.error.HTTPError as error:
            told = error.read(300).decode("utf-8", "replace")
            raise BadInput(f"{self.target} answered {error.code}: {told}") from error
        except (urllib.error.URLError, OSError) as error:
            raise Missing(
                f"No CoreNLP server answers at {self.target} ({getattr(error, 'reason', error)}). Start one with: "
                "java -mx4g -cp '*' edu.stanford.nlp.pipeline.StanfordCoreNLPServer -port 9000"
            ) from error
        try:
            found = json.loads(answer)
        except ValueError as error:
            raise BadInput(f"{self.target} did not answer with JSON: {answer[:80]!r}") from error
        if not isinstance(found, dict) or "sentences" not in found:
            raise BadInput(f"{self.target}: expected JSON with 'sentences', got {str(found)[:80]!r}")
        return found


def from_json(document: Mapping[str, Any], text: str | None = None, id: str = "", light: bool = False) -> Story:
    """CoreNLP's answer as a Story; without the text it was asked for, the text is put together from the tokens."""
    if text is None:
        text = rebuild(document)
    at = Offsets(text)
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    kinds: list[str] = []
    for sentence in document["sentences"]:
        first = len(tokens)
        words = sentence["tokens"]
        for word, row in zip(words, to_ud2(rows(sentence)), strict=True):
            start, stop = at(word["characterOffsetBegin"]), at(word["characterOffsetEnd"])
            head = first + row.head if row.head >= 0 else -1
            tokens.append(Token(start, stop, row.lemma, row.pos, row.tag, row.feats, head, row.dep))
            kinds.append(KINDS.get(word.get("ner", "O"), ""))
        if words:
            sentences.append(Sentence(tokens[first].start, tokens[-1].stop, first, len(tokens)))
    story = Story(id, text, sentences=tuple(sentences), tokens=tuple(tokens), notes=(("reader", "corenlp"),))
    story = msgspec.structs.replace(story, entities=entities(document.get("corefs", {}), story, kinds))
    return msgspec.structs.replace(story, events=events(story, light=light))


def rows(sentence: Mapping[str, Any]) -> list[Row]:
    """The basic dependencies of one sentence; a word without one hangs on nothing."""
    made = [Row(word["word"], word.get("lemma", word["word"]), "", word.get("pos", "")) for word in sentence["tokens"]]
    found = sentence.get("basicDependencies") or sentence.get("basic-dependencies") or []
    for edge in found:
        row = made[edge["dependent"] - 1]
        row.head, row.dep = edge["governor"] - 1, edge["dep"]
    for row in made:
        row.pos = upos(row.tag, row.dep)
    return made


def entities(
    corefs: Mapping[str, Sequence[Mapping[str, Any]]], story: Story, kinds: Sequence[str]
) -> tuple[Entity, ...]:
    """CoreNLP's chains, singletons included, in the order of their first mention."""
    found: list[tuple[int, Entity]] = []
    for chain in corefs.values():
        mentions: list[Mention] = []
        for one in sorted(chain, key=lambda one: (one["sentNum"], one["startIndex"])):
            base = story.sentences[one["sentNum"] - 1].first
            first, last = base + one["startIndex"] - 1, base + one["endIndex"] - 1
            head = base + one["headIndex"] - 1 if "headIndex" in one else head_of(story, first, last)
            kind = MENTIONS.get(one.get("type", ""), "")
            mentions.append(
                Mention(story.tokens[first].start, story.tokens[last - 1].stop, first, last, head, kind, "corenlp")
            )
        if not mentions:
            continue
        best = next((one for one in chain if one.get("isRepresentativeMention")), chain[0])
        kind = next((kinds[one.head] for one in mentions if one.head >= 0 and kinds[one.head]), "")
        kind = kind or ("person" if any(one.get("animacy") == "ANIMATE" for one in chain) else "")
        gender = next(
            (one["gender"].lower() for one in chain if one.get("gender", "UNKNOWN") not in ("UNKNOWN", "NEUTRAL")), ""
        )
        number = next((one["number"].lower() for one in chain if one.get("number", "UNKNOWN") != "UNKNOWN"), "")
        found.append((mentions[0].start, Entity("", tuple(mentions), kind, best.get("text", ""), gender, number)))
    found.sort(key=lambda pair: pair[0])
    return tuple(msgspec.structs.replace(one, id=f"e{place}") for place, (_, one) in enumerate(found, start=1))


def head_of(story: Story, first: int, last: int) -> int:
    """The token of a span whose head lies outside of it."""
    for at in range(first, last):
        token = story.tokens[at]
        if token.dep not in ("punct", "case", "det", "") and not first <= token.head < last:
            return at
    return last - 1


def rebuild(document: Mapping[str, Any]) -> str:
    """The text from the tokens' offsets and the white space recorded around them."""
    parts: list[str] = []
    at = 0
    for sentence in document["sentences"]:
        for word in sentence["tokens"]:
            start = word["characterOffsetBegin"]
            before = word.get("before", "")
            parts.append(before if len(before) == start - at else " " * max(0, start - at))
            parts.append(word.get("originalText") or word["word"])
            at = word["characterOffsetEnd"]
    return "".join(parts)


class Offsets:
    """UTF-16 units -> code points of one text."""

    def __init__(self, text: str) -> None:
        self.wide = [
            place + number for number, place in enumerate(at for at, one in enumerate(text) if ord(one) > 0xFFFF)
        ]
        """UTF-16 offsets of the characters that take two units."""

    def __call__(self, unit: int) -> int:
        return unit - bisect_right(self.wide, unit - 1) if self.wide else unit
