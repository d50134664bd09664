"""Parsed Story -> what a person is shown in its place: the full text, "caveman" text, or verb and subject (Bennett,
Materials).

Caveman, rule ``paper``: the lemma of the main verb (its participle in passives), the heads of subject and objects, and
each prepositional phrase of the verb as preposition and head noun: "To annoy them, she waited in the lobby for almost
two days." is "She wait in lobby for days." The paper leaves open, and we settle: names stand whole; a negation stays
(*not*, *never*), as it does in the released column; a particle stays (*sit down*); a copula is ``be`` with its
attribute; *had to*, *going to* and *used to* give way to their verb; of a quotation with its *he said* the saying is
the main clause.

Rule ``released`` follows the released column of the study's data, which was made more crudely: no objects, particles or
copulas, the lemma of every word in lower case (*he stand to i*), passives too (*we seat*), names by their head word,
the root of the parse whatever it is. ``differences()`` lists this for the documentation.
"""

from __future__ import annotations

from typing import NamedTuple

from scenarist.errors import BadInput
from scenarist.reading.events.arguments import Arguments
from scenarist.reading.events.lexicon import ALWAYS_REPORTING, NEGATIONS
from scenarist.reading.events.predicates import ParseTree, find_particle, predicates, stands_for_auxiliary
from scenarist.reading.events.status import QUOTES, reports
from scenarist.registry import suggest
from scenarist.story import Sentence, Story

WAYS = ("full", "caveman", "verb-subject")
RULES = ("paper", "released")
RELEASED = ("after", "before", "for", "with", "into", "to", "on", "in")
"""The prepositions that the released column keeps, in the order it writes them."""


class WrittenToken(NamedTuple):
    """A token of the rendering and how it is written."""

    token: int
    word: str


def render(story: Story, way: str = "caveman", rule: str = "paper") -> tuple[str, ...]:
    """Each sentence of a parsed story in one of the three ways."""
    if way not in WAYS:
        raise suggest(way, list(WAYS), "rendering")
    if rule not in RULES:
        raise suggest(rule, list(RULES), "rule")
    if way == "full":
        return tuple(story.of(sentence) for sentence in story.sentences)
    if story.sentences and not any(token.dep for token in story.tokens):
        raise BadInput(f"story {story.id!r} is not parsed: read its text with a reader first, then render.")
    writer = Writer(story)
    return tuple(written(writer.pieces(sentence, way, rule)) for sentence in story.sentences)


def written(pieces: list[WrittenToken]) -> str:
    """The pieces as one sentence."""
    text = " ".join(piece.word for piece in pieces)
    return text[:1].upper() + text[1:] + "." if text else ""


def differences() -> tuple[str, ...]:
    """How the rule ``released`` departs from the rule ``paper``, for people."""
    return (
        "objects and attributes of other verbs are left out",
        "every word is its lemma in lower case, plurals, pronouns and passive verbs too",
        "a copula is left out: its attribute stands for the verb",
        "particles are left out",
        f"of the prepositional phrases only those with {', '.join(RELEASED)} are kept, in this order instead of the text's",
        "a name is its head word",
        "the root of the parse is taken as it is: 'had to leave' is 'have', speech may stand for the saying",
        "verb and subject come without negation",
    )


