"""Core arguments, trees and tags of the default reader beside a peer that lives in another environment, in one run.

    python3.9 -m venv peer && peer/bin/pip install spacy==2.3.9 spacy-lookups-data==0.3.2 en-ud-model-sm==1.1.0
    SCENARIST_DATA=... python benchmarks/reading_peer.py --peer peer/bin/python [--split dev] [--out results/runs/reading-peer-dev.json]

Both get the treebank's words, one sentence at a time (the peer may not cut it further); the peer's labels are brought to UD v2 by
`scenarist.reading.foreign.universal`, and both are marked by the metrics of the table `reading`. In the peer's scheme (UD v1) a name hangs on its
last word, in the treebanks on its first: ``core_f1, names`` lets any word of a name stand for it, on both sides. Intervals are by
document.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

MODEL = "en_ud_model_sm"
METRICS = ("core_f1", "uas", "las", "upos", "lemma")
NAMES = "core_f1, names"


def parse(model: str) -> None:
    """The peer's side: sentences (lists of words) as JSON lines in, [word, lemma, pos, tag, head, dep] out. Runs on spaCy 2."""
    import spacy
    from spacy.tokens import Doc

    nlp = spacy.load(model)
    for line in sys.stdin:
        doc = Doc(nlp.vocab, words=json.loads(line))
        for token in list(doc)[1:]:
            token.is_sent_start = False
        for _, pipe in nlp.pipeline:
            doc = pipe(doc)
        rows = [
            [one.text, one.lemma_, one.pos_, one.tag_, -1 if one.head.i == one.i else one.head.i, one.dep_]
            for one in doc
        ]
        print(json.dumps(rows))


def peer(python: str, sentences: list[tuple[str, ...]]) -> list[list[list[Any]]]:
    """All sentences by the peer's interpreter."""
    lines = "".join(json.dumps(list(one)) + "\n" for one in sentences)
    done = subprocess.run(
        [python, "-W", "ignore", __file__, "--parse", MODEL], input=lines, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"the peer failed: {done.stderr[-800:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def triples(tokens: Any, key: Any) -> set[tuple[int, str, int]]:
    """(verb, role, argument) as `core_f1` has them, the argument moved to the first word of its name in the key."""
    found = set()
    for place, token in enumerate(tokens):
        role = "subj" if token.dep.startswith("nsubj") else "obj" if token.dep in ("obj", "iobj") else ""
        if role and token.head >= 0 and tokens[token.head].pos == "VERB":
            found.add((token.head, role, key[place].head if key[place].dep.startswith("flat") else place))
    return found


def compare(python: str, split: str, seed: int = 13) -> dict[str, Any]:
    """Figures by treebank and metric: ours, the peer's, their difference with its interval."""
    import numpy as np

    from scenarist.question import Guess, Prediction, Reading
    from scenarist.reading.foreign.universal import ParsedWord, to_ud2
    from scenarist.reading.parser.parse import parser
    from scenarist.registry import find
    from scenarist.story import Token, replace
    from scenarist.verbs.exam import exam

    out: dict[str, Any] = {}
    for name, corpus, settings in (
        ("ewt", "ewt", {}),
        ("gum", "gum", {}),
        ("gum-fiction", "gum", {"genre": "fiction"}),
    ):
        items, _ = exam(
            "reading", corpus, split, settings={"part": "parse", "tokens": "gold"}, corpus_settings=settings
        )
        theirs = iter(peer(python, [sentence for item in items for sentence in item.question.words]))
        marks: dict[str, list[list[Any]]] = {metric: [[], []] for metric in (*METRICS, NAMES)}
        for item in items:
            (read,) = parser().words([item.question.words])
            key = item.key.story
            foreign: list[Token] = []
            for _ in item.question.words:
                rows = [
                    ParsedWord(word, lemma, pos, tag, "", head, dep)
                    for word, lemma, pos, tag, head, dep in next(theirs)
                ]
                first = len(foreign)
                for row in to_ud2(rows):
                    head = first + row.head if row.head >= 0 else -1
                    at = key.tokens[len(foreign)]
                    foreign.append(
                        Token(
                            at.start, at.stop, row.lemma, row.pos, row.tag, "", head, row.dep if head >= 0 else "root"
                        )
                    )
            ours = [
                Token(at.start, at.stop, one.lemma, one.pos, one.tag, one.feats, one.head, one.dep)
                for at, one in zip(key.tokens, read.story.tokens, strict=True)
            ]
            for side, tokens in enumerate((ours, foreign)):
                said = Prediction(item.id, (Guess(Reading(replace(key, tokens=tuple(tokens)))),))
                for metric in METRICS:
                    marks[metric][side].append(find("metric", metric)().mark(item, said))
                gold, guessed = (triples(one, key.tokens) for one in (key.tokens, tokens))
                counts = {"right": len(gold & guessed), "guessed": len(guessed), "gold": len(gold)}
                marks[NAMES][side].append({unit: float(count) for unit, count in counts.items()})
        random = np.random.default_rng(seed)
        draws = random.integers(0, len(items), (2000, len(items)))
        out[name] = {"documents": len(items)}
        for metric, (mine, other) in marks.items():
            made = find("metric", "core_f1" if metric == NAMES else metric)()
            sides = []
            for side in (mine, other):
                sums = {unit: np.array([mark[unit] for mark in side]) for unit in side[0]}
                whole = float(made.combine({unit: values.sum() for unit, values in sums.items()}))
                sides.append((whole, made.combine({unit: values[draws].sum(1) for unit, values in sums.items()})))
            apart = sides[0][1] - sides[1][1]
            out[name][metric] = {
                "default": round(sides[0][0], 4),
                "peer": round(sides[1][0], 4),
                "difference": round(sides[0][0] - sides[1][0], 4),
                "low": round(float(np.quantile(apart, 0.025)), 4),
                "high": round(float(np.quantile(apart, 0.975)), 4),
            }
    return out


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--peer", help="python of the environment with spaCy 2.3.9 and en-ud-model-sm 1.1.0")
    options.add_argument("--parse", help=argparse.SUPPRESS)
    options.add_argument("--split", default="dev")
    options.add_argument("--out", type=Path)
    given = options.parse_args()
    if given.parse:
        parse(given.parse)
        return
    if not given.peer:
        options.error("say where the peer lives: --peer peer/bin/python")
    found = {
        "peer": "en-ud-model-sm 1.1.0 on spaCy 2.3.9",
        "split": given.split,
        "figures": compare(given.peer, given.split),
    }
    text = json.dumps(found, indent=1) + "\n"
    if given.out:
        given.out.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
