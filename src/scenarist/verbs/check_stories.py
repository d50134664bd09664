"""A file of stories -> what is wrong with each, by the rules their writers were given (Mostafazadeh et al. 2016, section 3.1 and Table 1).

What `scenarist corpus check FILE` draws.

Five sentences; at most 70 characters each; no quotation; no slang; realistic; a beginning and an end with something happening in
between; shared characters; nothing irrelevant. The first four are certain. The last four are judgements, which the paper left to people:
here they are rules of thumb with the words that decided, so that a writer can disagree; ``sure`` tells the two apart.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scenarist.answers import CheckedStory, Fault
from scenarist.errors import BadInput
from scenarist.learning.wrong_endings import base_form
from scenarist.reading.wordnet import noun_kinds
from scenarist.registry import make
from scenarist.story import sentence_texts
from scenarist.verbs.events import events as read_events
from scenarist.verbs.inputs import lines_or_sentences

LONGEST = 70
SENTENCES = 5
SLANG = frozenset(
    (
        "gonna wanna gotta ain't lol omg wtf yolo dunno kinda sorta cuz y'all bro dude af btw imo legit ur thx plz "
        "lmao bae fam yeet nope yep"
    ).split()
)
UNREAL = frozenset(
    (
        "dragon dragons unicorn unicorns wizard witch spell vampire vampires zombie zombies alien aliens ghost ghosts "
        "fairy fairies elf elves troll werewolf mermaid superhero spaceship teleported telepathy wand potion immortal"
    ).split()
)
ANIMALS = frozenset(
    ("dog cat puppy kitten horse bird mouse rabbit pig cow duck bear lion fish turtle squirrel hen frog monkey").split()
)
ANIMATE_KINDS = frozenset({"person", "animal", "group", "body"})
THINGS = frozenset({"artifact", "plant", "object", "food", "substance"})
APPLIANCES = frozenset(
    "toaster cooker heater mixer printer washer dryer blender freezer computer speaker counter cleaner roller".split()
)
"""Things that the dictionary takes for persons first."""
OF_THE_MIND = frozenset(
    (
        "agree apologise apologize argue ask beg believe blush bow complain confess cry decide dream enjoy explain forgive giggle greet "
        "hate hope imagine invite know laugh love march marry nod pray promise regret remember reply retire say scream shout sigh sing "
        "smile sob study swear talk tell thank think wake walk want wave whisper wish wonder worry write yell"
    ).split()
)
"""What only a living being does; *cry*, *say*, *tell* and *want* of signs and engines are left to people's judgement below."""
SAYING = frozenset("say tell read write ask invite explain wave want promise know cry".split())
"""A letter says, a flag waves, a clock tells: of a thing these count only beside another of its kind."""
HUMAN = frozenset(
    (
        "said asked told thought believed challenged agreed practiced practised decided argued explained replied read "
        "wrote"
    ).split()
)
PEOPLE = frozenset(
    (
        "i we he she they you him her them his hers their our my me us who everyone everybody nobody someone somebody"
    ).split()
)
POINTS = frozenset("it its this that these those there one".split())
"""Words that may stand for something told before."""
COMMON = frozenset(
    (
        "a an the and or but so of to in on at for with from by as is are was were be been am have has had do does did "
        "not no it its this that these those there then when after before one day very really all up out down off over "
        "into about once now who which what because"
    ).split()
)
NAMED = re.compile(r"[A-Z][a-z]+ (?:was|is|had|has|[a-z]+ed)\b")
"""Somebody is or does something."""
KNOWN = re.compile(r"(?:The|When|Mr|Mrs|Ms|Dr)\b")
"""A sentence that begins so speaks of what the story is taken to have named."""
WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
GENERAL = re.compile(r"\b(?:am|is|are|have been|has been|offers?|likes?|enjoys?|there (?:is|are))\b", re.IGNORECASE)


def check_stories(path: str | Path) -> tuple[CheckedStory, ...]:
    """All stories of a file, each with what is wrong with it: a CSV or JSONL of ROCStories, or one story as plain text."""
    return tuple(CheckedStory(name, tuple(faults_of(sentences))) for name, sentences in stories_of(Path(path)))


def stories_of(path: Path) -> Iterator[tuple[str, Sequence[str]]]:
    """Name and sentences of each story; plain text has one sentence a line, or is running."""
    if path.suffix in (".csv", ".jsonl", ".gz"):
        for story in make("corpus", "rocstories", split="all", path=path):
            yield story.id, tuple(sentence_texts(story))
        return
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: expected a story in UTF-8 text ({error}).") from error
    yield path.stem, lines_or_sentences(text)


