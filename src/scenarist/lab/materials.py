"""A corpus, or what people answered -> the items of the studies on scripts, words, core events, relations, guesses and habits.

A corpus of pairs gives its short instructions and its blanks, a corpus of stories its texts, read by our reader. What is asked about
guesses mixes the answers of people and of a model, and no page says whose they are.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from scenarist.errors import BadInput
from scenarist.inventory import inventory
from scenarist.lab.study import Study
from scenarist.question import Compose, Group, Groups, Item, Rate, Read, Relate, SentenceGap
from scenarist.reading.chains import chains, protagonist
from scenarist.registry import make
from scenarist.story import Event, Pair, Story, replace, sentence_texts

if TYPE_CHECKING:
    from scenarist.lab.database.engine import Database

ItemSets = Mapping[str, Sequence[Item]]
ANSWERS_A_GAP = 4
PAIRS_A_STORY = 3
BLANK = "…"


def read_stories(study: Study) -> list[Story]:
    """The documents of the study's corpus, read."""
    from scenarist.lab.sources import bare_stories

    return bare_stories(study)


def text_items(study: Study, database: Database | None) -> ItemSets:
    """One thing to write for each text: a caption to explain, an activity to tell.

    The texts stand in the file (``texts``; *caption | address of its clip or picture*), or are the short sides of a corpus of pairs, or
    the scenarios of the inventory (``corpus = "inventory"``). ``ask_for`` among the settings holds ``{text}``.
    """
    source, switches = study.source, study.source.switches
    form, parts, most = (
        str(switches.get("ask_for", "{text}")),
        int(switches.get("parts", 1)),
        int(switches.get("most", 0)),
    )
    texts = list(dict.fromkeys(source.texts if not source.corpus else corpus_texts(study)))
    texts = texts[: source.limit or None]
    if not texts:
        raise BadInput(f"{study.name}: nothing to ask about: give texts = [...] or a corpus of pairs among its source.")
    items = []
    for number, line in enumerate(texts, start=1):
        text, _, clip = (part.strip() for part in line.partition("|"))
        if clip and not clip.startswith(("https://", "http://")):
            raise BadInput(
                f"{study.name}: {text!r}: a clip or picture is an address that begins with https://, not {clip!r}."
            )
        question = Compose(form.replace("{text}", text), (text, clip) if clip else (text,), parts, most)
        items.append(Item(f"text.{number:04}", question, "", text))
    return dict.fromkeys(study.conditions, items)


def corpus_texts(study: Study) -> Iterator[str]:
    """The short instructions of pairs, or the names of the scenarios."""
    if study.source.corpus == "inventory":
        return (scenario.name for scenario in inventory())
    pairs = make("corpus", study.source.corpus, **({"split": study.source.split} if study.source.split else {}))
    first = next(iter(pairs), None)
    if not isinstance(first, Pair):
        raise BadInput(f"{study.name}: expected a corpus of pairs, {study.source.corpus} gives {type(first).__name__}.")
    return (" ".join(pair.abstract) for pair in pairs)


def word_items(study: Study, database: Database | None) -> ItemSets:
    """The blank words of a corpus of pairs, as the exam `wordcloze` asks them."""
    from scenarist.exams.wordcloze import WordCloze

    source = study.source
    settings: dict[str, Any] = {"split": source.split} if source.split else {}
    if source.corpus == "toy":
        settings["kind"] = "pairs"
    pairs = list(islice(make("corpus", source.corpus, **settings), source.limit or None))
    if not pairs or not isinstance(pairs[0], Pair):
        raise BadInput(f"{study.name}: {source.corpus!r} is no corpus of pairs with blanks, e.g. kidscook.")
    items = list(WordCloze(**source.switches).set(pairs))
    if not items:
        raise BadInput(f"{study.name}: the pairs of {source.corpus!r} have no blanks.")
    return dict.fromkeys(study.conditions, items)


def reading_items(study: Study, database: Database | None) -> ItemSets:
    """Whole texts: whose story is it, and which events are its core? The key is empty: nobody knows before people say."""
    items = [Item(f"core.{story.id}", Read(story.text), "", story.id) for story in read_stories(study)]
    return dict.fromkeys(study.conditions, items)


def unrelated_items(study: Study, database: Database | None) -> ItemSets:
    """Stories with their activity, and among their sentences ``strangers`` of other stories: these are the key."""
    stories = [story for story in read_stories(study) if story.scenario or story.title]
    strangers = int(study.source.switches.get("strangers", 1))
    if not stories:
        raise BadInput(
            f"{study.name}: the texts of {study.source.corpus!r} name no activity, neither as scenario nor as title."
        )
    items = []
    for story in stories:
        draw = random.Random(f"{study.seed} {story.id}")
        activity = story.scenario or story.title
        lines = [(text, "related") for text in sentence_texts(story)]
        others = [
            text for other in stories if (other.scenario or other.title) != activity for text in sentence_texts(other)
        ]
        for text in draw.sample(others, min(strangers, len(others))):
            lines.insert(draw.randint(1, len(lines)), (text, "unrelated"))
        key = Groups(tuple(name for _, name in lines))
        items.append(Item(f"unrelated.{story.id}", Group(tuple(text for text, _ in lines), (activity,)), key, story.id))
    return dict.fromkeys(study.conditions, items)


