"""CoreNLP's JSON -> Story: tokens, sentences, basic dependencies and coreference, as the server gives them.

Both the old keys (``basic-dependencies``) and the new ones (``basicDependencies``) are read. Labels stay Stanford's; the reader maps
them. Java counts characters beyond U+FFFF as two: the offsets are put right.
"""

from __future__ import annotations

from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.story import Entity, Mention, Sentence, Story, Token

KINDS = {"PROPER": "name", "NOMINAL": "nominal", "PRONOMINAL": "pronoun"}


class Dependency(msgspec.Struct):
    """An arc; numbers count from 1 within the sentence, governor 0 is the root."""

    dep: str
    governor: int
    dependent: int


def load(data: bytes | str, where: str) -> dict[str, Any]:
    """The raw JSON of a document."""
    try:
        document = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise BadInput(f"{where}: not valid JSON: {error}") from error
    if not isinstance(document, dict) or "sentences" not in document:
        raise BadInput(f"{where}: expected CoreNLP's JSON with a field 'sentences'")
    return document


def dependencies(sentence: dict[str, Any], kind: str = "basic") -> list[Dependency]:
    """The arcs of a sentence: ``basic``, ``collapsed``, ``collapsed-ccprocessed``; newer: ``enhanced``, ``enhancedPlusPlus``."""
    for key in (f"{kind}-dependencies", f"{kind}Dependencies"):
        if key in sentence:
            return msgspec.convert(sentence[key], list[Dependency])
    return []


def story(document: dict[str, Any], text: str, id: str = "", source: str = "", where: str = "CoreNLP JSON") -> Story:
    """A document as a story on its text."""
    places = places_of(text)
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    for sentence in document["sentences"]:
        first = len(tokens)
        heads = {arc.dependent: (arc.governor, arc.dep) for arc in dependencies(sentence)}
        for number, raw in enumerate(sentence["tokens"], start=1):
            start, stop = places[raw["characterOffsetBegin"]], places[raw["characterOffsetEnd"]]
            if text[start:stop] != raw.get("originalText", text[start:stop]):
                raise BadInput(
                    f"{where}: the text does not belong to the JSON: expected {raw['originalText']!r} at {start}"
                )
            governor, dep = heads.get(number, (0, ""))
            head = first + governor - 1 if governor else -1
            label = "root" if dep == "ROOT" else dep
            tokens.append(Token(start, stop, raw.get("lemma", ""), "", raw.get("pos", ""), "", head, label))
        if len(tokens) > first:
            sentences.append(Sentence(tokens[first].start, tokens[-1].stop, first, len(tokens)))
    entities = tuple(entity(key, group, tokens, sentences) for key, group in document.get("corefs", {}).items())
    return Story(id, text, "", tuple(sentences), tuple(tokens), entities, source=source)


def places_of(text: str) -> list[int]:
    """Java's offset -> Python's, for every offset of the text and its end."""
    places: list[int] = []
    for index, letter in enumerate(text):
        places.extend([index] * (2 if ord(letter) > 0xFFFF else 1))
    return [*places, len(text)]


def entity(key: str, group: list[dict[str, Any]], tokens: list[Token], sentences: list[Sentence]) -> Entity:
    """A coreference chain as an entity."""
    mentions = []
    for raw in group:
        base = sentences[raw["sentNum"] - 1].first
        first, last = base + raw["startIndex"] - 1, base + raw["endIndex"] - 1
        head = base + raw["headIndex"] - 1 if "headIndex" in raw else -1
        kind = KINDS.get(raw.get("type", ""), "")
        mentions.append(Mention(tokens[first].start, tokens[last - 1].stop, first, last, head, kind))
    chosen = next((raw for raw in group if raw.get("isRepresentativeMention")), group[0])
    gender, number = (str(chosen.get(name, "")).lower().replace("unknown", "") for name in ("gender", "number"))
    ordered = tuple(sorted(mentions, key=lambda mention: (mention.start, -mention.stop)))
    kind = "person" if chosen.get("animacy") == "ANIMATE" else ""
    return Entity(key, ordered, kind, chosen.get("text", ""), gender, number)
