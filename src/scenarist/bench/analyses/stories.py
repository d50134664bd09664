"""Stories -> the statistics and figures of Mostafazadeh et al. (2016, section 3): tokens by sentence position (Figure 2), the most frequent
events (Figure 3) and n-grams of titles (Figure 4), for any corpus of stories.

An event is any form of a verb, or a noun whose first sense is below *event* or *process* in WordNet. Verb forms are taken back to their
verb by rule, without a parser, so that a corpus of any size is counted in seconds. The paper counts "any hyponym of event or process", of
which *go* and *get* are each less than 2 %. *go* and *get* are below them as nouns only (have a go; the get of a ball): the words as they
stand with any sense of a noun below those two (row ``-any-sense``) give that figure; with forms joined (``-any-sense-lemmas``: *went* is
*go*) each is more than twice as much. So the figure says little of diversity: *went* and *got* are no events by it, *out* and *time* are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
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
    sizes: tuple[tuple[tuple[int, int], ...], ...]
    """Of each position how many sentences have how many tokens: (tokens, sentences) in order."""
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


def any_sense(sentence: str) -> list[str]:
    """Words as they stand, of which any sense as a noun is below *event* or *process*.

    >>> any_sense("Ann went out to get a table."), any_sense("We go.")
    (['out', 'get'], ['go'])
    """
    return [word for word in re.findall(r"[a-z]+", sentence.lower()) if happens(word)]


def any_sense_lemmas(sentence: str) -> list[str]:
    """The same with the forms of a verb taken back to it.

    >>> any_sense_lemmas("Ann went out to get a table.")
    ['go', 'out', 'get']
    """
    out = []
    for word in re.findall(r"[a-z]+", sentence.lower()):
        verb = lemma(word, "VBG") if word.endswith("ing") and word not in NOUNS else base_form(word)
        out += [verb] if verb and happens(verb) else [word] if happens(word) else []
    return out


READINGS: Mapping[str, Callable[[str], list[str]]] = {
    "rocstories-at-hand": events_of,
    "rocstories-any-sense": any_sense,
    "rocstories-any-sense-lemmas": any_sense_lemmas,
}
"""Row -> what counts as an event."""


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
    positions = tuple(
        (at, mean(lengths), float(median(lengths)), len(lengths)) for at, lengths in sorted(sizes.items())
    )
    name, split = getattr(corpus, "name", ""), getattr(corpus, "split", "")
    counted, length = tuple(events.most_common(TOP)), mean(lengths) if lengths else None
    spread = tuple(tuple(sorted(Counter(lengths).items())) for _, lengths in sorted(sizes.items()))
    return StoryFigures(
        name, split, stories, positions, spread, counted, sum(events.values()), tuple(titles.most_common()), length
    )


def token_figures(stories: Iterable[Story]) -> dict[str, Figure]:
    """Tokens by the place of a sentence; stories are drawn."""
    sizes: dict[int, list[Tally]] = {}
    for number, story in enumerate(stories):
        for place, sentence in enumerate(sentence_texts(story), start=1):
            sizes.setdefault(place, []).append(Tally(len(TOKEN.findall(sentence)), 1, (str(number),)))
    return {f"tokens/sentence-{place}": ratio(counts, proportion=False) for place, counts in sorted(sizes.items())}


def event_figures(stories: Iterable[Story], reading: Callable[[str], list[str]]) -> tuple[dict[str, Figure], list[str]]:
    """The shares of the two commonest events and of *go* and *get* among all, and the names of the two; stories are drawn."""
    counters = [
        Counter(event for sentence in sentence_texts(story) for event in reading(sentence)) for story in stories
    ]
    top = [event for event, _ in sum(counters, Counter[str]()).most_common(2)]
    columns = {"event-1": top[0], "event-2": top[1], "go": "go", "get": "get"} if len(top) == 2 else {}
    scores = {
        f"share/{column}": ratio(
            Tally(counter[event], counter.total(), (str(number),)) for number, counter in enumerate(counters)
        )
        for column, event in columns.items()
    }
    return scores, top


def run(split: str = "train", seed: int = 13, limit: int | None = None) -> Analysis:  # noqa: ARG001
    """The table `rocstories`: figures of section 3 as numbers."""
    corpus = make("corpus", "rocstories", split=split, cased=True)
    found = figures(corpus, limit)
    stories = list(islice(corpus, limit))
    signature = sign(
        "rocstories", {"data": "rocstories", "split": split, "cased": True, "stories": found.stories, "v": __version__}
    )
    top = [{"event": event, "count": count} for event, count in found.events]
    rows = []
    for name, reading in READINGS.items():
        shares, names = event_figures(stories, reading)
        tokens = token_figures(stories) if reading is events_of else {}
        rows.append(FigureRow(name, "ours", tokens | shares, {"commonest": names}, who={"events": reading.__name__}))
    return Analysis(rows, signature, {"events": top})
