"""What people wrote in one study -> the items of the next: contexts for endings, stories to rate and to order, endings to choose from.

An answer counts where the study before says so: approved by its reviewer, its writer not left out. A story's id is drawn from its session
and page, so that it says nothing of who wrote it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from scenarist.errors import BadInput
from scenarist.lab.answered import known_study
from scenarist.lab.kinds.compose import parts_of
from scenarist.lab.study import Study, parse_study
from scenarist.question import Compose, Item, Rate
from scenarist.registry import make
from scenarist.story import Story, sentence_texts

if TYPE_CHECKING:
    from scenarist.lab.answered import GivenAnswer
    from scenarist.lab.database.engine import Database

SENTENCES = 5
RIGHT, WRONG = "right", "wrong"


class WrittenStory(NamedTuple):
    """A story that somebody wrote."""

    id: str
    title: str
    sentences: tuple[str, ...]
    writer: str
    version: str
    approved: bool


class WrittenCase(NamedTuple):
    """Four sentences with the two endings that somebody wrote."""

    id: str
    source: str
    """The story that the sentences are from."""
    context: tuple[str, ...]
    right: str
    wrong: str
    writer: str


def story_id(session: str, trial: int) -> str:
    """A name for what somebody wrote on a page.

    >>> len(story_id("abc", 3)), story_id("abc", 3) == story_id("abc", 4)
    (12, False)
    """
    return sha256(f"{session} {trial}".encode()).hexdigest()[:12]


def rules_of(database: Database, name: str) -> Study:
    """A study as it stands in the database."""
    return parse_study(known_study(database, name), f"{name} in the database")


def counted(database: Database, name: str, all_of_them: bool = False) -> Iterable[GivenAnswer]:
    """The answers to a study that count; with those that still wait where ``all_of_them``."""
    from scenarist.lab.review.verdicts import counted_answers

    return counted_answers(database, name, rules_of(database, name).review.needed and not all_of_them)


def written_stories(database: Database, name: str, waiting: bool = False) -> list[WrittenStory]:
    """The stories of a writing study that count; with ``waiting``, those that nobody decided of, too."""
    approved = {(given.session, given.trial) for given in counted(database, name)}
    return [
        WrittenStory(
            story_id(given.session, given.trial), given.answer.get("title"), parts_of(given.answer), given.session,
            given.version, (given.session, given.trial) in approved,
        )
        for given in counted(database, name, waiting)
        if len(parts_of(given.answer)) == SENTENCES
    ]  # fmt: skip


def written_cases(database: Database, name: str) -> list[WrittenCase]:
    """Context and endings of a study that asked for endings."""
    from scenarist.lab.answered import study_items

    known = study_items(database, name)
    cases = []
    for given in counted(database, name):
        item, texts = known.get(given.item), parts_of(given.answer)
        if item is not None and isinstance(item.question, Compose) and len(texts) == 2:
            name_ = story_id(given.session, given.trial)
            cases.append(WrittenCase(name_, item.group or item.id, item.question.context, *texts, given.session))
    return cases


def stories_at_hand(study: Study, database: Database | None) -> list[Story]:
    """Five-sentence stories: of the study that wrote them, or of a corpus."""
    source = study.source
    if source.study and database is not None:
        return [
            Story.from_sentences(story.id, story.sentences, title=story.title, source=source.study, notes=(("writer", story.writer),))
            for story in written_stories(database, source.study)
        ]  # fmt: skip
    if not source.corpus:
        raise BadInput(f'{study.name}: name where its stories come from: study = "write-story", or corpus = "toy".')
    settings = {"split": source.split} if source.split else {}
    stories = []
    for story in make("corpus", source.corpus, **settings):
        if isinstance(story, Story) and len(texts := tuple(sentence_texts(story))) >= SENTENCES:
            stories.append(Story.from_sentences(story.id, texts[:SENTENCES], title=story.title))
        if source.limit and len(stories) == source.limit:
            break
    return stories


def prompt_items(study: Study, database: Database | None) -> Mapping[str, Sequence[Item]]:
    """The same thing to write, so many times: ``count`` pages, ``parts`` texts of at most ``most`` characters, as ``ask_for`` says."""
    switches = study.source.switches
    question = Compose(
        str(switches.get("ask_for", "")), (), int(switches.get("parts", 1)), int(switches.get("most", 0))
    )
    if not question.ask_for:
        raise BadInput(f"{study.name}: say what is to be written: ask_for among the source's settings.")
    items = [Item(f"prompt.{number}", question, "") for number in range(1, int(switches.get("count", 1)) + 1)]
    return dict.fromkeys(study.conditions, items)


def context_items(study: Study, database: Database | None) -> Mapping[str, Sequence[Item]]:
    """The first four sentences of stories: how does it end? The story's own ending is the key."""
    ask = str(study.source.switches.get("ask_for", "Write a right and a wrong ending."))
    most = int(study.source.switches.get("most", 0))
    items = []
    for story in stories_at_hand(study, database):
        sentences = tuple(sentence_texts(story))
        question = Compose(ask, sentences[: SENTENCES - 1], 2, most)
        items.append(Item(f"context.{story.id}", question, sentences[-1], story.id))
    return same_items(study, items, "stories must have been written and approved")


