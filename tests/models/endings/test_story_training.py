"""The story training on hand-made data: batches, ways of telling, orders, packed adapters. Needs torch, but no model file and no card."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scenarist.networks import checkpoint  # noqa: E402
from scenarist.networks.adapters import Lora, Setup  # noqa: E402
from training.storycloze import ordering  # noqa: E402
from training.storycloze.data import BOS, EOS, MARK, batches, cat, group_batches  # noqa: E402
from training.storycloze.job import Job  # noqa: E402
from training.storycloze.language_model import told  # noqa: E402
from training.storycloze.loop import ahead, train  # noqa: E402
from training.storycloze.trees import batch, read, tree  # noqa: E402

pytestmark = pytest.mark.neural
STORY = [np.array([10 + at, 20 + at]) for at in range(5)]


@pytest.fixture(scope="module")
def tiny(make_llama):
    return make_llama()


def test_an_epoch_has_every_story_once_and_groups_keep_step():
    lengths = np.arange(100)
    found = batches(np.arange(96), 8, 1003, lengths)
    assert sorted(np.concatenate(found).tolist()) == list(range(96))
    both = group_batches([np.arange(96), np.arange(4, 100)], 8, 0, lengths)
    assert len(both) == 12
    assert all(len(one) == len(two) == 8 for one, two in both)


def test_ways_of_telling_end_or_begin_with_the_ending():
    dice = np.random.default_rng(1)
    found = [told(STORY, dice).tolist() for _ in range(300)]
    whole = cat(BOS, *STORY[:4], MARK, STORY[4], EOS).tolist()
    assert 0.4 < found.count(whole) / 300 < 0.64
    assert len({tuple(one) for one in found}) == 6
    assert all(one[0] == BOS and one[-1] == EOS for one in found)


def test_every_order_claims_what_it_says():
    before, after, at = ordering.claims()
    number = ordering.PERMUTATIONS.tolist().index([2, 0, 1, 4, 3])
    assert before[number].sum() == 10
    assert before[number][2].tolist() == [1, 1, 0, 1, 1]
    assert after[number][1].tolist() == [0, 0, 0, 0, 1]
    assert at[number].argmax(1).tolist() == [1, 2, 0, 4, 3]


def test_trees_and_packed_adapters(tiny, tmp_path: Path):
    """A packed adapter read back, and folded into the weights, scores as the one that was trained; endings do not see each other."""
    job = Job(tmp_path)
    lora = Lora.fresh(tiny, 2, [1, 2], heads={"head": (16, 1)}).eval()
    for value in lora.parameters():
        value.data.normal_(0, 0.2, generator=torch.Generator().manual_seed(4))
    trees = [tree(STORY[:4], [STORY[4], np.array([30, 31, 32])]), tree(STORY[:2], [np.array([33]), STORY[3]])]
    with torch.no_grad():
        both = read(job, tiny, lora, batch([trees, trees])).logits  # [2, 2, 2]
        alone = read(job, tiny, lora, batch([[tree(STORY[:4], [np.array([30, 31, 32])])]] * 2)).logits
        assert torch.allclose(both[:, 0, 1], alone[:, 0, 0], atol=1e-4)
        job.save("stories", lora, "a test", ["1", "2"])
        held = checkpoint.load(tmp_path / "stories.safetensors", "stories")
        kept = Lora.of(held.state, held.settings["factor"], ["1", "2"])
        assert torch.allclose(read(job, tiny, kept, batch([trees, trees])).logits, both, atol=0.1)
        heads = Lora({}, {name: value[1:] for name, value in lora.heads.items()}, Setup()).eval()
        assert torch.allclose(read(job, tiny.folded(lora, 1), heads, batch([trees])).logits[0], both[1], atol=1e-3)


def test_batches_made_ahead_keep_their_order_and_their_errors():
    assert list(ahead(lambda number: number + 1, range(50))) == list(range(1, 51))
    with pytest.raises(ZeroDivisionError):
        list(ahead(lambda number: 1 / number, [1, 0, 2]))


def test_training_ends_with_its_steps_and_learns(tiny, tmp_path: Path):
    job = Job(tmp_path, tiny=True)
    lora = Lora.fresh(tiny, 2)
    losses = []

    def step(ids):
        loss = -tiny.logp(tiny.states(ids, adapter=lora)[:, :-1], ids[:, 1:]).mean()
        losses.append(float(loss.detach()))
        return loss, loss[None]

    rows = torch.from_numpy(cat(BOS, *STORY, EOS))[None]
    train(job, "test", lora, lambda epoch: [rows] * 20, lambda given: given, step, 1e-2, budget=60.0, epochs=2)
    assert len(losses) == 40
    assert losses[-1] < losses[0] - 0.2
    assert not lora.training
