"""A parsed story -> its scene: who says what stands in quotation marks, and what was said to be where.

The speaker of a quotation is the subject of a verb of saying in the same sentence, or in the sentence before where the quotation goes
on. In a chat log each line has its speaker.

*The kite landed in a tree. A neighbor climbed the tree and rescued it*: who goes to a place, or opens it, and then does something to
*it*, rather means what is there than the place itself. Nearness, parallel roles and counts of mentions say the opposite; it is the
coherence of the two clauses that tells (Hobbs 1979), and this much of it is written in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.reading.coref import lexicon as lex
from scenarist.story import Story, Token

Array = npt.NDArray[Any]

_QUOTE_MARKS = {'"': 0, "“": 1, "”": -1, "``": 1, "''": -1, "«": 1, "»": -1}


def quotations(story: Story, lower: list[str]) -> tuple[Array, dict[int, int]]:
    """-> (number of the quotation each token stands in, 0 outside; quotation -> token of its speaker)."""
    number = np.zeros(len(lower), dtype=int)
    inside, count = False, 0
    for one in story.sentences:
        begun = inside
        for place in range(one.first, one.last):
            mark = _QUOTE_MARKS.get(lower[place])
            if mark is not None:
                if mark == 1 or (mark == 0 and not inside):
                    inside, count = True, count + 1
                else:
                    inside = False
            elif inside:
                number[place] = count
        if inside and begun and one.last - one.first > 60:  # a mark was lost: do not quote the rest of the book
            inside = False
    speaking: dict[int, int] = {}
    tokens = story.tokens
    for one in story.sentences:
        quotes = sorted(set(number[one.first : one.last].tolist()) - {0})
        if not quotes:
            continue
        for place in range(one.first, one.last):
            token = tokens[place]
            if (
                token.dep == "nsubj"
                and not number[place]
                and token.head >= 0
                and not number[token.head]
                and tokens[token.head].lemma in lex.SAY
            ):
                for quote in quotes:
                    speaking.setdefault(quote, place)
                break
    continue_turns(story, number, speaking)
    chat_turns(story, number, speaking)
    return number, speaking


def continue_turns(story: Story, number: Array, speaking: dict[int, int]) -> None:
    """*"Nora!" the driver shouted. "You forgot your bag."*: a sentence of quotation alone, right behind one that names its speaker."""
    for one, following in zip(story.sentences, story.sentences[1:], strict=False):
        quotes = sorted(set(number[following.first : following.last].tolist()) - {0})
        words = [place for place in range(following.first, following.last) if story.tokens[place].pos != "PUNCT"]
        if not quotes or not words or not all(number[place] for place in words):
            continue
        named = sorted(
            {speaking[quote] for quote in set(number[one.first : one.last].tolist()) - {0} if quote in speaking}
        )
        ends_with_clause = bool(named) and not number[max(one.first, one.last - 2)]
        if len(named) == 1 and ends_with_clause:
            for quote in quotes:
                speaking.setdefault(quote, named[0])


TURN = re.compile(r"(?m)^[ \t]*([A-Z][\w.'-]*(?: [A-Z][\w.'-]*)?):[ \t]+(?=\S)")


def chat_turns(story: Story, number: Array, speaking: dict[int, int]) -> None:
    """A chat log, a play: most lines begin with a name and a colon, who speaks what follows."""
    turns = list(TURN.finditer(story.text))
    lines = sum(bool(line.strip()) for line in story.text.splitlines())
    if len(turns) < 2 or 2 * len(turns) < lines:
        return
    starts = [token.start for token in story.tokens]
    count = int(number.max(initial=0))
    for turn, following in zip(turns, [*turns[1:], None], strict=True):
        first, last = (
            bisect_left(starts, turn.end()),
            bisect_left(starts, following.start() if following else len(story.text)),
        )
        name = bisect_left(starts, turn.start(1))
        inside = [
            place for place in range(name, bisect_left(starts, turn.end(1))) if story.tokens[place].pos == "PROPN"
        ]
        if first >= last or not inside:
            continue
        heads = [place for place in inside if story.tokens[place].head not in inside]
        count += 1
        number[first:last] = count
        speaking[count] = heads[0] if heads else inside[0]


IN = frozenset(
    "in on at into onto inside under underneath beneath behind below above over upon within among between near beside".split()
)
REACH = frozenset(
    "climb enter reach approach cross open unlock search mount ascend descend visit lift unwrap unpack unlatch untie raise".split()
)
"""verbs whose object is a place one gets to, or a thing one gets into"""
MOVE = frozenset(
    "go come walk run climb jump reach hurry rush swim dive crawl get return drive ride look step row fly bend lean wade hike".split()
)
"""verbs that take their place with a preposition"""
STAY = (REACH - {"reach"}) | frozenset(
    "close shut lock leave clean sweep wash empty fill paint fix repair mend explore examine cover".split()
)
"""what one does to the place itself"""
BACK = 40
"""mentions between a thing and the *it* that may mean it"""


class Whereabouts(NamedTuple):
    """Places among the mentions; ``things[i]`` was said to be in or at ``places[i]``, which stand in the order of the text."""

    things: list[int]
    places: list[int]
    reached: dict[int, int]
    """an *it* -> the place somebody has just reached, or what he has just opened"""

    def there(self, here: int) -> Iterator[tuple[int, int]]:
        """(thing, place) said shortly before the mention ``here``."""
        first, last = bisect_left(self.places, here - BACK), bisect_left(self.places, here)
        return zip(self.things[first:last], self.places[first:last], strict=True)


def whereabouts(
    by_head: dict[int, int], tokens: Sequence[Token], lower: Sequence[str], children: Sequence[Sequence[int]]
) -> Whereabouts:
    """``by_head`` gives the mention of a head; ``lower`` are the words in lower case."""
    found, reached = [], {}
    for head, mention in by_head.items():
        dep = tokens[head].dep.partition(":")[0]
        if lower[head] == "it":
            if dep == "obj" and (place := _reached(tokens[head].head, tokens, children, by_head)) is not None:
                reached[mention] = place
        elif any(tokens[child].dep == "case" and lower[child] in IN for child in children[head]):
            thing = _thing(head, dep, tokens, children)
            if thing in by_head:
                found.append((mention, by_head[thing]))
    found.sort()
    return Whereabouts([thing for _, thing in found], [place for place, _ in found], reached)


def _thing(head: int, dep: str, tokens: Sequence[Token], children: Sequence[Sequence[int]]) -> int:
    """What is in or at the place ``head``: *the ring was in the drawer*, *it fell into a well*, *the key under the mat*."""
    if any(tokens[child].dep == "cop" for child in children[head]):
        return _child(head, ("nsubj",), tokens, children)
    if dep == "nmod":
        return tokens[head].head
    if dep != "obl":
        return -1
    verb = tokens[head].head
    thing = _child(verb, ("obj", "nsubj"), tokens, children)
    return (
        thing if thing >= 0 or tokens[verb].dep != "conj" else _child(tokens[verb].head, ("nsubj",), tokens, children)
    )


def _reached(
    verb: int, tokens: Sequence[Token], children: Sequence[Sequence[int]], by_head: dict[int, int]
) -> int | None:
    """The place that a verb beside ``verb`` gets to: *climbed the tree and rescued it*, *went to the desk to fetch it*."""
    above = tokens[verb].head
    if above < 0 or tokens[verb].lemma in STAY or tokens[verb].dep.partition(":")[0] not in ("conj", "advcl", "xcomp"):
        return None
    before = [above, *(child for child in children[above] if tokens[child].dep == "conj" and child < verb)]
    for other in reversed(before):
        place = -1
        if tokens[other].lemma in REACH:
            place = _child(other, ("obj",), tokens, children)
        if place < 0 and tokens[other].lemma in MOVE:
            place = _child(other, ("obl",), tokens, children)
        if place in by_head and place < verb:
            return by_head[place]
    return None


def _child(head: int, deps: tuple[str, ...], tokens: Sequence[Token], children: Sequence[Sequence[int]]) -> int:
    """The first child under the first of these relations, or -1."""
    for dep in deps:
        for child in children[head]:
            if tokens[child].dep.partition(":")[0] == dep:
                return child
    return -1