def told_events(story: Story) -> list[int]:
    """Places of the events that a story says have happened, one a predicate token, without verbs of saying."""
    seen: dict[int, int] = {}
    for place, event in enumerate(story.events):
        if event.kind in ("verb", "light") and event.realis and event.polarity and not event.reporting:
            seen.setdefault(event.token, place)
    return sorted(seen.values(), key=lambda place: story.events[place].token)


def relation_items(study: Study, database: Database | None) -> ItemSets:
    """Pairs of events that a story tells one after the other: ``pairs`` of them a story, drawn."""
    switches = study.source.switches
    relations = tuple(
        name.strip() for name in str(switches.get("relations", "before,after,overlaps,cause,none")).split(",")
    )
    items = []
    for story in read_stories(study):
        neighbours = list(pairwise(told_events(story)))
        draw = random.Random(f"{study.seed} {story.id}")
        chosen = draw.sample(neighbours, min(int(switches.get("pairs", PAIRS_A_STORY)), len(neighbours)))
        bare = replace(story, entities=(), segments=())
        for first, second in sorted(chosen):
            items.append(
                Item(f"relation.{story.id}.{first}.{second}", Relate(bare, first, second, relations), "", story.id)
            )
    if not items:
        raise BadInput(f"{study.name}: no text of {study.source.corpus!r} tells two events one after the other.")
    return dict.fromkeys(study.conditions, items)


def habit_items(study: Study, database: Database | None) -> ItemSets:
    """One event of the central entity a story: how usual was that for her, him or them?"""
    items = []
    for story in read_stories(study):
        someone = protagonist(story)
        chain = next((chain for chain in chains(story) if someone and chain.entity == someone.id), None)
        places = [place for place in told_events(story) if chain is not None and place in chain.places]
        if someone is None or not places:
            continue
        place = random.Random(f"{study.seed} {story.id}").choice(places)
        sentence = sentence_of_event(story, story.events[place])
        name = someone.name or {"female": "her", "male": "him"}.get(someone.gender, "them")
        ask = str(study.source.switches.get("ask_for", "How usual was this for {name}?")).replace("{name}", name)
        ends = ("never done before", "seldom", "now and then", "often", "nearly every day")
        question = Rate(sentence, ask, tuple(sentence_texts(story)), 1, 5, ends)
        items.append(Item(f"habit.{story.id}.{place}", question, "", story.id))
    if not items:
        raise BadInput(f"{study.name}: in no text of {study.source.corpus!r} somebody does something.")
    return dict.fromkeys(study.conditions, items)


def sentence_of_event(story: Story, event: Event) -> str:
    """The sentence that tells an event."""
    return next(story.of(sentence) for sentence in story.sentences if sentence.first <= event.token < sentence.last)


def guess_items(study: Study, database: Database | None) -> ItemSets:
    """People's answers to gaps and a model's guess, mixed: is this likely to have happened? The tag says whose it is; no page does."""
    from scenarist.lab.answered import given_answers, study_items
    from scenarist.lab.solver import answer_gap, make_model, sentence_with
    from scenarist.lab.sources import needed, same_for_all

    database = needed(study, database)
    switches = study.source.switches
    each, model = int(switches.get("each", ANSWERS_A_GAP)), str(switches.get("model", "mixture"))
    known = study_items(database, study.source.study, str(switches.get("condition", "full")))
    said: dict[str, dict[str, str]] = {name: {} for name in known}
    for given in given_answers(database, study.source.study):
        if given.item in said and isinstance(given.answer.answer, str):
            said[given.item].setdefault(given.answer.answer, "people")
    solver = make_model(model) if model else None
    items = []
    for name, item in known.items():
        if not said[name] or not isinstance(item.question, SentenceGap):
            continue
        draw = random.Random(f"{study.seed} {name}")
        chosen = dict.fromkeys(draw.sample(sorted(said[name]), min(each - 1, len(said[name]))), "people")
        best = answer_gap(solver, item.question).best if solver is not None else None
        if isinstance(best, str):
            chosen.setdefault(sentence_with(best), model)
        context = (*item.question.sentences[: item.question.gap], BLANK, *item.question.sentences[item.question.gap :])
        for text, by in sorted(chosen.items()):
            question = Rate(
                text,
                "Is this likely to have happened where the dots are?",
                context,
                1,
                5,
                ("very unlikely", "very likely"),
            )
            id = sha256(f"{name} {text}".encode()).hexdigest()[:12]
            items.append(Item(f"guess.{id}", question, "", name, tags=(f"by:{by}",)))
    return same_for_all(study, items, "gaps must have been filled")


MATERIALS = {
    "texts": text_items, "words": word_items, "readings": reading_items, "unrelated": unrelated_items, "relations": relation_items,
    "habits": habit_items, "guesses": guess_items,
}  # fmt: skip
"""Name of a source -> what makes its items."""
