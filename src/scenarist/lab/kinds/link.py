"""A story -> the core events of its central entity (Chambers 2017, section 7: *human annotation* and *core events*).

Our reader proposes a chain; a person chooses the central entity, takes wrong links away, drops verbs of reporting and adds what was missed.
The answer is a Reading with one entity and its core events; hand-made event cloze tests are made of those that two people share.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, Read, Reading
from scenarist.reading.chains import chains
from scenarist.registry import make
from scenarist.story import Chain, Entity, Event, Link, Role, Sentence, Story, replace

LEAST = 3
"""Core events that a story needs, where the study says nothing else."""
CANDIDATES = 5
ADDED = 3
"""Lines for events that our reader missed."""
NOT_CORE, OTHERWISE = "", "prep_with"
ROLES = {NOT_CORE: "not part of it", "subj": "does it", "obj": "it is done to them", "iobj": "it is given or told to them", OTHERWISE: "takes part otherwise"}  # fmt: skip


class ProposedEvent(NamedTuple):
    """An event that may be core."""

    name: str
    """Its field of the form."""
    place: int
    """Index into the story's events."""
    before: str
    word: str
    after: str
    roles: dict[str, str]
    """Entity -> its role here, as our reader has it."""
    reporting: bool


class ProposedChain(NamedTuple):
    """What our reader proposes of a story."""

    story: Story
    entities: tuple[tuple[Entity, str], ...]
    """Entities that may be central with what they are called, the likeliest first."""
    events: tuple[tuple[Sentence, tuple[ProposedEvent, ...]], ...]
    """Sentence by sentence."""


@lru_cache(maxsize=512)
def proposed(text: str) -> ProposedChain:
    """What our reader makes of a text; the same text gives the same proposal, so that a form is read as it was shown."""
    (story,) = make("reader", "default")([text])
    found = sorted(chains(story), key=lambda chain: (-len(chain.links), first_mention(story, chain.entity)))[
        :CANDIDATES
    ]
    entities = tuple((entity, called(story, entity)) for chain in found if (entity := story.entity(chain.entity)))
    roles: dict[int, dict[str, str]] = {}
    for chain in found:
        for place, link in zip(chain.places, chain.links, strict=True):
            roles.setdefault(place, {}).setdefault(chain.entity, link.role)
    events = []
    for sentence in story.sentences:
        inside = []
        for place, event in enumerate(story.events):
            if sentence.first <= event.token < sentence.last and event.kind in ("verb", "light"):
                token = story.tokens[event.token]
                before, after = story.text[sentence.start : token.start], story.text[token.stop : sentence.stop]
                word = story.text[token.start : token.stop]
                inside.append(
                    ProposedEvent(f"e{place}", place, before, word, after, roles.get(place, {}), event.reporting)
                )
        events.append((sentence, tuple(inside)))
    return ProposedChain(story, entities, tuple(events))


def first_mention(story: Story, name: str) -> int:
    """Where an entity is named first."""
    entity = story.entity(name)
    return min((mention.start for mention in entity.mentions), default=0) if entity else 0


def called(story: Story, entity: Entity) -> str:
    """What an entity is called: its longest mention that is no pronoun, else its first."""
    texts = [story.text[mention.start : mention.stop] for mention in entity.mentions]
    full = [
        text
        for mention, text in zip(entity.mentions, texts, strict=True)
        if mention.kind != "pronoun" and len(text) < 40
    ]
    return entity.name or max(full or texts or [entity.id], key=len)


