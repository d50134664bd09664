"""Tree -> did it happen? Polarity, modality, tense and realis of each predicate.

Realis as in LitBank (Sims, Park and Bamman 2019): asserted, positive, past or present, specific. The rules here need no
model: negation, modals, futures, conditions, questions, commands, purposes and complements of verbs like *want* are
out, and the plain present is out unless the story is told in it. Where the reader has a learned probability for the
token, that one decides (`extract.py`).
"""

from __future__ import annotations

from typing import NamedTuple

from scenarist.reading.events.lexicon import (
    ALWAYS_REPORTING,
    MODALS,
    NEGATIONS,
    NEGATIVE_ARGUMENTS,
    REAL_CLAUSE,
    REAL_COMPLEMENT,
    REPORTING,
)
from scenarist.reading.events.predicates import DEEP, ParseTree, stands_for_auxiliary

QUOTES = frozenset({'"', "“", "”", "``", "''", "‘"})


class Status(NamedTuple):
    """What is said of an event's reality."""

    polarity: bool
    modality: str
    tense: str
    realis: bool


class Statuses:
    """Answers for one Tree."""

    def __init__(self, tree: ParseTree) -> None:
        self.tree = tree
        self.known: dict[int, Status] = {}
        past = sum(1 for tag in tree.tag if tag == "VBD")
        present = sum(1 for tag in tree.tag if tag in ("VBZ", "VBP"))
        self.present = present > 1.5 * past
        """Is the story told in the present tense?"""

    def of(self, at: int, depth: int = 0) -> Status:
        """The status of a predicate."""
        known = self.known.get(at)
        if known is None:
            known = self.known[at] = self.work_out(at, depth)
        return known

    def work_out(self, at: int, depth: int) -> Status:
        tree = self.tree
        auxiliaries = [kid for kid in tree.kids[at] if tree.base[kid] in ("aux", "cop")]
        marks = [tree.form[kid].lower() for kid in tree.kids[at] if tree.base[kid] == "mark"]
        polarity = not self.negated(at) and "without" not in marks
        modality = next((tree.lemma[kid] for kid in auxiliaries if self.is_modal(kid)), "")
        tense = self.tense(at, auxiliaries)
        head = tree.head[at]
        above = (
            self.of(head, depth + 1)
            if head >= 0 and depth < DEEP and tree.pos[head] in ("VERB", "AUX", "ADJ", "NOUN")
            else None
        )
        base = tree.base[at]
        if base == "conj" and above is not None and not auxiliaries and not tree.has(at, "nsubj") and not marks:
            form = tree.verb_form(at)
            if form in ("VB", "VBN", "VBG"):  # shares the auxiliaries of the first conjunct
                modality = modality or above.modality
                tense = tense or above.tense
                polarity = polarity and (above.polarity or form != "VB")
        if not modality:
            modality = self.context(at, marks, above)
        if not tense and above is not None and base in ("xcomp", "advcl", "ccomp", "acl"):
            tense = above.tense
        realis = (
            polarity
            and not modality
            and tense != "future"
            and (tense != "present" or self.present or self.progressive(at))
        )
        if above is not None and base == "xcomp" and realis:
            realis = above.realis
        return Status(polarity, modality, tense, realis)

    def is_modal(self, kid: int) -> bool:
        tree = self.tree
        return tree.tag[kid] == "MD" or (tree.lemma[kid] in MODALS and tree.tag[kid] not in ("VBD", "VBZ", "VBP"))

    def negated(self, at: int) -> bool:
        """*not*, *never*, or an argument that denies: *no one came*."""
        tree = self.tree
        for kid in tree.kids[at]:
            base = tree.base[kid]
            if base in ("advmod", "cc", "aux", "neg") and (
                tree.lemma[kid] in NEGATIONS or tree.form[kid].lower() in NEGATIONS
            ):
                return True
            if base in ("nsubj", "obj", "obl") and (
                tree.lemma[kid] in NEGATIVE_ARGUMENTS
                or any(tree.base[far] == "det" and tree.lemma[far] in ("no", "neither") for far in tree.kids[kid])
            ):
                return True
        return any(tree.base[kid] == "det" and tree.lemma[kid] == "no" for kid in tree.kids[at]) and tree.has(at, "cop")

    def tense(self, at: int, auxiliaries: list[int]) -> str:
        """``past``, ``present``, ``future`` or empty for a form without tense of its own."""
        tree = self.tree
        if any(tree.lemma[kid] in ("will", "shall", "'ll") for kid in auxiliaries):
            return "future"
        forms = [tree.verb_form(kid) for kid in auxiliaries if tree.tag[kid] != "MD"]
        if any(tree.lemma[kid] == "have" for kid in auxiliaries):
            return "past"
        form = next((one for one in forms if one in ("VBD", "VBZ", "VBP")), tree.verb_form(at) if not forms else "")
        if form == "VBD":
            return "past"
        if form in ("VBZ", "VBP"):
            return "present"
        head = tree.head[at]
        if tree.base[at] == "xcomp" and head >= 0 and tree.pos[head] == "VERB" and stands_for_auxiliary(tree, head):
            return (
                "future"
                if tree.lemma[head] == "go" and self.of(head).tense != "past"
                else "past"
                if tree.lemma[head] == "use"
                else ""
            )
        return ""

    def progressive(self, at: int) -> bool:
        """*is running*, *has run*: happens now or has happened, no habit."""
        return self.tree.verb_form(at) in ("VBG", "VBN") and self.tree.has(at, "aux")

    def context(self, at: int, marks: list[str], above: Status | None) -> str:
        """The modality that the clause around a predicate gives it."""
        tree = self.tree
        base, head = tree.base[at], tree.head[at]
        if "if" in marks or "unless" in marks or "whether" in marks:
            return "if"
        if base in ("xcomp", "ccomp") and head >= 0:
            lemma = tree.lemma[head]
            if tree.pos[head] == "VERB" and stands_for_auxiliary(tree, head):
                return {"go": "will", "use": "", "suppose": "should"}.get(lemma, "must")
            real = REAL_COMPLEMENT if base == "xcomp" else REAL_CLAUSE
            if tree.pos[head] == "VERB" and lemma not in real:
                return lemma
            return above.modality if above is not None and base == "xcomp" else ""
        if base in ("advcl", "acl", "csubj") and "to" in marks and tree.verb_form(at) == "VB":
            return "to"
        if base in ("root", "parataxis", "conj", "ccomp"):
            if base != "conj" and self.command(at, marks):
                return "imperative"
            stop = tree.stops[tree.sentence[at]] if tree.stops else 0
            asked = any("?" in tree.form[kid] for kid in tree.kids[at] if kid > at and tree.base[kid] == "punct")
            if asked or (base != "ccomp" and any("?" in tree.form[place] for place in range(max(at, stop - 2), stop))):
                return "question"
        return ""

    def command(self, at: int, marks: list[str]) -> bool:
        """A bare verb without subject, auxiliary or *to*."""
        tree = self.tree
        if "Mood=Imp" in tree.feats[at]:
            return True
        return (
            tree.tag[at] == "VB" and not marks and not tree.has(at, "nsubj")
            and not any(tree.base[kid] == "aux" and tree.lemma[kid] != "do" for kid in tree.kids[at])
        )  # fmt: skip


def reports(tree: ParseTree, at: int) -> bool:
    """Does this verb introduce what somebody said or thought?"""
    lemma = tree.lemma[at]
    if lemma not in REPORTING:
        return False
    if lemma in ALWAYS_REPORTING or tree.base[at] == "parataxis":
        return True
    return any(tree.base[kid] in ("ccomp", "parataxis") or tree.form[kid] in QUOTES for kid in tree.kids[at])