class Writer:
    """Renders the sentences of one story."""

    def __init__(self, story: Story) -> None:
        self.tree = ParseTree(story)
        found = predicates(self.tree)
        self.arguments = Arguments(self.tree, {one.token: one.passive for one in found})

    def pieces(self, sentence: Sentence, way: str, rule: str) -> list[WrittenToken]:
        """The words of one sentence's rendering, in order."""
        tree = self.tree
        root = next((at for at in range(sentence.first, min(sentence.last, tree.size)) if tree.head[at] < 0), -1)
        root = next(
            (at for at in range(sentence.first, min(sentence.last, tree.size)) if tree.base[at] == "root"), root
        )
        if root < 0:
            return []
        if rule == "released":
            return self.released(root, way)
        main = self.main(root)
        front, back = self.subject(main)
        made = [self.word(token) for token in front]
        if way == "caveman":
            made += self.negation(main)
        made += self.verb(main)
        copular = self.tree.has(main, "cop") and self.tree.pos[main] != "VERB"
        if way != "caveman":
            return made + (self.attribute(main) if copular else [])
        made += [self.word(token) for token in back]
        arguments = self.arguments.of(main) if main in self.arguments.predicates else []
        objects = [role for role in ("iobj", "obj") if any(one.role == role for one in arguments)]
        for role in objects or ["attr"]:  # *see tables free*: what is said of an object is no argument of the verb
            made += [self.word(one.token) for one in arguments if one.role == role][:1]
        if copular:
            made += self.attribute(main)
        return made + self.phrases(main)

    def main(self, root: int) -> int:
        """The main verb: the saying of a quotation, the verb behind a stand-in for an auxiliary, else the root."""
        tree = self.tree
        for kid in tree.kids[root]:
            if (
                tree.base[kid] == "parataxis"
                and reports(tree, kid)
                and tree.has(kid, "nsubj")
                and self.quoted(root, kid)
            ):
                return kid
        if root not in self.arguments.predicates:
            if tree.pos[root] == "VERB" and stands_for_auxiliary(tree, root):
                return next((kid for kid in tree.kids[root] if tree.base[kid] == "xcomp"), root)
            clauses = ("parataxis", "conj", "acl:relcl", "ccomp")
            return next(
                (kid for kid in tree.kids[root] if tree.dep[kid] in clauses and kid in self.arguments.predicates), root
            )
        return root

    def quoted(self, root: int, saying: int) -> bool:
        """Is the root spoken, by its quotation marks or because the saying is nothing but that (*he is late, she said*)?"""
        tree = self.tree
        number = tree.sentence[root]
        first = tree.stops[number - 1] if number else 0
        if any(tree.form[at] in QUOTES for at in range(first, tree.stops[number])):
            return True
        return tree.lemma[saying] in ALWAYS_REPORTING and not any(
            tree.base[kid] in ("obj", "obl", "ccomp", "advmod") for kid in tree.kids[saying]
        )

    def subject(self, main: int) -> tuple[list[int], list[int]]:
        """What stands before the verb and what behind it (*there be mice*)."""
        tree = self.tree
        there = [kid for kid in tree.kids[main] if tree.base[kid] == "expl"]
        subjects = self.arguments.subjects(main)[:1]
        if not subjects:
            return there[:1], []
        if there and there[0] < main < subjects[0]:
            return there[:1], subjects
        return subjects, []

    def negation(self, main: int) -> list[WrittenToken]:
        tree = self.tree
        for kid in tree.kids[main]:
            if tree.base[kid] == "advmod" and (word := tree.form[kid].lower()) in NEGATIONS:
                return [WrittenToken(kid, "never" if word == "never" else "not")]
        return []

    def verb(self, main: int) -> list[WrittenToken]:
        """The verb as it is written: lemma, or participle in passives, with its particle."""
        tree = self.tree
        copula = next((kid for kid in tree.kids[main] if tree.base[kid] == "cop"), -1)
        if copula >= 0 and tree.pos[main] != "VERB":
            return [WrittenToken(copula, "be" if tree.lemma[copula] in ("'s", "’s") else tree.lemma[copula])]
        if main not in self.arguments.predicates:
            return [self.word(main)]
        form = tree.form[main].lower() if self.arguments.predicates[main] else tree.lemma[main]
        particle = find_particle(tree, main)
        return [WrittenToken(main, form)] + (
            [WrittenToken(particle, tree.form[particle].lower())] if particle >= 0 else []
        )

    def attribute(self, main: int) -> list[WrittenToken]:
        """What a copula says of its subject, with its preposition."""
        preposition = self.tree.preposition(main)
        return ([WrittenToken(main, preposition.replace("_", " "))] if preposition else []) + [self.word(main)]

    def phrases(self, main: int) -> list[WrittenToken]:
        """The prepositional phrases of the verb in text order."""
        tree = self.tree
        made: list[WrittenToken] = []
        for kid in tree.kids[main]:
            preposition = tree.preposition(kid) if tree.base[kid] == "obl" else ""
            if preposition and tree.pos[kid] not in ("ADP", "ADV", "VERB"):
                made += [WrittenToken(kid, preposition.replace("_", " ")), self.word(kid)]
        return made

    def word(self, token: int) -> WrittenToken:
        """A noun as it stands, a name whole and with its capitals, *I* as I."""
        tree = self.tree
        form = tree.form[token]
        if tree.pos[token] == "PROPN":
            near = [
                kid
                for kid in tree.kids[token]
                if tree.base[kid] in ("flat", "compound") and tree.pos[kid] == "PROPN" and abs(kid - token) < 5
            ]
            return WrittenToken(token, " ".join(tree.form[place] for place in sorted([token, *near])))
        return WrittenToken(token, "I" if form in ("I", "i") else form.lower())

    def released(self, root: int, way: str) -> list[WrittenToken]:
        """The released column's way."""
        tree = self.tree
        subjects = [kid for kid in tree.kids[root] if tree.base[kid] == "nsubj"]
        made = [WrittenToken(token, tree.lemma[token].lower()) for token in subjects[:1]]
        if way == "caveman":
            made += self.negation(root)
        made.append(WrittenToken(root, tree.lemma[root].lower()))
        if way == "caveman":
            phrases = [(tree.preposition(kid), kid) for kid in tree.kids[root] if tree.base[kid] in ("obl", "nmod")]
            for wanted in RELEASED:
                for preposition, kid in phrases:
                    if preposition.rpartition("_")[2] == wanted:
                        made += [WrittenToken(kid, wanted), WrittenToken(kid, tree.lemma[kid].lower())]
        return made
