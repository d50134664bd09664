"""SmolLM2 and its adapters for stories: parity, trees, seeds, and what is said where a file is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scenarist.errors import BadInput, Missing
from scenarist.question import Choice, Order

pytestmark = pytest.mark.neural
torch = pytest.importorskip("torch")

CONTEXT = (
    "Mia planted a seed in a pot.",
    "She watered it every day.",
    "For two weeks nothing happened.",
    "Then a green leaf came up.",
)
ENDINGS = ("Mia crashed her car into a tree.", "Mia was proud of her little plant.")


@pytest.fixture(scope="module")
def net():
    pytest.importorskip("safetensors")
    pytest.importorskip("tokenizers")
    from scenarist.networks.pretrained import gguf_file, smollm2

    try:
        path = gguf_file()
    except Missing as error:
        pytest.skip(str(error))
    assert Path(path).is_file()
    return smollm2()


def test_a_tree_is_its_branches(net):
    """Two endings in one tree have the log-probabilities they have apart, and those of the library's own class."""
    from scenarist.models.endings.language_model import branch_logps
    from scenarist.models.endings.story_network import BOS
    from scenarist.networks.llama import TextTree

    trunk = [BOS, *net.encode(CONTEXT[0])]
    branches = [net.encode(ending) for ending in ENDINGS]
    together = branch_logps(net, [TextTree.grow(trunk, branches)])[0]
    apart = [branch_logps(net, [TextTree.grow(trunk, [branch])])[0][0] for branch in branches]
    assert together == pytest.approx(apart, abs=1e-3)
    pytest.importorskip("transformers")
    from scenarist.networks.pretrained import gguf_file
    from training.reader.deep_net import library_llama

    with torch.inference_mode():
        logits = library_llama(gguf_file())(torch.tensor([trunk + branches[0]])).logits[0, len(trunk) - 1 : -1]
        logp = torch.log_softmax(logits, -1).gather(-1, torch.tensor(branches[0])[:, None]).sum()
    assert float(logp) == pytest.approx(together[0], abs=1e-2)


def test_an_adapter_folded_in_is_the_adapter_beside(net):
    from scenarist.models.endings.story_network import BOS, adapter

    low = adapter("ordering", "1")
    ids = torch.tensor([[BOS, *net.encode(CONTEXT[1])]])
    with torch.inference_mode():
        assert torch.allclose(net.folded(low).states(ids), net.states(ids, adapter=low), atol=1e-2)


def test_which_ending(net):
    from scenarist.models.endings.language_model import LmClassifier, StoryDiscriminator
    from scenarist.verbs.endings import choose_ending

    question = Choice(CONTEXT, ENDINGS)
    assert StoryDiscriminator().answer(question).best == "1"
    assert LmClassifier().answer(question).best == "1"
    found = choose_ending(" ".join(CONTEXT), ENDINGS)
    assert found.best == "1"
    assert found.by == "lm-classifier"
    assert not found.note
    assert "3 sentences" in choose_ending(" ".join(CONTEXT[:3]), ENDINGS).note


def test_order(net):
    from scenarist.models.ordering import StoryOrder

    told = (*CONTEXT, ENDINGS[1])
    shown = (told[3], told[0], told[4], told[2], told[1])
    found = StoryOrder().answer(Order(shown))
    assert [shown[at] for at in found.best.order] == list(told)
    assert sum(2.718281828**guess.logp for guess in found.guesses) + found.rest == pytest.approx(1.0, abs=1e-6)
    assert StoryOrder().answer(Order(("Alone.",))).best.order == (0,)
    with pytest.raises(BadInput, match="1 to 8"):
        StoryOrder().answer(Order(("x.",) * 9))


def test_a_seed_that_was_not_trained_is_an_error_that_names_those_that_were():
    from scenarist.models.endings.language_model import LmClassifier, StoryDiscriminator
    from scenarist.models.ordering import StoryOrder

    with pytest.raises(Missing, match=r"no weights stories-13. It has: stories-1, stories-2, stories-3"):
        StoryDiscriminator(weights="stories-13").reads()
    with pytest.raises(Missing, match=r"no weights ordering-4. It has: ordering-1, ordering-2, ordering-3"):
        StoryOrder("ordering-4").answer(Order(CONTEXT))
    with pytest.raises(Missing, match=r"no weights folds-2\.safetensors. It has: folds-1\.safetensors"):
        LmClassifier("folds-2").reads()


def test_missing_files_say_what_to_type(tmp_path, monkeypatch):
    from scenarist.models.endings import story_network as story_adapters
    from scenarist.networks.pretrained import gguf_file

    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    monkeypatch.delenv("SMOLLM2_GGUF", raising=False)
    with pytest.raises(Missing, match="scenarist get smollm2"):
        gguf_file()
    with pytest.raises(Missing, match=r"has no weights nothing.safetensors. It has: .*stories.safetensors"):
        story_adapters.release_file("nothing.safetensors")


def test_bad_endings():
    from scenarist.verbs.endings import choose_ending

    for endings in (("One.",), ("Same.", "Same."), ("", "Other.")):
        with pytest.raises(BadInput):
            choose_ending("Ann ran.", endings)
    with pytest.raises(BadInput, match="got none"):
        choose_ending("  ", ENDINGS)


def test_without_the_model_nothing_is_chosen_in_its_name(tmp_path, monkeypatch):
    from scenarist.models.endings import story_network as story_adapters
    from scenarist.verbs.endings import choose_ending

    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    monkeypatch.setenv("SMOLLM2_GGUF", os.fspath(tmp_path / "none.gguf"))
    story_adapters.story_network.cache_clear()
    with pytest.raises(Missing, match="scenarist get smollm2"):
        choose_ending(" ".join(CONTEXT), ENDINGS)
    assert choose_ending(" ".join(CONTEXT), ENDINGS, "ngram-overlap").by == "ngram-overlap"
    story_adapters.story_network.cache_clear()