class LinkEvents(PageKind):
    """Whose story is it, and which events are its core?"""

    name = "link"
    asks = (Read,)
    script = "link.js"
    inputs: Mapping[str, str] = {"text": "the text, its events marked", "entities": "who may be its central entity"}
    outputs: Mapping[str, str] = {
        "entity": "the central entity",
        "events": "its core events, verb:role joined by blanks, in the order of the text",
        "taken_away": "events that our reader had proposed and that were taken away",
        "added": "events that our reader had missed",
    }
    template = """
<fieldset{% if problem %} aria-describedby="problem"{% endif %}><legend>1. Whose story is it?</legend>
{% for id, name, count in entities %}<label class="choice"><input type="radio" name="entity" value="{{ id }}"{% if chosen(value, id) %} checked{% endif %} required> <strong data-text="entity">{{ name }}</strong> <span class="soft">({{ count }} times)</span></label>{% endfor %}</fieldset>
<h2>2. Which of these are core events, and what part do they have in them?</h2>
<p class="soft">Core events are those without which it would be another story. Leave out verbs that only say that somebody said something.</p>
{% for number, rows in sentences %}<fieldset class="entry"><legend class="away">Sentence {{ number }}</legend>
{% if not rows %}<p class="soft">{{ number }} {{ plain[number - 1] }}</p>{% endif %}
{% for event in rows %}<p><label for="{{ event.name }}"><span class="soft">{{ number }}</span> <span class="over">{{ event.before }}<mark data-text="event">{{ event.word }}</mark>{{ event.after }}</span>{% if event.reporting %} <span class="soft">(a verb of saying)</span>{% endif %}</label>
<select id="{{ event.name }}" name="{{ event.name }}" data-roles="{{ event.roles }}">{% for role, wording in roles.items() %}<option value="{{ role }}"{% if preset(value, event) == role %} selected{% endif %}>{{ wording }}</option>{% endfor %}</select></p>{% endfor %}</fieldset>{% endfor %}
<h2>3. Is an event missing?</h2>
<p class="soft">Write the number of the sentence and the verb as it stands there.</p>
{% for line in lines(value) %}<p class="line three"><label>Sentence <input type="text" name="where" inputmode="numeric" maxlength="4" autocomplete="off" value="{{ line[0] }}"></label>
<label>Verb <input type="text" name="verb" maxlength="40" autocomplete="off" value="{{ line[1] }}"></label>
<label>Part <select name="part">{% for role, wording in roles.items() if role %}<option value="{{ role }}"{% if line[2] == role %} selected{% endif %}>{{ wording }}</option>{% endfor %}</select></label></p>{% endfor %}"""

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The sentences with their events; what is chosen already is our reader's proposal."""
        assert isinstance(question, Read)
        draft = proposed(question.text)
        first = draft.entities[0][0].id if draft.entities else ""
        sentences = [
            (number, [event._asdict() | {"roles": parts_json(event.roles)} for event in events])
            for number, (_, events) in enumerate(draft.events, start=1)
        ]

        def preset(value: Mapping[str, Any], event: Mapping[str, Any]) -> str:
            if "entity" in value:
                return str(value.get(event["name"], NOT_CORE))
            return NOT_CORE if event["reporting"] else json.loads(event["roles"]).get(first, NOT_CORE)

        def lines(value: Mapping[str, Any]) -> list[tuple[str, str, str]]:
            return [*value.get("lines", ()), *[("", "", "subj")] * ADDED]

        return {
            "entities": [(entity.id, name, len(entity.mentions)) for entity, name in draft.entities],
            "sentences": sentences, "plain": [draft.story.of(sentence) for sentence, _ in draft.events], "roles": ROLES,
            "preset": preset, "lines": lines, "chosen": lambda value, id: value.get("entity", first) == id,
        }  # fmt: skip

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """The central entity with its core events."""
        assert isinstance(question, Read)
        draft = proposed(question.text)
        known = {entity.id: (entity, name) for entity, name in draft.entities}
        if form.get("entity") not in known:
            raise NotAccepted("Please choose whose story it is.", "entity")
        entity, name = known[form.get("entity")]
        core: dict[int, Event] = {}
        away: list[str] = []
        for _, events in draft.events:
            for row in events:
                role = form.get(row.name)
                event = draft.story.events[row.place]
                if role and role not in ROLES:
                    raise NotAccepted(f"{row.word!r}: please choose one of the parts.", row.name)
                if role:
                    core[event.token] = with_role(event, entity.id, row.roles.get(entity.id, ""), role)
                elif entity.id in row.roles:
                    away.append(f"{event.predicate}:{row.roles[entity.id]}")
        added = self.added(form, draft, entity, core)
        least = int(settings.get("least", LEAST))
        if len(core) < least:
            raise NotAccepted(
                f"{name} has {len(core)} core {'event' if len(core) == 1 else 'events'} here; a test needs at least {least}. "
                "Choose a part in further events, or another person or thing.", "entity",
            )  # fmt: skip
        story = replace(draft.story, entities=(entity,), events=tuple(core[token] for token in sorted(core)))
        return LabAnswer(Reading(story), (("entity", name), ("taken_away", " ".join(away)), ("added", " ".join(added))))

    def added(self, form: FormFields, draft: ProposedChain, entity: Entity, core: dict[int, Event]) -> list[str]:
        """The events of the third part; they join ``core``, and are named."""
        names: list[str] = []
        for where, verb, part in zip(form.all("where"), form.all("verb"), form.all("part"), strict=False):
            where, verb = where.strip(), verb.strip()
            if not where and not verb:
                continue
            if not where.isdecimal() or not 1 <= int(where) <= len(draft.story.sentences):
                raise NotAccepted(
                    f"{verb or 'The missing event'}: which sentence? Write a number from 1 to {len(draft.story.sentences)}.",
                    "where",
                )
            if not verb:
                raise NotAccepted(
                    f"Sentence {where}: which verb? Write it as it stands there, or empty the number.", "verb"
                )
            if part not in ROLES or not part:
                raise NotAccepted(f"{verb!r}: please choose one of the parts.", "part")
            sentence = draft.story.sentences[int(where) - 1]
            place = next(
                (
                    place
                    for place in range(sentence.first, sentence.last)
                    if draft.story.of(draft.story.tokens[place]).casefold() == verb.casefold()
                ),
                None,
            )
            if place is None:
                raise NotAccepted(f"Sentence {where} has no word {verb!r}. Write it as it stands there.", "verb")
            if place in core:
                raise NotAccepted(f"{verb!r} of sentence {where} is chosen above already.", "verb")
            token = draft.story.tokens[place]
            predicate = (token.lemma or verb).lower()
            core[place] = Event(predicate, (Role(part, entity.id),), place, token.start, token.stop, form=verb)
            names.append(f"{predicate}:{part}")
        return names

    def again(self, form: FormFields) -> dict[str, Any]:
        """The form as it was sent."""
        values: dict[str, Any] = {name: value for name, value in form.pairs if name.startswith("e")}
        lines = list(zip(form.all("where"), form.all("verb"), form.all("part"), strict=False))
        return {"entity": "", **values, "lines": [line for line in lines if line[0] or line[1]]}

    def value(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, Any]:
        """An earlier answer as the form that gives it."""
        if not isinstance(answer.answer, Reading) or not isinstance(question, Read):
            return {}
        story, draft = answer.answer.story, proposed(question.text)
        places = {event.token: place for place, event in enumerate(draft.story.events)}
        values: dict[str, Any] = {"entity": story.entities[0].id, "lines": []}
        for event in story.events:
            role = shown_role(next(role.name for role in event.roles if role.entity == story.entities[0].id))
            if event.token in places:
                values[f"e{places[event.token]}"] = role
            else:
                number = next(n for n, s in enumerate(story.sentences, 1) if s.first <= event.token < s.last)
                values["lines"].append((str(number), event.form, role))
        return values

    def columns(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, str]:
        """The chain in words."""
        return {
            "entity": answer.get("entity"), "events": " ".join(map(str, core_chain(answer).links)),
            "taken_away": answer.get("taken_away"), "added": answer.get("added"),
        }  # fmt: skip

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """The proposal with some slips: now and then a link taken away or another one added."""
        values = form.hidden()
        fields = {name: values[name] for name in values if name.startswith("e") and name != "entity"}
        for name, chosen in fields.items():
            if draw.random() < 0.05:
                fields[name] = [NOT_CORE if chosen[0] else "subj"]
        for name in fields:
            if sum(bool(chosen[0]) for chosen in fields.values()) >= LEAST:
                break
            fields[name] = fields[name] if fields[name][0] else ["subj"]
        return {**fields, "entity": values.get("entity", [""])}


