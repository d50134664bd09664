"""Stories -> the statistics and figures of Mostafazadeh et al. (2016, section 3): tokens by sentence position (Figure 2), the most frequent
events (Figure 3) and n-grams of titles (Figure 4), for any corpus of stories.

An event is any word that is a form of a verb of happening or a noun below *event* or *process* in WordNet; the paper counts hyponyms of
those two. Verb forms are taken back to their verb by rule, without a parser, so that a corpus of any size is counted in seconds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from statistics import mean, median

from scenarist import __version__
from scenarist.bench.ratios import Tally, ratio
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.learning.wrong_endings import base_form
from scenarist.noun import Noun
from scenarist.reading.parser.lemmas import lemma
from scenarist.reading.wordnet import happens, is_verb
from scenarist.registry import make
from scenarist.signature import sign
from scenarist.story import Story, sentence_texts

TOKEN = re.compile(r"\w+(?:['’]\w+)?|[^\w\s]")
HELP = frozenset("be have do will would can could may might shall should must not one two first last".split())
OTHER = frozenset("out best fast clean light single low quiet boring fair like hands cards gas case course".split())
"""Nouns below *event* or *process* by the dictionary that in stories are nearly always an adverb, an adjective or a thing."""
NOUNS = frozenset("wedding meeting morning evening".split())
"""In -ing, but no form of a verb."""
TOP = 50
DEEP = 5
"""Title n-grams are followed this far."""


class StoryFigures(Noun, frozen=True):
    """What section 3 shows of a corpus."""

    corpus: str
    split: str
    stories: int
    positions: tuple[tuple[int, float, float, int], ...]
    """(position, mean tokens, median tokens, sentences)."""
    events: tuple[tuple[str, int], ...]
    event_total: int
    titles: tuple[tuple[tuple[str, ...], int], ...] = ()
    """(first words of a title, at most five, with ``end`` where it ends, how many)."""
    title_length: float | None = None


def events_of(sentence: str) -> list[str]:
    """The events a sentence mentions, as lemmas.

    >>> events_of("Ann went out to the wedding and danced."), events_of("She was running home.")
    (['go', 'wedding', 'dance'], ['run'])
    """
    out = []
    for word in re.findall(r"[a-z]+", sentence.lower()):
        verb = lemma(word, "VBG") if word.endswith("ing") and word not in NOUNS else base_form(word)
        if verb and verb not in HELP and is_verb(verb):
            out.append(verb)
        elif word not in HELP | OTHER and len(word) > 2 and happens(word, first=True):
            out.append(word)
    return out


def figures(corpus: Iterable[Story], limit: int | None = None) -> StoryFigures:
    """Tally a corpus of stories."""
    sizes: dict[int, list[int]] = {}
    events: Counter[str] = Counter()
    titles: Counter[tuple[str, ...]] = Counter()
    lengths: list[int] = []
    stories = 0
    for story in corpus:
        if limit is not None and stories >= limit:
            break
        stories += 1
        for at, sentence in enumerate(sentence_texts(story), start=1):
            sizes.setdefault(at, []).append(len(TOKEN.findall(sentence)))
            events.update(events_of(sentence))
        if words := TOKEN.findall(story.title.lower()):
            lengths.append(len(words))
            titles[tuple([*words, "end"][:DEEP])] += 1
    positions = tuple((at, mean(found), float(median(found)), len(found)) for at, found in sorted(sizes.items()))
    name, split = getattr(corpus, "name", ""), getattr(corpus, "split", "")
    counted, length = tuple(events.most_common(TOP)), mean(lengths) if lengths else None
    return StoryFigures(
        name, split, stories, positions, counted, sum(events.values()), tuple(titles.most_common()), length
    )


def story_figures(stories: Iterable[Story], events: Sequence[str]) -> dict[str, Figure]:
    """Tokens by the place of a sentence, and the shares of some events among all; stories are drawn."""
    sizes: dict[int, list[Tally]] = {}
    shares: dict[str, list[Tally]] = {event: [] for event in events}
    for number, story in enumerate(stories):
        source, mentioned = (str(number),), Counter[str]()
        for place, sentence in enumerate(sentence_texts(story), start=1):
            sizes.setdefault(place, []).append(Tally(len(TOKEN.findall(sentence)), 1, source))
            mentioned.update(events_of(sentence))
        for event, counts in shares.items():
            counts.append(Tally(mentioned[event], mentioned.total(), source))
    means = {f"tokens/sentence-{place}": ratio(counts, proportion=False) for place, counts in sorted(sizes.items())}
    return means | {f"share/event-{rank}": ratio(counts) for rank, counts in enumerate(shares.values(), start=1)}


def run(split: str = "train", seed: int = 13, limit: int | None = None) -> Analysis:  # noqa: ARG001
    """The table `rocstories`: figures of section 3 as numbers."""
    corpus = make("corpus", "rocstories", split=split, cased=True)
    found = figures(corpus, limit)
    scores = story_figures(islice(corpus, limit), [event for event, _ in found.events[:2]])
    signature = sign(
        "rocstories", {"data": "rocstories", "split": split, "cased": True, "stories": found.stories, "v": __version__}
    )
    top = [{"event": event, "count": count} for event, count in found.events]
    return Analysis([FigureRow("rocstories-at-hand", "ours", scores)], signature, {"events": top})
