"""A study -> its items, condition by condition: from an exam, from a corpus, or from what people answered in another study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from scenarist.errors import BadInput
from scenarist.lab.collected import (
    context_items,
    full_story_items,
    order_items,
    pilot_items,
    prompt_items,
)
from scenarist.lab.materials import MATERIALS
from scenarist.lab.study import Study
from scenarist.question import Item, Segments, Where
from scenarist.registry import make
from scenarist.story import Story, replace

if TYPE_CHECKING:
    from scenarist.lab.database.engine import Database

LONGEST_ID = 200
"""Characters of an item's name that the tables have room for; SQLite would not mind, PostgreSQL would."""
ItemSets: TypeAlias = Mapping[str, Sequence[Item]]


def bare_stories(study: Study) -> list[Story]:
    """The documents of the study's corpus as texts, read by our reader."""
    source = study.source
    if not source.corpus:
        raise BadInput(f'{study.name}: the source {source.make!r} needs a corpus, e.g. corpus = "texts:FOLDER".')
    settings = {"split": source.split} if source.split else {}
    texts: list[Story] = []
    for story in make("corpus", source.corpus, **settings):
        if story.text.strip():
            texts.append(Story(story.id, story.text, story.title, source=story.source, scenario=story.scenario))
        if source.limit and len(texts) == source.limit:
            break
    if not texts:
        raise BadInput(f"{study.name}: the corpus {source.corpus!r} has no text in it; there is nothing to ask about.")
    parsed = make("reader", "default")([story.text for story in texts])
    return [
        replace(reading, id=story.id, title=story.title, scenario=story.scenario, source=story.source)
        for story, reading in zip(texts, parsed, strict=True)
    ]


def gap_items(study: Study, database: Database | None) -> ItemSets:
    """The gaps of the exam `gaps`, the same in all conditions (Bennett, Materials)."""
    from scenarist.exams.gaps import GapsExam

    stories = bare_stories(study)
    settings = {"seed": study.seed, **study.source.switches}
    sets = {
        condition: list(GapsExam(condition, documents=study.source.documents, **settings).set(stories))
        for condition in study.conditions
    }
    first = [item.id for item in next(iter(sets.values()))]
    if not first:
        raise BadInput(
            f"{study.name}: no document of {study.source.corpus!r} has a chain that is long enough for a gap; "
            "give longer texts, or set least = 3 among the source's settings."
        )
    if any([item.id for item in items] != first for items in sets.values()):
        raise BadInput(f"{study.name}: the conditions have different gaps; this is a fault of ours, please tell us.")
    return sets


def story_items(study: Study, database: Database | None) -> ItemSets:
    """Whole documents, cut into sentences: which scenarios are where (Wanzare et al. 2019)."""
    items = [
        Item(story.id, Where(replace(story, segments=(), entities=(), events=())), Segments(story.segments), story.id)
        for story in bare_stories(study)
    ]
    return dict.fromkeys(study.conditions, items)


def exam_items(study: Study, database: Database | None) -> ItemSets:
    """The items of any exam on a corpus, as models sit it; the setting ``by`` names the exam's switch that a condition sets."""
    from scenarist.bench.other_corpus import usual_split
    from scenarist.verbs.exam import exam

    switches = study.source.switches
    name, by = str(switches.pop("exam", "")), str(switches.pop("by", ""))
    if not name:
        raise BadInput(f'{study.name}: the source "exam" needs its name: settings = {{ exam = "the-or-a" }}.')
    if not by and len(study.conditions) > 1:
        raise BadInput(f"{study.name}: {len(study.conditions)} conditions need `by`, the exam's switch that they set.")
    split, limit = usual_split(study.source.corpus, study.source.split), study.source.limit or None
    sets = {}
    for condition in study.conditions:
        settings = switches | ({by: condition} if by else {})
        sets[condition] = exam(name, study.source.corpus, split, study.seed, limit, settings).items
    return sets


def no_items(study: Study, database: Database | None) -> ItemSets:
    """None: the study has steps only."""
    return {condition: [] for condition in study.conditions}


def annotated_items(study: Study, database: Database | None) -> ItemSets:
    """Documents that several people marked in another study, with all their segments."""
    from scenarist.lab.answered import annotated_stories

    stories = annotated_stories(needed(study, database), study.source.study)
    items = [Item(story.id, Where(story), Segments(()), story.id) for story in stories]
    return same_for_all(study, items, "at least two people must have marked a document")


def answer_items(study: Study, database: Database | None) -> ItemSets:
    """All answers to each item of another study, to be grouped by meaning."""
    from scenarist.lab.answered import answer_groups

    return same_for_all(study, answer_groups(needed(study, database), study.source.study), "answers must be there")


def needed(study: Study, database: Database | None) -> Database:
    """The database, where the items are in it."""
    if database is None or not study.source.study:
        raise BadInput(f'{study.name}: its items are answers of another study; name it: study = "fill-gap".')
    return database


def same_for_all(study: Study, items: Iterable[Item], wanted: str) -> ItemSets:
    """The same items in every condition."""
    listed = list(items)
    if not listed:
        raise BadInput(
            f"{study.name}: nothing to ask about yet in this database: {wanted} (study {study.source.study!r}). "
            f"Run that study first: scenarist lab serve {study.source.study} --db ..."
        )
    return dict.fromkeys(study.conditions, listed)


SOURCES: dict[str, Callable[[Study, Database | None], ItemSets]] = {
    "prompts": prompt_items,
    "contexts": context_items,
    "full-stories": full_story_items,
    "pilots": pilot_items,
    "orders": order_items,
    "none": no_items,
    "gaps": gap_items,
    "exam": exam_items,
    "stories": story_items,
    "annotated": annotated_items,
    "answers": answer_items,
    **MATERIALS,
}
"""Name -> what makes the items; a further study may add a line."""


def make_items(study: Study, database: Database | None = None) -> ItemSets:
    """The items of a study; two of one name are an error, before anybody sees them."""
    sets = SOURCES[study.source.make](study, database)
    for condition, items in sets.items():
        names = [item.id for item in items]
        twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
        long = next((name for name in names if len(name) > LONGEST_ID), None)
        if long is not None:
            raise BadInput(
                f"{study.name}: an item is called {long[:40]}..., {len(long)} characters; at most {LONGEST_ID}. "
                "Give the document a shorter name."
            )
        if twice is not None:
            raise BadInput(f"{study.name}: two items are called {twice!r} (condition {condition}); ids must differ.")
    return sets
