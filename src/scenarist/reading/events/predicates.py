"""Parsed Story -> Tree and its predicates: which words tell that something happens, under what name, and whether in the passive.

The tree is the parse as plain lists, with the few questions that event extraction asks of it: Penn tags first, and morphological features
where a treebank has no Penn tags, so that any parser's output will do once its labels are UD v2 (`foreign/universal.py`).

Predicates are verbs, with their particle (``pick_up``: the parser's particle, or an adverb behind the verb that WordNet lists with it,
``slip_away``); adjectives and phrases with a copula (``be_tired``; ``be`` with its attribute or place). Not: auxiliaries and what stands
for one (*going to*, *used to*, *have to*), participles used as adjectives, prepositions that look like verbs.
"""

from __future__ import annotations

from typing import NamedTuple

from scenarist.reading.events.lexicon import LIGHT, LIGHT_NOUNS, PARTICLES, words
from scenarist.reading.wordnet import happens, phrasal
from scenarist.story import Story

PENN = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"})
RELATIVE = frozenset({"who", "whom", "which", "that", "whose"})
DEEP = 60
"""Longest way up a tree that is followed: a guard against cycles in foreign files."""


PHRASAL = frozenset(
    {
        ("kneel", "down"),
        ("crouch", "down"),
        ("squat", "down"),
        ("wave", "back"),
        ("smile", "back"),
        ("shout", "back"),
        ("wave", "off"),
    }
)
"""Verbs with a particle that WordNet does not list."""


class ParseTree:
    """Token ``i`` has ``form[i]``, ``lemma[i]``, ``pos[i]``, ``tag[i]``, ``head[i]`` (-1: root), ``dep[i]``,
    ``base[i]`` (label without its subtype) and ``kids[i]``."""

    __slots__ = ("base", "dep", "feats", "form", "head", "kids", "lemma", "pos", "sentence", "size", "stops", "tag")

    def __init__(self, story: Story) -> None:
        text, tokens = story.text, story.tokens
        size = self.size = len(tokens)
        once: dict[str, str] = {}  # the same object for the same word, for a novel's sake
        self.form = [once.setdefault(form, form) for form in (text[token.start : token.stop] for token in tokens)]
        self.pos = [token.pos for token in tokens]
        self.tag = [token.tag for token in tokens]
        self.feats = [token.feats for token in tokens]
        self.dep = [token.dep for token in tokens]
        bases = {dep: dep.partition(":")[0] for dep in set(self.dep)}
        self.base = [bases[dep] for dep in self.dep]
        self.head = [
            token.head if 0 <= token.head < size and token.head != at else -1 for at, token in enumerate(tokens)
        ]
        lemmas = (
            (token.lemma or form) if token.pos == "PROPN" or token.lemma == "I" else (token.lemma or form).lower()
            for token, form in zip(tokens, self.form, strict=True)
        )
        self.lemma = [once.setdefault(lemma, lemma) for lemma in lemmas]
        none: list[int] = []
        self.kids = [none] * size
        for at, head in enumerate(self.head):
            if head >= 0:
                if self.kids[head]:
                    self.kids[head].append(at)
                else:
                    self.kids[head] = [at]
        self.sentence = [0] * size
        self.stops: list[int] = []
        for number, sentence in enumerate(story.sentences):
            self.stops.append(sentence.last)
            for at in range(sentence.first, min(sentence.last, size)):
                self.sentence[at] = number

    def verb_form(self, at: int) -> str:
        """The Penn tag of a verb, worked out from its features where there is none."""
        tag = self.tag[at]
        if tag in PENN:
            return tag
        feats = self.feats[at]
        if "VerbForm=Ger" in feats or ("VerbForm=Part" in feats and "Tense=Past" not in feats):
            return "VBG"
        if "VerbForm=Part" in feats:
            return "VBN"
        if "VerbForm=Fin" in feats and "Mood=Imp" not in feats:
            return (
                "VBD" if "Tense=Past" in feats else "VBZ" if "Person=3" in feats and "Number=Sing" in feats else "VBP"
            )
        return "VB"

    def has(self, at: int, base: str) -> bool:
        """Does a token have a dependent with this label, subtype aside?"""
        bases = self.base
        return any(bases[kid] == base for kid in self.kids[at])

    def has_exact(self, at: int, dep: str) -> bool:
        """Does a token have a dependent with exactly this label?"""
        deps = self.dep
        return any(deps[kid] == dep for kid in self.kids[at])

    def top(self, at: int) -> int:
        """The first conjunct of the coordination a token stands in (itself where it stands alone)."""
        for _ in range(DEEP):
            if self.base[at] != "conj" or self.head[at] < 0:
                break
            at = self.head[at]
        return at

    def conjuncts(self, at: int) -> list[int]:
        """A token and the tokens coordinated with it, in text order."""
        found = [at]
        for place in found:
            found.extend(kid for kid in self.kids[place] if self.base[kid] == "conj" and kid > place)
            if len(found) > DEEP:
                break
        return sorted(set(found)) if len(found) > 1 else found

    def is_relative(self, at: int) -> bool:
        """Is it a relative pronoun?"""
        tag, lemma = self.tag[at], self.lemma[at]
        if lemma not in RELATIVE and self.form[at].lower() not in RELATIVE:
            return False
        return tag in ("WP", "WDT", "WP$") or "PronType=Rel" in self.feats[at]

    def antecedent(self, at: int) -> int:
        """The noun that the relative clause around a token modifies, -1 where there is none."""
        for _ in range(DEEP):
            if self.dep[at] == "acl:relcl":
                return self.head[at]
            at = self.head[at]
            if at < 0 or self.dep[at] == "advcl:relcl":
                break
        return -1

    def preposition(self, at: int) -> str:
        """The preposition of a phrase, multi-word ones joined: ``out_of``; empty where it has none."""
        words: list[int] = []
        for kid in self.kids[at]:
            if self.base[kid] == "case" and self.lemma[kid] not in ("'s", "’s", "'") and kid < at:
                words.append(kid)
                words.extend(far for far in self.kids[kid] if self.base[far] == "fixed")
        return "_".join(self.form[word].lower() for word in sorted(words))


