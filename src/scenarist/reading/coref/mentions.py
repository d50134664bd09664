"""A parsed Story -> its candidate mentions, as arrays: where they stand and what kind of thing they seem to name.

A mention is a noun, name or pronoun with its subtree, less what belongs to the clause (case marks before it, conjuncts,
appositions, copula and subject); a coordination is a mention of its own. On GUM's gold trees 93 % of OntoGUM's mentions are found so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.reading.coref import lexicon as lex
from scenarist.reading.coref.scene import Whereabouts, quotations, whereabouts
from scenarist.story import Story, Token

Array = npt.NDArray[Any]

KINDS = ("", "person", "place", "organisation", "object", "animal", "time", "event", "abstract", "plant", "substance")
DEPS = tuple("nsubj nsubj:pass obj iobj obl nmod nmod:poss conj appos root compound vocative other".split())

_OUTSIDE = frozenset(
    "cc conj appos mark cop nsubj csubj aux parataxis advcl ccomp discourse dep list orphan reparandum vocative dislocated expl".split()
)
_OUTSIDE_PREDICATE, _BEFORE_NAME = frozenset("advmod obl obj xcomp iobj".split()), frozenset(("nmod", "obl"))
_INNER = frozenset("flat fixed goeswith compound amod det nummod punct cc case mark cop aux discourse".split())
UNKNOWN, ONE, MANY = 0, 1, 2
MALE, FEMALE, NEUTER = 1, 2, 3


@dataclass(slots=True)
class Mentions:
    """Parallel arrays, in text order (by start, the longer first)."""

    first: Array
    last: Array
    head: Array
    cls: Array
    number: Array
    gender: Array
    alive: Array
    """0 unknown, 1 animate, 2 not"""
    kind: Array
    dep: Array
    article: Array
    sentence: Array
    governor: Array
    """token that the head hangs on, -1 for a root"""
    quote: Array
    """number of the quotation it stands in, 0 outside"""
    reflexive: Array
    words: list[frozenset[str]]
    """content words, lower-cased lemmas"""
    heads: list[str]
    """lower-cased lemma of the head"""
    texts: list[str]
    """the words in lower case, without article and possessive mark"""
    forms: list[str]
    speakers: dict[int, int]
    """quotation -> place of its speaker among the mentions"""
    rivals: list[tuple[int, ...]]
    """mentions that are arguments of the same verb, a subject shared by conjunction or control included, where neither is reflexive"""
    parts: dict[int, tuple[int, ...]]
    """coordination -> its members, as places"""
    where: Whereabouts

    def __len__(self) -> int:
        return len(self.first)


def find(story: Story, kinds: Sequence[str] = ()) -> Mentions:
    """All candidates of a parsed story."""
    tokens = story.tokens
    known: dict[str, str] = {}
    lower = [_lower(story.text[token.start : token.stop], known) for token in tokens]
    none: list[int] = []
    children = [none] * len(tokens)
    for place, token in enumerate(tokens):
        if token.head >= 0:
            if children[token.head]:
                children[token.head].append(place)
            else:
                children[token.head] = [place]
    left, right = extents(story)
    sentence = np.zeros(len(tokens), dtype=int)
    for number, one in enumerate(story.sentences):
        sentence[one.first : one.last] = number
    rows: list[tuple[int, int, int, bool]] = []  # first, last, head, coordination
    for place, token in enumerate(tokens):
        loose = token.pos == "PROPN" and token.dep == "flat" and not _joined(token.head, place, tokens)
        if not loose and not _is_candidate(token, lower[place], children[place], tokens):
            continue
        first, last = _span(place, tokens, lower, children[place], left, right)
        rows.append((first, last, place, False))
        conjuncts = [
            child for child in children[place] if tokens[child].dep.startswith("conj") and tokens[child].pos in _NOMINAL
        ]
        if conjuncts and token.pos in _NOMINAL:
            rows.append((first, max(last, *(int(right[child]) for child in conjuncts)), place, True))
    rows = sorted(
        {row[:2]: row for row in sorted(rows, key=lambda row: row[3])}.values(), key=lambda row: (row[0], -row[1])
    )
    return _describe(story, rows, lower, children, sentence, kinds)


def _lower(form: str, known: dict[str, str]) -> str:
    """In lower case with plain apostrophes; the same object for the same word, for a novel's sake."""
    found = known.get(form)
    if found is None:
        found = form.lower().replace("’", "'")
        found = known[form] = known.get(found, found)
    return found


