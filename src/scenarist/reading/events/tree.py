"""Parsed Story -> Tree: the parse as plain lists, with the few questions that event extraction asks of it.

Everything downstream asks Penn tags first and morphological features where a treebank has no Penn tags, so that any
parser's output will do once its labels are UD v2 (`labels.py`).
"""

from __future__ import annotations

from scenarist.story import Story

PENN = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"})
RELATIVE = frozenset({"who", "whom", "which", "that", "whose"})
DEEP = 60
"""Longest way up a tree that is followed: a guard against cycles in foreign files."""


class Tree:
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
