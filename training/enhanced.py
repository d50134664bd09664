"""Gold trees -> how far our filled-in arguments agree with the treebank's enhanced graphs.

    SCENARIST_DATA=... python -m training.enhanced [ewt|gum] [dev]

For verbs only; roles subject, object, indirect object, oblique. Clauses that enhanced graphs leave open (``acl``, ``advcl``) are
counted apart, as *beyond*: there we fill in more than they do, on purpose.
"""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scenarist.corpora import search_path as finding
from scenarist.reading.events.extract import events
from scenarist.story import Sentence, Story, Token

ROLES = ("subj", "obj", "iobj", "obl")


def sentences(path: Path) -> Iterator[list[list[str]]]:
    """The word lines of each sentence, empty nodes and multiword tokens left out."""
    rows: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as stream:
        for line in stream:
            cells = line.rstrip("\n").split("\t")
            if len(cells) == 10 and cells[0].isdecimal():
                rows.append(cells)
            elif not line.strip() and rows:
                yield rows
                rows = []


def story(rows: list[list[str]]) -> Story:
    """One sentence with its basic tree."""
    tokens, at = [], 0
    for cells in rows:
        form, lemma, pos, tag, feats, head, dep = cells[1:8]
        tokens.append(Token(at, at + len(form), lemma, pos, tag, feats if feats != "_" else "", int(head) - 1, dep))
        at += len(form) + 1
    text = " ".join(cells[1] for cells in rows)
    return Story("s", text, tokens=tuple(tokens), sentences=(Sentence(0, len(text), 0, len(tokens)),))


def enhanced(rows: list[list[str]]) -> set[tuple[int, str, int]]:
    """(verb, role, argument) of the enhanced graph."""
    names = {"nsubj": "subj", "obj": "obj", "iobj": "iobj", "obl": "obl"}
    found = set()
    for argument, cells in enumerate(rows):
        for edge in cells[8].split("|"):
            head, _, label = edge.partition(":")
            name = names.get(label.partition(":")[0])
            if name and head.isdecimal() and int(head) and "outer" not in label:
                verb = int(head) - 1
                if rows[verb][3] == "VERB" and rows[verb][7] not in ("amod", "compound"):
                    found.add((verb, name, argument))
    return found


def ours(rows: list[list[str]]) -> set[tuple[int, str, int]]:
    """The same from our events."""
    found = set()
    for event in events(story(rows)):
        for role in event.roles if rows[event.token][3] == "VERB" else ():
            name = role.name if role.name in ROLES else "obl" if role.name != "attr" else ""
            if name:
                found.add((event.token, name, role.token))
    return found


def main(corpus: str = "ewt", split: str = "dev") -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for rows in sentences(finding.require(corpus, f"en_{corpus}-ud-{split}.conllu")):
        key, found = enhanced(rows), ours(rows)
        for triple in key | found:
            open_clause = triple not in key and rows[triple[0]][7] in ("acl", "advcl")
            kind = (
                "right"
                if triple in key & found
                else "missed"
                if triple in key
                else "beyond"
                if open_clause
                else "extra"
            )
            counts[triple[1], kind] += 1
    for role in ROLES:
        right, missed, extra, beyond = (counts[role, kind] for kind in ("right", "missed", "extra", "beyond"))
        precision, recall = right / max(1, right + extra), right / max(1, right + missed)
        print(
            f"{role:5} precision {precision:.3f} recall {recall:.3f} ({right} right, {missed} missed, {extra} extra, {beyond} beyond)"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
