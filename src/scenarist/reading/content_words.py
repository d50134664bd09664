"""Sentences -> their content words: lemmas of nouns and verbs, and verb particles (Wanzare et al. 2019, section 5.1).

The paper has them from CoreNLP; here the carried parser gives them. Each distinct sentence is parsed once in a run. Where
the parser's weights are missing, ``words="stems"`` works from light stems without function words; that is a departure
and stands in the signature.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenarist.errors import BadInput
from scenarist.reading.stems import STOP, stems

KEPT = frozenset({"NOUN", "PROPN", "VERB"})
LIGHT = frozenset({"be", "have", "do"})
FORMS = ("lemmas", "stems")

_seen: dict[tuple[str, str], tuple[str, ...]] = {}


def content_words(sentences: Sequence[str], words: str = "lemmas") -> list[tuple[str, ...]]:
    """The content words of each sentence, in order.

    >>> content_words(["We stood in the line."], words="stems")
    [('stood', 'lin')]
    """
    if words not in FORMS:
        raise BadInput(f"words is one of {', '.join(FORMS)}, not {words!r}.")
    todo = [one for one in dict.fromkeys(sentences) if (words, one) not in _seen]
    if words == "stems":
        for one in todo:
            _seen[words, one] = tuple(stem for stem in stems(one) if stem not in STOP)
    elif todo:
        from scenarist.reading.parser.parse import parser

        for one, parsed in zip(todo, parser()(todo), strict=True):
            _seen[words, one] = tuple(
                token.lemma.lower()
                for token in parsed.story.tokens
                if (token.pos in KEPT and token.lemma.lower() not in LIGHT and any(map(str.isalpha, token.lemma)))
                or token.dep == "compound:prt"
            )
    return [_seen[words, one] for one in sentences]
