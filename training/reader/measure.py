"""A pipeline and dev Blocks -> figures: sentence ends, tags, trees, core arguments, entity types, realis."""

from __future__ import annotations

from collections.abc import Iterable

from spacy.language import Language
from spacy.tokens import Doc

from training.reader.treebank import Block

SUBJECT = {"nsubj", "nsubj:pass", "nsubj:outer"}
OBJECT = {"obj", "iobj"}


def f1(right: int, guessed: int, gold: int) -> float:
    return 2 * right / (guessed + gold) if guessed + gold else 0.0


def given(nlp: Language, block: Block, ends: bool) -> Doc:
    words = [word for sentence in block.sentences for word in sentence]
    doc = Doc(nlp.vocab, words=[word.form for word in words], spaces=[word.space for word in words])
    if ends:
        starts = [not place for sentence in block.sentences for place in range(len(sentence))]
        for token, start in zip(doc, starts, strict=True):
            token.is_sent_start = start
    return doc


def role(dep: str) -> str:
    return "subj" if dep in SUBJECT else "obj" if dep in OBJECT else ""


def parse(nlp: Language, docs: list[Doc], ends: bool) -> tuple[list[list[str]], list[list[str]], list[list[str]]]:
    """Runs every component by hand -> tags, types, realis; trees and sentence ends are left in the docs."""
    nlp.get_pipe("tok2vec").set_annotations(docs, nlp.get_pipe("tok2vec").predict(docs))
    if not ends:
        senter = nlp.get_pipe("senter")
        senter.set_annotations(docs, senter.predict(docs))
    layers = []
    for name in ("tagger", "etype", "realis"):
        pipe = nlp.get_pipe(name)
        names = pipe.labels
        layers.append([[names[int(place)] for place in row] for row in pipe.predict(docs)])
    parser = nlp.get_pipe("parser")
    parser.set_annotations(docs, parser.predict(docs))
    return layers[0], layers[1], layers[2]


def measure(nlp: Language, blocks: Iterable[Block], ends: bool) -> dict[str, float]:
    """On given tokens; `ends`: with the given sentence ends too."""
    count: dict[str, int] = dict.fromkeys(
        (
            "words",
            "tag",
            "xpos",
            "uas",
            "las",
            "right",
            "guessed",
            "gold",
            "ends",
            "ends_guessed",
            "ends_right",
            "types",
            "types_right",
        ),
        0,
    )
    for base in range(0, len(todo := list(blocks)), 64):
        part = todo[base : base + 64]
        docs = [given(nlp, block, ends) for block in part]
        tags, types, _ = parse(nlp, docs, ends)
        for block, doc, tag, kind in zip(part, docs, tags, types, strict=True):
            place = 0
            guesses = set()
            golds = set()
            for sentence in block.sentences:
                begin = place
                for number, word in enumerate(sentence):
                    token = doc[place]
                    upos, xpos = tag[place].split("/")
                    head = token.head.i
                    dep = "root" if token.dep_ == "ROOT" else token.dep_
                    count["words"] += 1
                    count["tag"] += upos == word.upos
                    count["xpos"] += xpos == word.xpos
                    count["uas"] += head == begin + word.head
                    count["las"] += head == begin + word.head and dep.split(":")[0] == word.dep.split(":")[0]
                    count["ends"] += number == 0
                    count["ends_guessed"] += bool(token.is_sent_start)
                    count["ends_right"] += number == 0 and bool(token.is_sent_start)
                    if role(word.dep) and sentence[word.head].upos == "VERB":
                        golds.add((begin + word.head, role(word.dep), place))
                    if role(dep) and tag[head].startswith("VERB/"):
                        guesses.add((head, role(dep), place))
                    if word.etype and word.etype != "O":
                        count["types"] += 1
                        count["types_right"] += kind[place] == word.etype
                    place += 1
            count["right"] += len(guesses & golds)
            count["guessed"] += len(guesses)
            count["gold"] += len(golds)
    words = count["words"]
    return {
        "upos": count["tag"] / words, "xpos": count["xpos"] / words, "uas": count["uas"] / words, "las": count["las"] / words,
        "core_f1": f1(count["right"], count["guessed"], count["gold"]), "sentence_f1": f1(count["ends_right"], count["ends_guessed"], count["ends"]),
        "types": count["types_right"] / max(1, count["types"]),
    }  # fmt: skip


def realis(nlp: Language, blocks: list[Block]) -> float:
    right = guessed = gold = 0
    for base in range(0, len(blocks), 64):
        part = blocks[base : base + 64]
        _, _, found = parse(nlp, [given(nlp, block, False) for block in part], False)
        for block, row in zip(part, found, strict=True):
            truth = [word.realis for sentence in block.sentences for word in sentence]
            right += sum(a == b == "E" for a, b in zip(row, truth, strict=True))
            guessed += sum(a == "E" for a in row)
            gold += sum(b == "E" for b in truth)
    return f1(right, guessed, gold)
