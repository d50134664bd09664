"""A sentence -> the same sentence with its feeling turned round, by a small table of opposites and by negation.

Used to make wrong endings from right ones (`negatives`). Both directions are in the table, and a negation is taken out as
readily as one is put in, so that a wrong ending cannot be told by its having a "not".
"""

from __future__ import annotations

import random
import re

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
    if re.search(r"(?:[^aeiou][aeiou][vzscgu]|[^aeiou][aeiou]k|at|id|ir|ar|or|pl|bl|tl|dl|[lrn]g|[rnls][sc]|v|u)$", stem) and not re.search(
        r"(?:eat|eak|ook|oar|air|oor|isit|ess|iss|ass|uss|eap|our|sh|ch)$", stem
    ):
        return stem + "e"
    return stem


def negate(text: str) -> str | None:
    """A negation put in or taken out, None where no rule fits.

    >>> negate("She went home."), negate("He was not there."), negate("They decided to stay."), negate("Ann could swim.")
    ('She did not go home.', 'He was there.', 'They decided not to stay.', 'Ann could not swim.')
    """
    if found := re.search(rf"\b({AUXILIARY}|did|do|does)(?: not\b|n't\b)", text):
        rest = text[: found.start()] + (found[1] if found[1] not in ("did", "do", "does") else "") + text[found.end() :]
        return re.sub(r"  +", " ", rest) if found[1] not in ("did", "do", "does") else None
    if re.search(r"\bnever\b", text):
        return re.sub(r"\bnever\b", "always", text, count=1)
    if re.search(r"\b(?:decided|wanted|managed|agreed|planned|tried) to\b", text):
        return re.sub(r"\b(decided|wanted|managed|agreed|planned|tried) to\b", r"\1 not to", text, count=1)
    if found := re.search(rf"\b({AUXILIARY})\b", text):
        return text[: found.end()] + " not" + text[found.end() :]
    if (found := re.match(rf"(.*?\b{SUBJECT} )([a-z]+)\b", text)) and (verb := base_form(found[2])):
        return f"{found[1]}did not {verb}{text[found.end() :]}"
    return None


def flip(text: str, dice: random.Random | None = None) -> str | None:
    """The sentence with its feeling turned round; None where no rule fits.

    >>> flip("The cake was delicious.")
    'The cake was disgusting.'
    """
    dice = dice or random.Random(1)
    found = [word for word in re.finditer(r"[A-Za-z]+", text) if word[0].lower() in OPPOSITE]
    turned = negate(text)
    if found and (turned is None or dice.random() < 0.7):
        word = dice.choice(found)
        new = dice.choice(OPPOSITE[word[0].lower()])
        if word[0][0].isupper():
            new = new[0].upper() + new[1:]
        return text[: word.start()] + new + text[word.end() :]
    return turned
