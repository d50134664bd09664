"""A gap -> what fills it: the missing event of a chain (FilledChain), the ending of a story (Prediction), or endings written for it.

One door, `fill`; endings are chosen and written in `endings.py`. Each candidate for a chain comes with the events that voted for it
(Chambers 2017, Table 4, says only the ranking) and, where the model was learned from text, with sentences in which both were seen of
one and the same entity.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, overload

import msgspec

from scenarist.answers import Candidate, FilledChain, WrittenEndings
from scenarist.errors import BadInput
from scenarist.learning.event_chains import our_link
from scenarist.learning.event_counts import EventCounts, in_our_roles
from scenarist.learning.shards import Sentences
from scenarist.models.events.base import EventRanker
from scenarist.question import EventGap, Guess, Prediction
from scenarist.registry import make, suggest
from scenarist.store.home import resource
from scenarist.story import Link
from scenarist.verbs.endings import choose_ending, write_endings

GAP = frozenset({"?", "_", "___", "*"})
SHORTLIST = 40
"""So many events of the counts a language model is asked about."""
SOURCES = {
    "stories": (
        "events/stories.npz",
        "everyday stories (MCScript, InScript, ROCStories and short fiction, train parts)",
    ),
    "news": ("events/counts.npz", "news (New York Times chains of July 1994)"),
}
"""The counts that the package carries, and what they were counted in."""


@overload
def fill(
    chain: str,
    *,
    model: str = "",
    folder: str | Path | None = None,
    scenario: str = "",
    settings: Mapping[str, Any] | None = None,
    top: int = 10,
    source: str = "stories",
) -> FilledChain: ...


@overload
def fill(
    *, story: str | Path, endings: Sequence[str], model: str = "", settings: Mapping[str, Any] | None = None
) -> Prediction: ...


@overload
def fill(*, story: str | Path, count: int = 3, seed: int = 13) -> WrittenEndings: ...


def fill(
    chain: str = "",
    *,
    story: str | Path | None = None,
    endings: Sequence[str] = (),
    model: str = "",
    folder: str | Path | None = None,
    scenario: str = "",
    settings: Mapping[str, Any] | None = None,
    top: int = 10,
    source: str = "stories",
    count: int = 3,
    seed: int = 13,
) -> FilledChain | Prediction | WrittenEndings:
    """Fill a gap: the missing event of a ``chain``, the best of some ``endings`` of a ``story``, or written endings for it.

    ``model`` is a registered model; ``folder`` one made by `learn` (``scenario``: a part of it); otherwise the package's own counts of
    everyday ``stories`` or of ``news`` (``source``). Events are written in our roles (``eat:subj``; *was arrested* is ``arrest:obj``),
    and an event of the chain is never its missing one.

    >>> fill("arrest:obj escape:subj ?", source="news").candidates[0].event
    'convict:obj'
    """
    if story is None:
        return fill_chain(chain, model or "mixture", Path(folder) if folder else None, top, settings, scenario, source)
    if chain or folder or scenario:
        raise BadInput("chain, folder and scenario belong to the missing event of a chain; a story has endings.")
    if endings:
        return choose_ending(story, endings, model, settings)
    if model or settings:
        raise BadInput("model and settings name who chooses between endings; give some of them as endings.")
    return WrittenEndings("story-lm", seed, tuple(write_endings(story, count, seed)))


def parse_chain(text: str) -> EventGap:
    """``arrest:obj escape:subj ?`` as a question. ``?`` marks the gap; without it the position is not told.

    >>> parse_chain("arrest:obj ? flee->nsubj")
    EventGap(links=(Link(predicate='arrest', role='obj'), Link(predicate='flee', role='nsubj')), gap=1)
    """
    parts = [part for part in re.split(r"[\s,;]+", text.strip()) if part]
    gaps = [index for index, part in enumerate(parts) if part in GAP]
    if len(gaps) > 1:
        raise BadInput(f"One gap at a time: {text!r} has {len(gaps)} question marks.")
    links = tuple(Link.parse(part) for part in parts if part not in GAP)
    if not links:
        raise BadInput("The chain is empty. Write events as verb:role, for example: --chain 'arrest:obj escape:subj ?'")
    for link in links:
        if not link.role:
            raise BadInput(f"{link.predicate!r} has no role. Write verb:role, for example {link.predicate}:subj.")
    return EventGap(links, gaps[0] if gaps else None)


def telling(counts: EventCounts) -> dict[str, Any]:
    """Settings of `mixture` for a person who asks: what the chain says beyond frequency, among events that are not rare.

    The likeliest event of nearly every chain is *say*: three fifths of the log frequency are taken away, and an event must have been seen
    some fifty times in the package's own counts (in proportion in others).
    """
    return {"smoothing": 10.0, "lift": 0.6, "least": max(2, counts.total // 6600)}


def fill_chain(
    text: str,
    model: str = "mixture",
    folder: Path | None = None,
    top: int = 10,
    settings: Mapping[str, Any] | None = None,
    scenario: str = "",
    source: str = "stories",
) -> FilledChain:
    """The best events for the gap of a chain, by a named model over learned counts (the package's own by default). A language model at
    an address ranks the ``SHORTLIST`` best of `mixture`."""
    asked = parse_chain(text)
    question = EventGap(tuple(map(our_link, asked.links)), asked.gap)
    path, learned = counts_file(folder, scenario, source)
    counts = in_our_roles(EventCounts.load(path))
    if model == "mixture" and not settings:
        settings = telling(counts)
    solver = make("model", model, **(settings or {}))
    ranker = solver if isinstance(solver, EventRanker) else make("model", "mixture", **telling(counts))
    if ranker is not solver and (EventGap not in solver.asks or solver.learns != "nothing"):
        raise BadInput(
            f"{model!r} does not rank events. Try bigram, pmi-cutoff, unigram or mixture, or a language model by its address (gguf:FILE)."
        )
    ranker.fit(counts)
    prediction = ranker.answer(question)
    sentences = Sentences(folder) if folder is not None else None
    names = tuple(str(link) for link in question.links)
    fresh = [guess for guess in prediction.guesses if str(guess.answer) not in names]
    if ranker is not solver:
        choices = tuple(Link.parse(str(guess.answer)) for guess in fresh[: max(SHORTLIST, top)])
        prediction = solver.answer(EventGap(question.links, question.gap, choices))
        fresh = list(prediction.guesses)
    scripts = verbs_of_scripts()
    verbs = tuple(dict.fromkeys(link.predicate for link in question.links))
    candidates = tuple(candidate(guess, ranker, counts, sentences, scripts, verbs) for guess in fresh[:top])
    if ranker is not solver:
        candidates = tuple(msgspec.structs.replace(option, votes=("the language model",)) for option in candidates)
    return FilledChain(names, question.gap, model, candidates, prediction.note, learned)


def candidate(
    guess: Guess,
    solver: EventRanker,
    counts: EventCounts,
    sentences: Sentences | None,
    scripts: Mapping[str, Mapping[str, int]],
    verbs: Sequence[str],
) -> Candidate:
    """A guess with where it was seen beside the event that spoke most for it, and the scripts that have it beside the chain's verbs."""
    event = str(guess.answer)
    seen: tuple[str, ...] = ()
    both = scripts_with(scripts, Link.parse(event).predicate, verbs)
    if guess.why:
        other = solver.id_of(Link.parse(guess.why[0].rsplit(" ", 1)[0]))
        if other >= 0:
            if sentences is not None:
                seen = tuple(sentences.together(event, counts.types[other]))
            if not seen:
                seen = tuple(counts.evidence(counts.ids[event], other))
    return Candidate(event, guess.logp or 0.0, guess.why, seen, both)


@cache
def verbs_of_scripts() -> Mapping[str, Mapping[str, int]]:
    """Verb -> the scripts of the library that have it, each with the number of the event that says it first."""
    from scenarist.learning.library.evidence import library_scripts

    verbs: dict[str, dict[str, int]] = {}
    for scenario, (script, _, _) in library_scripts().items():
        for number, event in enumerate(script.events):
            for wording in event.wordings:
                words = wording.split()
                for verb in (words[0], "_".join(words[:2])):
                    verbs.setdefault(verb, {}).setdefault(scenario, number)
    return verbs


def scripts_with(
    scripts_by_verb: Mapping[str, Mapping[str, int]], verb: str, others: Sequence[str], most: int = 2
) -> tuple[str, ...]:
    """Scripts that have a verb in another event than the verbs of a chain: those first that have most of the chain's, then the nearest
    together. `scenarist show` opens them."""
    ranks: dict[str, tuple[int, int, str]] = {}
    for name, place in scripts_by_verb.get(verb, {}).items():
        apart = [
            abs(scripts_by_verb[other][name] - place) for other in others if name in scripts_by_verb.get(other, {})
        ]
        apart = [distance for distance in apart if distance]
        if apart:
            ranks[name] = (-len(apart), sum(apart), name)
    return tuple(sorted(ranks, key=lambda name: ranks[name])[:most])


def counts_file(folder: Path | None, scenario: str = "", source: str = "stories") -> tuple[Path, str]:
    """The arrays of a learned folder, or the package's own."""
    if source not in SOURCES:
        raise suggest(source, list(SOURCES), "source of the package's own counts")
    if folder is None:
        if scenario:
            raise BadInput("--scenario needs a model learned with --by-scenario: name it with --model FOLDER.")
        file, what = SOURCES[source]
        return resource(file), f"the package's own counts of {what}"
    from scenarist.learning.learn import read_card

    card = read_card(folder)
    if scenario:
        if scenario not in card.scenarios:
            known = ", ".join(sorted(card.scenarios)[:8]) or "none; learn with --by-scenario"
            raise BadInput(f"{folder} has no scenario {scenario!r}. It has: {known}")
        return folder / card.scenarios[scenario] / "counts.npz", f"{card.corpus}, {scenario}"
    path = folder / "counts.npz"
    if not path.exists():
        raise BadInput(
            f"{folder} has no counts.npz (its tables are too large for one file); count with a --window of less."
        )
    return path, f"{card.corpus}: {card.documents:,} documents, read by {card.reader}"