def parts_json(roles: Mapping[str, str]) -> str:
    """Entity -> part, for the page's script."""
    return json.dumps({entity: shown_role(role) for entity, role in roles.items()})


def shown_role(role: str) -> str:
    """A role of our reader as the page shows it.

    >>> shown_role("subj"), shown_role("prep_at"), shown_role("")
    ('subj', 'prep_with', '')
    """
    return role if role in ROLES else OTHERWISE


def with_role(event: Event, entity: str, proposed_role: str, role: str) -> Event:
    """An event with the one part that an entity has in it, in the active; our reader's preposition stays where the part was not changed."""
    kept = proposed_role if proposed_role and shown_role(proposed_role) == role else role
    return msgspec.structs.replace(event, roles=(Role(kept, entity),), passive=False)


def core_chain(answer: LabAnswer) -> Chain:
    """The chain of an answer: the core events of its central entity, each with the part that it has; ``places`` are tokens."""
    if not isinstance(answer.answer, Reading) or not answer.answer.story.entities:
        return Chain(())
    story = answer.answer.story
    entity = story.entities[0].id
    links = [
        (event.token, Link(event.predicate, role.name))
        for event in story.events
        for role in event.roles
        if role.entity == entity
    ]
    return Chain(tuple(link for _, link in links), entity, story.id, tuple(token for token, _ in links))
