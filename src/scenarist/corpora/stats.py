"""Corpus -> Stats: how many documents, sentences, words, and of each layer how many; counted in one streaming pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from scenarist.corpora.storycloze import ClozeStory
from scenarist.noun import Noun
from scenarist.question import EventGap, Item
from scenarist.script import Script
from scenarist.story import Chain, Pair, Story


class Stats(Noun, frozen=True):
    """The counts of a corpus."""

    corpus: str
    split: str
    yields: str
    """Which noun the corpus gives."""
    counts: tuple[tuple[str, int], ...]
    """(what, how many), in a fixed order."""
    scenarios: tuple[tuple[str, int], ...] = ()
    """(scenario, documents), commonest first."""
    genres: tuple[tuple[str, int], ...] = ()

    def count(self, what: str) -> int:
        """One of the counts, 0 where there is none."""
        return dict(self.counts).get(what, 0)


def describe(corpus: Iterable[Any], limit: int | None = None) -> Stats:
    """Count a corpus; ``limit`` stops after so many nouns."""
    counts: Counter[str] = Counter()
    scenarios: Counter[str] = Counter()
    genres: Counter[str] = Counter()
    documents: set[int] = set()
    kind = ""
    for number, noun in enumerate(corpus):
        if limit is not None and number >= limit:
            break
        kind = type(noun).__name__
        if isinstance(noun, Story):
            counts.update(story_counts(noun))
            genres.update([noun.genre] if noun.genre else [])
            scenarios.update([noun.scenario] if noun.scenario else noun_labels(noun))
        elif isinstance(noun, Chain):
            counts.update({"chains": 1, "chains of two or more": int(len(noun) > 1), "events": len(noun)})
            documents.add(hash(noun.story))
        elif isinstance(noun, Pair):
            words = sum(stop - start for start, stop in noun.blanks)
            counts.update(
                {"pairs": 1, "words": len(noun.concrete), "blanks": len(noun.blanks), "words in blanks": words}
            )
            documents.add(hash(noun.abstract))
        elif isinstance(noun, Script):
            counts.update({"scripts": 1, "event types": len(noun.events), "order": len(noun.order)})
            scenarios[noun.scenario] += 1
        elif isinstance(noun, ClozeStory):
            words = sum(len(text.split()) for text in (*noun.context, *noun.endings))
            counts.update({"stories": 1, "sentences": 6, "words": words, "with answer": int(noun.answer is not None)})
        elif isinstance(noun, Item) and isinstance(noun.question, EventGap):
            counts.update({"items": 1, "events": len(noun.question.links), "choices": len(noun.question.choices)})
        else:
            counts["items"] += 1
    if documents:
        counts["abstracts" if kind == "Pair" else "documents"] = len(documents)
    if scenarios:
        counts["scenarios"] = len(scenarios)
    name, split = getattr(corpus, "name", ""), getattr(corpus, "split", "")
    return Stats(name, split, kind, tuple(counts.items()), tuple(scenarios.most_common()), tuple(genres.most_common()))


def story_counts(story: Story) -> dict[str, int]:
    """The counts of one story; words by white space where it has no tokens."""
    return {
        "documents": 1,
        "sentences": len(story.sentences),
        "tokens": len(story.tokens),
        "words": len(story.text.split()),
        "entities": len(story.entities),
        "mentions": sum(len(entity.mentions) for entity in story.entities),
        "events": len(story.events),
        "segments": len(story.segments),
    }


def noun_labels(story: Story) -> list[str]:
    """The scenarios of a story's segments."""
    return sorted({name for segment in story.segments for name in segment.names})
