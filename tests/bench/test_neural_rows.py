"""Rows whose answers are recorded, asked live on five items: today's code and weights answer as the recorded ones do.

Most answers were made on a graphics card with half the digits, so a probability may differ by three hundredths.
Other neural rows are asked live by the golden net (tests/golden), which `test_every_neural_row_is_asked_somewhere` counts.
"""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest

from scenarist.bench.run_table import Ways, run_table
from scenarist.bench.sheet import Sheet
from scenarist.bench.spec import load
from scenarist.question import Prediction, Segments
from scenarist.store.predictions import Header, read_sections
from scenarist.store.results import Results

FOLDER = Path(__file__).parents[2] / "results" / "predictions"
ITEMS = 5
CLOSE = 0.03
"""Probability that a guess may differ by."""
pytestmark = [pytest.mark.neural, pytest.mark.data]


SCALED = {
    "story-rule": "recorded before the weights of its members were made to sum to one, so its chances are nearer to even"
}
"""Rows whose recorded chances are another power of today's: only the best guess is compared."""
FILES = sorted(FOLDER.glob("*.jsonl.xz"))


def near(live: Prediction, recorded: Prediction, scaled: bool = False) -> bool:
    """The same guesses, as likely; those that are equally likely may change places. The same segments, their first labels as heavy."""
    if isinstance(recorded.best, Segments):
        return (
            isinstance(live.best, Segments)
            and outline(live.best) == outline(recorded.best)
            and all(
                abs(now - was) <= CLOSE for now, was in zip(weights(live.best), weights(recorded.best), strict=True)
            )
        )
    if any(guess.logp is None for guess in recorded.guesses):
        return live.best == recorded.best
    likely = {guess.answer: math.exp(guess.logp or 0.0) for guess in live.guesses}
    if scaled:
        return live.best == recorded.best
    return all(
        abs(math.exp(guess.logp or 0.0) - likely.get(guess.answer, 0.0)) <= CLOSE for guess in recorded.guesses[:3]
    )


def outline(answer: Segments) -> list[tuple[int, int, str]]:
    """The segments with their first labels."""
    return [(segment.start, segment.stop, segment.names[0] if segment.names else "") for segment in answer.segments]


def weights(answer: Segments) -> list[float]:
    """What the first labels weigh."""
    return [segment.labels[0].weight for segment in answer.segments if segment.labels]


def ask_live(header: Header, folder: Path) -> Sheet:
    """The row, condition and seed of some recorded answers, asked live on five items."""
    table = load(header.table)
    condition = next(part for part in table.condition if part.name == header.condition)
    rows = [part for part in table.row if part.name == header.row and part.role != "published"]
    row = next(part for part in rows if not part.only or header.condition in part.only)
    small = msgspec.structs.replace(
        table, condition=[condition], row=[msgspec.structs.replace(row, seeds=[header.seed])], reference=""
    )
    with Results(folder / "results.sqlite") as store:
        return run_table(small, store, Ways(header.split, limit=ITEMS, live=True))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(".jsonl.xz"))
def test_a_recorded_row_answers_the_same_live(path: Path, tmp_path: Path) -> None:
    sections = {part.header.condition: part for part in reversed(read_sections(path))}
    for section in sections.values():  # the first condition whose weights are here
        header = section.header
        sheet = ask_live(header, tmp_path)
        (done,) = sheet.rows
        if not done.problem:
            break
    else:
        pytest.skip(f"{header.table}, row {header.row}: {done.problem[:160]}")
    live = done.predictions[header.condition]
    compared = [
        (item.id, live[item.id], answer)
        for item in sheet.items[header.condition]
        if (answer := section.find(item)) is not None
    ]
    assert len(compared) == ITEMS, "the recorded answers are to other questions"
    assert not done.recorded
    differing = [(id, now, was) for id, now, was in compared if not near(now, was, header.row in SCALED)]
    assert differing == [], [(id, now.guesses[:2], was.guesses[:2]) for id, now, was in differing]
