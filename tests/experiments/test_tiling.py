"""Why TopicTiling cuts as it does: one thing is changed at a time, and everything else stays as printed."""

from __future__ import annotations

import pytest

from experiments.detection import tiling
from scenarist.learning.topics import Topics, carried_topics
from scenarist.models.scenarios.tiling import TopicTiling
from scenarist.story import Story

COOKING = ["I put the cake into the oven and baked it.", "The cake was sweet and the oven was hot."]
RIDING = ["I waited for the bus at the stop.", "The driver of the bus sold me a ticket."]


def test_the_plain_row_is_the_registered_segmenter() -> None:
    story = Story.from_sentences("day", [*COOKING, *COOKING, *RIDING, *RIDING, *COOKING])
    size = len(story.sentences)
    assert tiling.Tiling(carried_topics()).cuts(story, size) == TopicTiling().cuts(story, size)


@pytest.mark.data("mcscript")
def test_one_thing_is_changed_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [["cake", "oven"]] * 9 + [["bus", "ticket"]] * 9
    monkeypatch.setattr(tiling, "training_documents", lambda: words)
    monkeypatch.setattr(tiling, "TOPICS", (2,))
    found = tiling.table(limit=2)
    rows = {row.model: row.scores for row in found.rows}
    plain = rows["as printed: segments of 3 to 8 sentences"]
    for same in ("window 2", "x 0.1 over minima"):
        assert {name: figure.value for name, figure in rows[same].items()} == {
            name: figure.value for name, figure in plain.items()
        }
    whole = rows["as printed: whole stories"]
    assert {name: figure.value for name, figure in rows["window 2, whole stories"].items()} == {
        name: figure.value for name, figure in whole.items()
    }
    data = {
        name: scores["pk/documents"].signature.partition("|data:")[2].partition("|")[0] for name, scores in rows.items()
    }
    assert data["window 2"] == data["x -0.7 over gaps"] != data["window 2, whole stories"]
    assert isinstance(carried_topics(), Topics) and all(
        0 <= scores["pk/documents"].value <= 1 for scores in rows.values()
    )
