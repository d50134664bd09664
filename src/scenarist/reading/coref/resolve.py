"""Parsed Story -> Entities: every candidate takes its best antecedent, or none; each link says why.

The network proposes (`pairs`), rules dispose: a cluster never holds two sexes; a pronoun never joins an argument
of its own verb unless it is reflexive; parts of a coordination are never the coordination; what lies at a place somebody has
just reached is *it* rather than the place (`scene`). A coordination, and a plural
that continues one, keeps its members (split antecedents). Singletons are kept.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.reading.coref import lexicon as lex
from scenarist.reading.coref.dialogue import role_noun, settle, vocatives
from scenarist.reading.coref.mentions import DEPS, FEMALE, KINDS, MALE, MANY, ONE, Mentions, find
from scenarist.reading.coref.pairs import FEATURES, Pairs, PairScorer, numbers, own, slices
from scenarist.reading.wordnet import noun_kinds
from scenarist.story import Entity, Mention, Story

Array = npt.NDArray[Any]
ARGUMENTS = [DEPS.index(dep) for dep in ("nsubj:pass", "obj", "iobj", "obl")]
OTHER_SPEAKER = FEATURES.index("other speaker")
INSIDE, AROUND, BINDING = FEATURES.index("inside"), FEATURES.index("around"), FEATURES.index("binding")
MARGIN = -0.3
"""how much better than *new* an antecedent must be; tuned on dev"""
MARGIN_PERSONAL = -2.0
"""the same for he, she and they, which hardly ever are new"""
MARGIN_THING = -2.0
"""and for it where it is an argument of a verb"""
SALIENCE = 0.5
"""what an entity gains for a pronoun by having been spoken of before (times the logarithm of its mentions, four at most)"""

LIES_THERE = 2.5
"""what a thing gains for the *it* of somebody who has just gone to where it is, or opened what it is in"""


@cache
def scorer() -> PairScorer:
    """The carried pair network."""
    from scenarist.store.home import resource

    return PairScorer(resource("reader/coreference.npz"))


@cache
def word_vectors() -> Callable[[list[str]], Array]:
    """Head words -> unit vectors [n, d]; the table is the parser's."""
    from scenarist.reading.parser.parse import parser

    return parser().vectors


def resolve(story: Story, kinds: Sequence[str] = ()) -> tuple[Entity, ...]:
    """All entities of a parsed story, singletons too, in the order of their first mention."""
    mentions = find(story, kinds)
    if not len(mentions):
        return ()
    said, new, found = numbers(mentions), np.zeros(len(mentions), dtype=np.float32), []
    for part in slices(mentions, word_vectors()):
        my, other, first = scorer().alone(own(mentions, part.rows, said, part.vectors))
        scores = scorer().pairs(my, other, part.mine, part.its, part.pairs.features)
        mine = np.unique(part.mine)
        new[part.rows[mine]] = first[mine]
        found.append(admitted(mentions, part.pairs, scores, new))
    antecedent, why = link(mentions, found, new, vocatives(story, mentions))
    return entities(story, mentions, settle(story, mentions, antecedent).of, why)


def admitted(
    mentions: Mentions, made: Pairs, scores: Array, new: Array, margin: float = MARGIN
) -> tuple[Array, Array, Array]:
    """Pairs -> (mine, its, scores) of those that no rule forbids and that are better than having no antecedent."""
    personal = np.isin(mentions.cls, (lex.HE, lex.SHE, lex.THEY))
    thing = (mentions.cls == lex.IT) & np.isin(mentions.dep, ARGUMENTS)
    least = new + margin + np.where(personal, MARGIN_PERSONAL - MARGIN, 0) + np.where(thing, MARGIN_THING - MARGIN, 0)
    good = np.flatnonzero((scores > least[made.mine]) & ~forbidden(mentions, made))
    return made.mine[good], made.its[good], scores[good]


def forbidden(mentions: Mentions, made: Pairs) -> Array:
    """Pairs no score can join: co-arguments; spans one inside the other (but a pronoun may stand inside its antecedent); *they* and
    one man or woman; *he*, *she*, *it* and several; *it* and a man or woman; first and third person in one mouth."""
    mine, its = mentions.cls[made.mine], made.its
    inside = (made.features[:, INSIDE] > 0) & (mine >= lex.NAME)
    sexed = np.isin(mentions.gender[its], (MALE, FEMALE))
    # *a clown ... them*: one person by a noun is *they* only where the noun leaves open who it is
    person_noun = (mentions.cls[its] == lex.NOMINAL) & (mentions.alive[its] == 1) & ~open_nouns(mentions)[its]
    objects = np.isin(mentions.dep[made.mine], OBJECTS)
    one = (mentions.number[its] == ONE) & (sexed | (person_noun & objects)) & (mine == lex.THEY)
    many = (mentions.number[its] == MANY) & np.isin(mine, (lex.HE, lex.SHE, lex.IT))
    # in one mouth, I and you are not he, she or it
    persons = np.isin(mentions.cls, (lex.FIRST, lex.WE, lex.YOU))
    others = np.isin(mentions.cls, (lex.HE, lex.SHE, lex.IT))
    mouth = mentions.quote[made.mine] == mentions.quote[its]
    person = mouth & ((persons[made.mine] & others[its]) | (others[made.mine] & persons[its]))
    same = mentions.cls[its] == mine
    both = np.isin(mine, (lex.FIRST, lex.YOU)) & np.isin(mentions.cls[its], (lex.FIRST, lex.YOU))
    person |= both & np.where(mouth, ~same, same & (made.features[:, OTHER_SPEAKER] > 0))
    spans = (made.features[:, BINDING] > 0) | inside | (made.features[:, AROUND] > 0)
    return np.asarray(spans | one | many | person | (sexed & (mine == lex.IT)))


