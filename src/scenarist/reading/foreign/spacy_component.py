"""The default reader as a spaCy pipeline: words, sentences, tags, trees, lemmas, entities and coreference in a `Doc`.

    nlp = spacy.blank("en")
    nlp.add_pipe("scenarist")
    doc = nlp("Mia walked into a bakery. She asked for rye bread.")

The words are the reader's own, so the component brings its tokenizer along. ``doc._.story`` is the whole reading (events and all),
``doc.ents`` the names, ``doc.spans["coref_clusters_1"]``, ... what is spoken of more than once. spaCy finds all this by entry points;
``nlp.to_disk`` keeps the recipe and ``spacy.load`` makes the same pipeline of it wherever scenarist is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import DummyTokenizer, filter_spans, registry

from scenarist.errors import BadInput
from scenarist.formats.plain import clean
from scenarist.reading.default import DefaultReader
from scenarist.reading.parser.parse import parser
from scenarist.story import Story

WORDS = "scenarist.words.v1"
CLUSTERS = "coref_clusters_"
"""as spaCy's own coreference names them, counted from 1"""


class ReaderTokenizer(DummyTokenizer):  # type: ignore[misc]
    """text -> Doc of the reader's words; white space that is no single space is a word of its own, as everywhere in spaCy."""

    def __init__(self, vocab: Any) -> None:
        self.vocab = vocab

    def __call__(self, text: str) -> Any:
        words: list[str] = []
        spaces: list[bool] = []
        at = 0

        def gap(between: str) -> None:
            if words and between.startswith(" "):
                spaces[-1], between = True, between[1:]
            if between:
                words.append(between)
                spaces.append(False)

        for start, stop in parser().cut(clean(text)[1]).spans:
            gap(text[at:start])
            words.append(text[start:stop])
            spaces.append(False)
            at = int(stop)
        gap(text[at:])
        return Doc(self.vocab, words, spaces)


@registry.tokenizers(WORDS)  # type: ignore[untyped-decorator]
def words() -> Callable[[Any], ReaderTokenizer]:
    """How a pipeline's recipe names the tokenizer."""
    return lambda nlp: ReaderTokenizer(nlp.vocab)


@Language.factory(
    "scenarist",
    assigns=[
        *(f"token.{one}" for one in ("tag", "pos", "lemma", "morph", "head", "dep", "is_sent_start")),
        "doc.ents",
        "doc._.story",
    ],
)  # type: ignore[untyped-decorator]
def component(nlp: Any, name: str, light: bool = False) -> Component:  # noqa: ARG001 - spaCy asks for the name
    """The component; ``light`` joins light verbs with their noun in the events."""
    nlp.tokenizer = ReaderTokenizer(nlp.vocab)
    nlp.config["nlp"]["tokenizer"] = {"@tokenizers": WORDS}
    return Component(light)


class Component:
    """Doc -> the same Doc, annotated."""

    def __init__(self, light: bool = False) -> None:
        self.reader = DefaultReader(light)
        if not Doc.has_extension("story"):
            Doc.set_extension("story", default=None)

    def __call__(self, doc: Any) -> Any:
        (done,) = self.pipe([doc])
        return done

    def pipe(self, docs: Iterable[Any], batch_size: int = 64) -> Iterator[Any]:
        """Several texts go through the network together."""
        docs = iter(docs)
        while batch := list(islice(docs, batch_size)):
            for doc, story in zip(batch, self.reader([doc.text for doc in batch]), strict=True):
                yield annotated(doc, story)

    def to_disk(self, path: Any, exclude: Any = ()) -> None:
        """Nothing: the weights are the package's."""

    def from_disk(self, path: Any, exclude: Any = ()) -> Component:
        """As it was made."""
        return self


def annotated(doc: Any, story: Story) -> Any:
    """Put a story's layers into its Doc."""
    known = {(token.start, token.stop) for token in story.tokens}
    place = {word.idx: word.i for word in doc if (word.idx, word.idx + len(word)) in known}
    blanks = [word for word in doc if word.idx not in place]
    if len(place) < len(known) or any(clean(word.text)[1].strip() for word in blanks):
        raise BadInput(
            "The component `scenarist` expected its own words, and this Doc was cut otherwise. Let the pipeline cut the text "
            '(nlp = spacy.blank("en"); nlp.add_pipe("scenarist"); nlp(text)) and leave its tokenizer as it is.'
        )
    at = [place[token.start] for token in story.tokens]
    heads = list(range(len(doc)))
    for here, token in zip(at, story.tokens, strict=True):
        word = doc[here]
        word.tag_, word.pos_, word.lemma_ = token.tag, token.pos, token.lemma
        word.set_morph(token.feats)
        word.dep_ = token.dep if token.head >= 0 else "ROOT"
        heads[here] = at[token.head] if token.head >= 0 else here
    for blank in blanks:  # white space belongs to the word before it, at the beginning to the first word
        blank.tag_, blank.pos_, blank.dep_, blank.lemma_ = "_SP", "SPACE", "dep", blank.text
        heads[blank.i] = blank.i - 1 if blank.i else min(1, len(doc) - 1)
    for word, head in zip(doc, heads, strict=True):
        word.head = doc[head]
    doc._.story = story
    layers(doc, story, at)
    return doc


def layers(doc: Any, story: Story, at: list[int]) -> None:
    """Names as entities, and every entity that is spoken of twice as a cluster."""
    names: list[Any] = []
    number = 0
    for entity in story.entities:
        spans = [
            (one, Span(doc, at[one.first], at[one.last - 1] + 1, label=entity.kind))
            for one in entity.mentions
            if one.last > one.first
        ]
        names += [span for one, span in spans if one.kind == "name"]
        if len(spans) > 1:
            number += 1
            doc.spans[f"{CLUSTERS}{number}"] = [span for _, span in spans]
    doc.ents = filter_spans(names)
