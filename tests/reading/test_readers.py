"""Readers of other people's parses: a CoreNLP server (recorded answers behind a real socket), spaCy pipelines, CoNLL
files."""

from __future__ import annotations

import json
import os
import re
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from scenarist import registry
from scenarist.errors import BadInput, Missing
from scenarist.reading.chains import chains
from scenarist.reading.foreign.corenlp import CoreNLPReader, from_json, rebuild
from scenarist.reading.foreign.spacy import from_doc
from scenarist.reading.render import render

WORDS = [
    ("Zoe", "Zoe", "NNP", 2, "nsubj"), ("lost", "lose", "VBD", 0, "ROOT"), ("her", "she", "PRP$", 4, "nmod:poss"),
    ("key", "key", "NN", 2, "dobj"), ("😀", "😀", "SYM", 2, "punct"), ("at", "at", "IN", 8, "case"), ("the", "the", "DT",
    8, "det"), ("lake", "lake", "NN", 2, "nmod"), (".", ".", ".", 2, "punct"),
]  # fmt: skip


def answer() -> dict[str, object]:
    """What CoreNLP 3.6 would say of one sentence of ours; offsets count UTF-16 units."""
    tokens, at = [], 0
    for number, (word, lemma, pos, _, _) in enumerate(WORDS, start=1):
        size = len(word.encode("utf-16-le")) // 2
        tokens.append({
            "index": number, "word": word, "originalText": word, "lemma": lemma, "pos": pos, "before": " " if at else
            "", "characterOffsetBegin": at, "characterOffsetEnd": at + size, "ner": "PERSON" if word == "Zoe" else "O",
        })  # fmt: skip
        at += size + 1
    edges = [
        {"dep": dep, "governor": head, "dependent": number} for number, (*_, head, dep) in enumerate(WORDS, start=1)
    ]
    chain = [
        {"sentNum": 1, "startIndex": 1, "endIndex": 2, "type": "PROPER", "text": "Zoe", "gender": "FEMALE"},
        {"sentNum": 1, "startIndex": 3, "endIndex": 4, "type": "PRONOMINAL", "text": "her"},
    ]
    key = [{"sentNum": 1, "startIndex": 3, "endIndex": 5, "type": "NOMINAL", "text": "her key"}]
    return {
        "sentences": [{"index": 0, "basic-dependencies": edges, "tokens": tokens}],
        "corefs": {"1": chain, "2": key},
    }