OPEN = frozenset(
    "person someone somebody anyone anybody everyone everybody nobody student child kid baby customer user patient".split()
)
"""Nouns whose person may be *they*."""
OBJECTS = [DEPS.index(dep) for dep in ("obj", "iobj")]


def open_nouns(mentions: Mentions) -> Array:
    """Which mentions leave open whom they mean?"""
    return np.array([head in OPEN for head in mentions.heads], dtype=bool)


def link(
    mentions: Mentions, admitted: Iterable[tuple[Array, Array, Array]], new: Array, called: dict[int, list[int]]
) -> tuple[list[int], list[str]]:
    """Admitted pairs, slice by slice -> the antecedent of each mention (-1: none) and the reason."""
    size = len(mentions)
    antecedent, why = [-1] * size, [""] * size
    cluster = list(range(size))
    sexes = [{int(one)} if one in (MALE, FEMALE) else set() for one in mentions.gender]
    roles = [{role} if (role := role_noun(mentions, place)) else set() for place in range(size)]
    sizes = [1] * size
    pronoun = (mentions.cls >= lex.HE) & (mentions.cls <= lex.THEY)
    for here, others, said in _by_mention(admitted):
        if pronoun[here]:  # who was spoken of more often is meant more often
            said = [
                one + SALIENCE * math.log(min(4, sizes[cluster[other]]))
                for one, other in zip(said, others, strict=True)
            ]
        there = _there(mentions, here, cluster)
        if there:
            said = [one + LIES_THERE * (cluster[other] in there) for one, other in zip(said, others, strict=True)]
        for place in sorted(range(len(others)), key=lambda place: -said[place]):
            other = others[place]
            root = cluster[other]
            if len(sexes[root] | sexes[here]) > 1 or any(cluster[rival] == root for rival in mentions.rivals[here]):
                continue
            if len(roles[root] | roles[here]) > 1 or (called and calls_out(mentions, called, cluster, here, root)):
                continue
            antecedent[here] = other
            cluster[here] = root
            sizes[root] += 1
            sexes[root] |= sexes[here]
            roles[root] |= roles[here]
            why[here] = reason(mentions, here, other, said[place] - float(new[here]), root in there)
            break
    return antecedent, why


def calls_out(mentions: Mentions, called: dict[int, list[int]], cluster: Sequence[int], here: int, root: int) -> bool:
    """Does one side speak a quotation that calls out the other? Nobody calls himself by his name."""
    for quote, places in called.items():
        speaker = mentions.speakers.get(quote, -1)
        if speaker == here and any(cluster[place] == root for place in places):
            return True
        if here in places and speaker >= 0 and cluster[speaker] == root:
            return True
    return False


def _there(mentions: Mentions, here: int, cluster: list[int]) -> set[int]:
    """The clusters of what was said to be at the place that the clause of ``here`` has just reached."""
    place = mentions.where.reached.get(here)
    if place is None:
        return set()
    return {cluster[thing] for thing, at in mentions.where.there(here) if cluster[at] == cluster[place]}


def _by_mention(admitted: Iterable[tuple[Array, Array, Array]]) -> Iterator[tuple[int, list[int], list[float]]]:
    """-> (mention, its antecedents, their scores), in the order of the text."""
    for mine, its, scores in admitted:
        borders = [0, *(np.flatnonzero(np.diff(mine)) + 1).tolist(), len(mine)]
        for start, stop in itertools.pairwise(borders):
            if stop > start:
                yield int(mine[start]), its[start:stop].tolist(), scores[start:stop].tolist()


