"""Endings by a language model, on a hand-made llama of two layers and on a model of the library. Needs torch, but no model file."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.neural

WORDS = "<bos> <mark> . <back> ann ran fell home cried sang slept well and then she".split()


class Words:
    """A tokenizer of whole words."""

    def encode(self, text, add_special_tokens=False):
        from types import SimpleNamespace

        return SimpleNamespace(ids=[WORDS.index(word) for word in text.lower().replace(".", " ").split()])

    def decode(self, ids, skip_special_tokens=True):
        return " ".join(WORDS[at] for at in ids)


@pytest.fixture(scope="module")
def tiny(make_llama):
    return make_llama(words=len(WORDS), seed=5, tokenizer=Words())


@pytest.fixture(scope="module")
def low(tiny):
    from scenarist.networks.adapters import Lora, Setup

    lora = Lora.fresh(tiny, 2, heads={"head": (16, 1)}, setup=Setup(beside=True)).requires_grad_(False).eval()
    dice = torch.Generator().manual_seed(6)
    for value in lora.parameters():
        value.normal_(0, 0.2, generator=dice)
    return lora


def test_what_was_asked_is_remembered_but_not_without_end(tiny, monkeypatch):
    from scenarist.models.endings import language_model
    from scenarist.models.endings.language_model import LmEnding
    from scenarist.question import Choice

    monkeypatch.setattr(language_model, "smollm2", lambda: tiny)
    monkeypatch.setattr(language_model, "REMEMBERED", 2)
    one, two, three = (
        Choice(("Ann ran.",), ("She fell.", ending)) for ending in ("She sang.", "Ann cried.", "Ann slept.")
    )
    model, other = LmEnding(), LmEnding()
    asked = []
    many = model.many
    monkeypatch.setattr(model, "many", lambda questions: asked.append(len(questions)) or many(questions))
    first = model.answer_many([one, two, one])
    assert model.answer_many([two, three])[0] == first[1]
    assert model.answer(one) == first[0]
    assert asked == [2, 1, 1]  # what was asked longest ago had to be asked anew
    assert len(model.remembered) == 2 and not other.remembered


def test_a_batch_is_its_stories(tiny, low):
    from scenarist.models.endings.language_model import last_logits, story_tree

    asked = [
        (("Ann ran.",), ("She fell.", "She sang well and then slept.")),
        (("Ann sang.", "She slept."), ("She ran.", "Ann cried.")),
    ]
    trees = [story_tree(tiny, *one) for one in asked]
    together = last_logits(tiny, trees, low, low)
    assert [value for row in together for value in row] == pytest.approx(
        [value for tree in trees for value in last_logits(tiny, [tree], low, low)[0]], abs=1e-4
    )


def test_written_endings_are_different_and_ranked(tiny, low, monkeypatch):
    from scenarist.errors import BadInput
    from scenarist.models.endings import language_model as lm_endings
    from scenarist.models.endings import story_network as story_adapters
    from scenarist.verbs import endings as ending_choice

    monkeypatch.setattr(story_adapters, "story_network", lambda seed=1: tiny)
    monkeypatch.setattr(story_adapters, "adapter", lambda name, part="": low)
    monkeypatch.setattr(ending_choice, "LONGEST", 12)
    lines = ending_choice.write_endings("Ann ran. She fell.", 3)
    assert 1 <= len(lines) <= 3
    assert len(set(lines)) == len(lines)
    told = ("Ann ran.", "She fell.")
    scores = lm_endings.last_logits(tiny, [lm_endings.story_tree(tiny, told, lines)], None, low)[0]
    assert scores == sorted(scores, reverse=True)
    for count in (0, 21):
        with pytest.raises(BadInput, match="1 to 20"):
            ending_choice.write_endings("Ann ran.", count)
    with pytest.raises(BadInput, match="got none"):
        ending_choice.write_endings("  ")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A Hugging Face causal model of two layers with a tokenizer of whole words, as a folder."""
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="."))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    path = tmp_path_factory.mktemp("model")
    transformers.PreTrainedTokenizerFast(tokenizer_object=words, bos_token="<bos>", unk_token=".").save_pretrained(path)
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS), hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, initializer_range=0.5,
        bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(path)
    return path


def test_any_causal_model_by_name(folder):
    """ln P(ending | story) of a Hugging Face model is that of its own loss; the story counts, and so does the way."""
    import transformers

    from scenarist.models.endings.language_model import LmEnding

    context, endings = ("ann ran", "she fell"), ("then she cried", "ann sang well")
    found = LmEnding(model=str(folder), how="sum").scores(context, endings)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    for ending, score in zip(endings, found, strict=True):
        ids = torch.tensor([[0, *(WORDS.index(word) for word in " ".join([*context, ending]).split())]])
        labels = ids.clone()
        labels[:, :5] = -100
        with torch.no_grad():
            assert -3 * float(model(ids, labels=labels).loss) == pytest.approx(score, abs=1e-4)
    pmi = LmEnding(model=str(folder), how="pmi").scores(context, endings)
    alone = LmEnding(model=str(folder), how="sum").scores((), endings)
    assert pmi == pytest.approx([told - bare for told, bare in zip(found, alone, strict=True)], abs=1e-4)


def test_a_model_nobody_has_says_what_to_do(tmp_path, monkeypatch):
    pytest.importorskip("transformers")
    from scenarist.errors import Missing
    from scenarist.models.endings.language_model import LmEnding

    with pytest.raises(Missing, match=r"There is no folder .* Expected hf:FOLDER"):
        LmEnding(model=str(tmp_path / "none")).scores(("ann ran",), ("she fell", "she sang"))
