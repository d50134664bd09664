"""text -> what is wrong with it as a sentence, or nothing: a finite main clause with a subject, or an imperative.

Bennett (Procedure) let people go on only when CoreNLP could parse their answer, because many wrote phrases. Here the carried parser
looks at the answer while it is written. Rules, in order: there are words; the root is a verb, or has a copula; it is finite, itself or by
its first auxiliary; it is no subordinate clause; it has a subject, or it is an imperative (a bare verb without one). Of several
sentences one is enough. Spelling, capitals and a missing full stop do not matter.
"""

from __future__ import annotations

import re

from scenarist.reading.events.lexicon import words
from scenarist.reading.events.predicates import ParseTree

MOST = 600
"""Characters that are looked at; the cost stays that of some sentences whatever is pasted."""
FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
SUBJECTS = frozenset({"nsubj", "csubj", "expl"})
SUBORDINATE = words(
    "because although though while when whenever if unless until since before after as whereas once where whose that"
)
WORD = re.compile(r"[^\W\d_]")
MISREAD = re.compile(r"(?<![\w'’])i(?=[\s'’])")

NO_WORDS = "Please write a sentence in words."
NO_VERB = "This is a phrase without a verb. Please say in a full sentence what happened, for example: The man opened the door."
NOT_FINITE = (
    "Who does it, and when? Please give the verb a subject and a tense: not 'walking home' but 'She walked home.'"
)
NO_SUBJECT = "Who does it? Please begin with a person or thing: not 'walked home' but 'She walked home.'"
ONLY_A_PART = "This is only a part of a sentence. Please say what happened then, for example: Because it rained, she stayed at home."


def check_sentence(text: str) -> str | None:
    """A helpful message where the text is no sentence; None where it is one.

    >>> check_sentence("The waiter brought our soup") is None, check_sentence("Please wait here!") is None
    (True, True)
    >>> check_sentence("a bowl of soup") == NO_VERB, check_sentence("bringing the soup") == NOT_FINITE
    (True, True)
    """
    from scenarist.reading.parser.parse import parser

    text = MISREAD.sub("I", " ".join(text[:MOST].split()))
    if not WORD.search(text):
        return NO_WORDS
    if text[-1] not in ".!?\"'”’)":
        text += "."
    (parsed,) = parser()([text[:1].upper() + text[1:]])
    tree = ParseTree(parsed.story)
    complaints: list[str] = []
    for sentence in parsed.story.sentences:
        root = next((token for token in range(sentence.first, sentence.last) if tree.head[token] < 0), -1)
        complaint = NO_VERB if root < 0 else complain(tree, root)
        if complaint is None:
            return None
        complaints.append(complaint)
    return complaints[0] if complaints else NO_WORDS


def complain(tree: ParseTree, root: int) -> str | None:
    """What keeps the clause of a root from being a sentence."""
    clauses = [
        root,
        *(kid for kid in tree.kids[root] if tree.base[kid] in ("parataxis", "conj", "ccomp") and is_clause(tree, kid)),
    ]
    complaints = [complain_of_clause(tree, clause) for clause in clauses]
    return None if None in complaints else complaints[0]


def is_clause(tree: ParseTree, token: int) -> bool:
    """Does a dependent have a subject and a finite verb of its own?"""
    return has_subject(tree, token) and finite_verb(tree, token) >= 0


def complain_of_clause(tree: ParseTree, root: int) -> str | None:
    """The first rule that one clause breaks."""
    verbal = tree.pos[root] in ("VERB", "AUX") or tree.has(root, "cop") or finite_verb(tree, root) >= 0
    if not verbal:
        return NO_VERB
    marks = [kid for kid in tree.kids[root] if tree.base[kid] in ("mark", "advmod") and kid < root]
    first = min([root, *tree.kids[root]])
    if any(tree.form[kid].lower() in SUBORDINATE and tree.base[kid] == "mark" for kid in marks):
        return ONLY_A_PART
    asked = tree.form[last_of(tree, root)] == "?"
    if not asked and any(
        kid == first and tree.form[kid].lower() in ("when", "whenever", "where", "while") for kid in marks
    ):
        return ONLY_A_PART
    if finite_verb(tree, root) >= 0 and has_subject(tree, root):
        return None
    if is_imperative(tree, root):
        return None
    return NO_SUBJECT if finite_verb(tree, root) >= 0 else NOT_FINITE


def last_of(tree: ParseTree, root: int) -> int:
    """The last token of the sentence of a token."""
    return tree.stops[tree.sentence[root]] - 1


def has_subject(tree: ParseTree, root: int) -> bool:
    """Has it a subject of its own?"""
    return any(tree.base[kid] in SUBJECTS for kid in tree.kids[root])


def finite_verb(tree: ParseTree, root: int) -> int:
    """The token that carries tense: the first auxiliary or copula, or the verb itself; -1 where none does."""
    helpers = [kid for kid in tree.kids[root] if tree.base[kid] in ("aux", "cop")]
    for token in [*helpers[:1], *([] if helpers else [root])]:
        if tree.pos[token] in ("VERB", "AUX") and tree.verb_form(token) in FINITE:
            return token
    return -1


def is_imperative(tree: ParseTree, root: int) -> bool:
    """A bare verb (or *do not* and a verb) that opens the clause, without a subject and without *to*."""
    if has_subject(tree, root):
        return False
    helpers = [kid for kid in tree.kids[root] if tree.base[kid] in ("aux", "cop")]
    if helpers:
        return (
            tree.lemma[helpers[0]] in ("do", "be") and tree.verb_form(helpers[0]) in ("VB", "VBP") and helpers[0] < root
        )
    if any(tree.base[kid] == "mark" and tree.form[kid].lower() == "to" for kid in tree.kids[root]):
        return False
    return (
        tree.pos[root] == "VERB"
        and tree.form[root].lower() == tree.lemma[root]
        and tree.verb_form(root) in ("VB", "VBP")
    )
