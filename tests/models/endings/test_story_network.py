"""SmolLM2 and its adapters for stories: parity, trees, the recorded answers, and what is said where a file is missing."""

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
    from scenarist.networks.llama import Tree

    trunk = [BOS, *net.encode(CONTEXT[0])]
    branches = [net.encode(ending) for ending in ENDINGS]
    together = branch_logps(net, [Tree.grow(trunk, branches)])[0]
    apart = [branch_logps(net, [Tree.grow(trunk, [branch])])[0][0] for branch in branches]
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


@pytest.mark.data("storycloze-2016")
def test_this_machine_answers_as_was_recorded(net):
    """The recorded margins (bf16 on a graphics card) and those computed here agree."""
    from scenarist.corpora.storycloze import StoryCloze2016
    from scenarist.models.endings.language_model import LmClassifier, StoryDiscriminator
    from scenarist.models.recorded import Recorded

    stories = list(StoryCloze2016("dev"))[::312]
    asked = [(story.context, story.endings) for story in stories]
    for model, run in ((StoryDiscriminator(), "story-discriminator"), (LmClassifier(), "labelled")):
        for (context, endings), (first, second) in zip(asked, model.many(asked), strict=True):
            assert second - first == pytest.approx(Recorded(run).scores(context, endings)[1], abs=0.5)


@pytest.mark.data("rocstories")
def test_this_machine_orders_as_was_recorded(net):
    """Orders answered on a graphics card and here are the same where the model is sure."""
    from itertools import islice

    from scenarist.corpora.rocstories import ROCStories
    from scenarist.exams.ordering import OrderingExam
    from scenarist.models.ordering import StoryOrder
    from scenarist.models.recorded import RecordedOrder

    questions = [item.question for item in islice(OrderingExam().set(ROCStories("dev", cased=True)), 0, 400, 100)]
    for seed in (1, 3):
        kept = [RecordedOrder(seed).answer(question) for question in questions]
        found = StoryOrder(seed).answer_many(questions)
        sure = [at for at, one in enumerate(kept) if one.guesses[0].logp > -0.5]
        assert [kept[at].best for at in sure] == [found[at].best for at in sure]
        assert [one.guesses[0].logp for one in kept] == pytest.approx([one.guesses[0].logp for one in found], abs=0.3)


def test_recorded_orders_say_what_they_do_not_know():
    from scenarist.models.recorded import RecordedOrder, recorded_orders

    try:
        assert set(recorded_orders()) == {1, 2, 3}
    except Missing as error:
        pytest.skip(str(error))
    with pytest.raises(Missing, match="not asked"):
        RecordedOrder().answer(Order(CONTEXT))
    with pytest.raises(BadInput, match="kind Choice"):
        RecordedOrder().answer(Choice(CONTEXT, ENDINGS))


def test_recorded_says_what_it_does_not_know():
    from scenarist.models.recorded import Recorded, records

    try:
        assert {"labelled-1", "labelled-3", "ending-only-1", "story-discriminator-2"} <= set(records())
    except Missing as error:
        pytest.skip(str(error))
    with pytest.raises(Missing, match="not asked"):
        Recorded("labelled").scores(CONTEXT, ENDINGS)
    with pytest.raises(BadInput, match="there is no run"):
        Recorded("guesses").scores(CONTEXT, ENDINGS)


def test_missing_files_say_what_to_type(tmp_path, monkeypatch):
    from scenarist.models.endings import story_network as story_adapters
    from scenarist.networks.pretrained import gguf_file

    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    monkeypatch.delenv("SMOLLM2_GGUF", raising=False)
    with pytest.raises(Missing, match="scenarist get smollm2"):
        gguf_file()
    with pytest.raises(Missing, match="scenarist get storycloze"):
        story_adapters.release_file("nothing.safetensors")


def test_bad_endings():
    from scenarist.verbs.endings import choose_ending

    for endings in (("One.",), ("Same.", "Same."), ("", "Other.")):
        with pytest.raises(BadInput):
            choose_ending("Ann ran.", endings)
    with pytest.raises(BadInput, match="got none"):
        choose_ending("  ", ENDINGS)


def test_without_the_model_shared_words_are_counted(tmp_path, monkeypatch):
    from scenarist.models.endings import story_network as story_adapters
    from scenarist.verbs.endings import choose_ending

    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    monkeypatch.setenv("SMOLLM2_GGUF", os.fspath(tmp_path / "none.gguf"))
    story_adapters.story_network.cache_clear()
    found = choose_ending(" ".join(CONTEXT), ENDINGS)
    assert found.by == "ngram-overlap"
    assert "scenarist get smollm2" in found.note
    story_adapters.story_network.cache_clear()
