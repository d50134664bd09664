"""InScript's gold events and coreference against our reader's: the parser's share of an event cloze score, and what coreness changes.

InScript marks participants, script events and coreference, and no grammar: who plays which role in a gold event is taken from our
reader's parse in both worlds. ``gold``: the reader's events that are gold events, each role's filler named by gold coreference,
labels kept; ``read``: all that our reader finds, with its own coreference. ``coref``: the reader's events with gold coreference.
A model learns from the train split of one world and is asked about dev of the same (diagonal), or of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from scenarist import __version__
from scenarist.bench import marks as scoring
from scenarist.bench import sit as runner
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.models.events.base import EventRanker
from scenarist.question import Item, Prediction
from scenarist.registry import make
from scenarist.signature import sign
from scenarist.story import Event, Role, Story

WORLDS = ("gold", "coref", "read")
MODELS: Mapping[str, Mapping[str, Any]] = {
    "unigram": {},
    "bigram": {"skip": "all", "smoothing": 0.1},
    "pmi": {},
    "pmi-cutoff": {"cutoff": 20},
    "mixture": {"smoothing": 30.0},
    "event-vectors": {"width": 64},
    "participants": {"weight": 0.3},
}
"""The cutoff is for some 20,000 events, not for the 300,000 of the NYT chains."""
COLUMNS: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "all-gold": ("gold", "gold", {}),
    "all-coref": ("coref", "coref", {}),
    "all-read": ("read", "read", {}),
    "read-on-gold": ("read", "gold", {}),
    "script-gold": ("gold", "gold", {"core": "labels"}),
    "script-read": ("read", "read", {"core": "labels"}),
}
"""Column -> (world learned from, world asked about, switches of the exam)."""


def worlds(stories: Iterable[Story]) -> dict[str, list[Story]]:
    """Each story as our reader sees it, with gold coreference, and with gold events as well."""
    gold = list(stories)
    read: list[Story] = list(make("reader", "default", cache=True)(story.text for story in gold))
    found: dict[str, list[Story]] = {world: [] for world in WORLDS}
    for theirs, ours in zip(gold, read, strict=True):
        labels = {event.start: event.label for event in theirs.events}
        stops = [(event.start, event.stop, event.label) for event in theirs.events]
        labelled = tuple(
            msgspec.structs.replace(event, label=label_at(event, labels, stops) or "") for event in ours.events
        )
        known = {mention.head: entity.id for entity in theirs.entities for mention in entity.mentions}
        heads = {theirs.tokens[head].start: id for head, id in known.items() if head >= 0}
        spans = [(mention.start, mention.stop, entity.id) for entity in theirs.entities for mention in entity.mentions]
        renamed = tuple(
            msgspec.structs.replace(event, roles=tuple(gold_role(role, ours, heads, spans) for role in event.roles))
            for event in labelled
        )
        marked = tuple(event for event in renamed if label_at(event, labels, stops) is not None)
        base = msgspec.structs.replace(ours, id=theirs.id, scenario=theirs.scenario)
        found["read"].append(msgspec.structs.replace(base, events=labelled))
        found["coref"].append(msgspec.structs.replace(base, events=renamed, entities=entities(theirs)))
        found["gold"].append(msgspec.structs.replace(base, events=marked, entities=entities(theirs)))
    return found


def label_at(event: Event, starts: Mapping[int, str], spans: Iterable[tuple[int, int, str]]) -> str | None:
    """The label of the gold event at the same place, None where there is none."""
    if event.start in starts:
        return starts[event.start]
    return next((label for start, stop, label in spans if start <= event.start < stop), None)


def gold_role(role: Role, ours: Story, heads: Mapping[int, str], spans: Iterable[tuple[int, int, str]]) -> Role:
    """A role whose filler is the gold entity with its head there, or with the shortest mention around it."""
    if role.token < 0:
        return msgspec.structs.replace(role, entity="")
    start = ours.tokens[role.token].start
    around = [(stop - first, id) for first, stop, id in spans if first <= start < stop]
    return msgspec.structs.replace(role, entity=heads.get(start) or (min(around)[1] if around else ""))


def entities(theirs: Story) -> tuple[Any, ...]:
    """Gold entities without their mentions' tokens, which count in another tokenisation."""
    return tuple(msgspec.structs.replace(entity, mentions=()) for entity in theirs.entities)


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:
    """Recall@50 by world and by what is asked."""
    train, asked = worlds(make("corpus", "inscript", split="train")), worlds(make("corpus", "inscript", split=split))
    recall = make("metric", "recall@50")
    rows = {name: FigureRow(name, "baseline", {}) for name in MODELS}
    fitted: dict[tuple[str, str], EventRanker] = {}
    hashes = []
    for column, (learned, world, switches) in COLUMNS.items():
        exam = make("exam", "eventcloze", preset="lm-cloze", seed=seed, **switches)
        items: list[Item] = runner.items_of(exam, asked[world], limit)
        fields = {
            "exam": exam.name, **exam.settings(), "data": f"inscript-{world}#{runner.data_hash(items)}", "split": split,
            "train": f"inscript-{learned}", "seed": seed,
        }  # fmt: skip
        hashes.append(str(fields["data"]))
        typed = runner.items_of(
            make("exam", "eventcloze", preset="lm-cloze", seed=seed, args="types", **switches), asked[world], limit
        )
        for name, settings in MODELS.items():
            if (name, learned) not in fitted:
                fitted[name, learned] = make("model", name, **settings).fit(train[learned])
            model = fitted[name, learned]
            found = {}
            told = name == "participants"  # it is told who and what else takes part; keys are the same
            for item in typed if told else items:
                logp, rank = model.rate(item.question, item.key)
                found[item.id] = Prediction(item.id, (), name, key_logp=logp, key_rank=rank)
            who = {"model": name, **({"with": settings} if settings else {})}
            score = scoring.score(recall, items, found, {**who, **fields, **({"args": "types"} if told else {})})
            rows[name].scores[f"recall@50/{column}"] = Figure.of(score)
    sizes = {world: sum(len(story.events) for story in several) for world, several in train.items()}
    signature = sign(
        "eventcloze-inscript", {"exam": "eventcloze", "data": hashes, "split": split, "seed": seed, "v": __version__}
    )
    return Analysis(list(rows.values()), signature, {"events": sizes})
