"""Sentences -> their content words: lemmas of nouns and verbs, and verb particles (Wanzare et al. 2019, section 5.1).

The paper has them from CoreNLP; here the carried parser gives them. Each distinct sentence is parsed once in a run. Where
the parser's weights are missing, ``words="stems"`` works from light stems without function words; that is a departure
and stands in the signature. ``words="common"``: lemmas without proper names and first names, for topics that tell no persons.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from scenarist.errors import BadInput
from scenarist.reading.stems import STOP, stems
from scenarist.store.recent import Recent

KEPT = frozenset({"NOUN", "PROPN", "VERB"})
LIGHT = frozenset({"be", "have", "do"})
FORMS = ("lemmas", "stems", "common")

SEEN: Recent[tuple[str, str], tuple[str, ...]] = Recent(200_000)
"""Content words of the last sentences, by the form of the words and the sentence; a sentence that is parsed gives both of its forms."""


@cache
def only_names() -> frozenset[str]:
    """First names that are no words beside: *tim*, not *basil*."""
    from scenarist.reading.coref.lexicon import names
    from scenarist.reading.wordnet import is_verb, nouns

    return frozenset(name for name in names() if name not in nouns()[1] and not is_verb(name))


def content_words(sentences: Sequence[str], words: str = "lemmas") -> list[tuple[str, ...]]:
    """The content words of each sentence, in order.

    >>> content_words(["We stood in the line."], words="stems")
    [('stood', 'lin')]
    >>> content_words(["Tim ordered a pizza."], words="common")
    [('order', 'pizza')]
    """
    if words not in FORMS:
        raise BadInput(f"words is one of {', '.join(FORMS)}, not {words!r}.")
    found = {sentence: SEEN[words, sentence] for sentence in sentences if (words, sentence) in SEEN}
    new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in found]
    if words == "stems":
        found |= {sentence: tuple(stem for stem in stems(sentence) if stem not in STOP) for sentence in new}
    elif new:
        from scenarist.reading.parser.parse import parser

        for sentence, parsed in zip(new, parser()(new), strict=True):
            tokens = [
                token
                for token in parsed.story.tokens
                if (token.pos in KEPT and token.lemma.lower() not in LIGHT and any(map(str.isalpha, token.lemma)))
                or token.dep == "compound:prt"
            ]
            plain = (token.lemma.lower() for token in tokens if token.pos != "PROPN")
            SEEN["lemmas", sentence] = tuple(token.lemma.lower() for token in tokens)
            SEEN["common", sentence] = tuple(lemma for lemma in plain if lemma not in only_names())
            found[sentence] = SEEN[words, sentence]
    for sentence in new:
        SEEN[words, sentence] = found[sentence]
    return [found[sentence] for sentence in sentences]
