"""Plain text -> sentence spans, by rule, and what a reader can take of any string.

`sentences`: fast (some 100,000 sentences a second), without a model, for any text. Loaders, the stitcher and the light detector use it
where only sentence ends are wanted; the reader (`reading/`) parses. A sentence ends at ``. ! ?`` (with closing quotes or brackets behind
them) before white space, unless the word before the dot is an abbreviation or an initial, and at every blank line. Text written without
capitals, as in blogs, is cut as well, therefore a capital is not asked for.

`clean`: NUL bytes and lone surrogates (which no file can hold) are read as spaces, so offsets stay; text that is not English is read all
the same and said to be so.
"""

from __future__ import annotations

import re

from scenarist.story import Sentence, Story, Token, replace

ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st sr jr vs no dept est fig gen gov inc ltd co lt sgt capt col rev hon approx ave blvd rd apt "
    "e.g i.e cf a.m p.m u.s d.c ph.d jan feb mar apr jun jul aug sep sept oct nov dec mt ft lb oz tbsp tsp".split()
)
END = re.compile(r"""(?:[.!?…]+|(?<=\s)[.!?]+)["'”’)\]*]*(?=\s)|\n\s*\n""")
TOKEN = re.compile(r"\w+(?:[’']\w+)*|[^\w\s]")
LAST = re.compile(r"""([^\s"'“”‘’(\[]+)$""")


def sentences(text: str, start: int = 0, stop: int | None = None) -> tuple[Sentence, ...]:
    """The sentences of a text (or of a part of it) as spans without surrounding white space.

    >>> text = "Dr. Ito came at 5 p.m. sharp. we left!  Why?"
    >>> [text[one.start : one.stop] for one in sentences(text)]
    ['Dr. Ito came at 5 p.m. sharp.', 'we left!', 'Why?']
    """
    stop = len(text) if stop is None else stop
    spans: list[Sentence] = []
    begin = start
    for match in END.finditer(text, start, stop):
        if match[0] == "." and abbreviated(text, begin, match.start(), match.end(), stop):
            continue
        add(spans, text, begin, match.end())
        begin = match.end()
    add(spans, text, begin, stop)
    return tuple(spans)


def add(spans: list[Sentence], text: str, start: int, stop: int) -> None:
    """Append a span, trimmed; a span of punctuation alone joins the sentence before it."""
    part = text[start:stop]
    left = len(part) - len(part.lstrip())
    start, stop = start + left, start + len(part.rstrip())
    if stop <= start:
        return
    if spans and not any(letter.isalnum() for letter in part):
        spans[-1] = Sentence(spans[-1].start, stop)
    else:
        spans.append(Sentence(start, stop))


def abbreviated(text: str, start: int, dot: int, end: int, stop: int) -> bool:
    """Does the dot at ``dot`` belong to its word rather than end the sentence?"""
    last = LAST.search(text[max(start, dot - 24) : dot])
    if last is None:
        return False
    word = last[1].lower()
    following = text[end : min(stop, end + 12)].lstrip()
    if len(word) == 1 and word.isalpha() and word != "i" and following[:1].isupper():
        return True  # an initial
    if word not in ABBREVIATIONS:
        return False
    if word in {"a.m", "p.m", "u.s", "inc", "co", "ltd", "no", "mar", "ft", "lb", "oz"}:
        return not following[:1].isupper() and (word != "no" or following[:1].isdigit())
    return bool(following)


def tokens(text: str, start: int = 0, stop: int | None = None) -> list[Token]:
    """Words and marks of a text (or of a part of it) as bare tokens.

    >>> [(one.start, one.stop) for one in tokens("It's on!")]
    [(0, 4), (5, 7), (7, 8)]
    """
    return [Token(*match.span()) for match in TOKEN.finditer(text, start, len(text) if stop is None else stop)]


def with_tokens(story: Story) -> Story:
    """The story with words as tokens, as WebAnno's format wants them."""
    if story.tokens:
        return story
    spans: list[Sentence] = []
    words: list[Token] = []
    for sentence in story.sentences or sentences(story.text):
        fresh = tokens(story.text, sentence.start, sentence.stop)
        spans.append(Sentence(sentence.start, sentence.stop, len(words), len(words) + len(fresh)))
        words += fresh
    return replace(story, sentences=tuple(spans), tokens=tuple(words))


ODD = re.compile("[\x00\ud800-\udfff]")
SURROGATE = re.compile("[\ud800-\udfff]")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
SAMPLE = 20_000
"""Characters looked at to tell the language."""
COMMON = frozenset(
    "the a an and or but of to in on at for with from by as is are was were be been am have has had do does did not "
    "no it "
    "its he she they we you i me him her them us my your his our their this that these those there here what who which "
    "when where how why if so then than up out down off over into about after before all one two some any can could "
    "will "
    "would should may just very said went got get go came like back again more other time day now because while until".split()
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
    words = WORD.findall(text[:SAMPLE].lower())
    if len(words) < 8:
        letters = [letter for letter in text[:SAMPLE] if letter.isalpha()]
        foreign = len(letters) >= 4 and sum(letter > "\u024f" for letter in letters) > len(letters) / 2
        return SAID if foreign else ""
    known = sum(word in COMMON for word in words)
    return SAID if known / len(words) < 0.12 else ""


SAID = "this does not look like English; events and entities will be unreliable"