def faults_of(sentences: Sequence[str]) -> list[Fault]:
    """All that is wrong with a story, rule by rule; empty for a good one.

    >>> good = ["Ida wanted to bake a pie.", "She bought apples at the shop.", "At home Ida cut them.", "The pie baked for an hour."]
    >>> good.append("Ida shared the pie.")
    >>> faults_of(good), [fault.rule for fault in faults_of(good[:4])]
    ([], ['five sentences'])
    """
    return certain_faults(sentences) + doubtful_faults(sentences)


def doubtful_faults(sentences: Sequence[str]) -> list[Fault]:
    """The rules of thumb."""
    read = ReadSentences.of(sentences)
    return realistic(sentences) + living_things(read) + plot(sentences) + coherent(sentences, read)


def certain_faults(sentences: Sequence[str]) -> list[Fault]:
    """The rules that need no judgement."""
    faults: list[Fault] = []
    if len(sentences) != SENTENCES:
        faults.append(Fault("five sentences", 0, f"Expected {SENTENCES} sentences, got {len(sentences)}."))
    for at, sentence in enumerate(sentences, start=1):
        if not sentence.strip():
            faults.append(Fault("five sentences", at, "The sentence is empty."))
        if len(sentence) > LONGEST:
            faults.append(
                Fault("length", at, f"{len(sentence)} characters; at most {LONGEST}. Leave out a detail or a clause.")
            )
        if re.search(r"[\"“”«»]|(?:^|\s)'[^']+'(?:\s|[.,!?]|$)", sentence):
            faults.append(Fault("quotation", at, "No quotations: tell what was said instead."))
        if slang := sorted({word for word in lower(sentence) if word in SLANG}):
            faults.append(Fault("slang", at, f"Slang or informal: {', '.join(slang)}."))
    return faults


def lower(sentence: str) -> list[str]:
    """Lower-cased words."""
    return [word.lower().replace("’", "'") for word in WORD.findall(sentence)]


def realistic(sentences: Sequence[str]) -> list[Fault]:
    """Nothing of fairy tales, and no animal that does what only people do."""
    faults = []
    for at, sentence in enumerate(sentences, start=1):
        words = lower(sentence)
        if odd := sorted(set(words) & UNREAL):
            faults.append(Fault("realistic", at, f"Not of everyday life: {', '.join(odd)}.", sure=False))
        for place, word in enumerate(words[:-1]):
            if word in ANIMALS and words[place + 1] in HUMAN:
                faults.append(Fault("realistic", at, f"A {word} that {words[place + 1]}: animals do not.", sure=False))
    return faults


class ReadSentences(NamedTuple):
    """A story as our reader understands it: who does what in which sentence."""

    deeds: tuple[Deed, ...]
    lifeless: frozenset[str]
    """Things and plants that are the subject of something."""
    shared: bool
    """Does anybody or anything come up in two sentences?"""

    @classmethod
    def of(cls, sentences: Sequence[str]) -> ReadSentences:
        """Read the sentences as one story."""
        story = read_events(" ".join(sentences))
        ends = list(itertools.accumulate(len(sentence) + 1 for sentence in sentences))
        entities = {entity.id: entity for entity in story.entities}
        nouns: dict[str, set[str]] = {}
        people: set[str] = set()
        deeds: list[Deed] = []
        for event in story.events:
            for role in event.roles:
                if role.name == "subj" and event.kind in ("verb", "adjective", "copula"):
                    who = role.entity or role.head
                    if not event.passive:
                        nouns.setdefault(who, set()).update({role.head.removesuffix("'s")} - PEOPLE - POINTS)
                    entity = entities.get(role.entity)
                    if entity and entity.kind == "person" and role.head not in APPLIANCES:
                        people.add(who)
                    verb = event.predicate.split("_")[0]
                    deeds.append(Deed(verb, who, role.head, bisect.bisect_right(ends, event.start), event.tense))
        lifeless = frozenset(
            who for who, heads in nouns.items() if heads and who not in people and all(map(is_thing, heads))
        )
        shared = any(
            len({bisect.bisect_right(ends, mention.start) for mention in entity.mentions}) > 1
            for entity in story.entities
        )
        return cls(tuple(deeds), lifeless, shared)


class Deed(NamedTuple):
    """Somebody does something."""

    verb: str
    who: str
    noun: str
    sentence: int
    tense: str


def living_things(read: ReadSentences) -> list[Fault]:
    """Things and plants that feel, speak or walk.

    >>> [fault.sentence for fault in living_things(ReadSentences.of(["The lamp stood there.", "It sighed and hated the wind."]))]
    [2, 2]
    """
    faults = []
    deeds = [deed for deed in read.deeds if deed.verb in OF_THE_MIND and deed.who in read.lifeless]
    for deed in deeds:
        if deed.verb not in SAYING or len({other.verb for other in deeds if other.who == deed.who}) > 1:
            text = f"Things do not {deed.verb}: no thing or plant feels, speaks or walks."
            faults.append(Fault("realistic", deed.sentence + 1, text, sure=False))
    return faults


