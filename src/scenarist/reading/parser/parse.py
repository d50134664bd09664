"""text -> Story with sentences and a parse, by the weights the package carries.

Paragraphs are found by blank lines, words by spaCy's English tokenizer (three cases added), sentences by `sentences`, tags, trees,
entity types and realis by `net`, lemmas by `lemmas`. Any string is read; the cost grows linearly with its length: a paragraph
goes to the tokenizer in pieces, a run of letters without a space is cut, and no sentence is longer than 120 words.
"""

from __future__ import annotations

import hashlib
import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.parallel import step
from scenarist.reading.parser.lemmas import lemma
from scenarist.reading.parser.network import Labels, ParserNetwork
from scenarist.reading.parser.sentences import Splitter
from scenarist.store.home import resource
from scenarist.story import Sentence, Story, Token

FILES = ("network.npz", "sentences.npz", "lemmas.txt.gz", "names.txt", "coreference.npz")
WORDS = 16_000
"""words that go through the network together, about"""
PIECE, RUN = 4_000, 200
"""characters given to the tokenizer at once, and of a run without a space"""
BLANK = re.compile(r"\n[ \t\r\f\v]*\n\s*|[\r\n\u2028\u2029]+(?=[ \t]*(?:[-*•–]\s|\d{1,3}[.)]\s))")
ENDED = re.compile(r"[.!?…:][\"'”’)\]]*[ \t\r]*\n\s*")
MARKS = frozenset("!?*=$<>_~#^+")
TOO_LONG = re.compile(rf"\S{{{RUN + 1},}}")

FEATS = {
    "VBD": "Tense=Past|VerbForm=Fin",
    "VBZ": "Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",
    "VBP": "Tense=Pres|VerbForm=Fin",
    "VB": "VerbForm=Inf",
    "VBG": "VerbForm=Ger",
    "VBN": "Tense=Past|VerbForm=Part",
    "MD": "VerbForm=Fin",
    "NN": "Number=Sing",
    "NNS": "Number=Plur",
    "NNP": "Number=Sing",
    "NNPS": "Number=Plur",
    "JJ": "Degree=Pos",
    "JJR": "Degree=Cmp",
    "JJS": "Degree=Sup",
    "RBR": "Degree=Cmp",
    "RBS": "Degree=Sup",
    "CD": "NumType=Card",
    "PRP$": "Poss=Yes|PronType=Prs",
    "PRP": "PronType=Prs",
}


Places = Sequence[tuple[int, int]] | npt.NDArray[Any]
"""(start, stop) of each word in characters, or of each sentence in words"""


class Parsed(NamedTuple):
    """A story with its parse, and what the network says of each token beside it."""

    story: Story
    kinds: Sequence[str]
    """Entity type, meaningful at the heads of names and nominals; empty for none."""
    realis: Sequence[float]
    """P(an event that happens in the story)."""


class CutText(NamedTuple):
    """A text cut into words and sentences."""

    text: str
    spans: Places
    sentences: Places


class Parser:
    """The carried parser; one per process (see `parser`)."""

    def __init__(self) -> None:
        self.network = ParserNetwork(resource("reader/network.npz"))
        self.splitter = Splitter(resource("reader/sentences.npz"))
        self.tokenizer = tokenizer()
        digest = hashlib.sha256()
        for name in FILES:
            digest.update(resource(f"reader/{name}").read_bytes())
        for path in sorted(Path(__file__).parent.rglob("*.py")):  # a reading by older rules is another one
            digest.update(path.read_bytes())
        self.version = digest.hexdigest()[:12]
        self._tags = [tuple(tag.split("/")) for tag in self.network.tags]
        self._kinds = [{"O": "", "organization": "organisation"}.get(kind, kind) for kind in self.network.kinds]

    def vectors(self, words: list[str]) -> npt.NDArray[Any]:
        """Words -> unit vectors [n, d]."""
        return self.network.vectors(words)

    def __call__(self, texts: Iterable[str]) -> Iterator[Parsed]:
        """Raw texts, one after the other; the network sees several at once."""
        waiting: list[CutText] = []
        size = 0
        for text in texts:
            cut = self.cut(text)
            waiting.append(cut)
            size += len(cut.spans)
            if size >= WORDS:
                yield from self.label(waiting)
                waiting, size = [], 0
        yield from self.label(waiting)

    def words(self, documents: Iterable[Sequence[Sequence[str]]]) -> Iterator[Parsed]:
        """Documents whose sentences and words are given (gold tokens)."""
        for document in documents:
            given = Story.from_words("", document)
            spans = [(token.start, token.stop) for token in given.tokens]
            yield from self.label([CutText(given.text, spans, [(one.first, one.last) for one in given.sentences])])

    def cut(self, text: str) -> CutText:
        """Text -> words and sentences."""
        spans, sentences = array("i"), array("i")
        for start, stop in paragraphs(text):
            base = len(spans) // 2
            here: list[tuple[int, int]] = []
            for left, right in pieces(text, start, stop):
                found = self.tokenizer(text[left:right]).to_array(["IDX", "LENGTH", "IS_SPACE"]).astype(int)
                found = found[found[:, 2] == 0]
                here += zip((left + found[:, 0]).tolist(), (left + found[:, 0] + found[:, 1]).tolist(), strict=True)
            here = joined(text, here)
            words = [text[left:right] for left, right in here]
            spaces = [left[1] < right[0] for left, right in pairwise(here)] + [True]
            spans.extend(chain.from_iterable(here))
            sentences.extend(base + place for ends in self.splitter(words, spaces) for place in ends)
        return CutText(text, pairs_of(spans), pairs_of(sentences))

    def label(self, cuts: list[CutText]) -> Iterator[Parsed]:
        """Cut texts -> parsed stories."""
        labels = self._run(
            [cut.text[left:right] for left, right in np.asarray(cut.spans[first:last]).tolist()]
            for cut in cuts
            for first, last in np.asarray(cut.sentences).tolist()
        )
        for cut in cuts:
            tokens: list[Token] = []
            kinds: list[str] = []
            realis = array("d")
            spans: list[Sentence] = []
            for first, last in np.asarray(cut.sentences).tolist():
                said = next(labels)
                here = np.asarray(cut.spans[first:last]).tolist()
                heads, deps, tags = said.heads.tolist(), said.deps.tolist(), said.tags.tolist()
                kinds += [self._kinds[kind] for kind in said.kinds.tolist()]
                realis.extend(said.realis.tolist())
                for place, (start, stop) in enumerate(here):
                    pos, tag = self._tags[tags[place]]
                    head = heads[place]
                    tokens.append(
                        Token(
                            start,
                            stop,
                            lemma(cut.text[start:stop], tag),
                            pos,
                            tag,
                            FEATS.get(tag, ""),
                            first + head if head >= 0 else -1,
                            self.network.deps[deps[place]],
                        )
                    )
                if here:
                    spans.append(Sentence(here[0][0], here[-1][1], first, last))
            yield Parsed(Story(id="", text=cut.text, tokens=tuple(tokens), sentences=tuple(spans)), kinds, realis)

    def _run(self, sentences: Iterable[list[str]]) -> Iterator[Labels]:
        """A novel's sentences go through the network some thousand words at a time."""
        waiting: list[list[str]] = []
        size = 0
        for sentence in sentences:
            waiting.append(sentence)
            size += len(sentence)
            if size >= 2 * WORDS:
                yield from self.network(waiting)
                step(letters(waiting))
                waiting, size = [], 0
        yield from self.network(waiting)
        step(letters(waiting))


