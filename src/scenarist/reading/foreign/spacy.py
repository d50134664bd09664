"""text -> Story through any installed spaCy pipeline: reader ``spacy:NAME``.

Its labels, UD or ClearNLP, are brought to UD v2 (`labels.py`); its named entities give the mentions their kinds;
coreference and events are ours. The pipeline must have a tagger and a parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from scenarist.errors import BadInput, Missing
from scenarist.reading.events.extract import events
from scenarist.reading.foreign.universal import ParsedWord, to_ud2, upos
from scenarist.story import Sentence, Story, Token

KINDS = {
    "PERSON": "person", "PER": "person", "NORP": "organisation", "ORG": "organisation", "GPE": "place", "LOC": "place",
    "FAC": "place", "DATE": "time", "TIME": "time", "PRODUCT": "object", "WORK_OF_ART": "object", "EVENT": "event",
}  # fmt: skip
LONGEST = 100_000_000


class SpacyReader:
    """``target`` is the name or folder of an installed pipeline."""

    def __init__(self, target: str = "en_core_web_sm", light: bool = False, pipeline: Any = None) -> None:
        self.name = f"spacy:{target}"
        self.target = target
        self.light = light
        self.pipeline_ = pipeline

    def pipeline(self) -> Any:
        """The loaded pipeline."""
        if self.pipeline_ is None:
            import spacy

            try:
                self.pipeline_ = spacy.load(self.target)
            except OSError as error:
                found = ", ".join(spacy.util.get_installed_models()) or "none"
                raise Missing(
                    f"There is no spaCy pipeline {self.target!r} here (installed: {found}). Install one with: "
                    f"python -m spacy download {self.target}"
                ) from error
        self.pipeline_.max_length = LONGEST
        return self.pipeline_

    def __call__(self, texts: Iterable[str]) -> Iterator[Story]:
        pipeline = self.pipeline()
        from scenarist.reading.coref.resolve import resolve

        for doc in pipeline.pipe(texts):
            story, kinds = from_doc(doc)
            story = msgspec.structs.replace(story, entities=resolve(story, kinds), notes=(("reader", self.name),))
            yield msgspec.structs.replace(story, events=events(story, light=self.light))


def from_doc(doc: Any) -> tuple[Story, list[str]]:
    """A spaCy Doc as a parsed Story, white-space tokens left out, and the entity kind of each token."""
    if len(doc) and not doc.has_annotation("DEP"):
        raise BadInput("The spaCy pipeline has no parser: expected a pipeline with 'tagger' and 'parser'.")
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    kinds: list[str] = []
    for sent in doc.sents if len(doc) else ():
        words = [word for word in sent if not word.is_space]
        place = {word.i: number for number, word in enumerate(words)}
        rows = []
        for word in words:
            above = word.head
            while above.is_space and above.head.i != above.i:
                above = above.head
            head = place.get(above.i, -1) if above.i != word.i else -1
            rows.append(
                ParsedWord(
                    word.text, word.lemma_ or word.text.lower(), word.pos_, word.tag_, str(word.morph), head, word.dep_
                )
            )
        for row in rows:
            row.pos = row.pos or upos(row.tag, row.dep)
        first = len(tokens)
        for word, row in zip(words, to_ud2(rows), strict=True):
            head = first + row.head if row.head >= 0 else -1
            dep = "root" if head < 0 else row.dep
            stop = word.idx + len(word.text)
            tokens.append(Token(word.idx, stop, row.lemma, row.pos, row.tag, row.feats, head, dep))
            kinds.append(KINDS.get(word.ent_type_, ""))
        if words:
            sentences.append(Sentence(tokens[first].start, tokens[-1].stop, first, len(tokens)))
    return Story("", doc.text, sentences=tuple(sentences), tokens=tuple(tokens)), kinds