@contextmanager
def server(answers: list[bytes], code: int = 200) -> Iterator[str]:
    """A tiny HTTP server that gives the recorded answers in turn and checks that it was asked properly."""

    class Recorded(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"]))
            assert text
            assert "annotators" in self.path
            self.send_response(code)
            self.end_headers()
            self.wfile.write(answers.pop(0))

        def log_message(self, *_: object) -> None:
            pass

    served = HTTPServer(("127.0.0.1", 0), Recorded)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{served.server_port}"
    finally:
        served.shutdown()
        served.server_close()


def test_a_server_is_asked_and_its_answer_read() -> None:
    text = "Zoe lost her key 😀 at the lake ."
    with server([json.dumps(answer()).encode()]) as address:
        (story,) = registry.make("reader", f"corenlp:{address}")([text])
    assert story.text == text
    assert [story.of(token) for token in story.tokens] == [word for word, *_ in WORDS]
    assert render(story) == ("Zoe lose key at lake.",)
    zoe = story.entities[0]
    assert (zoe.id, zoe.kind, zoe.gender, len(zoe.mentions)) == ("e1", "person", "female", 2)
    assert [f"{one.entity} {one}" for one in chains(story)] == ["e1 lose:subj", "e2 lose:obj"]


def test_a_server_in_trouble_is_told_clearly() -> None:
    with server([b"no such annotator"], 500) as address, pytest.raises(BadInput, match="500: no such annotator"):
        list(CoreNLPReader(address)(["Ann ran."]))
    with server([b"<html>"]) as address, pytest.raises(BadInput, match="not valid JSON"):
        list(CoreNLPReader(address)(["Ann ran."]))
    with pytest.raises(Missing, match="No CoreNLP server"):
        list(CoreNLPReader("http://127.0.0.1:9")(["Ann ran."]))
    with pytest.raises(BadInput, match="expected an address"):
        CoreNLPReader("ftp://somewhere")
    assert next(iter(CoreNLPReader("http://127.0.0.1:9")([" "]))).events == ()


def recorded() -> dict[str, dict[str, Any]]:
    """Bennett's recorded answers by document."""
    for root in os.environ.get("SCENARIST_DATA", "").split(os.pathsep):
        path = Path(root) / "bennett" / "documents.tar.xz"
        if root and path.exists():
            with tarfile.open(path) as bundle:
                found = {}
                for member in bundle.getmembers():
                    if member.name.endswith(".json") and (number := re.search(r"-(\d+)-", member.name)):
                        found[number[1]] = json.load(bundle.extractfile(member))  # type: ignore[arg-type]
                return found
    pytest.skip("corpus bennett is not on SCENARIST_DATA")


@pytest.mark.data
def test_recorded_documents_through_a_server() -> None:
    documents = recorded()
    assert len(documents) == 20
    raw = [json.dumps(one).encode() for one in documents.values()]
    with server(list(raw)) as address:
        stories = list(CoreNLPReader(address)(rebuild(one) for one in documents.values()))
    for story, document in zip(stories, documents.values(), strict=True):
        assert len(story.sentences) == len(document["sentences"])
        assert story.events
        assert any(len(one) > 2 for one in chains(story))


@pytest.mark.data
def test_the_released_rule_is_the_released_column() -> None:
    """On the study's own parses, rule `released` writes what the study's data holds (102 of 103 sentences)."""
    import csv

    def letters(text: str) -> str:
        return re.sub(r"\W", "", text.lower())

    written: dict[tuple[str, str], tuple[str, str]] = {}
    for number, document in recorded().items():
        story = from_json(document, id=number)
        pairs = zip(render(story, "caveman", "released"), render(story, "verb-subject", "released"), strict=True)
        written |= {(number, letters(story.of(one))): pair for one, pair in zip(story.sentences, pairs, strict=True)}
    root = next(Path(one) for one in os.environ["SCENARIST_DATA"].split(os.pathsep) if (Path(one) / "bennett").exists())
    with (root / "bennett" / "all_chains_data.csv").open(encoding="utf-8") as stream:
        rows = {(row["docIndex"], letters(row["original"])): row for row in csv.DictReader(stream)}
    both = rows.keys() & written.keys()
    assert len(both) >= 100
    right = [
        (rows[one]["caveman"].lower(), rows[one]["event_only"].lower())
        == (written[one][0].lower(), written[one][1].lower())
        for one in both
    ]
    assert sum(right) >= len(both) - 1


def test_a_spacy_document_with_clearnlp_labels() -> None:
    import spacy
    from spacy.tokens import Doc

    vocab = spacy.blank("en").vocab
    words = ["Tom", "was", "seen", "by", "guards", "\n", "at", "noon", "."]
    doc = Doc(
        vocab, words=words, heads=[2, 2, 2, 2, 3, 4, 2, 6, 2], lemmas=["Tom", "be", "see", "by", "guard", "\n", "at",
        "noon", "."], pos=["PROPN", "AUX", "VERB", "ADP", "NOUN", "SPACE", "ADP", "NOUN", "PUNCT"],
        tags=["NNP", "VBD", "VBN", "IN", "NNS", "_SP", "IN", "NN", "."], ents=["B-PERSON", *["O"] * 8],
        deps=["nsubjpass", "auxpass", "ROOT", "agent", "pobj", "dep", "prep", "pobj", "punct"],
    )  # fmt: skip
    story, kinds = from_doc(doc)
    assert "\n" not in [story.of(token) for token in story.tokens]
    assert render(story) == ("Tom seen by guards at noon.",)
    assert kinds[0] == "person"
    assert from_doc(Doc(vocab))[0].tokens == ()


def test_a_missing_pipeline_and_one_without_parser_say_so() -> None:
    import spacy

    with pytest.raises(Missing, match="python -m spacy download no_such_thing"):
        list(registry.make("reader", "spacy:no_such_thing")(["Ann ran."]))
    with pytest.raises(BadInput, match="no parser"):
        from_doc(spacy.blank("en")("Ann ran."))
