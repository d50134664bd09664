"""Sentences -> their content words: lemmas of nouns and verbs, and verb particles (Wanzare et al. 2019, section 5.1).

The paper has them from CoreNLP; here the carried parser gives them. Each distinct sentence is parsed once in a run. Where
the parser's weights are missing, ``words="stems"`` works from light stems without function words; that is a departure
and stands in the signature.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenarist.errors import BadInput
from scenarist.reading.stems import STOP, stems
from scenarist.store.recent import Recent

KEPT = frozenset({"NOUN", "PROPN", "VERB"})
LIGHT = frozenset({"be", "have", "do"})
FORMS = ("lemmas", "stems")

SEEN: Recent[tuple[str, str], tuple[str, ...]] = Recent(100_000)
"""Content words of the last sentences, by the form of the words and the sentence."""


def content_words(sentences: Sequence[str], words: str = "lemmas") -> list[tuple[str, ...]]:
    """The content words of each sentence, in order.

    >>> content_words(["We stood in the line."], words="stems")
    [('stood', 'lin')]
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
            found[sentence] = tuple(
                token.lemma.lower()
                for token in parsed.story.tokens
                if (token.pos in KEPT and token.lemma.lower() not in LIGHT and any(map(str.isalpha, token.lemma)))
                or token.dep == "compound:prt"
            )
    for sentence in new:
        SEEN[words, sentence] = found[sentence]
    return [found[sentence] for sentence in sentences]
