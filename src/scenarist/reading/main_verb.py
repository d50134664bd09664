"""text -> the main verb of its first sentence that has one (Bennett, Response processing: CoreNLP there, the carried parser here)."""

from __future__ import annotations

from scenarist.reading.events.predicates import ParseTree, predicates
from scenarist.story import Story

VERBAL = ("verb", "light")


def main_verb(text: str) -> str:
    """The lemma of the main verb with its particle, empty where there is none. A single word is taken as a verb.

    >>> main_verb("The waiter turned off the lights."), main_verb("A long wait")
    ('turn_off', '')
    """
    from scenarist.reading.parser.parse import parser

    words = text.split()
    if len(words) == 1:
        return words[0].lower()
    (parsed,) = parser()([" ".join(words)])
    return story_verb(parsed.story)


def story_verb(story: Story) -> str:
    """The main verb of a parsed answer; a copula is ``be``."""
    tree = ParseTree(story)
    by_token = {one.token: one for one in predicates(tree)}
    for sentence in story.sentences:
        root = next((token for token in range(sentence.first, sentence.last) if tree.head[token] < 0), -1)
        if root in by_token:
            predicate = by_token[root]
            return predicate.name if predicate.kind in VERBAL else predicate.name.partition("_")[0]
        behind = [
            kid for kid in (tree.kids[root] if root >= 0 else []) if tree.base[kid] == "xcomp" and kid in by_token
        ]
        if behind:  # *had to leave*: the verb behind a stand-in for an auxiliary
            return by_token[behind[0]].name
    return ""
