"""Shuffled sentences -> their order (Mostafazadeh et al. 2016, section 3.3).

Every sentence has a list with its place; with scripts it moves up and down by two buttons, or by Alt and the arrow keys, and the places
follow. Without scripts the places are chosen, and a place that stands twice is sent back.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.imagined import imagine_order
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, Order, Permutation


class OrderSentences(PageKind):
    """Which came first?"""

    name = "order"
    asks = (Order,)
    script = "order.js"
    inputs: Mapping[str, str] = {"sentences": "the sentences, shuffled"}
    outputs: Mapping[str, str] = {"order": "numbers of the shown sentences, from 1, in the order that the person gave"}
    template = """
<p>{{ text or "Put these sentences into an order that makes a story. The first sentence gets place 1." }}</p>
<ol class="order" id="order">{% for sentence in sentences %}{% set row = loop.index0 %}<li data-row="{{ row }}">
<span class="story" id="s{{ row }}" data-text="sentence">{{ sentence }}</span>
<label for="p{{ row }}">Place<span class="away"> of sentence {{ loop.index }}</span></label>
<select id="p{{ row }}" name="place" aria-describedby="s{{ row }}">{% if row|string not in value.get("places", {}) %}<option value=""></option>{% endif %}{% for place in places %}<option value="{{ place }}"{% if value.get("places", {}).get(row|string) == place|string %} selected{% endif %}>{{ place }}</option>{% endfor %}</select></li>{% endfor %}</ol>
<p id="moved" class="away" role="status"></p>"""

    def hotkeys(self, settings: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """Within the list."""
        return (("Alt+↑", "move the sentence up"), ("Alt+↓", "move the sentence down"))

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The sentences with their places."""
        assert isinstance(question, Order)
        return {"sentences": question.sentences, "places": range(1, len(question.sentences) + 1)}

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """Every sentence at a place of its own."""
        assert isinstance(question, Order)
        size, places = len(question.sentences), form.all("place")
        numbers = [int(place) if place in map(str, range(1, size + 1)) else 0 for place in places]
        if len(numbers) != size or 0 in numbers:
            empty = size - len(numbers) + numbers.count(0)
            raise NotAccepted(
                f"{empty} of {size} sentences {'has' if empty == 1 else 'have'} no place yet: give each one from 1 to {size}.",
                "place",
            )
        twice = sorted({number for number in numbers if numbers.count(number) > 1})
        if twice:
            free = sorted(set(range(1, size + 1)) - set(numbers))
            raise NotAccepted(
                f"Place {twice[0]} was given twice and place {free[0]} to no sentence: every sentence stands once.",
                "place",
            )
        return LabAnswer(Permutation(tuple(numbers.index(place) for place in range(1, size + 1))))

    def again(self, form: FormFields) -> dict[str, Any]:
        """The places as they were sent."""
        return {"places": {str(row): place for row, place in enumerate(form.all("place")) if place}}

    def value(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, Any]:
        """The places of an earlier answer."""
        order = answer.answer.order if isinstance(answer.answer, Permutation) else ()
        return {"places": {str(row): str(place) for place, row in enumerate(order, start=1)}}

    def columns(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, str]:
        """The order in numbers."""
        order = answer.answer.order if isinstance(answer.answer, Permutation) else ()
        return {"order": " ".join(str(row + 1) for row in order)}

    def lines(self, answer: LabAnswer, question: AnyQuestion | None) -> Sequence[tuple[str, str]]:
        """The sentences as the person ordered them."""
        order = answer.answer.order if isinstance(answer.answer, Permutation) else ()
        sentences = question.sentences if isinstance(question, Order) else ()
        return [(str(place), sentences[row]) for place, row in enumerate(order, start=1) if row < len(sentences)]

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """The order of the script that is told; now and then a place twice."""
        order = imagine_order(page.marked("sentence"), draw)
        places = [str(order.index(row) + 1) for row in range(len(order))]
        if draw.random() < 0.03:
            places[0] = places[-1]
        return {"place": places}
