"""Name of a corpus (or a file) -> the corpus, what is known of it, its counts, its state, its order by affinity.

`corpus` gives the corpus itself; the other functions are the parts of `scenarist corpus`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenarist.corpora.search_path import VARIABLE as VARIABLE
from scenarist.errors import BadInput
from scenarist.registry import make
from scenarist.story import Story

if TYPE_CHECKING:
    from scenarist.bench.analyses.stories import StoryFigures
    from scenarist.contracts import Corpus
    from scenarist.corpora.at_hand import CorpusAtHand
    from scenarist.corpora.checking import CorpusReport as CorpusReport
    from scenarist.corpora.manifest import CorpusEntry
    from scenarist.corpora.stats import Stats
    from scenarist.learning.affinity import RankedText


def corpus(name: str | Path, split: str = "", **settings: Any) -> Corpus[Any]:
    """A corpus by name, or the stories of a file (CSV, JSONL): a stream that can be read again and again.

    >>> next(iter(corpus("toy"))).id
    'toy-01'
    """
    if Path(name).is_file():
        found: Corpus[Any] = make("corpus", "rocstories", path=name, split=split or "all", **settings)
        return found
    found = make("corpus", str(name), **({"split": split} if split else {}), **settings)
    return found


def list_corpora() -> tuple[CorpusAtHand, ...]:
    """All corpora: what each holds and which of its splits are at hand."""
    from scenarist.corpora.at_hand import overview

    return overview()


def describe_corpus(name: str) -> CorpusEntry:
    """What a corpus is, its licence, how to cite and obtain it, its files and its known traps."""
    from scenarist.corpora.manifest import entry

    return entry(name)


def files_at_hand(name: str) -> dict[str, Path | None]:
    """The official files of a corpus and where each was found on the search path."""
    from scenarist.corpora.search_path import locate

    return {file.name: locate(name, file.name) for file in describe_corpus(name).files}


def count_corpus(name: str | Path, split: str = "", limit: int | None = None) -> Stats:
    """Count a corpus (or a file of stories): documents, sentences, words, and of each layer how many."""
    from scenarist.corpora.stats import describe

    return describe(corpus(name, split), limit)


def story_figures(name: str | Path, split: str = "", limit: int | None = None) -> StoryFigures:
    """The figures of a corpus of stories (Mostafazadeh et al. 2016, Figures 2 to 4), for its page."""
    from scenarist.bench.analyses.stories import figures

    stories = corpus(name, split)
    first = next(iter(stories), None)
    if not isinstance(first, Story):
        raise BadInput(f"--html draws corpora of stories; {name} gives {type(first).__name__}.")
    return figures(stories, limit)


def time_shares(path: str | Path) -> dict[str, float]:
    """An annotation of time -> its links, their stories, and the shares of each kind (`bench.analyses.temporal`)."""
    from scenarist.bench.analyses.temporal import read_links, shares

    links = read_links(Path(path))
    return {"links": len(links), "stories": len({link.story for link in links}), **shares(links)}


def names_to_check(names: Sequence[str] = ()) -> list[str]:
    """The corpora to verify: those named, or all that are at hand."""
    return [describe_corpus(name).name for name in names] or [row.name for row in list_corpora() if row.splits]


def verify_corpus(name: str, tick: Callable[[str, int], None] | None = None) -> CorpusReport:
    """Verify a corpus: its files, their checksums, and that it reads to its end with the expected counts."""
    from scenarist.corpora.checking import check, nothing

    return check(name, tick or nothing)


def rank_corpus(
    name: str,
    split: str = "",
    top: int | None = None,
    least: int = 0,
    cutoff: float = 0.0,
    quota: int = 0,
    affinity: str | Path = "",
) -> Sequence[RankedText]:
    """Rank texts by their affinity to the everyday scenarios (Wanzare et al. 2019, section 3), or to one's own (``affinity``, a file of
    `fit_affinity`).

    ``top``: so many, the highest first; ``least``: texts with fewer content words are left out; ``cutoff``: those with less affinity;
    ``quota``: at most so many of a scenario.
    """
    from scenarist.learning.affinity import Affinity, Choosing, rank

    choosing = Choosing(top, least, cutoff, quota)
    choosing.check()
    return rank(stories_of(name, split), choosing, Affinity.load(Path(affinity)) if affinity else None)


def fit_affinity(
    name: str,
    out: str | Path,
    split: str = "",
    none: str = "",
    features: str = "topics+words",
    words: str = "lemmas",
    topics: int = 0,
) -> tuple[str, ...]:
    """Learn affinities from stories that name their scenario, and keep them in a file for `rank_corpus`; gives the scenarios.

    A story's scenario is its label, for texts of one's own (``texts:FOLDER``) the name of the folder they lie in. ``none``: a corpus of
    texts that tell none of them. ``topics``: 0 for the carried topics, or so many learned from these stories.
    """
    from scenarist.learning.affinity import Affinity
    from scenarist.verbs.learn import labelled_parts

    parts = [
        Story(story.id, text, scenario=scenario)
        for story in stories_of(name, split)
        for scenario, text in labelled_parts(story)
    ]
    model = Affinity(features, words, topics).fit(parts, stories_of(none) if none else ())
    model.save(Path(out))
    return tuple(label for label in model.labels_ if label != "None")


def stories_of(name: str, split: str = "") -> Iterable[Story]:
    """A corpus of stories."""
    stories: Iterable[Any] = corpus(name, split)
    if not isinstance(next(iter(stories), None), Story):
        raise BadInput(f"{name}: expected a corpus of stories to rank; see: scenarist corpus list")
    return stories
