"""Any string -> a string the reader can take, of the same length, and notes on what is odd about it.

NUL bytes and lone surrogates (which no file can hold) are read as spaces, so offsets stay; text that is not English is
read all the same and said to be so.
"""

from __future__ import annotations

import re

from scenarist.reading.events.lexicon import words

ODD = re.compile("[\x00\ud800-\udfff]")
SURROGATE = re.compile("[\ud800-\udfff]")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
SAMPLE = 20_000
"""Characters looked at to tell the language."""
COMMON = words(
    "the a an and or but of to in on at for with from by as is are was were be been am have has had do does did not "
    "no it "
    "its he she they we you i me him her them us my your his our their this that these those there here what who which "
    "when where how why if so then than up out down off over into about after before all one two some any can could "
    "will "
    "would should may just very said went got get go came like back again more other time day now because while until"
)


def clean(text: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """The text to keep, the text to read (of the same length), and notes on them.

    >>> clean("Ann\\0ran")
    ('Ann\\x00ran', 'Ann ran', (('cleaned', '1 NUL or surrogate characters read as spaces'),))
    """
    notes: list[tuple[str, str]] = []
    changed, odd = ODD.subn(" ", text)
    if odd:
        notes.append(("cleaned", f"{odd} NUL or surrogate characters read as spaces"))
    if foreign := not_english(changed):
        notes.append(("language", foreign))
    return SURROGATE.sub("\ufffd", text) if odd else text, changed, tuple(notes)


def not_english(text: str) -> str:
    """What to say where a text does not look English, empty where it does or is too short to tell.

    >>> not_english("Il cane correva lungo la strada e poi abbaiava forte davanti alla casa.")
    'this does not look like English; events and entities will be unreliable'
    >>> not_english("The dog ran across the road, and then it barked in front of the house.")
    ''
    """
    found = WORD.findall(text[:SAMPLE].lower())
    if len(found) < 8:
        letters = [one for one in text[:SAMPLE] if one.isalpha()]
        foreign = len(letters) >= 4 and sum(one > "\u024f" for one in letters) > len(letters) / 2
        return SAID if foreign else ""
    known = sum(word in COMMON for word in found)
    return SAID if known / len(found) < 0.12 else ""


SAID = "this does not look like English; events and entities will be unreliable"
