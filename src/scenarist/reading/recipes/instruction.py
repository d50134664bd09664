"""Words of an instruction -> Clauses: what is done, to what, and with which parts (in, with, until, for, ...).

Recipes speak in imperatives: a verb of the kitchen, what it is done to, then parts that begin with a preposition. So a list of
verbs and foods reads them more surely than a parser of news does, and what is on neither list is said to be unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scenarist.reading.recipes.kitchen import NO_PLURAL, Kitchen, singular

BEGINS = {
    "in": "in", "inside": "in", "into": "into", "onto": "on", "on": "on", "upon": "on", "over": "over", "with": "with",
    "using": "with", "from": "from", "off": "from", "to": "to", "until": "until", "till": "until", "for": "for", "at": "at",
    "by": "by", "under": "on", "through": "into", "about": "for", "along": "with", "before": "before", "after": "before",
    "while": "before", "so": "before", "if": "before", "as": "before", "when": "before", "between": "on", "among": "on",
    "around": "on", "toward": "to", "against": "on", "every": "every", "overnight": "for",
}  # fmt: skip
"""Word -> the part that it begins; what stands behind *before* is left unread."""
ADVERBS = frozenset(
    (
        "gently carefully slowly thinly finely evenly well again immediately lightly coarsely thoroughly completely just now first "
        "next then finally quickly briefly roughly please very generously tightly vigorously loosely freshly fully also once "
        "always simply partially slightly continuously constantly occasionally frequently together separately lengthwise crosswise"
    ).split()
)
DETERMINERS = frozenset(
    (
        "the a an some any your each both all this that these those my our another every two three four five six seven eight nine ten "
        "twelve several half"
    ).split()
)
PRONOUNS = {"it": False, "them": True, "everything": False, "this": False, "that": False, "these": True, "all": False}
"""Word -> is it plural?"""
MEASURES = frozenset(
    (
        "cup can tin bunch head clove slice piece pinch tablespoon teaspoon stick package bag jar pound ounce bottle loaf glass pot "
        "bowl box lot bit handful half rest remainder remaining pan zest juice tbsp tsp cube dash sprig stalk ear fillet kettle"
    ).split()
)
TOOLS_AT_HAND = frozenset(
    (
        "fork spoon whisk knife spatula mixer masher hand hands blender towel foil wrap lid brush cloth tongs peeler grater cup "
        "fingers sieve strainer colander paper mallet hammer thermometer toothpick skewer processor ladle scissors"
    ).split()
)
HEAT = frozenset("heat low medium high flame simmer fire".split())
SPLITS = frozenset("and then ,".split())


class InstructionClause(NamedTuple):
    """One thing to do."""

    verb: str
    verb_at: int
    """The place of the verb among the words."""
    words: tuple[str, ...]
    """What it is done to, as it was said; empty where nothing is named."""
    first: int
    """The place of the head of that."""
    heads: tuple[str, ...]
    """The known words in it, in the singular; empty where none is known."""
    plural: bool
    states: frozenset[str]
    parts: dict[str, tuple[int, tuple[str, ...]]]
    """Part -> its place and its words, without the preposition."""
    unread: tuple[str, ...] = ()
    """Words that say something and were not understood."""


def longest_verb(words: Sequence[str], index: int, kitchen: Kitchen) -> tuple[str, int]:
    """The longest known verb that begins here, and how many words it has; *caramelise* is *caramelize*."""
    for size in (4, 3, 2, 1):
        verb = " ".join(words[index : index + size])
        if verb.endswith("ise") and verb not in kitchen.verbs:
            verb = verb.removesuffix("ise") + "ize"
        if len(words[index : index + size]) == size and verb in kitchen.verbs:
            return verb, size
    return "", 0


def split_clauses(words: Sequence[str], kitchen: Kitchen) -> list[range]:
    """The words of each clause: a new one begins after *and*, *then* or a comma where a verb follows."""
    bounds, start = [], 0
    for index, word in enumerate(words):
        following = index + 1
        while following < len(words) and words[following] in SPLITS | ADVERBS:
            following += 1
        if word in {".", ";", "!"}:
            bounds.append(range(start, index))
            start = index + 1
        elif word in SPLITS and index >= start and following < len(words) and begins_clause(words, following, kitchen):
            bounds.append(range(start, index))
            start = following
    bounds.append(range(start, len(words)))
    return [bound for bound in bounds if len(bound)]


def begins_clause(words: Sequence[str], index: int, kitchen: Kitchen) -> bool:
    """Does a clause begin here? A word that is also a food (*butter*, *salt*) must have a determiner behind it."""
    verb, size = longest_verb(words, index, kitchen)
    if not verb:
        return False
    following = words[index + size] if index + size < len(words) else ""
    if size == 1 and (verb in kitchen.classes or singular(verb) in kitchen.classes or verb in kitchen.tools):
        return following in DETERMINERS
    return True


def read_clauses(words: Sequence[str], kitchen: Kitchen) -> list[InstructionClause]:
    """All that an instruction says to do; a clause without an object takes the one before."""
    clauses: list[InstructionClause] = []
    for bound in split_clauses(words, kitchen):
        clause = read_clause(words, bound, kitchen)
        if clause.words and clause.words[0] in PRONOUNS and len(clause.words) == 1:
            known = next((earlier for earlier in reversed(clauses) if foods_of(earlier, kitchen)), None)
            if known:
                clause = clause._replace(
                    words=named_again(known), heads=known.heads, states=known.states, plural=known.plural
                )
            else:
                clause = clause._replace(heads=("mixture",))
        elif not clause.words and (
            earlier := next(
                (clause_before for clause_before in reversed(clauses) if foods_of(clause_before, kitchen)), None
            )
        ):
            clause = clause._replace(
                words=named_again(earlier), heads=earlier.heads, plural=earlier.plural, first=earlier.first
            )
        elif not clause.words and clause.verb:
            clause = with_object_behind(clause, words, bound, kitchen)
        clauses.append(clause)
    return clauses


def named_again(clause: InstructionClause) -> tuple[str, ...]:
    """What a clause was about, as one names it again: *two eggs* are *the eggs*."""
    words = list(clause.words)
    while words and (words[0] in DETERMINERS or words[0][0].isdigit()):
        words.pop(0)
    return ("the", *words)


def foods_of(clause: InstructionClause, kitchen: Kitchen) -> list[str]:
    """The foods of a clause."""
    return [head for head in clause.heads if head in kitchen.classes]


def with_object_behind(
    clause: InstructionClause, words: Sequence[str], bound: range, kitchen: Kitchen
) -> InstructionClause:
    """*Peel and chop the carrots*: a first verb without an object shares that of the next; else it is done to what is there."""
    ways = kitchen.verbs[clause.verb]
    behind = [
        later for later in split_clauses(words, kitchen) if later.start == bound.stop + 1 and words[bound.stop] == "and"
    ]
    following = read_clause(words, behind[0], kitchen) if behind and not clause.parts else None
    if following is None or not any(head in kitchen.classes for head in following.heads):
        if any(way.of == ("-",) and not way.part for way in ways):
            return clause
        return clause._replace(words=("it",), heads=("mixture",))
    return clause._replace(
        words=following.words,
        first=following.first,
        heads=following.heads,
        plural=following.plural,
        states=following.states,
    )


def read_clause(words: Sequence[str], bound: range, kitchen: Kitchen) -> InstructionClause:
    """One clause: verb, object, parts."""
    index = bound.start
    while index < bound.stop and words[index] in ADVERBS | {"you", "to", "and", "let's"}:
        index += 1
    inside = list(range(index, bound.stop))
    verb, used = spread_verb([words[place] for place in inside], kitchen)
    if not verb:
        unknown = words[index] if index < bound.stop else ""
        return InstructionClause("", index, (), index, (), False, frozenset(), {}, (unknown,) if unknown else ())
    rest = [place for index, place in enumerate(inside) if index not in used]
    phrase: list[int] = []
    parts: dict[str, list[int]] = {}
    name = ""
    for place in rest:
        word = words[place]
        if word == "out" and place + 1 < len(words) and words[place + 1] == "of":
            name = "from"
            parts.setdefault(name, [])
        elif word == "of" and name == "from" and not parts[name]:
            continue
        elif word in BEGINS and not (word == "about" and name) and not (word == "every" and not phrase):
            name = BEGINS[word]
            parts.setdefault(name, [])
            if word == "overnight":
                parts[name].append(place)
        elif word in ADVERBS:
            continue
        elif name:
            parts[name].append(place)
        elif word != ",":
            phrase.append(place)
    if "lengthwise" in words:
        parts["lengthwise"] = [list(words).index("lengthwise")]
    said = tuple(words[place] for place in phrase)
    heads, plural, states, unread = read_object(said, kitchen)
    head_place = phrase[-1] if phrase else index
    for place in phrase:
        if singular(words[place]) in heads:
            head_place = place
    for places in parts.values():
        while places and words[places[-1]] in ("or", "and", ","):
            places.pop()
    kept = {name: (places[0], tuple(words[place] for place in places)) for name, places in parts.items() if places}
    return InstructionClause(verb, index, said, head_place, heads, plural, states, kept, unread)


def spread_verb(words: Sequence[str], kitchen: Kitchen) -> tuple[str, set[int]]:
    """The verb at the beginning, also in two places (*take the cake out*, *bring the broth to a boil*), and its places."""
    best, used = longest_verb(words, 0, kitchen)
    places = set(range(used))
    for verb in kitchen.verbs:
        first, _, rest = verb.partition(" ")
        if not rest or not words or words[0] != first or len(verb.split()) <= len(best.split()):
            continue
        tail = rest.split()
        for index in range(2, len(words) - len(tail) + 1):
            ends = (
                index + len(tail) == len(words) or words[index + len(tail)] in BEGINS or words[index + len(tail)] == ","
            )
            if (
                list(words[index : index + len(tail)]) == tail
                and ends
                and not (tail == ["in"] and index + 1 != len(words))
            ):
                best, places = verb, {0, *range(index, index + len(tail))}
    return best, places


def read_object(said: Sequence[str], kitchen: Kitchen) -> tuple[tuple[str, ...], bool, frozenset[str], tuple[str, ...]]:
    """The known words of what it is done to, whether they are many, their states, and what was not understood."""
    if len(said) == 1 and said[0] in PRONOUNS:
        return (), PRONOUNS[said[0]], frozenset(), ()
    heads: list[str] = []
    unread: list[str] = []
    plural = False
    groups: list[list[str]] = [[]]
    for word in said:
        if word in ("and", "or", ",", "&"):
            groups.append([])
        else:
            groups[-1].append(word)
    groups = [group for group in groups if group]
    states = frozenset(kitchen.states[word] for word in said if word in kitchen.states)
    for group in groups:
        named = group
        if "of" in group:
            before, behind = group[: group.index("of")], group[group.index("of") + 1 :]
            if behind and before and singular(before[-1]) in MEASURES:
                named = behind
                heads += [before[-1]] if before[-1] in ("zest", "juice") else []
                states |= {"canned"} if singular(before[-1]) in ("can", "tin") else set()
        head = known_head(named, kitchen)
        if head:
            heads.append(head)
            heads += ["can"] if "canned" in states and named is not group else []
        else:
            content = [
                word
                for word in named
                if word not in DETERMINERS and not word[0].isdigit() and word not in kitchen.states
            ]
            unread += content[-1:]
        last = group[-1]
        plural = plural or (last.endswith("s") and singular(last) != last and last not in NO_PLURAL)
    return tuple(heads), plural or len(groups) > 1, states, tuple(unread)


def known_head(named: Sequence[str], kitchen: Kitchen) -> str:
    """The longest known name at the end of a noun phrase, in the singular."""
    for start in range(len(named)):
        name = " ".join([*named[start:-1], singular(named[-1])])
        if name in kitchen.classes or name in kitchen.tools:
            return name
    return ""