def letters(sentences: Sequence[Sequence[str]]) -> int:
    """The characters of some sentences, about, with the spaces between words."""
    return sum(len(word) + 1 for sentence in sentences for word in sentence)


def pairs_of(numbers: array[int]) -> npt.NDArray[Any]:
    """a, b, c, d, ... -> rows (a, b), (c, d), ..."""
    return np.array(numbers, dtype=np.int32).reshape(-1, 2)


def joined(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Runs of the same mark (`!!`, `***`, `?!`) are one word, as in the treebanks."""
    out: list[tuple[int, int]] = []
    for start, stop in spans:
        if out and start == out[-1][1] and stop - start == 1 and text[start] in MARKS and text[out[-1][1] - 1] in MARKS:
            before = text[out[-1][1] - 1]
            if (before == text[start] or {before, text[start]} == {"!", "?"}) and text[out[-1][0]] in MARKS:
                out[-1] = (out[-1][0], stop)
                continue
        out.append((start, stop))
    return out


@cache
def parser() -> Parser:
    """The parser of this process, loaded once."""
    return Parser()


def tokenizer() -> Any:
    """spaCy's English tokenizer, with `'t` of blog corpora kept whole and dashes and quotation marks parted from words."""
    from spacy.lang.en import English
    from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex

    nlp = English()
    made = nlp.tokenizer
    for mark in ("'t", "’t"):
        made.add_special_case(mark, [{"ORTH": mark}])
    made.infix_finditer = compile_infix_regex(
        [*nlp.Defaults.infixes, r"[“”„«»—…]", r"(?<=[A-Za-z])[.!?]+(?=[A-Z][a-z])", r"(?<=[a-z])[/](?=[a-z])"]
    ).finditer
    made.prefix_search = compile_prefix_regex([*nlp.Defaults.prefixes, "—", "--", "~"]).search
    made.suffix_search = compile_suffix_regex([*nlp.Defaults.suffixes, "—", "--"]).search
    return made


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Where paragraphs stand: parted by blank lines and list marks, and by line ends after a full stop.

    >>> list(paragraphs("One two\\nthree.\\n\\nFour"))
    [(0, 14), (16, 20)]
    """
    at = 0
    cuts = sorted(
        {(found.start(), found.end()) for found in BLANK.finditer(text)}
        | {(found.end() - 1, found.end()) for found in ENDED.finditer(text)}
    )
    for start, stop in [*cuts, (len(text), len(text))]:
        if start > at and text[at:start].strip():
            yield at, start
        at = max(at, stop)


def pieces(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """A paragraph in pieces the tokenizer takes in linear time: cut at spaces, and inside runs that have none."""
    while start < stop:
        end = min(stop, start + PIECE)
        if end < stop:
            space = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
            end = space + 1 if space > start else end
        long = TOO_LONG.search(text, start, end)
        if long is not None:
            end = long.start() if long.start() > start else min(end, start + RUN)
        yield start, end
        start = end


def preload() -> None:
    """Import spaCy's English without torch: its tokenizer is all the reader takes of it, and torch would double the time to start.

    spaCy's own library imports torch wherever it is installed, only to know whether it is there. Where a program has loaded torch or
    spaCy already, nothing is changed; and a pipeline that needs torch inside spaCy has to be loaded before.
    """
    if "torch" in sys.modules or "thinc.compat" in sys.modules:
        return
    sys.modules["torch"] = None  # type: ignore[assignment]  # an import of it now fails as if it were not installed
    try:
        import_module("spacy.lang.en")
    finally:
        del sys.modules["torch"]
