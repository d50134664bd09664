"""MCScript's training stories -> `resources/together/pairs.tsv`: which scenarios are told in one story: `python -m training.detector.together FILE`.

A story tells the scenario it is labelled with, and every other of whose fifteen most telling words it has at least four, those not counted that
are among the sixty most telling of its own scenario: a story of a restaurant that has *credit*, *card*, *machine* and *sign* also tells
*paying with a credit card*. (Segments of our detector in ROCStories, EWT, GUM, fairy tales and fiction were tried first: of 34,469 texts nine told two
scenarios surely.)
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from pathlib import Path

from scenarist.formats.plain import sentences
from scenarist.inventory import find
from scenarist.reading.content_words import content_words
from scenarist.registry import make

TELLING, OWN, NEEDED = 15, 60, 4


def telling_words(stories: list[tuple[str, set[str]]]) -> dict[str, list[str]]:
    """Scenario -> its words, the most telling first: by the log-likelihood ratio of having the word, for stories of the scenario and others."""
    everywhere = Counter(word for _, words in stories for word in words)
    inside: dict[str, Counter[str]] = {}
    sizes = Counter(name for name, _ in stories)
    for name, words in stories:
        inside.setdefault(name, Counter()).update(words)
    found = {}
    for name, counts in inside.items():
        here, there = sizes[name], len(stories) - sizes[name]

        def worth(word: str, counts: Counter[str] = counts, here: int = here, there: int = there) -> float:
            share, other = counts[word] / here, (everywhere[word] - counts[word] + 0.5) / (there + 1)
            return counts[word] * math.log(share / other) if share > other else 0.0

        found[name] = sorted(counts, key=lambda word: (-worth(word), word))[:OWN]
    return found


def main() -> None:
    """Count and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    stories = []
    for story in make("corpus", "mcscript", split="train"):
        lines = [story.of(span) for span in story.sentences or sentences(story.text)]
        stories.append((find(story.scenario).name, {word for part in content_words(lines, "stems") for word in part}))
    telling = telling_words(stories)
    pairs, several = Counter[tuple[str, str]](), 0
    for name, words in stories:
        own = set(telling[name])
        others = [
            other
            for other, heard in telling.items()
            if other != name and len(words.intersection(heard[:TELLING]) - own) >= NEEDED
        ]
        several += bool(others)
        pairs.update((min(name, other), max(name, other)) for other in others)
    lines = [f"{first}\t{second}\t{count}\n" for (first, second), count in sorted(pairs.items())]
    options.file.write_text("".join(lines), encoding="utf-8")
    print(f"{len(stories)} stories, {several} with several scenarios, {len(pairs)} pairs")


if __name__ == "__main__":
    main()