_NOMINAL = frozenset(("NOUN", "PROPN", "PRON"))


def extents(story: Story) -> tuple[Array, Array]:
    """First token and one past the last token of the subtree under each token."""
    size = len(story.tokens)
    left, right = np.arange(size), np.arange(1, size + 1)
    for one in story.sentences:
        base = one.first
        head = [story.tokens[place].head - base for place in range(base, one.last)]
        low, high = list(range(len(head))), list(range(1, len(head) + 1))
        depth = []
        for above in head:
            steps = 0
            while 0 <= above < len(head) and steps < 200:
                steps, above = steps + 1, head[above]
            depth.append(steps)
        for place in sorted(range(len(head)), key=lambda place: -depth[place]):
            above = head[place]
            if 0 <= above < len(head):
                low[above] = min(low[above], low[place])
                high[above] = max(high[above], high[place])
        left[base : one.last] = np.array(low, dtype=int) + base
        right[base : one.last] = np.array(high, dtype=int) + base
    return left, right


def _is_candidate(token: Token, word: str, children: list[int], tokens: Sequence[Token]) -> bool:
    dep = token.dep.partition(":")[0]
    if not any(letter.isalnum() for letter in word):  # emoji, dashes
        return False
    if token.pos == "PRON":
        return (
            word not in lex.RELATIVE
            and token.tag not in {"WDT", "WP", "EX", "WP$"}
            and dep not in {"expl", "fixed", "flat", "goeswith"}
        )
    if token.pos == "PROPN":
        return dep not in {"flat", "fixed", "goeswith"} and token.dep != "nmod:desc"
    if token.pos == "NOUN":
        return dep not in {"flat", "fixed", "goeswith", "compound"} or (
            dep == "compound" and token.tag in {"NNP", "NNPS"}
        )
    if token.pos == "DET":
        return dep not in {"det", "cc", "fixed", "advmod", "mark"} and token.tag != "WDT"
    if token.pos == "NUM":
        if dep == "root" and all(tokens[child].pos == "PUNCT" for child in children):  # the number of a list item
            return False
        return dep in {"nsubj", "obj", "obl", "nmod", "root"} or (dep == "conj" and not children)
    if token.pos == "ADJ":
        return any(tokens[child].dep == "det" for child in children) and dep in {"nsubj", "obj", "obl", "nmod"}
    return token.pos == "ADV" and word in {"there", "here"} and dep in {"advmod", "obl", "root"}


def _span(
    place: int, tokens: Sequence[Token], lower: list[str], children: list[int], left: Array, right: Array
) -> tuple[int, int]:
    predicate = any(tokens[child].dep == "cop" for child in children)
    first, last = place, place + 1
    for child in children:
        name = tokens[child].dep
        dep = name.partition(":")[0]
        if dep in _OUTSIDE or dep == "punct" or (name == "nmod:unmarked" and tokens[child].pos != "NUM"):
            continue
        if dep == "case" and (child < place or not lower[child].startswith("'")):
            continue
        if predicate and (dep in _OUTSIDE_PREDICATE or name == "compound:prt"):
            continue
        if dep == "advmod" and child < place and lower[child] in lex.LOOSE:
            continue
        if dep == "flat" and not _joined(place, child, tokens):
            continue
        marked = any(lower[at] in lex.PLACE_MARKS for at in range(int(left[child]), child))
        if child < place and dep in _BEFORE_NAME and tokens[place].pos == "PROPN" and marked:
            continue  # *At the lake Dad ...*: the phrase belongs to the clause
        first, last = min(first, int(left[child])), max(last, int(right[child]))
    return first, last


def _joined(head: int, child: int, tokens: Sequence[Token]) -> bool:
    """Is a part of a name joined to its head by parts of the same name only?"""
    return all(
        tokens[between].head in (head, child) and not tokens[between].dep.startswith(("cc", "conj"))
        for between in range(min(head, child) + 1, max(head, child))
    )


