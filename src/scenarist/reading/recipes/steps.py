"""Clauses -> steps: the way that fits is chosen and its slots are filled with the instruction's own words.

Every word of a step knows the word of the instruction that it was told from: what fills a slot comes from that part, all else
from the verb. What is outside the kitchen is refused, with the word that is not known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from scenarist.errors import BadInput
from scenarist.reading.recipes.instruction import (
    DETERMINERS,
    HEAT,
    PRONOUNS,
    TOOLS_AT_HAND,
    InstructionClause,
    read_clauses,
)
from scenarist.reading.recipes.kitchen import SLOT, Kitchen, Way, kitchen, singular

VESSELS = ("pan", "bowl", "tin", "machine")
SAYS_WHEN = re.compile(r"\b(?:is|are|has|have|[a-z]+s|begin|come|turn|start|reach|float|pull|look)\b")
WORD = re.compile(r"[\w'°-]+|[^\w\s]")
SPECIFIC, GENERAL, LOOSE = 0.85, 0.7, 0.5
"""Confidence where the way names the thing; where it is one for all foods; where words of the instruction were not understood."""


class FilledStep(NamedTuple):
    """One step, its words, and for each word the place in the instruction that it was told from."""

    text: str
    words: tuple[str, ...]
    path: tuple[int, ...]


class ExplainedClause(NamedTuple):
    """What one clause comes to."""

    clause: InstructionClause
    way: Way
    steps: tuple[FilledStep, ...]
    confidence: float


def explain_words(words: Sequence[str], known: Kitchen | None = None) -> list[ExplainedClause]:
    """The steps of an instruction, clause by clause; what is not known is an error that says which word."""
    known = known or kitchen()
    parts: list[ExplainedClause] = []
    for clause in read_clauses(words, known):
        part = steps_of(clause, known)
        left = tuple(step for step in part.steps if not done_already(step, parts))
        parts.append(part._replace(steps=left or part.steps))
    return parts


def done_already(step: FilledStep, parts: Sequence[ExplainedClause]) -> bool:
    """Was this preparation done by an earlier clause: washing what was peeled, rolling out what was rolled out?"""
    said = " ".join(step.words).lower()
    return any(
        part.clause.verb in verbs and all(word in said.split() for word in words)
        for part in parts
        for verbs, words in PREPARED.items()
    )


PREPARED: dict[frozenset[str], tuple[str, ...]] = {
    frozenset({"peel", "wash", "rinse", "scrub", "clean", "wash and dry"}): ("wash",),
    frozenset({"roll", "roll out"}): ("roll", "out"),
}
"""Verbs of an earlier clause, and the words of a later step that would do the same once more."""


def steps_of(clause: InstructionClause, known: Kitchen) -> ExplainedClause:
    """The steps of one clause."""
    if not clause.verb:
        near = clause.unread[0] if clause.unread else ""
        raise BadInput(f"I do not know how one does {near!r} in a kitchen.")
    foods = [head for head in clause.heads if head in known.classes or head in known.tools]
    generic = bool(clause.words) and clause.words[0] in PRONOUNS
    if clause.unread and not foods:
        raise BadInput(f"I know how one does {clause.verb!r}, but not what {clause.unread[0]!r} is in a kitchen.")
    for name, (_, value) in clause.parts.items():
        if name in ("with", "into", "in", "on") and strange(value, known):
            raise BadInput(f"I know how one does {clause.verb!r}, but not {name} {' '.join(value)!r}.")
    if "sink" in clause.parts.get("into", (0, ()))[1] and not THROWN_AWAY.intersection(clause.heads):
        raise BadInput(f"{' '.join(clause.words)!r} would be lost: into the sink goes what is thrown away.")
    way = fitting_way(clause, known, generic)
    if way is None:
        thing = " ".join(clause.words) or "nothing"
        raise BadInput(f"I know the word {clause.verb!r}, but not how one does that to {thing}.")
    filled = tuple(step for line in way.steps if (step := fill_step(line, clause, known)) is not None)
    confidence = SPECIFIC if way.of and way.of != ("-",) else GENERAL
    if clause.unread or "before" in clause.parts:
        confidence = LOOSE
    return ExplainedClause(clause, way, filled, confidence)


THROWN_AWAY = frozenset("water liquid brine fat grease peel colander sieve strainer dish pot pan bowl".split())
"""What goes into a sink."""


def strange(value: Sequence[str], known: Kitchen) -> bool:
    """Is none of these words one of a kitchen?"""
    common = (
        TOOLS_AT_HAND
        | HEAT
        | {"half", "halves", "quarters", "thirds", "fridge", "refrigerator", "freezer", "side", "top"}
    )
    for word in value:
        name = singular(word)
        if name in known.classes or name in known.tools or name in common or word in common or word in known.states:
            return False
        if word[0].isdigit() or name in KITCHEN_WORDS:
            return False
    return not any(
        " ".join(value[index:]) in known.classes or " ".join(value[index:]) in known.tools
        for index in range(len(value))
    )


KITCHEN_WORDS = frozenset(
    (
        "slice piece strip cube chunk wedge ring round stick disc part ball layer bit size bite inch cm mixture mix center middle surface "
        "paper foil plastic wrap film parchment mat towel rack board shelf sink sheet ice bath temperature medium hot cold warm boiling "
        "room "
        "crumb coating fat peak well hole edge bottom rectangle circle square log round thick thin batch each other own low high it them "
        "topping filling garnish lot skin shell paste puree stove string twine burner basket steamer cooker place all patty loaf"
    ).split()
)
"""Words of shapes, places and wrappings that parts of an instruction are made of."""


def fitting_way(clause: InstructionClause, known: Kitchen, generic: bool) -> Way | None:
    """The first way of the verb that the clause fits; one for a part named, for this food, for any food."""
    names = [known.classes.get(head, frozenset({head})) | {known.tools.get(head, head), head} for head in clause.heads]
    if generic and not clause.heads:
        names = [frozenset({"mixture"})]
    fitting = []
    for way in known.verbs.get(clause.verb, ()):
        if way.state and way.state not in clause.states:
            continue
        if way.part and not has_part(way.part, clause):
            continue
        if way.of == ("-",):
            if not clause.words:
                return way
            continue
        if not clause.words or not names:
            continue
        hits = sum(bool(set(way.of) & entry) for entry in names)
        edible = (
            all(head in known.classes for head in clause.heads) or generic or way.part in ("to", "into", "on", "in")
        )
        if (way.of and hits) or (not way.of and edible):
            fitting.append((way, hits))
    if not fitting:
        return None
    return max(fitting, key=lambda entry: (entry[1], bool(entry[0].part)))[0]


def has_part(part: str, clause: InstructionClause) -> bool:
    """Does the clause have this part: ``into``, or one of a kind, ``in oven``?"""
    name, _, kind = part.partition(" ")
    if name == "deep":
        return any("deep" in value for _, value in clause.parts.values())
    if name not in clause.parts and not (name == "in" and kind and "into" in clause.parts):
        return False
    value = clause.parts.get(name, clause.parts.get("into", (0, ())))[1]
    if not kind:
        return True
    words = {singular(word) for word in value} | set(value)
    kinds = {
        "half": {"half", "halves"}, "oven": {"oven"}, "fridge": {"fridge", "refrigerator", "freezer"}, "heat": set(HEAT - {"medium"}),
        "cooker": {"cooker", "crockpot"}, "microwave": {"microwave"}, "water": {"water", "broth", "stock"},
        "wedges": {"wedge", "segment"}, "flour": {"flour", "mixture", "ingredient"}, "cubes": {"cube", "chunk", "piece", "dice"},
        "strips": {"strip", "stick", "matchstick", "julienne"},
    }  # fmt: skip
    return bool(words & kinds.get(kind, {kind}))


def fill_step(line: str, clause: InstructionClause, known: Kitchen) -> FilledStep | None:
    """One line with its slots filled; None where all of it hangs on a part that is not named."""
    for bracket in re.findall(r"\[[^\]]*\]", line):
        slots = [
            slot[1]
            for slot in SLOT.finditer(bracket)
            if slot[2] is None and slot[1] not in ("x", "it", "they", "are", "s", "do")
        ]
        kept = all(part_words(name, clause, known) for name in slots)
        line = line.replace(bracket, bracket[1:-1] if kept else "")
    if not line.strip():
        return None
    text, sources, end = "", [], 0
    for slot in SLOT.finditer(line):
        text += line[end : slot.start()]
        value, place = slot_text(slot[1], slot[2], text, clause, known)
        sources.append((len(text), len(text) + len(value), place))
        text += value
        end = slot.end()
    text = re.sub(r"\s+([,.;])", r"\1", text + line[end:]).replace("for overnight", "overnight")
    text = text[0].upper() + text[1:]
    words, path = [], []
    for token in WORD.finditer(text):
        words.append(token[0])
        path.append(
            next(
                (place for start, stop, place in sources if start <= token.start() < stop and place >= 0),
                clause.verb_at,
            )
        )
    return FilledStep(text, tuple(words), tuple(path))


def part_words(name: str, clause: InstructionClause, known: Kitchen) -> tuple[int, tuple[str, ...]] | None:
    """What the clause says for a slot: its place and words."""
    parts = clause.parts
    if name == "vessel":
        return next(
            (parts[part] for part in ("in", "into") if part in parts and kind_of(parts[part][1], known) in VESSELS),
            None,
        )
    if name == "oil":
        value = parts.get("in")
        return (
            value
            if value and any({"oil", "butter"} & known.classes.get(singular(word), frozenset()) for word in value[1])
            else None
        )
    if name == "add":
        value = parts.get("with")
        return value if value and not any(word in TOOLS_AT_HAND for word in value[1]) else None
    if name in ("over", "at"):
        heats = [
            parts[part] for part in ("over", "on", "at") if part in parts and set(parts[part][1]) & (HEAT | {"degrees"})
        ]
        return heats[0] if heats else (parts.get(name) if name == "over" else None)
    if name == "on":
        return parts.get("on") or (parts.get("over") if "over" in parts and not set(parts["over"][1]) & HEAT else None)
    return parts.get(name)


def kind_of(value: Sequence[str], known: Kitchen) -> str:
    """The kind of tool that these words name."""
    return next(
        (
            known.tools[name]
            for size in (3, 2, 1)
            if (name := " ".join([*value[-size:-1], singular(value[-1])])) in known.tools
        ),
        "",
    )


def slot_text(
    name: str, default: str | None, before: str, clause: InstructionClause, known: Kitchen
) -> tuple[str, int]:
    """What stands in a slot, and the place of the instruction that it comes from (-1: the verb)."""
    plural = clause.plural
    agreeing = {
        "it": "them" if plural else "it", "they": "they" if plural else "it", "are": "are" if plural else "is", "s": "" if plural else "s",
        "do": "do" if plural else "does", "shimmer": "shimmer" if plural else "shimmers", "hot": "hot",
    }  # fmt: skip
    if name == "x":
        return object_text(clause, before), clause.first
    if name in agreeing:
        return agreeing[name], clause.first if name in ("it", "they") else -1
    standard = SLOT.sub(lambda slot: agreeing.get(slot[1], slot[0]), default) if default else ""
    said = part_words(name, clause, known)
    heat = re.search(r"\b(?:heat|low|high|medium)\b", standard) is not None
    if said is None or (name in ("over", "to") and heat and not set(said[1]) & (HEAT | {"low", "high"})):
        return standard, -1
    place, value = said
    text = " ".join(value)
    preposition = {"vessel": "in", "oil": "in", "add": "with"}.get(name, name)
    if name == "until":
        whole = when(text, agreeing)
        if standard.startswith("until"):
            return f"until {whole}", place
        if standard.startswith("when"):
            return f"when {whole}", place
        if not standard:
            return f"until {whole}", place
        if "{they}" in (default or "") or SAYS_WHEN.search(standard):
            return whole, place
        return text, place
    first = standard.partition(" ")[0]
    if name == "for" and first in ("for", "about") and not before.rstrip().endswith(" for"):
        return (f"for {text}" if first == "for" or not before.endswith(("for ", "after ")) else text), place
    if first == preposition or (name == "into" and first in ("so", "as", "piece", "about", "of", "all")):
        return f"{'into' if name == 'into' else preposition} {text}", place
    if not standard and not before.rstrip().endswith(f" {preposition}") and name not in ("add",):
        return f"{preposition} {text}", place
    return determined(text, name), place


def determined(text: str, name: str) -> str:
    """With an article where a vessel is named without one."""
    first = text.partition(" ")[0]
    if name in ("vessel",) and first not in DETERMINERS and not first[0].isdigit():
        return f"{'an' if first[0] in 'aeiou' else 'a'} {text}"
    return text


def when(text: str, agreeing: dict[str, str]) -> str:
    """A clause that says how far: *golden* -> *it is golden*.

    >>> when("golden brown", {"they": "they", "are": "are"}), when("the sauce thickens", {"they": "it", "are": "is"})
    ('they are golden brown', 'the sauce thickens')
    """
    first = text.partition(" ")[0]
    if first in (
        "they",
        "it",
        "the",
        "a",
        "no",
        "all",
        "most",
        "edges",
        "bubbles",
        "you",
        "juices",
        "just",
    ) or SAYS_WHEN.search(text):
        return text
    return f"{agreeing['they']} {agreeing['are']} {text}"


def object_text(clause: InstructionClause, before: str) -> str:
    """What it is done to, as a person would say it: with *the*, except where the instruction counts or measures it."""
    if not clause.words:
        return "them" if clause.plural else "it"
    words = list(clause.words)
    if words[0] in ("a", "an") and re.search(r"\w", before):
        words[0] = "the"
    if words[0] in PRONOUNS or words[0] in DETERMINERS or words[0][0].isdigit():
        return " ".join(words)
    return " ".join(["the", *words])
