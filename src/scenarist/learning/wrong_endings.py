"""A sentence -> the same sentence with its feeling turned round, by a small table of opposites and by negation.

Used to make wrong endings from right ones (`negatives`). Both directions are in the table, and a negation is taken out as
readily as one is put in, so that a wrong ending cannot be told by its having a "not".

Stories -> wrong endings: what a discriminator may learn from when nobody labelled anything.

Mostafazadeh et al. (2016, section 4.2) had people write the wrong endings; raw stories have only right ones. Four ways to
make wrong ones, each with a name in the literature on unlabelled Story Cloze:

- ``random``: the ending of any other story;
- ``backward``: an earlier sentence of the same story;
- ``nearest``: the ending of a story whose beginning is most alike (tf.idf cosine), with the people's names and the
  pronouns of *this* story, so that names give nothing away;
- ``flipped``: the right ending with its feeling turned round (a word replaced by its opposite, or a negation put in or
  taken out).

We depart from the literature in the swapping of names. Everything is deterministic given ``seed``; no model is needed.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput

PAIRS = """
happy sad; happily sadly; good bad; great terrible; best worst; better worse; loved hated; love hate; loves hates; won
lost; win lose; passed failed; pass fail; succeeded failed; succeed fail; delicious disgusting; excited bored; proud
ashamed; glad upset; relieved worried; easy hard; easily barely; able unable; always never; everyone nobody;
everything nothing; accepted rejected; agreed refused; agree refuse; remembered forgot; remember forget; found lost;
find lose; bought sold; liked disliked; enjoyed hated; enjoy hate; smiled cried; smile cry; laughed cried; fun boring;
beautiful ugly; clean dirty; safe dangerous; healthy sick; fixed broke; fix break; saved ruined; save ruin; perfect
awful; perfectly badly; wonderful horrible; amazing dreadful; calm angry; friendly rude; friends enemies; confident
nervous; lucky unlucky; kept threw_away; stayed left; stay leave; arrived left; more less; many few; new old; strong
weak; rich poor; warm cold; early late; right wrong; correct wrong; thanked blamed; thankful furious; grateful
furious; satisfied disappointed; pleased disappointed; surprised unimpressed; continued stopped; continue stop;
started stopped; start stop; began quit; promoted fired; hired fired; praised scolded; helped ignored; help ignore;
forgave blamed; brave scared; awake asleep; finished abandoned; finish abandon; success failure; fortunately
unfortunately; luckily sadly; married divorced; together apart; first last; careful careless; closer farther; full
empty; fast slow; quickly slowly; improved worsened; increased fell; tasty burnt; fresh spoiled; kind cruel; nice
mean; honest dishonest; interesting dull; comfortable miserable; joy grief; successful unsuccessful; successfully
unsuccessfully; impressed disappointed; gained lost; recovered died; survived died; lived died; regretted enjoyed;
thrilled devastated; ecstatic miserable; cheerful gloomy; embarrassed proud; cheered booed; hugged slapped; lonely
popular; mad happy
"""
FORMS = """
went go; got get; had have; did do; made make; took take; came come; saw see; knew know; thought think; gave give;
told tell; felt feel; left leave; kept keep; began begin; brought bring; bought buy; ran run; sat sit; stood stand;
lost lose; paid pay; met meet; led lead; understood understand; spoke speak; read read; spent spend; grew grow; won
win; taught teach; sent send; built build; fell fall; cut cut; sold sell; drove drive; broke break; ate eat; drank
drink; wore wear; wrote write; rode ride; slept sleep; woke wake; threw throw; caught catch; fought fight; forgot
forget; found find; said say; heard hear; put put; let let; became become; chose choose; swam swim; sang sing; flew
fly; hit hit; held hold; hid hide; quit quit; set set; stuck stick; stole steal; tore tear; bit bite; blew blow; froze
freeze; forgave forgive; hurt hurt; lent lend; rang ring; rose rise; shook shake; shot shoot; shut shut; sank sink;
slid slide; spread spread; swept sweep
"""
SUBJECT = r"(?:I|[Hh]e|[Ss]he|[Ii]t|[Tt]hey|[Ww]e|[Yy]ou|[A-Z][a-z]+)"
AUXILIARY = "was|were|is|are|could|would|will|can|should|had|has"


def pairs(table: str) -> list[tuple[str, str]]:
    """Two words an entry, entries parted by semicolons."""
    return [(first, second) for first, second in (entry.split() for entry in table.split(";") if entry.strip())]


OPPOSITE: dict[str, list[str]] = {}
for one, other in pairs(PAIRS):
    OPPOSITE.setdefault(one, []).append(other.replace("_", " "))
    OPPOSITE.setdefault(other.replace("_", " "), []).append(one)
BASE = dict(pairs(FORMS))


def base_form(past: str) -> str | None:
    """The verb behind a past form, None where it does not look like one.

    >>> base_form("stopped"), base_form("tried"), base_form("went"), base_form("loved"), base_form("red")
    ('stop', 'try', 'go', 'love', None)
    """
    if past in BASE:
        return BASE[past]
    if len(past) < 5 or not past.endswith("ed"):
        return None
    stem = past[:-2]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "sl":
        return stem[:-1]
    if re.search(
        r"(?:[^aeiou][aeiou][vzscgu]|[^aeiou][aeiou]k|at|id|ir|ar|or|pl|bl|tl|dl|[lrn]g|[rnls][sc]|v|u)$", stem
    ) and not re.search(r"(?:eat|eak|ook|oar|air|oor|isit|ess|iss|ass|uss|eap|our|sh|ch)$", stem):
        return stem + "e"
    return stem


def negate(text: str) -> str | None:
    """A negation put in or taken out, None where no rule fits.

    >>> negate("She went home."), negate("He was not there."), negate("They decided to stay."), negate("Ann could swim.")
    ('She did not go home.', 'He was there.', 'They decided not to stay.', 'Ann could not swim.')
    """
    if match := re.search(rf"\b({AUXILIARY}|did|do|does)(?: not\b|n't\b)", text):
        rest = text[: match.start()] + (match[1] if match[1] not in ("did", "do", "does") else "") + text[match.end() :]
        return re.sub(r"  +", " ", rest) if match[1] not in ("did", "do", "does") else None
    if re.search(r"\bnever\b", text):
        return re.sub(r"\bnever\b", "always", text, count=1)
    if re.search(r"\b(?:decided|wanted|managed|agreed|planned|tried) to\b", text):
        return re.sub(r"\b(decided|wanted|managed|agreed|planned|tried) to\b", r"\1 not to", text, count=1)
    if match := re.search(rf"\b({AUXILIARY})\b", text):
        return text[: match.end()] + " not" + text[match.end() :]
    if (match := re.match(rf"(.*?\b{SUBJECT} )([a-z]+)\b", text)) and (verb := base_form(match[2])):
        return f"{match[1]}did not {verb}{text[match.end() :]}"
    return None


def flip(text: str, dice: random.Random | None = None) -> str | None:
    """The sentence with its feeling turned round; None where no rule fits.

    >>> flip("The cake was delicious.")
    'The cake was disgusting.'
    """
    dice = dice or random.Random(1)
    matches = [word for word in re.finditer(r"[A-Za-z]+", text) if word[0].lower() in OPPOSITE]
    turned = negate(text)
    if matches and (turned is None or dice.random() < 0.7):
        word = dice.choice(matches)
        new = dice.choice(OPPOSITE[word[0].lower()])
        if word[0][0].isupper():
            new = new[0].upper() + new[1:]
        return text[: word.start()] + new + text[word.end() :]
    return turned


KINDS = ("random", "backward", "nearest", "flipped")
WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|\d+|[^\sA-Za-z\d]")
CLASSES = {"i": "i", "my": "i", "me": "i", "we": "we", "our": "we", "us": "we", "he": "he", "his": "he", "him": "he",
           "she": "she", "her": "she", "they": "they", "their": "they", "them": "they"}  # fmt: skip
SHE = {"he": "she", "him": "her", "his": "her", "himself": "herself"}
HE = {"she": "he", "her": "his", "hers": "his", "herself": "himself"}
COMMON = frozenset(
    "the a an i he she it they we you my his her their our your one two then when after before as so but and in on at to "
    "for from with by this that these those there here what who how why eventually finally suddenly unfortunately luckily "
    "now today yesterday everyone everybody nobody no not all some many most every each its if once while since until "
    "because although though however instead later soon mom dad mother father grandma grandpa god".split()
)


class Ending(NamedTuple):
    """A wrong ending and how it was made."""

    text: str
    kind: str


def words(text: str) -> list[str]:
    """Words and marks of a sentence, case kept."""
    return WORD.findall(text)


class Negatives:
    """Wrong endings for stories; ``fit`` reads the stories the endings are borrowed from.

    >>> tales = [["Ann lost her key.", "She looked for it.", "It was dark.", "She sat down.", "Ann was sad."],
    ...          ["Bob lost his key.", "He looked for it.", "It was cold.", "He sat down.", "Bob was happy."]]
    >>> maker = Negatives(seed=1).fit(tales)
    >>> maker.make(tales[0], "nearest").text, maker.make(tales[0], "flipped").text
    ('Ann was happy.', 'Ann was happy.')
    """

    def __init__(self, seed: int = 13, near: int = 8) -> None:
        self.seed = seed
        self.near = near

    def fit(self, stories: Iterable[Sequence[str]]) -> Negatives:
        """Learn which words are names, how rare each word is, and where each word occurs."""
        self.stories_ = [tuple(story) for story in stories]
        if len(self.stories_) < 2:
            raise BadInput(
                f"Wrong endings are borrowed from other stories: expected two or more, got {len(self.stories_)}."
            )
        upper: Counter[str] = Counter()
        lower: Counter[str] = Counter()
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number, story in enumerate(self.stories_):
            seen: set[str] = set()
            for sentence in story:
                for word in words(sentence):
                    (upper if word[0].isupper() else lower)[word.lower()] += 1
            for sentence in story[:-1]:
                seen.update(word.lower() for word in words(sentence) if word.isalpha())
            for word in seen:
                places[word].append(number)
        self.names_ = {
            word for word, n in upper.items() if n > 9 * lower[word] and word.isalpha() and word not in COMMON
        }
        common = max(10, len(self.stories_) // 10)
        self.places_: dict[str, npt.NDArray[np.int32]] = {
            word: np.array(found, dtype=np.int32) for word, found in places.items()
            if len(found) <= common and word not in self.names_
        }  # fmt: skip
        self.rarity_ = {word: math.log(len(self.stories_) / len(found)) for word, found in self.places_.items()}
        norms = np.zeros(len(self.stories_), dtype=np.float32)
        for word, found in self.places_.items():
            norms[found] += self.rarity_[word] ** 2
        self.norms_ = np.sqrt(np.maximum(norms, 1e-6))
        return self

    def people(self, story: Sequence[str]) -> list[str]:
        """Names in a story, most frequent first."""
        names = Counter(word for sentence in story for word in words(sentence) if word.lower() in self.names_)
        return [name for name, _ in names.most_common()]

    @staticmethod
    def person(story: Sequence[str]) -> str:
        """Whom a story is about: ``i``, ``we``, ``he``, ``she`` or ``they``."""
        counts = Counter(
            CLASSES[word.lower()] for sentence in story for word in words(sentence) if word.lower() in CLASSES
        )
        return counts.most_common(1)[0][0] if counts else "they"

    def alike(self, story: Sequence[str]) -> list[int]:
        """Numbers of the stories with the most similar beginnings, most similar first; the story itself left out."""
        scores = np.zeros(len(self.stories_), dtype=np.float32)
        for word in sorted({word.lower() for sentence in story[:4] for word in words(sentence)}):
            if word in self.places_:
                scores[self.places_[word]] += self.rarity_[word] ** 2
        scores /= self.norms_
        best = np.argsort(-scores, kind="stable")[: 6 * self.near]
        return [int(number) for number in best if self.stories_[number][:4] != tuple(story[:4])]

    def dress(self, ending: str, donor: Sequence[str], story: Sequence[str]) -> str:
        """A borrowed ending with the names and pronouns of this story."""
        theirs, ours = self.people(donor), self.people(story[:4])
        swap = dict(zip(theirs, ours, strict=False))
        who, whose = self.person(donor), self.person(story[:4])
        pronouns = SHE if (who, whose) == ("he", "she") else HE if (who, whose) == ("she", "he") else {}
        subject = {"he": "He", "she": "She", "i": "I", "we": "We"}.get(whose, "They")
        parts: list[str] = []
        last = 0
        for match in WORD.finditer(ending):
            word = match[0]
            new = swap.get(word, word)
            if new == word and word.lower() in self.names_ and word in theirs:
                new = subject if match.start() == 0 else subject.lower()
            elif word.lower() in pronouns:
                new = pronouns[word.lower()]
                if word.lower() == "her" and re.match(
                    r"\s*(?:[.,!?]|$|to\b|and\b|for\b|with\b|in\b)", ending[match.end() :]
                ):
                    new = "him"
                new = new.capitalize() if word[0].isupper() else new
            parts += [ending[last : match.start()], new]
            last = match.end()
        return "".join([*parts, ending[last:]])

    def make(self, story: Sequence[str], kind: str, turn: int = 0) -> Ending | None:
        """One wrong ending of a kind for a story of five sentences; ``turn`` asks for another one. None where there is none."""
        if kind not in KINDS:
            raise BadInput(f"There is no kind of wrong ending {kind!r}. Known: {', '.join(KINDS)}.")
        if len(story) < 2 or not all(sentence.strip() for sentence in story):
            raise BadInput(
                f"Expected a story with a beginning and an ending, got {len(story)} sentences, some perhaps empty."
            )
        if kind in ("random", "nearest") and not hasattr(self, "stories_"):
            raise BadInput(f"{kind} endings are borrowed from other stories: call fit(stories) first.")
        dice = random.Random(f"{self.seed}/{turn}/{' '.join(story)}")
        right = story[-1]
        text: str | None = None
        if kind == "random":
            donor = dice.choice(self.stories_)
            text = self.dress(donor[-1], donor, story)
        elif kind == "backward":
            text = dice.choice(story[:-1])
        elif kind == "flipped":
            text = flip(right, dice)
        else:
            whose = self.person(story[:4])
            donors = self.alike(story)
            fitting = [
                n for n in donors if (who := self.person(self.stories_[n])) == whose or {who, whose} == {"he", "she"}
            ]
            for number in (fitting or donors)[turn % self.near :]:
                donor = self.stories_[number]
                text = self.dress(donor[-1], donor, story)
                if text != right:
                    break
        return Ending(text, kind) if text and text != right else None