def _describe(
    story: Story,
    rows: list[tuple[int, int, int, bool]],
    lower: list[str],
    children: list[list[int]],
    sentence: Array,
    kinds: Sequence[str],
) -> Mentions:
    tokens = story.tokens
    size = len(rows)
    columns = {
        name: np.zeros(size, dtype=int)
        for name in ("cls", "number", "gender", "alive", "kind", "dep", "article", "reflexive")
    }
    words: list[frozenset[str]] = []
    heads: list[str] = []
    texts: list[str] = []
    sets: dict[frozenset[str], frozenset[str]] = {}  # what is said twice is kept once
    strings: dict[str, str] = {}
    for place, (first, last, head, group) in enumerate(rows):
        token, word = tokens[head], lower[head]
        cls = _class(token, word, group)
        core = [
            at
            for at in range(first, last)
            if tokens[at].pos not in {"DET", "PUNCT", "PART", "ADP", "CCONJ"} and lower[at] not in lex.POSSESSIVE
        ]
        lemma = (token.lemma or word).lower()
        content = (
            frozenset(
                (tokens[at].lemma or lower[at]).lower()
                for at in core
                if tokens[at].pos in {"NOUN", "PROPN", "ADJ", "NUM", "X"}
            )
            if cls >= lex.NAME
            else frozenset()
        )
        words.append(sets.setdefault(content, content))
        said = lemma if not group else "&".join(sorted(content))
        heads.append(strings.setdefault(said, said))
        text = " ".join(lower[at] for at in core) or word
        texts.append(strings.setdefault(text, text))
        kind = "animal" if lemma in lex.ANIMALS and cls == lex.NOMINAL else kinds[head] if kinds else ""
        if word in OWNED:
            kind = ""
        columns["cls"][place] = cls
        columns["number"][place] = _number(
            token, lemma, cls, [lower[child] for child in children[head] if tokens[child].dep == "nummod"]
        )
        gender = _gender(first, last, head, lower, lemma, cls, tokens)
        alive = _alive(cls, gender, kind, lemma)
        if gender == UNKNOWN and alive == 2:
            gender = NEUTER
        columns["gender"][place], columns["alive"][place] = (gender if not group else UNKNOWN), alive
        columns["kind"][place] = KINDS.index(kind) if kind in KINDS else 0
        columns["dep"][place] = _dep(token)
        columns["article"][place] = _article(head, lower, children[head], tokens, cls)
        columns["reflexive"][place] = word in lex.REFLEXIVE
    at = np.array([row[2] for row in rows], dtype=int)
    quote, speaking = quotations(story, lower)
    by_head = {row[2]: place for place, row in enumerate(rows) if not row[3]}
    return Mentions(
        first=np.array([row[0] for row in rows], dtype=int),
        last=np.array([row[1] for row in rows], dtype=int),
        head=at,
        sentence=sentence[at] if size else at,
        governor=np.array([tokens[row[2]].head for row in rows], dtype=int),
        quote=quote[at] if size else at,
        words=words,
        heads=heads,
        texts=texts,
        forms=[lower[row[2]] for row in rows],
        speakers={number: by_head[token] for number, token in speaking.items() if token in by_head},
        rivals=_rivals(rows, tokens, columns["reflexive"]),
        parts=_parts(rows, children, tokens, by_head),
        where=whereabouts(by_head, tokens, lower, children),
        **columns,
    )


def _parts(
    rows: list[tuple[int, int, int, bool]], children: list[list[int]], tokens: Sequence[Token], by_head: dict[int, int]
) -> dict[int, tuple[int, ...]]:
    found = {}
    for place, (_, _, head, group) in enumerate(rows):
        if group:
            members = [head] + [child for child in children[head] if tokens[child].dep.startswith("conj")]
            found[place] = tuple(by_head[member] for member in members if member in by_head)
    return found


