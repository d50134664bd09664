"""The network of SmolLM2 on a hand-made one of two layers: trees, adapters, kept keys, written endings. Needs torch, but no model file."""

from __future__ import annotations

import os

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
def tiny():
    """Two layers, four heads over two keys, sixteen numbers wide; weights drawn once."""
    from scenarist.networks.smollm2 import SmolLM2

    dice = torch.Generator().manual_seed(5)
    net = object.__new__(SmolLM2)
    net.size, net.heads, net.shared, net.width, net.eps = 16, 4, 2, 4, 1e-5

    def drawn(*shape):
        return torch.randn(*shape, generator=dice) * 0.4

    net.embedding, net.norm = drawn(len(WORDS), 16), torch.ones(16)
    net.layers = [
        {
            "n1": torch.ones(16),
            "n2": torch.ones(16),
            "qkv": drawn(32, 16),
            "o": drawn(16, 16),
            "gu": drawn(48, 16),
            "down": drawn(16, 24),
        }
        for _ in range(2)
    ]
    angle = torch.outer(torch.arange(64.0), 100.0 ** (-torch.arange(0, 4, 2).float() / 4))
    net.cos, net.sin = torch.cat([angle.cos()] * 2, -1), torch.cat([angle.sin()] * 2, -1)
    net._tokenizer = Words()
    return net


@pytest.fixture(scope="module")
def low():
    from scenarist.networks.smollm2 import Adapter

    dice = torch.Generator().manual_seed(6)
    tensors = {"head": torch.randn(16, 1, generator=dice), "head.b": torch.zeros(1, 1)}
    for layer in range(2):
        for name, (n, out) in {"qkv": (16, 32), "o": (16, 16), "gu": (16, 48), "down": (24, 16)}.items():
            tensors[f"{layer}.{name}.A"] = torch.randint(-127, 128, (2, n), generator=dice, dtype=torch.int8)
            tensors[f"{layer}.{name}.B"] = torch.randint(-127, 128, (out, 2), generator=dice, dtype=torch.int8)
            tensors[f"{layer}.{name}.A.s"] = tensors[f"{layer}.{name}.B.s"] = torch.full((2,), 0.002)
    return Adapter(tensors, 2.0)


def test_branches_do_not_see_each_other(tiny):
    from scenarist.models.endings.language_model import branch_logps
    from scenarist.networks.smollm2 import Tree

    trunk, branches = [0, 4, 5, 1], [[6, 7, 2], [8, 2], [9, 12, 10, 2]]
    together = branch_logps(tiny, [Tree.grow(trunk, branches)])[0]
    apart = [branch_logps(tiny, [Tree.grow(trunk, [branch])])[0][0] for branch in branches]
    assert together == pytest.approx(apart, abs=1e-4)
    assert len({round(value, 3) for value in together}) == 3


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


def test_an_adapter_folded_in_is_the_adapter_beside(tiny, low):
    from scenarist.networks.smollm2 import Tree

    tree = Tree.grow([0, 4, 6, 7, 2], [])
    with torch.inference_mode():
        assert torch.allclose(tiny.with_adapter(low).states([tree]), tiny.states([tree], low), atol=1e-4)
        assert not torch.allclose(tiny.states([tree]), tiny.states([tree], low), atol=1e-2)


def test_kept_keys_change_nothing(tiny):
    """The likeliest continuation, token by token with kept keys, is the one found by reading everything again each time."""
    from scenarist.networks.smollm2 import EOS, Tree

    trunk = [0, 4, 5, 1]
    found = tiny.continued(trunk, 2, 6, likeliest=1)
    assert found[0] == found[1]
    told = list(trunk)
    with torch.inference_mode():
        for _ in range(6):
            token = int((tiny.states([Tree.grow(told, [])])[0, -1] @ tiny.embedding.T).argmax())
            if token == EOS:
                break
            told.append(token)
    assert found[0] == told[len(trunk) :]
    assert found[0]


def test_a_seed_draws_the_same_continuations(tiny):
    assert tiny.continued([0, 4, 1], 5, 8, seed=3) == tiny.continued([0, 4, 1], 5, 8, seed=3)
    assert tiny.continued([0, 4, 1], 5, 8, seed=3) != tiny.continued([0, 4, 1], 5, 8, seed=4)


def test_written_endings_are_different_and_ranked(tiny, low, monkeypatch):
    from scenarist.errors import BadInput
    from scenarist.models.endings import language_model as lm_endings
    from scenarist.networks import adapters as story_adapters
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


def test_cores_are_used_and_given_back(monkeypatch):
    from scenarist.networks.smollm2 import all_cores

    before = torch.get_num_threads()
    monkeypatch.setenv("SCENARIST_THREADS", str(before + 1))
    with all_cores():
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
    monkeypatch.delenv("SCENARIST_THREADS")
    with all_cores():
        assert torch.get_num_threads() == min(8, len(os.sched_getaffinity(0)))


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

    with pytest.raises(Missing, match="name a folder that holds it"):
        LmEnding(model=str(tmp_path / "none")).scores(("ann ran",), ("she fell", "she sang"))
