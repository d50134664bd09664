"""What is trained in torch is what is read in numpy: features and scores agree."""

from __future__ import annotations

import numpy as np
import pytest

from scenarist.learning.slots import Slot
from scenarist.models.untold.network import SlotNetwork

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("known", [True, False])
def test_torch_and_numpy_agree(known: bool) -> None:
    from training.knowledge import network

    told = [
        ["enter", "sit", "order", "eat", "pay"],
        ["enter", "order", "eat", "", "leave"],
        ["dive", "swim", "dry", "leave", "eat"],
    ]
    words = [(f"w{n}", "the", f"v{n % 2}") for n in range(5)]
    own = [
        network.Story(one, words, "pool" if "swim" in one else "restaurant", id=f"s{n}")
        for n, one in enumerate(told * 3)
    ]
    how = network.Settings(least=1, words_least=1, d=8, h=6, epochs=1)
    arrays, table, net = network.train(own, ["pool", "restaurant"], how, 3, lambda text: None)
    story = network.Story(told[1], words, "restaurant" if known else "moon", id="dev")
    row = {str(word): number for number, word in enumerate(arrays["words"])}
    asked = list(network.questions([story], [0], table, row, all_keys=True))
    counts = network.Counted(table, "cpu")
    found = network.logits_of(net, asked, counts, "cpu")
    numpy = SlotNetwork(arrays, table)
    ids = [table.filler.get(one, -1) for one in story.fillers]
    for question, line in zip(asked, found, strict=True):
        number = int(question.id.rsplit(".", 1)[1])
        slot = table.slot(ids, table.scenario.get(story.scenario, -1), number)
        assert isinstance(slot, Slot)
        assert np.allclose(counts.features([question], "cpu")[0].numpy(), table.features(slot), atol=1e-5)
        left = [*story.words[:number], *story.words[number + 1 :]]
        scores = numpy.logits(slot, left, number)
        scores = scores - scores.max() - np.log(np.exp(scores - scores.max()).sum())
        assert np.allclose(line, scores, atol=2e-2)  # half precision


def test_a_teacher_is_followed() -> None:
    """Two fillers stand in the same slots; the teacher says which one is likelier."""
    from training.knowledge import network

    own = [network.Story(["a", key, "b"], [("x",)] * 3, "s", id=f"{n}") for n, key in enumerate(["c", "d"] * 20)]
    ids = [f"{n}.1" for n in range(40)]
    words = ["d", "c", "unheard"]
    top, logp = np.tile([0, 1, 2], (40, 1)), np.tile(np.log([0.9, 0.05, 0.05]), (40, 1))
    chances = []
    for taught in (None, (ids, words, top, logp)):
        how = network.Settings(least=1, words_least=1, d=4, h=4, epochs=20, taught=1.0, drop=0.0, word_drop=0.0)
        _, table, net = network.train(own, ["s"], how, 1, lambda text: None, taught=taught)
        (asked,) = [q for q in network.questions(own[:1], [0], table, {"x": 0}, all_keys=True) if q.id == "0.1"]
        line = network.logits_of(net, [asked], network.Counted(table, "cpu"), "cpu")[0]
        chances.append(float(np.exp(line[table.filler["d"]])))
    assert chances[0] < 0.7 < chances[1]
