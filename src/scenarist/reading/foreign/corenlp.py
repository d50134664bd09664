"""text -> Story through a running CoreNLP server: reader ``corenlp:URL``; and its JSON -> Story with events.

The JSON of CoreNLP 3.6 (UD v1) to 4.x (UD v2) is read (`formats/corenlp.py`); labels are brought to UD v2 (`labels.py`), named entity
classes to our kinds, and mentions get heads where the server gives none.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from scenarist.errors import BadInput, Missing
from scenarist.formats import corenlp
from scenarist.reading.events.extract import events
from scenarist.reading.foreign.universal import universal, upos
from scenarist.story import Entity, Story

ANNOTATORS = "tokenize,ssplit,pos,lemma,ner,depparse,coref"
KINDS = {
    "PERSON": "person", "LOCATION": "place", "CITY": "place", "COUNTRY": "place", "STATE_OR_PROVINCE": "place",
    "ORGANIZATION": "organisation", "DATE": "time", "TIME": "time", "DURATION": "time", "SET": "time",
}  # fmt: skip


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

    def ask(self, text: str) -> dict[str, Any]:
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
        return corenlp.load(answer, self.target)


def from_json(document: dict[str, Any], text: str | None = None, id: str = "", light: bool = False) -> Story:
    """CoreNLP's answer as a Story; without the text it was asked for, the text is put together from the tokens."""
    story = corenlp.story(document, rebuild(document) if text is None else text, id)
    story = msgspec.structs.replace(
        story, tokens=tuple(msgspec.structs.replace(token, pos=upos(token.tag, token.dep)) for token in story.tokens)
    )
    story = msgspec.structs.replace(story, tokens=universal(story))
    kinds = [KINDS.get(word.get("ner", "O"), "") for sentence in document["sentences"] for word in sentence["tokens"]]
    ordered = sorted(story.entities, key=lambda one: (one.mentions[0].start, -one.mentions[0].stop))
    entities = tuple(dressed(entity, f"e{number}", story, kinds) for number, entity in enumerate(ordered, start=1))
    story = msgspec.structs.replace(story, entities=entities, notes=(("reader", "corenlp"),))
    return msgspec.structs.replace(story, events=events(story, light=light))


def dressed(entity: Entity, id: str, story: Story, kinds: Sequence[str]) -> Entity:
    """A chain of CoreNLP's under our kind of id, with heads and a kind."""
    mentions = tuple(
        one if one.head >= 0 else msgspec.structs.replace(one, head=head_of(story, one.first, one.last), why="corenlp")
        for one in entity.mentions
    )
    kind = next((kinds[one.head] for one in mentions if kinds[one.head]), entity.kind)
    return msgspec.structs.replace(entity, id=id, mentions=mentions, kind=kind)


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
