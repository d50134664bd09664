"""A story and two of its events -> how the first stands to the second: before, after, overlaps, a cause."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, Relate
from scenarist.story import Event, Sentence, Story

WORDING = {
    "before": "A was over before B began",
    "after": "B was over before A began",
    "overlaps": "A and B went on at the same time, for a while at least",
    "simultaneous": "A and B happened at the same time",
    "includes": "B happened within A",
    "is_included": "A happened within B",
    "cause": "A is why B happened",
    "caused": "B is why A happened",
    "none": "The text does not tell",
}
"""What stands beside the radio buttons; a relation without a wording stands there as it is called."""


class RelateEvents(PageKind):
    """How do two events stand to each other?"""

    name = "relate"
    asks = (Relate,)
    inputs: Mapping[str, str] = {
        "story": "the text with the two events marked A and B",
        "relations": "what to choose from",
    }
    outputs: Mapping[str, str] = {"relation": "how A stands to B"}
    template = """
{% if heading %}<h2>{{ heading }}</h2>{% endif %}
<ol class="sentences">{% for pieces in sentences %}<li><span class="soft">{{ loop.index }}</span> <span class="over" data-text="sentence">
{%- for piece in pieces %}{% if piece.letter %}<mark><strong>{{ piece.letter }}</strong>: <span data-text="event">{{ piece.text }}</span></mark>{% else %}{{ piece.text }}{% endif %}{% endfor %}</span></li>{% endfor %}</ol>
<fieldset{% if problem %} aria-describedby="problem"{% endif %}><legend>How does A (<em>{{ first }}</em>) stand to B (<em>{{ second }}</em>)?</legend>
{% for relation, wording in relations %}<label class="choice"><input type="radio" name="answer" value="{{ relation }}"{% if value.answer == relation %} checked{% endif %} required> {{ wording }}</label>{% endfor %}
</fieldset>"""

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The story with its two events marked."""
        assert isinstance(question, Relate)
        story = question.story
        marks = [(story.events[question.first], "A"), (story.events[question.second], "B")]
        return {
            "heading": story.title,
            "sentences": [pieces_of(story, sentence, marks) for sentence in story.sentences],
            "first": word_of(story, marks[0][0]), "second": word_of(story, marks[1][0]),
            "relations": [(relation, WORDING.get(relation, relation)) for relation in question.relations],
        }  # fmt: skip

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """One of the relations."""
        assert isinstance(question, Relate)
        value = form.get("answer")
        if value not in question.relations:
            raise NotAccepted("Please choose how A stands to B.")
        return LabAnswer(value)

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """Mostly what the order of the text says."""
        relations = [control.value for control in form.named("answer")]
        if "before" in relations and draw.random() < 0.7:
            return {"answer": ["before"]}
        return {"answer": [draw.choice(relations)]}


def word_of(story: Story, event: Event) -> str:
    """The word that tells an event."""
    token = story.tokens[event.token]
    return story.text[token.start : token.stop]


def pieces_of(story: Story, sentence: Sentence, marks: list[tuple[Event, str]]) -> list[dict[str, str]]:
    """A sentence in pieces: plain text, and the words that tell A and B."""
    pieces: list[dict[str, str]] = []
    place = sentence.start
    for event, letter in sorted(marks, key=lambda mark: mark[0].token):
        token = story.tokens[event.token]
        if sentence.start <= token.start < sentence.stop:
            pieces.append({"text": story.text[place : token.start], "letter": ""})
            pieces.append({"text": story.text[token.start : token.stop], "letter": letter})
            place = token.stop
    pieces.append({"text": story.text[place : sentence.stop], "letter": ""})
    return [piece for piece in pieces if piece["text"]]
