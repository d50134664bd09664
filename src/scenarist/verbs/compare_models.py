"""A gap in a chain -> ComparedChain: what several models say of one test, side by side (Chambers 2017, Table 4).

Nothing is left out of a model's list, also not the events of the chain itself, which n-grams like to repeat. With the missing
event named, its rank by each model is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scenarist.answers import ComparedChain, ModelColumn
from scenarist.errors import BadInput
from scenarist.learning.event_chains import our_link
from scenarist.learning.event_counts import EventCounts, in_our_roles
from scenarist.models.events.base import EventRanker
from scenarist.question import EventGap
from scenarist.registry import make
from scenarist.story import Link
from scenarist.verbs.fill import counts_file, parse_chain

COMPARED = ("unigram", "bigram", "pmi")
"""The columns of the paper's table."""


def compare_models(
    chain: str,
    models: Sequence[str] = COMPARED,
    *,
    answer: str = "",
    folder: str | Path | None = None,
    scenario: str = "",
    top: int = 10,
    source: str = "stories",
) -> ComparedChain:
    """What several models say of one gap; ``answer`` is the missing event, where it is known. Counts as in `fill`.

    >>> compared = compare_models("arrest:obj escape:subj ?", answer="convict:obj", source="news")
    >>> [(column.model, column.events[0]) for column in compared.columns][:2]
    [('unigram', 'say:subj'), ('bigram', 'be:subj')]
    """
    if not models:
        raise BadInput(f"Which models? Name them, joined by commas, for example: {','.join(COMPARED)}")
    asked = parse_chain(chain)
    question = EventGap(tuple(map(our_link, asked.links)), asked.gap)
    key = our_link(Link.parse(answer)) if answer else None
    if key is not None and not key.role:
        raise BadInput(f"{answer!r} has no role. Write verb:role, for example {answer}:subj.")
    path, learned = counts_file(Path(folder) if folder else None, scenario, source)
    counts = in_our_roles(EventCounts.load(path))
    columns, notes = [], []
    for name in models:
        solver = make("model", name)
        if not isinstance(solver, EventRanker):
            raise BadInput(f"{name!r} does not rank events. Try bigram, pmi-cutoff, unigram or mixture.")
        solver.fit(counts)
        prediction = solver.answer(question)
        rank = solver.rank(question, str(key)) if key is not None else None
        columns.append(ModelColumn(name, tuple(str(guess.answer) for guess in prediction.guesses[:top]), rank))
        if prediction.note:
            notes.append(prediction.note)
    if key is not None and str(key) not in counts.ids:
        notes.append(f"{key} was never seen in training: it stands behind all events")
    names = tuple(str(link) for link in question.links)
    return ComparedChain(names, question.gap, tuple(columns), str(key or ""), learned, tuple(dict.fromkeys(notes)))