NO_PREDICATE = words(
    "amod compound case mark fixed flat aux cop det goeswith discourse cc nummod punct advmod reparandum vocative expl"
)


class Predicate(NamedTuple):
    """A token that tells an event."""

    token: int
    name: str
    kind: str
    form: str
    passive: bool
    swallowed: int = -1
    """The object that became part of a light verb's name."""


def predicates(tree: ParseTree, light: bool = False) -> list[Predicate]:
    """All predicates in text order."""
    found: list[Predicate] = []
    passive: dict[int, bool] = {}
    for at in range(tree.size):
        pos = tree.pos[at]
        if pos == "VERB":
            if tree.base[tree.top(at)] in NO_PREDICATE or stands_for_auxiliary(tree, at):
                continue
            passive[at] = is_passive(tree, at, passive)
            found.append(verb(tree, at, passive[at], light))
        elif pos == "AUX":
            if tree.base[at] not in NO_PREDICATE and tree.lemma[at] in ("be", "have", "do") and tree.has(at, "nsubj"):
                found.append(Predicate(at, tree.lemma[at], "verb", tree.form[at].lower(), False))
        elif tree.kids[at] and (copula := next((kid for kid in tree.kids[at] if tree.base[kid] == "cop"), -1)) >= 0:
            found.append(copular(tree, at, copula))
        elif pos == "ADJ" and second_adjective(tree, at):
            found.append(Predicate(at, f"be_{tree.lemma[at]}", "adjective", tree.form[at].lower(), False))
    return found


def second_adjective(tree: ParseTree, at: int) -> bool:
    """*He was cold and hungry*: the second shares the copula of the first."""
    first = tree.top(at)
    return first != at and tree.pos[first] == "ADJ" and tree.has(first, "cop") and not tree.has(at, "nsubj")


def verb(tree: ParseTree, at: int, passive: bool, light: bool) -> Predicate:
    """A verb with its particle, or with its noun where light verbs are wanted."""
    name, form = tree.lemma[at], tree.form[at].lower()
    particle = find_particle(tree, at)
    if particle >= 0:
        word = tree.form[particle].lower()
        return Predicate(at, f"{name}_{word}", "verb", f"{form}_{word}", passive)
    if light and name in LIGHT:
        noun = light_noun(tree, at)
        if noun >= 0:
            return Predicate(at, f"{name}_{tree.lemma[noun]}", "light", form, passive, noun)
    return Predicate(at, name, "verb", form, passive)


