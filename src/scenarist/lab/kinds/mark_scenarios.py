"""A story -> segments with scenario labels (Wanzare et al. 2019, section 3.1 and Appendix A).

A segment is marked without a text selection: choose its first and its last sentence (buttons, or the keys of the sentence list), then
labels by typing. A part of a sentence can be chosen by its words; a segment may have several parts, overlap others or lie inside them.
The page works without a script: then one form line a segment holds the numbers of its sentences. *None* is said of a whole story, or
simply by leaving sentences unmarked.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from scenarist.inventory import NONE, inventory
from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, Segments, Where
from scenarist.reading.stems import STOP, stems
from scenarist.registry import make
from scenarist.story import Label, Segment, Story, replace

MOST_SEGMENTS = 300
MOST_PARTS = 20
EMPTY_LINES = 3
"""Lines for further segments that stand ready where there is no script."""
PART = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?(?:\s*:\s*(\d+)\s*[-–]\s*(\d+))?$")


@cache
def label_names() -> dict[str, str]:
    """Every name of a scenario in lower case -> the name it is kept under; *None* is a label, too."""
    names = {NONE.lower(): NONE}
    for scenario in inventory():
        for alias in scenario.aliases:
            names.setdefault(alias.lower(), scenario.name)
    return names | {scenario.name.lower(): scenario.name for scenario in inventory()}


class MarkScenarios(PageKind):
    """Where are which scenarios?"""

    name = "mark-scenarios"
    asks = (Where,)
    script = "segments.js"
    inputs: Mapping[str, str] = {"story": "the text, sentence by sentence"}
    outputs: Mapping[str, str] = {
        "segments": "label: sentences, e.g. `baking a cake: 1-4, 7`",
        "nothing": "yes where no scenario is told",
    }
    template = """
{% if heading %}<h2>{{ heading }}</h2>{% endif %}
<ol class="sentences" id="sentences" aria-label="The story, sentence by sentence">
{% for sentence in sentences %}<li value="{{ loop.index }}" data-number="{{ loop.index }}"><span class="soft">{{ loop.index }}</span> <span data-text="sentence">{{ sentence }}</span></li>
{% endfor %}</ol>
<div id="segments">
<h2 id="lines">Segments</h2>
<p class="soft">One line a segment: its sentences (<kbd>2-5</kbd>; several parts <kbd>2-3, 7</kbd>; words 1 to 6 of sentence 2: <kbd>2:1-6</kbd>) and its scenario. Two scenarios on the same sentences are two lines.</p>
{% for line in (value.lines if value.lines is defined else []) + lines %}<p class="line"><label>Sentences <input type="text" name="where" value="{{ line.where }}" autocomplete="off" inputmode="text" maxlength="200"></label>
<label>Scenario <input type="text" name="label" value="{{ line.label }}" list="labels" autocomplete="off" maxlength="120"></label></p>
{% endfor %}</div>
<datalist id="labels">{% for label in labels %}<option value="{{ label }}"></option>{% endfor %}</datalist>
<p><label><input type="checkbox" name="nothing" value="yes"{% if value.nothing is defined and value.nothing == "yes" %} checked{% endif %}> No scenario of the list is told here (<em>None</em>)</label></p>"""

    def hotkeys(self, settings: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """The keys of the sentence list."""
        return (
            ("j", "next sentence"), ("k", "sentence before"), ("s", "the segment starts here"), ("e", "the segment ends here"),
            ("p", "add a further part to the last segment"), ("l", "choose the scenario"), ("u", "take the last segment away"),
        )  # fmt: skip

    def prepare(self, question: AnyQuestion) -> AnyQuestion:
        """A story of the study file is cut into sentences and words."""
        if isinstance(question, Where) and not question.story.sentences:
            (story,) = make("reader", "default")([question.story.text])
            return Where(replace(story, id=question.story.id, title=question.story.title, entities=(), events=()))
        return question

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The sentences and the list of labels."""
        assert isinstance(question, Where)
        story = question.story
        sentences = [story.of(sentence) for sentence in story.sentences]
        empty = [{"where": "", "label": ""} for _ in range(EMPTY_LINES)]
        labels = [NONE, *(scenario.name for scenario in inventory())]
        return {"sentences": sentences, "heading": story.title, "labels": labels, "lines": empty}

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """Segments, or None."""
        assert isinstance(question, Where)
        wheres, labels = form.all("where"), form.all("label")
        nothing = form.get("nothing") == "yes"
        lines = [(where.strip(), label.strip()) for where, label in zip(wheres, labels, strict=False)]
        lines = list(dict.fromkeys((where, label) for where, label in lines if where or label))
        if len(lines) > MOST_SEGMENTS:
            raise NotAccepted(
                f"These are {len(lines)} segments; at most {MOST_SEGMENTS} can be kept for a text.", "where"
            )
        segments: list[Segment] = []
        for number, (where, label) in enumerate(lines, start=1):
            name = label_names().get(label.lower())
            if not where:
                raise NotAccepted(f"Segment {number} ({label}): which sentences? Write for example 2-5.", "where")
            if name is None:
                raise NotAccepted(
                    f"Segment {number} ({where}): {label or 'nothing'} is not a scenario of the list. Type some letters and choose one; "
                    "where none fits, take the nearest related one, or None.", "label",
                )  # fmt: skip
            spans = parts_of(question.story, where, number)
            group = f"s{number}" if len(spans) > 1 else ""
            marks = () if name == NONE else (Label(name),)
            segments += [Segment(start, stop, marks, group) for start, stop in spans]
        if not segments and not nothing:
            raise NotAccepted(
                "Please mark at least one segment, or say below that no scenario is told here.", "nothing"
            )
        if nothing and any(segment.labels for segment in segments):
            raise NotAccepted(
                "You marked segments and also said that no scenario is told: please take back one of the two.",
                "nothing",
            )
        return LabAnswer(Segments(tuple(segments)), (("nothing", "yes"),) if nothing else ())

    def value(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, Any]:
        """The lines again."""
        assert isinstance(question, Where)
        return {"nothing": answer.get("nothing"), "lines": lines_of(question.story, answer)}

    def again(self, form: FormFields) -> dict[str, Any]:
        """The lines as they were sent, where they could not be taken."""
        pairs = zip(form.all("where"), form.all("label"), strict=False)
        lines = [{"where": where, "label": label} for where, label in pairs if where or label]
        return {"nothing": form.get("nothing"), "lines": lines[:MOST_SEGMENTS]}

    def columns(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, str]:
        """Segments as lines."""
        assert isinstance(question, Where)
        lines = lines_of(question.story, answer)
        return {
            "segments": "; ".join(f"{line['label']}: {line['where']}" for line in lines),
            "nothing": answer.get("nothing"),
        }

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """Some segments of what the detector of this package might say: the sentences in a few runs."""
        count = len(page.marked("sentence"))
        if draw.random() < 0.1:
            return {"where": [], "label": [], "nothing": ["yes"]}
        near = near_labels(tuple(page.marked("sentence")))
        wheres, labels = [], []
        for _ in range(draw.randint(1, 3)):
            first = draw.randint(1, count)
            last = min(count, first + draw.randint(0, 4))
            wheres.append(
                f"{first}-{last}" if draw.random() < 0.8 or last + 2 > count else f"{first}-{last}, {last + 2}"
            )
            labels.append(draw.choice(near))
        return {"where": wheres, "label": labels}


