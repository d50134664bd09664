"""Core events that two people share -> hand-made event cloze tests (Chambers 2017, section 7), in the form of the published cloze file.

A text gives tests where its people chose the same central entity and share at least ``LEAST`` events; each shared event is asked once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from scenarist.lab.answered import GivenAnswer
from scenarist.lab.collected import counted
from scenarist.lab.kinds.link import core_chain
from scenarist.lab.roster import OpenStudy
from scenarist.lab.yields.write import HarvestedFiles
from scenarist.question import Reading

FILE = "tests.txt"
PEOPLE, LEAST = 2, 3
CoreEvent = tuple[int, str]
"""Token of the verb, and the event as ``verb:role``."""


def harvest_cloze_tests(study: OpenStudy, options: Mapping[str, Any]) -> HarvestedFiles:
    """A cloze file of the events that two people share, and how far they agreed."""
    given: dict[str, list[GivenAnswer]] = defaultdict(list)
    for answer in counted(study.database, study.study.name):
        if isinstance(answer.answer.answer, Reading):
            given[answer.item].append(answer)
    reasons: dict[str, int] = defaultdict(int)
    texts: list[str] = []
    tests = shared = chosen = 0
    people = {answer.session for listed in given.values() for answer in listed}
    for name, listed in sorted(given.items()):
        if len(listed) < PEOPLE:
            reasons["texts that one person alone read"] += 1
            continue
        pair = same_entity(listed)
        if pair is None:
            reasons["texts whose people chose different central entities"] += 1
            continue
        first, second = (core_events(answer) for answer in pair)
        both = [event for event in first if event in second]
        shared, chosen = shared + 2 * len(both), chosen + len(first) + len(second)
        if len(both) < LEAST:
            reasons[f"texts with fewer than {LEAST} shared core events"] += 1
            continue
        texts.append(cloze_text(name, [event for _, event in both]))
        tests += len(both)
    counts = {
        "texts": len(given), "texts with tests": len(texts), "tests": tests, "people": len(people),
        "agreement on events, F1 in percent": round(100 * shared / chosen) if chosen else 0,
    }  # fmt: skip
    return HarvestedFiles(
        {FILE: [text.encode() for text in texts]} if texts else {}, counts, dict(reasons), "Hand-made event cloze tests",
        (f"scenarist exam eventcloze toy --set tests={{out}}/{FILE} -o exam",),
    )  # fmt: skip


def same_entity(listed: Sequence[GivenAnswer]) -> tuple[GivenAnswer, GivenAnswer] | None:
    """The first two people who chose the same central entity."""
    pairs = combinations(listed, 2)
    return next(
        (pair for pair in pairs if core_chain(pair[0].answer).entity == core_chain(pair[1].answer).entity), None
    )


def core_events(answer: GivenAnswer) -> list[CoreEvent]:
    """The core events of an answer, in the order of the text."""
    chain = core_chain(answer.answer)
    return [(token, str(link)) for token, link in zip(chain.places, chain.links, strict=True)]


def cloze_text(name: str, events: Sequence[str]) -> str:
    """A document's tests: each event once missing from the chain.

    >>> print(cloze_text("d", ["mix:subj", "bake:subj"]).splitlines()[2:6])
    ['<TEST>', '<ANSWER> mix:subj', '<INSERT_INDEX> 0', '<CLOZE> bake:subj']
    """
    lines = [f"<DOCNAME> {name}", f"<CHAIN> len:{len(events)}"]
    for place, event in enumerate(events):
        rest = [*events[:place], *events[place + 1 :]]
        lines += ["<TEST>", f"<ANSWER> {event}", f"<INSERT_INDEX> {place}", f"<CLOZE> {' '.join(rest)}"]
    return "\n".join(lines) + "\n"
