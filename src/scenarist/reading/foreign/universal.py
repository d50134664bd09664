"""A foreign parse -> the same parse in Universal Dependencies v2: labels renamed, and heads moved where the schemes
differ.

Known: UD v1 (``nsubjpass``, ``dobj``, ``nmod`` under verbs), ClearNLP and Stanford basic (``prep`` + ``pobj``,
``attr``, ``acomp``, ``agent``, ``dative``, ``relcl``, ``rcmod``), Stanford collapsed (``prep_at``, ``conj_and``,
``agent`` on the noun itself). A UD v2 parse passes unchanged. What moves: a preposition becomes the ``case`` of its
noun, and a copula the ``cop`` of its attribute.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from scenarist.story import Story, Token

RENAME = {
    "ROOT": "root", "nsubjpass": "nsubj:pass", "csubjpass": "csubj:pass", "dobj": "obj", "auxpass": "aux:pass", "neg": "advmod",
    "prt": "compound:prt", "poss": "nmod:poss", "possessive": "case", "nn": "compound", "num": "nummod", "number": "compound",
    "relcl": "acl:relcl", "rcmod": "acl:relcl", "infmod": "acl", "partmod": "acl", "npadvmod": "obl:npmod", "tmod": "obl:tmod",
    "oprd": "xcomp", "complm": "mark", "predet": "det:predet", "quantmod": "advmod", "intj": "discourse", "meta": "parataxis",
    "preconj": "cc:preconj", "purpcl": "advcl", "mwe": "fixed", "name": "flat", "foreign": "flat", "hmod": "compound",
    "hyph": "punct", "nmod:tmod": "obl:tmod", "nmod:npmod": "obl:npmod", "nmod:agent": "obl:agent", "nounmod": "nmod",
    "abbrev": "appos", "measure": "obl:npmod", "prepc": "advcl", "subtok": "goeswith", "erased": "", "compmod": "compound",
}  # fmt: skip
"""Labels that only change their name."""

UPOS = {
    "CC": "CCONJ", "CD": "NUM", "DT": "DET", "EX": "PRON", "FW": "X", "IN": "ADP", "JJ": "ADJ", "JJR": "ADJ", "JJS": "ADJ",
    "LS": "X", "MD": "AUX", "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN", "PDT": "DET", "POS": "PART",
    "PRP": "PRON", "PRP$": "PRON", "RB": "ADV", "RBR": "ADV", "RBS": "ADV", "RP": "ADP", "SYM": "SYM", "TO": "PART",
    "UH": "INTJ", "VB": "VERB", "VBD": "VERB", "VBG": "VERB", "VBN": "VERB", "VBP": "VERB", "VBZ": "VERB", "WDT": "PRON",
    "WP": "PRON", "WP$": "PRON", "WRB": "ADV", "$": "SYM", "#": "SYM", "ADD": "X", "AFX": "ADJ", "GW": "X", "NFP": "PUNCT",
    "XX": "X", "HYPH": "PUNCT", "_SP": "SPACE",
}  # fmt: skip
"""Penn tag -> universal part of speech, before the dependency has its say."""


@dataclass(slots=True)
class ParsedWord:
    """A word of one sentence while its parse is rewritten; ``head`` counts within the sentence, -1 for the root."""

    form: str
    lemma: str = ""
    pos: str = ""
    tag: str = ""
    feats: str = ""
    head: int = -1
    dep: str = ""


def upos(tag: str, dep: str) -> str:
    """The universal part of speech of a Penn tag in its place.

    >>> upos("VBZ", "cop"), upos("IN", "mark"), upos("TO", "case"), upos(",", "punct")
    ('AUX', 'SCONJ', 'ADP', 'PUNCT')
    """
    base = dep.partition(":")[0]
    if base in ("aux", "cop", "auxpass"):
        return "AUX"
    if tag == "IN" and base in ("mark", "complm"):
        return "SCONJ"
    if tag == "TO" and base in ("case", "prep"):
        return "ADP"
    return UPOS.get(tag, "PUNCT" if not any(letter.isalnum() for letter in tag) else "X")


def to_ud2(rows: list[ParsedWord]) -> list[ParsedWord]:
    """Rewrite one sentence in place and return it."""
    labels = {row.dep for row in rows}
    if labels & {"pobj", "pcomp"}:
        raise_prepositions(rows)
    if any(label.startswith(("prep_", "prepc_", "conj_")) for label in labels):
        expand_collapsed(rows)
    for row in rows:
        row.dep = RENAME.get(row.dep, row.dep)
        if row.dep == "agent":
            row.dep = "obl:agent"
        elif row.dep == "vmod":
            row.dep = "advcl" if row.head >= 0 and rows[row.head].pos in ("VERB", "AUX") else "acl"
        elif row.dep.partition(":")[0] in ("prep", "dative"):
            row.dep = "iobj" if row.dep == "dative" and row.pos not in ("ADP", "SCONJ") else "advmod"
    if labels & {"attr", "acomp"}:
        lower_copulas(rows)
    split_modifiers(rows)
    promote_verbs(rows)
    return rows


def raise_prepositions(rows: list[ParsedWord]) -> None:
    """``prep`` over ``pobj`` -> the noun over its ``case``; ``pcomp`` -> a clause with its mark."""
    for at, row in enumerate(rows):
        if row.dep not in ("pobj", "pcomp") or row.head < 0:
            continue
        preposition = rows[row.head]
        over, label = preposition.head, preposition.dep
        if label in ("case", "mark"):  # a second object of one preposition
            row.dep = "conj"
            continue
        if row.dep == "pcomp" and row.pos in ("VERB", "AUX"):
            row.dep, marker = "advcl", "mark"
        elif row.dep == "pcomp" and row.pos in ("ADP", "SCONJ"):
            row.dep = "fixed"
            continue
        else:
            row.dep, marker = ("obl:agent" if label == "agent" else "root" if over < 0 else "nmod"), "case"
        number = row.head
        row.head = over
        preposition.head, preposition.dep = at, marker
        for other in rows:  # what hung on the preposition moves to the noun: *right behind him*
            if other.head == number and other is not row and other.dep not in ("pobj", "pcomp", "fixed"):
                other.head = at


def expand_collapsed(rows: list[ParsedWord]) -> None:
    """``prep_at`` -> ``nmod`` with the preposition as its ``case``, found before the noun; ``conj_and`` -> ``conj``."""
    for at, row in enumerate(rows):
        label, _, words = row.dep.partition("_")
        if not words:
            continue
        row.dep = {"prep": "nmod", "prepc": "advcl", "conj": "conj"}.get(label, label)
        if label == "conj":
            continue
        names = words.split("_")
        for place in range(at - 1, -1, -1):
            free = rows[place].head < 0 or rows[place].dep in ("", "erased", "prep")
            if rows[place].form.lower() == names[-1] and free:
                for back, _ in enumerate(reversed(names)):
                    if place - back >= 0 and rows[place - back].form.lower() == names[-1 - back]:
                        rows[place - back].head, rows[place - back].dep = at, "case" if label == "prep" else "mark"
                break


def lower_copulas(rows: list[ParsedWord]) -> None:
    """*be* over its attribute -> the attribute over its ``cop``."""
    for at, row in enumerate(rows):
        if row.dep not in ("attr", "acomp") or row.head < 0:
            continue
        number = row.head
        verb = rows[number]
        if verb.lemma.lower() not in ("be", "'s", "’s") or row.head == at:
            row.dep = "xcomp"
            continue
        row.head, row.dep = verb.head, verb.dep
        for other in rows:
            if other.head == number and other is not row and other.dep != "attr":
                other.head = at
        verb.head, verb.dep, verb.pos = at, "cop", "AUX"


def promote_verbs(rows: list[ParsedWord]) -> None:
    """*have*, *do* and *be* with an object or a *there* of their own are verbs, whatever the tagger calls them."""
    full = {row.head for row in rows if row.dep in ("obj", "expl")}
    for place in full:
        row = rows[place]
        if place >= 0 and row.pos == "AUX" and row.tag != "MD" and row.dep.partition(":")[0] not in ("aux", "cop"):
            row.pos = "VERB"


def split_modifiers(rows: list[ParsedWord]) -> None:
    """``nmod`` under a verb, an adjective or a predicate noun's clause is ``obl``."""
    for row in rows:
        if row.head >= 0 and row.dep == "nmod" and rows[row.head].pos in ("VERB", "ADJ", "ADV", "AUX"):
            row.dep = "obl"


def universal(story: Story) -> tuple[Token, ...]:
    """The tokens with labels of UD v2, whatever scheme the parse uses."""
    tokens = list(story.tokens)
    for sentence in story.sentences:
        part = story.tokens[sentence.first : sentence.last]
        rows = [
            ParsedWord(
                story.of(token), token.lemma, token.pos, token.tag, token.feats,
                token.head - sentence.first if token.head >= 0 else -1, token.dep,
            )
            for token in part
        ]  # fmt: skip
        for place, row in enumerate(to_ud2(rows)):
            tokens[sentence.first + place] = msgspec.structs.replace(
                part[place], pos=row.pos, head=sentence.first + row.head if row.head >= 0 else -1, dep=row.dep
            )
    return tuple(tokens)