@lru_cache(maxsize=512)
def near_labels(sentences: tuple[str, ...], most: int = 4) -> tuple[str, ...]:
    """The labels that share most words with a text: what simulated people mark.

    >>> near_labels(("Ida wanted a cake.", "She baked it for an hour."), 1)
    ('baking a cake',)
    """
    words = {stem for sentence in sentences for stem in stems(sentence)} - STOP
    names = [scenario.name for scenario in inventory()]
    shares = {name: len(words & set(own)) / len(own) for name in names if (own := [*{*stems(name)} - STOP])}
    return tuple(sorted(shares, key=lambda name: (-shares[name], name))[:most])


def parts_of(story: Story, where: str, number: int = 1) -> list[tuple[int, int]]:
    """``2-5, 7`` as character spans: sentences from 1, and words of a sentence after a colon."""
    spans: list[tuple[int, int]] = []
    pieces = [piece.strip() for piece in where.split(",") if piece.strip()]
    if len(pieces) > MOST_PARTS:
        raise NotAccepted(f"Segment {number} has {len(pieces)} parts; at most {MOST_PARTS} can be kept.", "where")
    for piece in pieces:
        match = PART.match(piece)
        if match is None:
            raise NotAccepted(
                f"Segment {number}: {piece!r} is not understood. Write sentences as 2-5, or words of one as 2:1-6.",
                "where",
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= len(story.sentences):
            raise NotAccepted(
                f"Segment {number}: {piece}: the story has the sentences 1 to {len(story.sentences)}.", "where"
            )
        start, stop = story.sentences[first - 1].start, story.sentences[last - 1].stop
        if match[3]:
            sentence = story.sentences[first - 1]
            words = [story.tokens[place] for place in range(sentence.first, sentence.last)]
            low, high = int(match[3]), int(match[4])
            if first != last or not 1 <= low <= high <= len(words):
                raise NotAccepted(
                    f"Segment {number}: {piece}: sentence {first} has the words 1 to {len(words)}.", "where"
                )
            start, stop = words[low - 1].start, words[high - 1].stop
        spans.append((start, stop))
    return sorted(spans)


def lines_of(story: Story, answer: LabAnswer) -> list[dict[str, str]]:
    """Segments as the lines that make them."""
    if not isinstance(answer.answer, Segments):
        return []
    groups: dict[object, list[Segment]] = {}
    for place, segment in enumerate(answer.answer.segments):
        groups.setdefault(segment.group or place, []).append(segment)
    return [
        {
            "where": ", ".join(numbers_of(story, segment.start, segment.stop) for segment in parts),
            "label": parts[0].names[0] if parts[0].labels else NONE,
        }
        for parts in groups.values()
    ]


def numbers_of(story: Story, start: int, stop: int) -> str:
    """A span as ``2-5``, or ``2:1-6`` where it is a part of a sentence; a span that begins or ends inside is widened to whole sentences."""
    inside = [n for n, sentence in enumerate(story.sentences, 1) if sentence.start < stop and start < sentence.stop]
    if not inside:
        return ""
    first, last = inside[0], inside[-1]
    sentence = story.sentences[first - 1]
    if first == last and (sentence.start, sentence.stop) != (start, stop):
        words = [story.tokens[place] for place in range(sentence.first, sentence.last)]
        here = [n for n, token in enumerate(words, 1) if token.start < stop and start < token.stop]
        if here and len(here) < len(words):
            return f"{first}:{here[0]}-{here[-1]}"
    return f"{first}-{last}" if last > first else str(first)
