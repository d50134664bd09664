"""Stories of MCScript -> the words of each scenario's topics: Table 9 of Wanzare et al. (2019), section 5.3.

The paper learns topics from MCScript alone and takes, for a scenario, the words of the topics that are prevalent in its stories. Ours: the
training stories, lemmas of nouns and verbs without proper names and first names, 200 topics. A topic is prevalent by how much more the
scenario's stories have of it than stories have on average, where that is at least half of what its first topic has; a word is worth what
the scenario says of it more often than others do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scenarist import __version__
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.bench.spec import load
from scenarist.corpora.loader import Limited
from scenarist.errors import BadInput
from scenarist.formats.plain import sentences
from scenarist.inventory import find
from scenarist.learning.topics import Topics
from scenarist.reading.content_words import content_words
from scenarist.registry import make
from scenarist.signature import content_hash, sign
from scenarist.story import Story

SHOWN = 10
WORDS = "common"
"""The form of the words: lemmas of nouns and verbs, no names."""


def scenario_words(
    topics: Topics, documents: Mapping[str, Sequence[Sequence[str]]], most: int = SHOWN
) -> dict[str, list[str]]:
    """Scenario -> the words of its prevalent topics, the heaviest first.

    >>> baking, riding = [["cake", "oven"]] * 9, [["bus", "seat"]] * 9
    >>> topics = Topics(2, passes=8, least=1, most=1.0).fit(baking + riding)
    >>> {name: sorted(words) for name, words in scenario_words(topics, {"baking": baking, "riding": riding}, 2).items()}
    {'baking': ['cake', 'oven'], 'riding': ['bus', 'seat']}
    """
    means = [np.mean([topics.infer(document) for document in own], axis=0) for own in documents.values()]
    shares = np.array(means)  # (C, K)
    prevalent = np.maximum(shares - shares.mean(axis=0), 0.0)
    prevalent[prevalent < prevalent.max(axis=1, keepdims=True) / 2] = 0.0
    weights = topics.weights_ / topics.weights_.sum(axis=1, keepdims=True)  # (K, V)
    share = prevalent @ weights  # (C, V)
    share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-12)
    worth = share * np.log(np.maximum(share, 1e-12) / np.maximum(share.mean(axis=0), 1e-12))
    heaviest = np.argsort(-worth, axis=1, kind="stable")[:, :most]
    return {name: [topics.words_[word] for word in heaviest[number]] for number, name in enumerate(documents)}


def table(
    split: str = "train",  # noqa: ARG001
    seed: int = 13,
    limit: int | None = None,
    topics: int = 200,
    passes: int = 8,
) -> Analysis:
    """The paper's four scenarios with the number of its ten words that are among ours; all scenarios for the page."""
    stories = make("corpus", "mcscript", split="train")
    documents: dict[str, list[list[str]]] = {}
    texts: list[bytes] = []
    for story in Limited(stories, limit) if limit else stories:
        if isinstance(story, Story) and story.scenario:
            lines = [story.of(span) for span in story.sentences or sentences(story.text)]
            words = [word for part in content_words(lines, WORDS) for word in part]
            documents.setdefault(find(story.scenario).name, []).append(words)
            texts.append(story.text.encode())
    if not documents:
        raise BadInput("topic-words: no story of mcscript names its scenario.")
    learned = Topics(topics, passes=passes, least=5, seed=seed).fit(
        [words for own in documents.values() for words in own]
    )
    words_of = scenario_words(learned, documents)
    paper = printed_words()
    rows = []
    for name, theirs in paper.items():
        if name in words_of:
            shared = len(set(theirs) & set(words_of[name]))
            note = {"note": ", ".join(words_of[name])}
            rows.append(FigureRow(name, "ours", {"count/shared": Figure(shared)}, note))
    fields = {
        "model": "lda", "train": "mcscript", "topics": topics, "passes": passes, "words": WORDS,
        "data": f"mcscript#{content_hash(texts, 8)}", "split": "train", "seed": seed, "v": __version__,
    }  # fmt: skip
    return Analysis(
        rows,
        sign("topic-words", fields),
        {"words": words_of, "printed": {key: list(value) for key, value in paper.items()}},
    )


def printed_words() -> dict[str, tuple[str, ...]]:
    """The paper's words of each scenario that it prints, from the notes of the table's published rows."""
    return {row.model: tuple(row.note.split(", ")) for row in load("topic-words").row}
