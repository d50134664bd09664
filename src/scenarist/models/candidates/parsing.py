"""What a language model wrote -> an answer, a refusal, or nothing: read strictly, never guessed.

An answer that does not have the form that was asked for is *unparsed*; one that declines is *refused*. Both are marks of their own
(metrics `unparsed`, `refused`) and no guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scenarist.errors import BadInput
from scenarist.inventory import find
from scenarist.question import Answer, Permutation, Segments
from scenarist.story import Label, Segment

REFUSAL = re.compile(
    r"\b(i('m| am) (sorry|unable|not able)|i (can ?not|can't|won't)|as an ai|cannot (help|assist|answer)|not enough information)\b",
    re.I,
)
REFUSED, UNPARSED = "refused", "unparsed"
BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s*")
LETTER = r"(?s)^\W*(?i:the )?(?i:answer(?: is)?\W*)?\(?([A-Z])\)?[.):]?(?:\s(?!\s*(?i:or|and)\b).*)?$"
"""A letter as an answer; "A or B" chooses nothing."""
EVENT = re.compile(r"^([a-z][a-z_]*)\s*:\s*(?:n?(subj|obj)(?:pass)?|dobj)$")
VERB_OBJECT = re.compile(r"^[a-z]+(?: [a-z'-]+){0,4}$")


class Unread(ValueError):
    """What was written is no answer; the text says whether it was refused or unparsed."""


def unread(text: str) -> Unread:
    """The mark of a text that is no answer."""
    return Unread(REFUSED if REFUSAL.search(text) else UNPARSED)


def read_letter(text: str, letters: Sequence[str]) -> int:
    """Which letter was answered.

    >>> read_letter(" B.", "AB"), read_letter("Answer: (A)", "AB")
    (1, 0)
    """
    match = re.search(LETTER, text.strip())
    if match is None or match[1] not in letters:
        raise unread(text)
    return list(letters).index(match[1])


def read_order(text: str, count: int) -> Permutation:
    """The order that was answered: each number once.

    >>> read_order("2, 1, 3.", 3).order
    (1, 0, 2)
    """
    if not re.fullmatch(r"\W*(?:answer\W*)?\d+(?:\W+\d+)*\W*", text.strip(), re.I):
        raise unread(text)
    numbers = [int(number) - 1 for number in re.findall(r"\d+", text)]
    if sorted(numbers) != list(range(count)):
        raise unread(text)
    return Permutation(tuple(numbers))


def read_scenario(text: str) -> str:
    """The scenario that was answered, by its name or one of its other names.

    >>> read_scenario("Taking a bath.")
    'taking a bath'
    """
    line = text.strip().splitlines()[0] if text.strip() else ""
    try:
        return find(BULLET.sub("", line).strip(" .\"'")).name
    except BadInput:
        raise unread(text) from None


def read_segments(text: str, sentences: int) -> Segments:
    """The segments that were answered, a line each.

    >>> read_segments("1-2: taking a bath", 3).segments[0].stop
    2
    """
    segments = []
    for line in filter(None, map(str.strip, text.splitlines())):
        match = re.fullmatch(r"(\d+)\s*(?:[-–]\s*(\d+))?\s*:\s*(.+)", line)
        if match is None:
            raise unread(text)
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= sentences:
            raise unread(text)
        segments.append(Segment(first - 1, last, (Label(read_scenario(match[3]), 1.0),)))
    if not segments:
        raise unread(text)
    return Segments(tuple(sorted(segments, key=lambda segment: segment.start)))


def lines_of(text: str) -> list[str]:
    """The lines of a list, without bullets, small."""
    return [line for part in text.splitlines() if (line := BULLET.sub("", part).strip(" .").lower())]


def read_events(text: str) -> list[Answer]:
    """The events that were answered, as ``verb:role``; lines of another form are passed over.

    >>> read_events("1. arrest:obj\\n2. He ran away\\n3. escape:subj")
    ['arrest:obj', 'escape:subj']
    """
    matches = (EVENT.match(line) for line in lines_of(text))
    events = [f"{match[1]}:{match[2] or 'obj'}" for match in matches if match]
    if not events:
        raise unread(text)
    return list(dict.fromkeys(events))


def read_phrases(text: str) -> list[Answer]:
    """The verb phrases that were answered."""
    phrases = [line for line in lines_of(text) if VERB_OBJECT.match(line)]
    if not phrases:
        raise unread(text)
    return list(dict.fromkeys(phrases))


def read_word(text: str) -> str:
    """The one word that was answered.

    >>> read_word("Spoon.")
    'spoon'
    """
    match = re.fullmatch(r"\W*([A-Za-z][A-Za-z'-]*)\W*", text)
    if match is None:
        raise unread(text)
    return match[1].lower()
