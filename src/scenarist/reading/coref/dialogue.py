"""Linked mentions -> the same, settled: who says *I* and *you*, which names are called out, who is called by a noun and a name.

The pair network judges two mentions; a dialogue is told by turns. In a quotation (or a line of a chat log) *I* is its speaker and *you*
the one it is said to: whom it calls by name, else the narrator where he stands beside it, else the other speaker of the dialogue. A
narrator who is called by a name that nobody else bears has that name. *Dad* and *Grandma* without an article are names: two mentions
are one. *They* who did something together in this sentence are those two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scenarist.reading.coref import lexicon as lex
from scenarist.reading.coref.mentions import FEMALE, MALE, Mentions
from scenarist.story import Story

KIN = frozenset(
    "dad daddy papa pa mom mommy mum mummy mama ma grandma grandpa granny grandmother grandfather granddad nana mother father "
    "auntie".split()
)
"""Nouns that are names where they have no article and no owner."""
NEARBY = 8
"""Quotations between two turns of one dialogue, at most."""
VOCATIVE_MARKS = frozenset((",", "!", "?", ".", '"', "“", "”", "''", "``"))


class Clusters:
    """Mentions in clusters: the cluster of a mention is its number in ``of``."""

    def __init__(self, antecedent: Sequence[int]) -> None:
        self.of = list(range(len(antecedent)))
        for place, other in enumerate(antecedent):
            if other >= 0:
                self.of[place] = self.of[other]

    def merge(self, first: int, second: int) -> None:
        """Make the clusters of two mentions one."""
        one, other = self.of[first], self.of[second]
        if one != other:
            self.of = [one if number == other else number for number in self.of]

    def move(self, place: int, other: int) -> None:
        """Put a mention alone into the cluster of another."""
        if self.of[place] != self.of[other]:
            self.split(place)
            self.of[place] = self.of[other]

    def split(self, place: int) -> None:
        """Give a mention a cluster of its own."""
        old = self.of[place]
        rest = [index for index, number in enumerate(self.of) if number == old and index != place]
        for index in rest:
            self.of[index] = rest[0]
        self.of[place] = place


def vocatives(story: Story, mentions: Mentions) -> dict[int, list[int]]:
    """Quotation -> the names that it calls out: set off by commas at its beginning or end, or alone."""
    found: dict[int, list[int]] = {}
    for place in range(len(mentions)):
        quote = int(mentions.quote[place])
        named = mentions.cls[place] == lex.NAME or mentions.heads[place] in KIN
        if not quote or not named or mentions.article[place] not in (0, 6):
            continue
        first, last = int(mentions.first[place]), int(mentions.last[place])
        before = story.of(story.tokens[first - 1]) if first else '"'
        after = story.of(story.tokens[last]) if last < len(story.tokens) else '"'
        dep = story.tokens[int(mentions.head[place])].dep.partition(":")[0]
        if dep == "vocative" or (
            before in VOCATIVE_MARKS
            and after in VOCATIVE_MARKS
            and (before != "," or after != ",")
            and dep not in ("conj", "appos")
        ):
            found.setdefault(quote, []).append(place)
    return found


def settle(story: Story, mentions: Mentions, antecedent: Sequence[int]) -> Clusters:
    """The clusters of linked mentions, after the rules of names and dialogues."""
    clusters = Clusters(antecedent)
    if not len(mentions):
        return clusters
    join_apposed(story, mentions, clusters)
    join_kin(mentions, clusters)
    join_couples(story, mentions, clusters)
    called = vocatives(story, mentions)
    quotes = sorted(quote for quote in set(mentions.quote.tolist()) if quote)
    if not quotes:
        return clusters
    speaker = {quote: mentions.speakers[quote] for quote in quotes if quote in mentions.speakers}
    narrator = next(
        (place for place in range(len(mentions)) if mentions.cls[place] == lex.FIRST and not mentions.quote[place]), -1
    )
    if narrator >= 0:
        name_narrator(mentions, clusters, called, speaker, narrator)
    for quote in quotes:
        if quote in speaker:
            address(mentions, clusters, quote, quotes, speaker, called, narrator)
    return clusters


def join_apposed(story: Story, mentions: Mentions, clusters: Clusters) -> None:
    """*Her neighbor Ben*: a noun of a person and the name that follows it without a comma."""
    ends = {int(mentions.last[place]): place for place in range(len(mentions)) if mentions.cls[place] == lex.NOMINAL}
    for place in range(len(mentions)):
        if mentions.cls[place] != lex.NAME or mentions.alive[place] == 2:
            continue
        token = story.tokens[int(mentions.head[place])]
        noun = ends.get(int(mentions.first[place]), -1)
        if noun < 0:  # the name may lie inside the noun's span
            noun = next(
                (
                    other
                    for other in range(len(mentions))
                    if mentions.cls[other] == lex.NOMINAL
                    and int(mentions.head[other]) == int(mentions.first[place]) - 1
                ),
                -1,
            )
        if noun < 0 or mentions.article[noun] not in (1, 4) or mentions.alive[noun] == 2:
            continue
        tied = token.head == int(mentions.head[noun]) or story.tokens[int(mentions.head[noun])].head == int(
            mentions.head[place]
        )
        if tied and token.dep.partition(":")[0] in ("appos", "flat", "nmod", "compound"):
            clusters.merge(noun, place)


def join_kin(mentions: Mentions, clusters: Clusters) -> None:
    """*Dad ... Dad*: kin called by their noun alone."""
    first: dict[str, int] = {}
    for place in range(len(mentions)):
        bare = mentions.article[place] in (0, 6) and mentions.cls[place] in (lex.NAME, lex.NOMINAL)
        if bare and mentions.heads[place] in KIN and len(mentions.texts[place].split()) <= 2:
            clusters.merge(first.setdefault(mentions.heads[place], place), place)


def join_couples(story: Story, mentions: Mentions, clusters: Clusters) -> None:
    """*The bride danced with her father, and her mother filmed them*: them are the two, a group of their own."""
    by_head = {int(mentions.head[place]): place for place in range(len(mentions)) if place not in mentions.parts}
    for place in range(len(mentions)):
        if mentions.cls[place] != lex.THEY or mentions.forms[place] != "them":
            continue
        sentence = story.sentences[int(mentions.sentence[place])]
        for token in range(sentence.first, int(mentions.head[place])):
            verb = story.tokens[token].head
            company = story.tokens[token].dep.startswith("obl") and any(
                story.tokens[other].head == token
                and story.tokens[other].dep == "case"
                and story.of(story.tokens[other]).lower() == "with"
                for other in range(sentence.first, token)
            )
            if not company or token not in by_head or verb == int(mentions.governor[place]):
                continue
            subject = next(
                (
                    at
                    for at in by_head
                    if story.tokens[at].head == verb and story.tokens[at].dep == "nsubj" and at < token
                ),
                -1,
            )
            pair = (by_head.get(subject, -1), by_head[token])
            if subject >= 0 and all(mentions.alive[other] == 1 and mentions.number[other] == 1 for other in pair):
                clusters.split(place)
                mentions.parts[place] = pair


def name_narrator(
    mentions: Mentions, clusters: Clusters, called: dict[int, list[int]], speaker: dict[int, int], narrator: int
) -> None:
    """The narrator has the name by which others call him, where nobody else is spoken of by it."""
    own = clusters.of[narrator]
    votes: Counter[str] = Counter()
    for quote, places in called.items():
        if quote in speaker and clusters.of[speaker[quote]] != own and near_narrator(mentions, places[0]):
            votes.update({mentions.heads[place] for place in places})
    if not votes:
        return
    name = votes.most_common(1)[0][0]
    bearers = [
        place for place in range(len(mentions)) if mentions.heads[place] == name and mentions.cls[place] == lex.NAME
    ]
    if all(mentions.quote[place] for place in bearers):
        for place in bearers:
            clusters.move(place, narrator)


def near_narrator(mentions: Mentions, place: int) -> bool:
    """Does the narrator stand in the sentence of a mention, or in the one before or after?"""
    sentence = int(mentions.sentence[place])
    return any(
        mentions.cls[other] == lex.FIRST
        and not mentions.quote[other]
        and abs(int(mentions.sentence[other]) - sentence) <= 1
        for other in range(len(mentions))
    )


def address(
    mentions: Mentions,
    clusters: Clusters,
    quote: int,
    quotes: Sequence[int],
    speaker: dict[int, int],
    called: dict[int, list[int]],
    narrator: int,
) -> None:
    """Give *I* and *you* of a quotation to the one who speaks and the one who is spoken to."""
    inside = [place for place in range(len(mentions)) if mentions.quote[place] == quote]
    mouth = speaker[quote]
    for place in inside:
        if mentions.cls[place] == lex.FIRST:
            clusters.move(place, mouth)
    hearer = addressee(mentions, clusters, quote, quotes, speaker, called, narrator)
    if hearer >= 0 and clusters.of[hearer] != clusters.of[mouth]:
        for place in inside:
            if mentions.cls[place] == lex.YOU:
                clusters.move(place, hearer)


def addressee(
    mentions: Mentions,
    clusters: Clusters,
    quote: int,
    quotes: Sequence[int],
    speaker: dict[int, int],
    called: dict[int, list[int]],
    narrator: int,
) -> int:
    """Whom a quotation is said to, -1 where that is open."""
    if called.get(quote):
        return called[quote][0]
    mouth = clusters.of[speaker[quote]]
    place = next(place for place in range(len(mentions)) if mentions.quote[place] == quote)
    if narrator >= 0 and clusters.of[narrator] != mouth and near_narrator(mentions, place):
        return narrator
    at = quotes.index(quote)
    around = [*quotes[at + 1 : at + 1 + NEARBY], *reversed(quotes[max(0, at - NEARBY) : at])]
    others = [speaker[other] for other in around if other in speaker and clusters.of[speaker[other]] != mouth]
    return others[0] if others else -1


GENERAL = frozenset(
    "man woman boy girl guy lady gentleman lad kid child baby friend person people fellow chap stranger neighbor neighbour couple family "
    "god fairy fool hero heroine visitor guest customer passenger player adult enemy partner twin parent".split()
)


def role_noun(mentions: Mentions, place: int) -> str:
    """The noun of one part in a story that excludes others (*the groom*, *her father*), empty for what anybody may be called."""
    head = mentions.heads[place]
    if mentions.cls[place] != lex.NOMINAL or mentions.gender[place] not in (MALE, FEMALE) or head in GENERAL:
        return ""
    return SAME.get(head, head)


SAME = {
    "dad": "father", "daddy": "father", "papa": "father", "mom": "mother", "mum": "mother", "mommy": "mother", "mama": "mother",
    "grandma": "grandmother", "granny": "grandmother", "grandpa": "grandfather", "granddad": "grandfather", "bridegroom": "groom",
}  # fmt: skip