def find_particle(tree: ParseTree, at: int) -> int:
    """The particle of a verb, -1 where it has none."""
    for kid in tree.kids[at]:
        if tree.dep[kid] == "compound:prt":
            return kid
    near = at + 1
    if (
        near >= tree.size
        or tree.head[near] != at
        or tree.base[near] != "advmod"
        or tree.pos[near] not in ("ADV", "ADP")
    ):
        return -1
    word = tree.form[near].lower()
    return (
        near if word in PARTICLES and ((tree.lemma[at], word) in phrasal() or (tree.lemma[at], word) in PHRASAL) else -1
    )


def light_noun(tree: ParseTree, at: int) -> int:
    """The noun that carries a light verb's meaning: its object, indefinite or bare, that names something that
    happens."""
    for kid in tree.kids[at]:
        if tree.base[kid] != "obj" or tree.pos[kid] != "NOUN":
            continue
        definite = any(
            tree.base[far] == "det" and tree.lemma[far] in ("the", "this", "that", "these", "those")
            for far in tree.kids[kid]
        )
        noun = tree.lemma[kid]
        if not definite and (noun in LIGHT_NOUNS or happens(noun, first=True)):
            return kid
    return -1


def copular(tree: ParseTree, at: int, copula: int) -> Predicate:
    """``be_tired`` for an adjective, ``be`` for a noun or a place."""
    form = tree.form[copula].lower()
    lemma = tree.lemma[copula] if tree.lemma[copula] != "'s" else "be"
    if tree.pos[at] == "ADJ" and not tree.preposition(at):
        return Predicate(at, f"{lemma}_{tree.lemma[at]}", "adjective", f"{form}_{tree.form[at].lower()}", False)
    if tree.pos[at] == "VERB":
        return Predicate(at, tree.lemma[at], "verb", tree.form[at].lower(), False)
    return Predicate(at, lemma, "copula", form, False)


def stands_for_auxiliary(tree: ParseTree, at: int) -> bool:
    """*was going to leave*, *used to play*, *had to pay*: the infinitive is the event."""
    lemma = tree.lemma[at]
    if lemma not in ("go", "use", "have", "got", "get", "suppose"):
        return False
    infinitive = any(
        tree.base[kid] == "xcomp" and tree.pos[kid] in ("VERB", "AUX", "ADJ", "NOUN") and kid > at
        and any(tree.base[far] == "mark" and tree.form[far].lower() in ("to", "na", "ta") for far in tree.kids[kid])
        for kid in tree.kids[at]
    )  # fmt: skip
    if not infinitive or tree.has(at, "obj") or tree.has(at, "obl"):
        return False
    form = tree.verb_form(at)
    if lemma == "go":
        return form == "VBG" and (tree.has(at, "aux") or tree.form[at].lower() == "gon")
    if lemma == "use":
        return form in ("VBD", "VBN", "VB") and not tree.has_exact(at, "aux:pass")
    if lemma == "suppose":
        return tree.has_exact(at, "aux:pass")
    return lemma == "have" or (form == "VBN" and tree.has(at, "aux"))


def is_passive(tree: ParseTree, at: int, known: dict[int, bool]) -> bool:
    """Passive by its auxiliary, subject or agent; a bare participle after a passive conjunct, or on a noun, is passive
    too."""
    aux = False
    for kid in tree.kids[at]:
        dep = tree.dep[kid]
        if dep in ("aux:pass", "nsubj:pass", "csubj:pass", "obl:agent"):
            return True
        aux = aux or tree.base[kid] == "aux"
    if tree.verb_form(at) != "VBN" or aux:
        return False
    base = tree.base[at]
    if base == "conj":
        return known.get(tree.head[at], False) and not tree.has(at, "nsubj")
    return base in ("acl", "advcl", "xcomp") and tree.dep[at] != "acl:relcl" and not tree.has(at, "nsubj")
