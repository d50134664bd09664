"""Probes -> a page for a blind reader: `python -m training.probes.blind > items.txt`; answers -> agreement: `... blind check answers.jsonl`.

The page shows every case without its key; texts of a pair stand in an order that depends on the case alone. An answer is a line
``{"id": ..., "natural": 1 to 5, "answer": "A" or "B", "note": "..."}``. The check says how many cases read naturally, how often the reader's
answer is the key, and which cases should be mended.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from scenarist.corpora.probes import KINDS, ProbeCase, Probes
from scenarist.signature import content_hash

ASKS = {
    "goes-without-saying": "After which of the two beginnings is the last sentence surprising?",
    "the-or-a": "Which of the two is the better way to go on?",
    "tellable": "Which of the two events is more worth telling, when somebody tells this story?",
    "false-memory": "Weeks later, which of the two (sentences or orders of events) will more readers of this story believe to have read?",
    "winograd": "Which of the two does the sentence mean?",
}


def swapped(case: ProbeCase) -> bool:
    """Does the second text come first?"""
    return content_hash([f"blind {case.id}".encode()])[-1] in "02468ace"


def pair(case: ProbeCase) -> tuple[str, str]:
    """The two texts as the reader sees them."""
    if len(case.texts) == 3:
        stated, negated, target = case.texts
        start = " ".join(case.context)
        texts = (f"{start} {negated} ... {target}", f"{start} {stated} ... {target}")
    else:
        texts = (case.texts[0], case.texts[1])
    return (texts[1], texts[0]) if swapped(case) else texts


def key(kind: str, case: ProbeCase) -> str:
    """The letter of the right text."""
    right = 1 if kind == "tellable" else case.key
    return "AB"[right ^ swapped(case)]


def page() -> Iterator[str]:
    """The lines of the page."""
    for kind in KINDS:
        yield f"\n## {kind}: {ASKS[kind]}\n"
        for case in Probes(kind=kind):
            first, second = pair(case)
            before = "" if kind == "goes-without-saying" else " ".join(case.context)
            yield f"{case.id} | {before}\n    A: {first}\n    B: {second}"


def check(path: Path) -> Iterator[str]:
    """What a reader's answers say."""
    answers = {
        entry["id"]: entry
        for line in path.read_text("utf-8").splitlines()
        if line.strip() and (entry := json.loads(line))
    }
    for kind in KINDS:
        cases = [case for case in Probes(kind=kind) if case.id in answers]
        if not cases:
            yield f"{kind}: no answers"
            continue
        right = [case for case in cases if answers[case.id].get("answer") == key(kind, case)]
        natural = [case for case in cases if int(answers[case.id]["natural"]) >= 4]
        mean = sum(int(answers[case.id]["natural"]) for case in cases) / len(cases)
        yield f"{kind}: {len(cases)} read, natural (4 or 5) {len(natural)}, mean {mean:.2f}, answer is the key {len(right)}"
        for case in cases:
            entry = answers[case.id]
            if entry.get("answer") != key(kind, case) or int(entry["natural"]) < 4:
                yield f"  {case.id}: natural {entry['natural']}, answer {entry.get('answer')} (key {key(kind, case)}) {entry.get('note', '')}"


if __name__ == "__main__":
    lines = check(Path(sys.argv[2])) if sys.argv[1:2] == ["check"] else page()
    sys.stdout.write("\n".join(lines) + "\n")