def reason(mentions: Mentions, here: int, other: int, score: float, there: bool = False) -> str:
    """One link in words."""
    far = int(mentions.sentence[here] - mentions.sentence[other])
    where = "same sentence" if far == 0 else "sentence before" if far == 1 else f"{far} sentences before"
    cls = int(mentions.cls[here])
    if cls < lex.NAME:
        agree = [
            name
            for name, values in (("gender", mentions.gender), ("number", mentions.number), ("animacy", mentions.alive))
            if values[here] and values[here] == values[other]
        ]
        what = f"pronoun '{mentions.forms[here]}'" + (f" agrees in {', '.join(agree)}" if agree else "")
        if mentions.quote[here] and mentions.speakers.get(int(mentions.quote[here])) == other:
            what = f"'{mentions.forms[here]}' is the speaker of the quotation"
    elif mentions.texts[here] == mentions.texts[other]:
        what = f"same {'name' if cls == lex.NAME else 'words'} '{mentions.texts[here]}'"
    elif mentions.heads[here] == mentions.heads[other]:
        what = f"same head '{mentions.heads[here]}'"
    elif shared := mentions.words[here] & mentions.words[other]:
        what = f"shares '{min(shared)}'"
    else:
        what = f"'{mentions.heads[here]}' for '{mentions.heads[other]}'"
    if there:
        what += f"; it was at the {mentions.heads[mentions.where.reached[here]]}"
    return f"{what}; {where}; score {score:+.1f}"


def entities(story: Story, mentions: Mentions, root: Sequence[int], why: list[str]) -> tuple[Entity, ...]:
    """Clusters (``root``: the number of each mention's) -> entities with ids e1, e2, ... by first mention."""
    groups: dict[int, list[int]] = {}
    for place in range(len(mentions)):
        groups.setdefault(root[place], []).append(place)
    ids = {first: f"e{number}" for number, first in enumerate(groups, start=1)}
    made = []
    for first, places in groups.items():
        members: list[str] = []
        for place in places:
            members += [ids[root[part]] for part in mentions.parts.get(place, ()) if root[part] != first]
        made.append(_entity(story, mentions, ids[first], places, why, tuple(dict.fromkeys(members))))
    return tuple(made)


def _entity(
    story: Story, mentions: Mentions, name: str, places: list[int], why: list[str], members: tuple[str, ...]
) -> Entity:
    kept = []
    for place in places:
        first, last = int(mentions.first[place]), int(mentions.last[place])
        cls = int(mentions.cls[place])
        kept.append(
            Mention(
                story.tokens[first].start,
                story.tokens[last - 1].stop,
                first,
                last,
                int(mentions.head[place]),
                "pronoun" if cls < lex.NAME else "name" if cls == lex.NAME else "nominal",
                why[place],
            )
        )
    best = min(
        places,
        key=lambda place: (abs(int(mentions.cls[place]) - lex.NAME) if mentions.cls[place] >= lex.NAME else 9, place),
    )
    return Entity(
        id=name,
        mentions=tuple(kept),
        kind=_kind(mentions, places),
        name=RELATIVE.split(story.of(kept[places.index(best)]), maxsplit=1)[0][:80],
        gender=_commonest(mentions.gender[places], ("", "male", "female", "neuter")),
        number=_commonest(mentions.number[places], ("", "singular", "plural")),
        members=members,
    )


def _commonest(values: Array, names: tuple[str, ...]) -> str:
    counts = np.bincount(values, minlength=len(names))
    counts[0] = 0
    return names[int(counts.argmax())] if counts.any() else ""


def _kind(mentions: Mentions, places: list[int]) -> str:
    """The type most of the names and nominals have; pronouns of people make a person."""
    full = [place for place in places if mentions.cls[place] >= lex.NAME and mentions.kind[place]]
    if full:
        said = mentions.kind[full].tolist()
        kind = KINDS[max(said, key=lambda kind: (said.count(kind), -said.index(kind)))]
        return "" if kind in LIVING and not may_live(mentions, places) else kind
    if any(mentions.cls[place] in (lex.FIRST, lex.WE, lex.YOU, lex.HE, lex.SHE) for place in places):
        return "person"
    kinds = [int(mentions.kind[place]) for place in places if mentions.kind[place]]
    return KINDS[max(set(kinds), key=kinds.count)] if kinds else ""


RELATIVE = re.compile(r", (?:who|whom|whose|which)\b")
"""Where a clause begins that belongs to a mention and not to the name of the entity."""
LIVING = ("person", "animal")
NOT_LIVING = frozenset(
    "artifact food object substance act cognition communication attribute shape quantity time plant".split()
)


def may_live(mentions: Mentions, places: list[int]) -> bool:
    """Can it be a person or an animal? Not where it is only called by nouns of things, or by *one*."""
    heads = {mentions.heads[place] for place in places if mentions.cls[place] == lex.NOMINAL}
    if (
        any(mentions.cls[place] not in (lex.NOMINAL, lex.IT, lex.INDEFINITE, lex.DEMONSTRATIVE) for place in places)
        or not heads
    ):
        return True
    if any(mentions.gender[place] in (MALE, FEMALE) for place in places):
        return True
    kinds = {head: noun_kinds(head) or noun_kinds(head.removesuffix("s")) for head in heads}
    if all(head == "one" or (kinds[head] and set(kinds[head]) <= NOT_LIVING) for head in heads):
        return False
    # *wanted fish*: a mass noun that is eaten
    eaten = all("food" in kinds[head] for head in heads)
    return not (eaten and all(mentions.article[place] == 0 and mentions.number[place] == ONE for place in places))
