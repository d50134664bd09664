"""Tree -> the arguments of each predicate, the ones the surface leaves out included.

A subject is shared across coordination (*she sat down and ate*), handed down to infinitives and participles (control:
*he wanted to eat*, *they asked her to stay*, *the man carrying a box*), and a relative clause gets its antecedent, also
where the pronoun is left out (*the book she read*, *the booth I sat in*). UD v2's enhanced graphs do the first, second
and part of the third; we go further with participles and purpose clauses (*to annoy them, she waited*), which those
graphs leave open.
"""

from __future__ import annotations

from typing import NamedTuple

from scenarist.reading.events.lexicon import NO_GAP, POSSESSION, SUBJECT_CONTROL, TIMES
from scenarist.reading.events.predicates import DEEP, ParseTree

TAKES_HOME = frozenset("drive take bring walk send see carry follow accompany escort lead get".split())
"""Verbs that take somebody home."""
NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X", "DET", "ADJ"})


class Argument(NamedTuple):
    """A role and the token that heads its filler."""

    role: str
    token: int


class Arguments:
    """Answers for one Tree; ``predicates`` says which tokens are predicates (True: passive)."""

    def __init__(self, tree: ParseTree, predicates: dict[int, bool]) -> None:
        self.tree = tree
        self.predicates = predicates
        self.subjects_: dict[int, list[int]] = {}
        self.gaps = self.find_gaps()

    def of(self, at: int) -> list[Argument]:
        """All arguments of a predicate: subjects, objects, then the rest in text order."""
        tree = self.tree
        subjects = [Argument("subj", token) for token in self.subjects(at)]
        objects = [Argument("obj", token) for token in self.objects(at)]
        rest: list[Argument] = []
        for kid in tree.kids[at]:
            base = tree.base[kid]
            if base == "iobj":
                rest.extend(Argument("iobj", token) for token in self.fillers(kid))
            elif base == "obl":
                rest.extend(self.oblique(at, kid))
            elif base == "xcomp" and tree.pos[kid] != "VERB" and kid not in self.predicates:
                rest.append(Argument("attr", kid))
        rest.extend(Argument(role, token) for role, token in self.gaps.get(at, ()) if role not in ("subj", "obj"))
        rest.extend(self.shared_obliques(at))
        known: set[Argument] = set()
        return [one for one in (*subjects, *objects, *rest) if not (one in known or known.add(one))]  # type: ignore[func-returns-value]

    def fillers(self, at: int) -> list[int]:
        """The heads that fill a place: the token and its conjuncts; a relative pronoun stands for its antecedent."""
        tree = self.tree
        if tree.is_relative(at):
            noun = tree.antecedent(at)
            return tree.conjuncts(noun)[:1] if noun >= 0 else [at]
        found = tree.conjuncts(at)
        return found if len(found) == 1 else [one for one in found if one == at or tree.pos[one] in NOMINAL]

    def oblique(self, at: int, kid: int) -> list[Argument]:
        """A prepositional or bare adverbial phrase as arguments."""
        tree = self.tree
        if tree.pos[kid] in ("ADP", "ADV", "SCONJ"):
            return []
        first = tree.preposition(kid)
        found: list[Argument] = []
        for token in self.fillers(kid):
            own = tree.preposition(token) or first
            if tree.dep[kid] == "obl:agent" or (
                own == "by" and self.predicates.get(at, False) and tree.lemma[token] not in TIMES
            ):
                role = "agent"
            elif own:
                role = f"prep_{own}"
            else:
                role = "tmod" if tree.lemma[token] in TIMES or tree.dep[kid] == "obl:tmod" else "npadvmod"
            found.append(Argument(role, token))
        return found

    def shared_obliques(self, at: int) -> list[Argument]:
        """Agents of the first conjunct that follow this conjunct: *was seized and killed by robbers*."""
        tree = self.tree
        if tree.base[at] != "conj" or not self.predicates.get(at, False):
            return []
        top = tree.top(at)
        return [
            one
            for kid in tree.kids[top]
            if kid > at and tree.base[kid] == "obl"
            for one in self.oblique(top, kid)
            if one.role == "agent"
        ]

    def objects(self, at: int) -> list[int]:
        """Direct objects: own ones, the gap of a relative clause, or one shared with the first conjunct."""
        tree = self.tree
        found = [token for kid in tree.kids[at] if tree.base[kid] == "obj" for token in self.fillers(kid)]
        found = [self.taken_home(at, token) for token in found]
        if not found:
            found = [token for role, token in self.gaps.get(at, ()) if role == "obj"]
        if not found and tree.base[at] == "conj" and not self.predicates.get(at, False):
            top = tree.top(at)
            late = [kid for kid in tree.kids[top] if tree.base[kid] == "obj" and kid > at]
            found = [token for kid in late for token in self.fillers(kid)]
            if (
                not found and top in self.predicates and not tree.has(at, "obl")
            ):  # the relative clause's gap is shared as well
                found = [token for role, token in self.gaps.get(top, ()) if role == "obj"]
        return found

    def taken_home(self, at: int, token: int) -> int:
        """*I drove her home*: her, and not her home, is driven."""
        tree = self.tree
        if (
            tree.lemma[token] == "home"
            and tree.lemma[at] in TAKES_HOME
            and tree.form[token - 1].lower() == "her"
            and tree.head[token - 1] == token
        ):
            return token - 1
        return token

    def own_subjects(self, at: int) -> list[int]:
        """Subjects that the parse attaches to the predicate itself, and the gap of its relative clause.

        A verb has one subject: where the parse gives two (a name that is called out in a quotation), the one nearest to the verb.
        """
        tree = self.tree
        kids = [kid for kid in tree.kids[at] if tree.base[kid] == "nsubj" and tree.dep[kid] != "nsubj:outer"]
        if len(kids) > 1:
            kids = [min(kids, key=lambda kid: abs(kid - at))]
        found = [token for kid in kids for token in self.fillers(kid)]
        return found or [token for role, token in self.gaps.get(at, ()) if role == "subj"]

    def subjects(self, at: int, depth: int = 0) -> list[int]:
        """Subjects, found or shared."""
        known = self.subjects_.get(at)
        if known is None:
            known = self.own_subjects(at)
            if not known and depth < DEEP:
                known = self.shared(at, depth + 1)
            self.subjects_[at] = known
        return known

    def shared(self, at: int, depth: int) -> list[int]:
        """The subject of a predicate that has none of its own."""
        tree = self.tree
        head, base = tree.head[at], tree.base[at]
        if head < 0:
            return []
        if base == "conj":
            return self.subjects(head, depth) if head in self.predicates or tree.has(head, "nsubj") else []
        if base == "xcomp":
            return self.controller(head, depth)
        if base == "advcl":
            return self.adverbial(at, head, depth)
        if base == "acl":
            return self.participle(at, head, depth)
        return []

    def controller(self, head: int, depth: int) -> list[int]:
        """Who does the infinitive under ``head``: its object where it has one, else its subject."""
        tree = self.tree
        if not self.predicates.get(head, False) and tree.lemma[head] not in SUBJECT_CONTROL:
            objects = self.objects(head)
            objects += [token for kid in tree.kids[head] if tree.base[kid] == "iobj" for token in self.fillers(kid)]
            if objects:
                return objects
        return self.subjects(head, depth)

    def adverbial(self, at: int, head: int, depth: int) -> list[int]:
        """*Leaving the house, she fell*; *to annoy them, she waited*: the main clause's subject, in non-finite clauses
        only."""
        tree = self.tree
        form = tree.verb_form(at)
        finite = form in ("VBD", "VBZ", "VBP") or any(
            tree.base[kid] == "aux" and tree.verb_form(kid) in ("MD", "VBD", "VBZ", "VBP") for kid in tree.kids[at]
        )
        if finite or head not in self.predicates:
            return []
        if form == "VB" and (self.predicates[head] or not tree.has(at, "mark")):
            return []  # *it was built to last*: whose purpose is open
        return self.subjects(head, depth)

    def participle(self, at: int, head: int, depth: int) -> list[int]:
        """*The man carrying a box*, *a house called Elm*: the noun; *a chance to eat*: whoever had the chance."""
        tree = self.tree
        form = tree.verb_form(at)
        if tree.dep[at] == "acl:relcl":
            return []
        if form in ("VBG", "VBN"):
            return [] if tree.has(at, "mark") or tree.has(at, "case") else [head]
        owner = tree.head[head]
        if tree.base[head] == "obj" and owner in self.predicates and tree.lemma[owner] in POSSESSION:
            return self.subjects(owner, depth)
        return []

    def find_gaps(self) -> dict[int, list[Argument]]:
        """Relative clauses without a pronoun (or with one the tagger missed): predicate -> the argument its antecedent
        fills."""
        tree = self.tree
        gaps: dict[int, list[Argument]] = {}
        for at in range(tree.size):
            if tree.dep[at] != "acl:relcl" or self.has_pronoun(at):
                continue
            noun, place = tree.head[at], at
            for _ in range(DEEP):
                stranded = [
                    kid for kid in tree.kids[place]
                    if tree.base[kid] == "obl" and tree.pos[kid] == "ADP" and not tree.kids[kid]
                ]  # fmt: skip
                if stranded:
                    gaps.setdefault(place, []).append(Argument(f"prep_{tree.form[stranded[0]].lower()}", noun))
                    break
                if not self.any_subject(place) and tree.base[place] != "xcomp":
                    gaps.setdefault(place, []).append(Argument("subj", noun))
                    break
                deeper = [
                    kid
                    for kid in tree.kids[place]
                    if tree.base[kid] in ("xcomp", "ccomp") and tree.pos[kid] in ("VERB", "AUX")
                ]
                if deeper and not tree.has(place, "obj"):
                    place = deeper[-1]
                    continue
                if tree.pos[place] == "VERB" and not tree.has(place, "obj") and not tree.has_exact(place, "nsubj:pass"):
                    if tree.lemma[noun] in TIMES:
                        gaps.setdefault(place, []).append(Argument("tmod", noun))
                    elif tree.lemma[noun] not in NO_GAP:
                        gaps.setdefault(place, []).append(Argument("obj", noun))
                break
        return gaps

    def any_subject(self, at: int) -> bool:
        """Does the parse give the predicate a subject, a clause or an expletive included?"""
        return any(self.tree.base[kid] in ("nsubj", "csubj", "expl") for kid in self.tree.kids[at])

    def has_pronoun(self, at: int) -> bool:
        """Is there a relative word in the clause, down its complements and phrases?"""
        tree = self.tree
        open_ = [at]
        for _ in range(DEEP):
            if not open_:
                return False
            place = open_.pop()
            for kid in tree.kids[place]:
                if tree.is_relative(kid) or tree.tag[kid] == "WRB":
                    return True
                if tree.base[kid] in ("xcomp", "ccomp", "obl", "obj", "nsubj", "nmod", "conj", "advcl"):
                    open_.append(kid)
        return False