def is_thing(noun: str) -> bool:
    """Does a noun name a thing or a plant, in its usual senses?

    >>> is_thing("sofa"), is_thing("dog"), is_thing("nurse"), is_thing("toaster")
    (True, False, False, True)
    """
    kinds = noun_kinds(noun)
    if noun in APPLIANCES:
        return True
    return noun.islower() and bool(THINGS & set(kinds)) and not ANIMATE_KINDS & set(kinds)


def happens(sentence: str) -> bool:
    """Does the sentence tell something that happened, rather than how things are?"""
    told = [
        word
        for word in lower(sentence)
        if base_form(word) and word not in ("had", "read", "put", "let", "cut", "hurt", "set", "hit")
    ]
    return bool(told)


def plot(sentences: Sequence[str]) -> list[Fault]:
    """Something must happen between the beginning and the end, and the end must be one."""
    faults = []
    general = sum(bool(GENERAL.search(sentence)) for sentence in sentences)
    if general > 1 and sum(happens(sentence) for sentence in sentences) < 2:
        text = f"Nothing happens: {general} sentences say how things are. Tell what somebody did."
        faults.append(Fault("beginning and end", 0, text, sure=False))
    if sentences and sentences[-1].rstrip().endswith("?"):
        faults.append(
            Fault("beginning and end", len(sentences), "The story ends in a question instead of an ending.", sure=False)
        )
    return faults


def coherent(sentences: Sequence[str], read: ReadSentences) -> list[Fault]:
    """Characters are shared, and no sentence stands apart.

    Apart stands a sentence that tells no event and names nobody and nothing that another one names, and one that says in the present
    how something new always is, in a story told in the past.
    """
    faults: list[Fault] = []
    names = [{word for word in WORD.findall(s)[1:] if word[0].isupper()} | set(WORD.findall(s)[:1]) for s in sentences]
    casts = [{word.lower().removesuffix("'s") for word in words} - COMMON for words in names]
    who = [cast | (set(lower(sentence)) & PEOPLE) for cast, sentence in zip(casts, sentences, strict=True)]
    people = [{word.split("'")[0] for word in lower(sentence)} & PEOPLE for sentence in sentences]
    content = [{stem(word) for word in lower(sentence)} - COMMON for sentence in sentences]
    apart = all(not one & other for one, other in itertools.combinations(content, 2)) and sum(map(bool, people)) < 2
    no_cast = not any(people) and not any(who[0] & other for other in who[1:])
    if len(sentences) > 1 and (no_cast or (apart and not read.shared)):
        text = "No character comes up again: tell about the same people throughout."
        faults.append(Fault("shared characters", 0, text, sure=False))
    general = present_among_past(read, content, len(sentences))
    for index, words in enumerate(content):
        others = set().union(*(content[:index] + content[index + 1 :])) if len(content) > 1 else words
        happened = any(base_form(word) for word in lower(sentences[index]))  # a storm may hit out of nowhere
        called = NAMED.match(sentences[index]) and any(people[:index] + people[index + 1 :])  # Tim, whom others call he
        meant = POINTS & set(lower(sentences[index])) or called or KNOWN.match(sentences[index])
        if sentences[index].strip() and not people[index] and not happened and not meant and not words & others:
            text = "Has nothing to do with the other sentences: no person and no thing in common."
            faults.append(Fault("irrelevant", index + 1, text, sure=False))
        elif index in general:
            text = f"The story is told in the past, and this says how {general[index]} always is: what has it to do with the story?"
            faults.append(Fault("irrelevant", index + 1, text, sure=False))
    return faults


def present_among_past(read: ReadSentences, content: Sequence[set[str]], size: int) -> dict[int, str]:
    """Sentences in the present about something that no other sentence names, where most others are in the past: their subjects."""
    tenses: dict[int, set[str]] = {}
    for deed in read.deeds:
        if deed.tense:
            tenses.setdefault(deed.sentence, set()).add(deed.tense)
    if 2 * sum(kinds == {"past"} for kinds in tenses.values()) <= size:
        return {}
    general = {}
    moved = {deed.sentence for deed in read.deeds if deed.noun in PEOPLE}
    for deed in read.deeds:
        if deed.sentence in moved:
            continue
        others = set().union(*(words for index, words in enumerate(content) if index != deed.sentence))
        if (
            tenses.get(deed.sentence) == {"present"}
            and deed.noun not in PEOPLE | POINTS
            and stem(deed.noun.lower()) not in others
        ):
            general[deed.sentence] = deed.noun
    return general


def stem(word: str) -> str:
    """A crude stem, so that *apple* and *apples* are one thing."""
    word = word.removesuffix("'s")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