def full_story_items(study: Study, database: Database | None) -> Mapping[str, Sequence[Item]]:
    """Every case as two stories of five sentences, to be rated (section 4.2); the key says which ending it has."""
    ask = str(study.source.switches.get("ask_for", "Does this make sense as a story?"))
    ends = ("A sentence makes no sense", "No coherent story", "A coherent story")
    items = [
        Item(f"{case.id}.{which}", Rate("\n".join((*case.context, ending)), ask, (), -1, 1, ends), which, case.id)
        for case in written_cases(needed_database(study, database), study.source.study)
        for which, ending in ((RIGHT, case.right), (WRONG, case.wrong))
    ]
    return same_items(study, items, "endings must have been written")


def pilot_items(study: Study, database: Database | None) -> Mapping[str, Sequence[Item]]:
    """Stories as they came in, to be rated: was the prompt of that version understood (section 3.1)?"""
    ask = str(study.source.switches.get("ask_for", "Is this a coherent story of everyday life?"))
    each = int(study.source.switches.get("each", 0))
    by_version: dict[str, list[WrittenStory]] = defaultdict(list)
    for story in written_stories(needed_database(study, database), study.source.study, waiting=True):
        by_version[story.version].append(story)
    items = [
        Item(f"{version}.{story.id}", Rate("\n".join(story.sentences), ask, (), -1, 1, ("No", "Not quite", "Yes")), "", version)
        for version, listed in by_version.items()
        for story in sorted(listed)[: each or None]
    ]  # fmt: skip
    return same_items(study, items, "stories must have been written")


def order_items(study: Study, database: Database | None) -> Mapping[str, Sequence[Item]]:
    """Two sets of shuffled stories: of the best writers, and of everybody (section 3.3, Table 3)."""
    import random

    from scenarist.exams.ordering import OrderingExam

    stories = stories_at_hand(study, database)
    each = min(int(study.source.switches.get("each", 50)), -(-len(stories) // 2))
    draw = random.Random(study.seed)
    best = best_stories(study, database, stories)
    good = draw.sample(best, min(each, len(best)))
    taken = {story.id for story in good}
    others = [story for story in stories if story.id not in taken]
    sampled = draw.sample(others, min(each, len(others)))
    exam = OrderingExam(study.seed)
    items = []
    for label, listed in (("good", good), ("random", sampled)):
        items += [
            Item(f"{label}.{item.id}", item.question, item.key, item.group, tags=(label,)) for item in exam.set(listed)
        ]
    return same_items(study, items, "stories must have been written and approved")


def best_stories(study: Study, database: Database | None, stories: Sequence[Story]) -> list[Story]:
    """Stories of the writers who had at least half of the most stories approved and none rejected; a corpus names no writers."""
    if database is None or not study.source.study:
        return []
    from scenarist.lab.review.verdicts import REJECTED, verdicts

    rejected = {
        session for (session, _), entry in verdicts(database, study.source.study).items() if entry.verdict == REJECTED
    }
    counts: dict[str, int] = defaultdict(int)
    for story in stories:
        counts[dict(story.notes)["writer"]] += 1
    most = max(counts.values(), default=0)
    top = {writer for writer, count in counts.items() if 2 * count >= most and writer not in rejected}
    return [story for story in stories if dict(story.notes)["writer"] in top]


def needed_database(study: Study, database: Database | None) -> Database:
    """The database, where the items are in it."""
    from scenarist.lab.sources import needed

    return needed(study, database)


def same_items(study: Study, items: Sequence[Item], wanted: str) -> Mapping[str, Sequence[Item]]:
    """The same items in every condition."""
    from scenarist.lab.sources import same_for_all

    return same_for_all(study, items, wanted)
