"""Corpus -> CountsCard: event chains and their counts in a folder, from a corpus or from your own text (Chambers 2017).

Corpus -> LearnedScripts: a script for each scenario that enough stories tell, by their labels or by the detector.

A corpus is named; texts of one's own are files, folders and archives, as `read` takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenarist.answers import LearnedScripts
from scenarist.errors import BadInput
from scenarist.registry import index, make
from scenarist.story import Story
from scenarist.verbs.inputs import Skips, named_texts

if TYPE_CHECKING:
    from scenarist.learning.learn import CountsCard as CountsCard

OWN = ("texts:", "jsonl:")
"""Corpora of one's own: taken whole where no split is asked for."""


class InputTexts:
    """Texts of one's own as a corpus: files, folders and archives, read again for every pass; standard input is kept.

    What cannot be used is told in the first pass only.
    """

    def __init__(self, names: Sequence[str | Path], encoding: str = "utf-8", skip: Skips | None = None) -> None:
        self.names, self.encoding, self.skip = names, encoding, skip
        self.kept: list[Story] | None = None

    def __iter__(self) -> Iterator[Story]:
        if self.kept is not None:
            yield from self.kept
            return
        stories = (
            Story(text.name, text.text, source="texts")
            for text in named_texts(self.names, "learn", self.encoding, self.skip)
        )
        if "-" in map(str, self.names):
            self.kept = list(stories)
            yield from self.kept
        else:
            yield from stories
        if self.skip is not None:
            self.skip = Skips()  # the same inputs are left out again, and nobody is told twice


def source_of(
    names: Sequence[str | Path], split: str = "", encoding: str = "utf-8", skip: Skips | None = None
) -> tuple[str, Iterable[Any]]:
    """What to learn from and its name: one corpus by name, or texts of one's own."""
    known = index("corpus")
    corpora = [
        name for name in map(str, names) if name in known or (":" in name and f"{name.partition(':')[0]}:" in known)
    ]
    if len(names) == 1 and corpora:
        corpus = corpora[0]
        return corpus, make("corpus", corpus, split=split or ("all" if corpus.startswith(OWN) else "train"))
    if corpora:
        raise BadInput(f"{corpora[0]} is a corpus; learn from one corpus, or from files and folders of your own.")
    if (
        len(names) == 1
        and str(names[0]) != "-"
        and not Path(names[0]).exists()
        and not set("/.\\") & set(str(names[0]))
    ):
        make("corpus", str(names[0]))  # says which corpus may have been meant
    if split:
        raise BadInput("--split goes with a corpus; texts of your own are taken whole.")
    return " ".join(Path(name).name or str(name) for name in names), InputTexts(names, encoding, skip)


def learn(
    corpus: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    split: str = "",
    reader: str = "default",
    engine: str = "duckdb",
    master: str = "local[2]",
    memory: str = "2GB",
    jobs: int = 1,
    dedup: bool = True,
    args: str = "single",
    minimum: int = 2,
    window: int = 24,
    by_scenario: bool = False,
    limit: int | None = None,
    refresh: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
    encoding: str = "utf-8",
    skip: Skips | None = None,
) -> CountsCard:
    """Learn event counts from a corpus, or from files and folders of texts, into a folder; an interrupted run goes on with the same call.

    The options are those of the command line.
    """
    from scenarist.corpora.loader import Limited
    from scenarist.learning.learn import ChainSettings, Engine, learn_events

    name, things = source_of([corpus] if isinstance(corpus, str | Path) else list(corpus), split, encoding, skip)
    if limit is not None:
        things = Limited(things, limit)
    chains = ChainSettings(reader, dedup, args=args, minimum=minimum, window=window, by_scenario=by_scenario)
    return learn_events(things, Path(out), name, chains, Engine(engine, master, memory, jobs), refresh, progress)


def example_chain(folder: str | Path) -> str:
    """Two frequent events of what was learned, for a first chain to fill."""
    from scenarist.learning.event_chains import BE, REPORTING
    from scenarist.learning.event_counts import EventCounts
    from scenarist.story import Link

    path = Path(folder) / "counts.npz"
    if not path.exists():
        return "arrest:obj"
    names = EventCounts.load(path).types[:200]
    plain = [name for name in names if Link.parse(name).predicate not in BE | REPORTING]
    return " ".join((plain or list(names))[5:7] or names[:1])


SURE = 0.5
"""A detected segment belongs to its scenario from this weight on."""
FEWEST = 5
"""Tellers of which a script is learned."""


def learn_scripts(
    corpus: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    split: str = "",
    detect: bool = False,
    fewest: int = FEWEST,
    limit: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    encoding: str = "utf-8",
    skip: Skips | None = None,
) -> LearnedScripts:
    """Learn scripts from a corpus into a folder, for `show` and `read`.

    A story's scenario is its label, for texts of one's own the name of the folder they lie in; with ``detect`` the detector's segments
    are taken instead, those it is sure of. Of scenarios that fewer than ``fewest`` tell nothing is learned.
    """
    from scenarist.corpora.loader import Limited
    from scenarist.learning.library.evidence import LEARNED
    from scenarist.learning.scripts import script, write

    source, stories = source_of([corpus] if isinstance(corpus, str | Path) else list(corpus), split, encoding, skip)
    if limit is not None:
        stories = Limited(stories, limit)
    texts: dict[str, list[str]] = {}
    unlabelled = 0
    for number, story in enumerate(stories):
        if progress:
            progress("looking for scenarios" if detect else "sorting stories", number, 0)
        parts = detected_parts(story) if detect else labelled_parts(story)
        unlabelled += not parts
        for scenario, text in parts:
            texts.setdefault(scenario, []).append(text)
    chosen = {name: told for name, told in sorted(texts.items()) if len(told) >= fewest}
    if not chosen:
        hint = (
            ""
            if detect
            else " Put the texts of each activity into a sub-folder of its name, or let the detector find them: --detect"
        )
        raise BadInput(
            f"{source}: no scenario is told by {fewest} stories or more ({unlabelled} stories have none).{hint}"
        )
    read = make("reader", "default")
    evidence = f"{source.partition(':')[0]}{', detected segments' if detect else ''}"
    scripts = []
    for number, (name, told) in enumerate(chosen.items()):
        if progress:
            progress("learning scripts", number, len(chosen))
        scripts.append(script(name, read(told), evidence))
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / LEARNED, scripts, evidence)
    return LearnedScripts(
        str(folder),
        tuple((one.scenario, one.tellers, len(one.events)) for one in scripts),
        tuple((name, len(told)) for name, told in sorted(texts.items()) if name not in chosen),
        unlabelled,
        evidence,
    )


def labelled_parts(story: Story) -> list[tuple[str, str]]:
    """(scenario, text) of a story by its label, its labelled segments, or the folder its text lies in."""
    if story.segments and not story.scenario:
        return [
            (segment.names[0], story.text[segment.start : segment.stop]) for segment in story.segments if segment.labels
        ]
    name = story.scenario or Path(story.id).parent.name.replace("_", " ")
    return [(name, story.text)] if name else []


def detected_parts(story: Story) -> list[tuple[str, str]]:
    """(scenario, text) of the segments that the detector is sure of, those of one scenario together."""
    from scenarist.verbs.detect import segments

    parts: dict[str, list[str]] = {}
    for segment in segments(story):
        if segment.labels and segment.labels[0].weight >= SURE:
            parts.setdefault(segment.names[0], []).append(story.text[segment.start : segment.stop])
    return [(name, " ".join(texts)) for name, texts in parts.items()]