def _rivals(rows: list[tuple[int, int, int, bool]], tokens: Sequence[Token], reflexive: Array) -> list[tuple[int, ...]]:
    arguments: dict[int, dict[str, int]] = {}
    for place, (_, _, head, group) in enumerate(rows):
        dep = tokens[head].dep.partition(":")[0]
        if not group and dep in {"nsubj", "obj", "iobj"} and tokens[head].head >= 0 and not reflexive[place]:
            arguments.setdefault(tokens[head].head, {})[dep] = place
    found: list[tuple[int, ...]] = [()] * len(rows)
    for verb, roles in arguments.items():
        above, steps = verb, 0
        while "nsubj" not in roles and tokens[above].dep in {"conj", "xcomp"} and steps < 4:
            over = tokens[above].head
            control = "obj" if tokens[above].dep == "xcomp" and "obj" in arguments.get(over, {}) else "nsubj"
            if control in arguments.get(over, {}):
                roles = {**roles, "nsubj": arguments[over][control]}
            above, steps = over, steps + 1
        for role, place in roles.items():
            found[place] = tuple(other for name, other in roles.items() if name != role)
    return found


OWNED = frozenset("mine yours ours theirs hers".split())


def _class(token: Token, word: str, group: bool) -> int:
    if group:
        return lex.GROUP
    if token.pos == "PROPN":
        return lex.NAME
    if token.pos in {"PRON", "DET"}:
        if word in {"'s", "s"}:
            return lex.WE  # let's
        if word in OWNED and not token.dep.startswith("nmod"):
            return lex.INDEFINITE  # *I fixed mine*: what is mine, not I
        return lex.PRONOUNS.get(word, lex.INDEFINITE)
    return lex.NOMINAL


def _number(token: Token, lemma: str, cls: int, counts: list[str]) -> int:
    if cls in {lex.FIRST, lex.HE, lex.SHE, lex.IT}:
        return ONE
    if cls in {lex.WE, lex.THEY, lex.GROUP}:
        return MANY
    if cls == lex.YOU or lemma in lex.GROUPS:
        return UNKNOWN
    if (
        token.tag in {"NNS", "NNPS"}
        or (token.tag == "DT" and lemma in {"these", "those"})
        or (counts and counts[0] not in {"one", "1"})
    ):
        return MANY
    return ONE if token.tag in {"NN", "NNP"} else UNKNOWN


def _gender(first: int, last: int, head: int, lower: list[str], lemma: str, cls: int, tokens: Sequence[Token]) -> int:
    if cls in {lex.HE, lex.SHE, lex.IT}:
        return {lex.HE: MALE, lex.SHE: FEMALE, lex.IT: NEUTER}[cls]
    if cls == lex.NAME:
        for at in range(first, min(last, head + 4)):
            if tokens[at].pos in {"PROPN", "NOUN"} and (
                at == head or tokens[at].dep.startswith(("flat", "compound", "nmod:desc"))
            ):
                word = lower[at]
                if word in lex.MALE or word in lex.FEMALE:
                    return MALE if word in lex.MALE else FEMALE
                if word in lex.names():
                    return lex.names()[word]
        return UNKNOWN
    if cls == lex.NOMINAL:
        return MALE if lemma in lex.MALE else FEMALE if lemma in lex.FEMALE else UNKNOWN
    return UNKNOWN


def _alive(cls: int, gender: int, kind: str, lemma: str) -> int:
    if cls in {lex.THEY, lex.DEMONSTRATIVE, lex.INDEFINITE}:
        return 0
    if (
        cls in {lex.FIRST, lex.WE, lex.YOU, lex.HE, lex.SHE}
        or gender in {MALE, FEMALE}
        or kind == "person"
        or lemma in lex.PEOPLE
    ):
        return 1
    if cls == lex.IT or (kind and cls >= lex.NAME and kind not in {"organisation", "animal"}):
        return 2
    return 0


def _dep(token: Token) -> int:
    for name in (token.dep, token.dep.partition(":")[0]):
        if name in DEPS:
            return DEPS.index(name)
    return len(DEPS) - 1


def _article(head: int, lower: list[str], children: list[int], tokens: Sequence[Token], cls: int) -> int:
    for child in children:
        dep = tokens[child].dep
        if dep.startswith("det"):
            return lex.ARTICLE.get(lower[child], 5)
        if dep == "nmod:poss":
            return 4
        if dep == "nummod" and child < head:
            return 5
    return 6 if cls == lex.NAME else 0
