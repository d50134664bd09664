"""The carried reader on the dev parts -> the figures of its card. `scenarist bench reading --split dev` gives the same with intervals."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from scenarist.metrics import parsing
from scenarist.question import Guess, Item, Prediction, Read, Reading
from scenarist.reading.coref.resolve import resolve, scorer
from scenarist.reading.parser.parse import Parser, parser
from scenarist.story import Sentence, Story, Token
from training.reader import coreference, documents, treebank

METRICS = (parsing.TokenF1, parsing.SentenceF1, parsing.Upos, parsing.Lemma, parsing.Uas, parsing.Las, parsing.CoreF1)
Figures = dict[str, dict[str, float]]


def gold_story(blocks: list[treebank.Block], joint: str) -> Story:
    """Blocks of one document -> its story; blocks are parted by `joint`."""
    text: list[str] = []
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    at = 0
    for block in blocks:
        if text:
            text.append(joint)
            at += len(joint)
        for sentence in block.sentences:
            first = len(tokens)
            for place, word in enumerate(sentence):
                head = -1 if word.head == place else first + word.head
                tokens.append(Token(at, at + len(word.form), word.lemma, word.upos, word.xpos, "", head, word.dep))
                text.append(word.form + (" " if word.space else ""))
                at += len(text[-1])
            sentences.append(Sentence(tokens[first].start, tokens[-1].stop, first, len(tokens)))
    return Story("", "".join(text), tokens=tuple(tokens), sentences=tuple(sentences))


def paragraphs(path: Path) -> dict[str, list[treebank.Block]]:
    """Documents of a treebank with their whole paragraphs."""
    found: dict[str, list[treebank.Block]] = defaultdict(list)
    for block in treebank.treebank(path, longest=10**6):
        found[block.name].append(block)
    return found


def moved(story: Story, said: Story) -> Story:
    """An answer on given words, with the key's offsets (the same words in another spelling of the spaces)."""
    tokens = tuple(
        Token(a.start, a.stop, b.lemma, b.pos, b.tag, b.feats, b.head, b.dep)
        for a, b in zip(story.tokens, said.tokens, strict=True)
    )
    return Story("", story.text, tokens=tokens, sentences=story.sentences)


def marked(metric: parsing.Parsing, story: Story, said: Story) -> Mapping[str, float]:
    """The counts of one document."""
    return metric.mark(Item("", Read(""), Reading(story)), Prediction("", (Guess(Reading(said)),)))


def trees(reader: Parser, stories: list[Story]) -> tuple[dict[str, float], dict[str, float]]:
    """-> figures on given words and sentence ends, and on raw text."""
    given = list(reader.words([[story.words(one) for one in story.sentences] for story in stories]))
    raw = list(reader([story.text for story in stories]))
    out = []
    for answers, named in ((given, True), (raw, False)):
        sums: dict[str, dict[str, float]] = {kind.name: defaultdict(float) for kind in METRICS}
        for story, answer in zip(stories, answers, strict=True):
            said = moved(story, answer.story) if named else answer.story
            for kind in METRICS:
                for name, value in marked(kind(), story, said).items():
                    sums[kind.name][name] += value
        out.append(
            {kind.name: float(kind().combine({k: np.array(v) for k, v in sums[kind.name].items()})) for kind in METRICS}
        )
    return out[0], out[1]


def realis(reader: Parser, blocks: list[treebank.Block]) -> float:
    right = guessed = gold = 0
    for block, read in zip(
        blocks, reader.words([[[w.form for w in s] for s in block.sentences] for block in blocks]), strict=True
    ):
        truth = np.array([word.realis == "E" for sentence in block.sentences for word in sentence])
        said = np.array(read.realis) > 0.5
        right, guessed, gold = right + int((truth & said).sum()), guessed + int(said.sum()), gold + int(truth.sum())
    return 2 * right / (guessed + gold)


def speed(reader: Parser, stories: list[Story]) -> float:
    """Sentences a second of one process, parse and coreference."""
    begun = time.process_time()
    count = 0
    for read in reader([story.text for story in stories]):
        resolve(read.story, read.kinds)
        count += len(read.story.sentences)
    return count / (time.process_time() - begun)


def measure(treebanks: Path, ontogum: Path, litbank: Path) -> Figures:
    reader = parser()
    out: Figures = {}
    ewt = [gold_story(blocks, "\n\n") for blocks in paragraphs(treebanks / "en_ewt-ud-dev.conllu.gz").values()]
    gum = {
        name: gold_story(blocks, "\n\n") for name, blocks in paragraphs(treebanks / "en_gum-ud-dev.conllu.gz").items()
    }
    fiction = [story for name, story in gum.items() if treebank.genre(name) == "fiction"]
    for name, stories in (("ewt", ewt), ("gum", list(gum.values())), ("gum-fiction", fiction)):
        out[f"{name}, given words"], out[f"{name}, raw"] = trees(reader, stories)
    out["litbank"] = {"realis_f1": realis(reader, list(treebank.litbank(litbank / "train", dev=True)))}
    said = coreference.by(scorer().weights)
    docs = list(documents.ontogum(reader, ontogum / "dev", non_commercial=True))
    out["ontogum"] = coreference.score(said, docs)
    out["ontogum fiction"] = coreference.score(said, docs, only="fiction")
    novels = list(documents.litbank(reader, litbank / "train", dev=True))
    out["litbank without singletons"] = coreference.score(said, novels)
    out["litbank with singletons"] = coreference.score(said, novels, singletons=True)
    out["speed"] = {"sentences_per_s": speed(reader, list(gum.values()))}
    return {name: {key: round(float(value), 4) for key, value in row.items()} for name, row in out.items()}
