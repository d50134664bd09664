"""The one llama: parity with the library's class, masks, trees, kept keys and values, log-probabilities, drawn endings."""

from __future__ import annotations

import os

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.neural

from scenarist.errors import BadInput  # noqa: E402
from scenarist.networks.llama import EOS, Llama, TextTree, all_cores  # noqa: E402
from scenarist.networks.prefix_cache import Memory, read_on  # noqa: E402

IDS = torch.tensor([[0, 4, 5, 1, 9, 12, 7], [0, 6, 5, 2, 0, 0, 0]])
INSIDE = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])


@pytest.fixture(scope="module")
def tiny(make_llama):
    return make_llama(words=15)


@pytest.fixture(scope="module")
def library():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(2)
    config = transformers.LlamaConfig(
        vocab_size=40, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
        rms_norm_eps=1e-5, rope_parameters={"rope_type": "default", "rope_theta": 100_000.0}, tie_word_embeddings=True,
        initializer_range=0.3,
    )  # fmt: skip
    return transformers.LlamaForCausalLM(config).eval()


def test_parity_with_the_library(library):
    ours = Llama.of_library(library)
    with torch.inference_mode():
        want = library(input_ids=IDS, attention_mask=INSIDE.long(), output_hidden_states=True)
        states = ours.states(IDS)
        assert torch.allclose(states[INSIDE], want.hidden_states[-1][INSIDE], atol=1e-4)
        logp = ours.logp(states[0, :-1], IDS[0, 1:])
        expected = want.logits[0, :-1].log_softmax(-1).gather(1, IDS[0, 1:, None])[:, 0]
        assert torch.allclose(logp, expected, atol=1e-4)


def test_parity_of_masks_and_places_with_the_library(library):
    """A mask of our own and positions of our own, as a tree needs them."""
    ours = Llama.of_library(library)
    seen = torch.rand(2, 7, 7, generator=torch.Generator().manual_seed(1)) < 0.5
    seen |= torch.eye(7, dtype=torch.bool)
    places = torch.tensor([[0, 1, 2, 3, 2, 3, 4]] * 2)
    added = torch.zeros(2, 1, 7, 7).masked_fill(~seen[:, None], torch.finfo(torch.float32).min)
    with torch.inference_mode():
        want = library.model(input_ids=IDS, position_ids=places, attention_mask=added).last_hidden_state
        assert torch.allclose(ours.states(IDS, places, seen), want, atol=1e-4)


def test_only_a_tied_llama_is_taken(library):
    other = type(library)(type(library.config)(**{**library.config.to_dict(), "tie_word_embeddings": False}))
    with pytest.raises(BadInput, match="tied"):
        Llama.of_library(other)


def test_without_a_causal_mask_every_piece_sees_every_other(tiny):
    one, two = torch.tensor([[1, 3, 5, 7]]), torch.tensor([[1, 3, 5, 9]])
    seen = torch.ones(1, 1, 4, dtype=torch.bool)
    with torch.inference_mode():
        assert torch.allclose(tiny.states(one)[0, 1], tiny.states(two)[0, 1])
        assert not torch.allclose(tiny.states(one, seen=seen)[0, 1], tiny.states(two, seen=seen)[0, 1], atol=1e-3)
        padded = tiny.states(IDS, seen=INSIDE[:, None])[1, :4]
        assert torch.allclose(padded, tiny.states(IDS[1:, :4], seen=INSIDE[1:, None, :4])[0], atol=1e-5)


def test_branches_do_not_see_each_other(tiny):
    trunk, branches = [0, 4, 5, 1], [[6, 7, 2], [8, 2], [9, 12, 10, 2]]
    together = tiny.logps_of_endings(trunk, branches)
    apart = [tiny.logps_of_endings(trunk, [branch])[0] for branch in branches]
    for one, two, branch in zip(together, apart, branches, strict=True):
        assert len(one) == len(branch)
        assert torch.allclose(one, two, atol=1e-4)
    assert len({round(float(one.sum()), 3) for one in together}) == 3


def test_one_ending_after_several_beginnings(tiny):
    prefixes, ending = [[0, 4], [0, 5, 6, 7, 8], [0, 9, 3]] * 7, [6, 7, 2]  # more than one batch
    found = tiny.logps_after(prefixes, ending)
    for prefix, logp in zip(prefixes, found, strict=True):
        ids = torch.tensor([[*prefix, *ending]])
        with torch.inference_mode():
            whole = (tiny.states(ids)[0] @ tiny.embedding.T).log_softmax(-1)
        want = [whole[len(prefix) - 1 + at, piece] for at, piece in enumerate(ending)]
        assert torch.allclose(logp, torch.stack(want), atol=1e-4)


def test_kept_keys_and_values_give_the_states_of_a_whole_pass(tiny):
    with torch.inference_mode():
        whole = tiny.states(IDS)
        past: list = []
        tiny.states(IDS[:, :4], keep=past)
        places = torch.arange(4, 7).expand(2, -1)
        assert torch.allclose(whole[:, 4:], tiny.states(IDS[:, 4:], places, past=past), atol=1e-5)
        past = []
        tiny.states(IDS[:, :6], keep=past)
        assert torch.allclose(whole[:, 6:], tiny.states(IDS[:, 6:], torch.full((2, 1), 6), past=past), atol=1e-5)


def test_texts_are_read_on_from_their_beginnings(tiny):
    memory = Memory(most=20)
    texts = [(0, 4, 5), (0, 4, 5, 6, 7), (0, 4, 8), (0, 9)]
    with torch.inference_mode():
        for round_ in (texts, texts[1:], [(*text, 3, 11) for text in texts]):
            for text, states in zip(round_, read_on(tiny, memory, round_), strict=True):
                assert torch.allclose(states, tiny.states(torch.tensor([text]))[0], atol=1e-5)
    assert 0 < memory.held <= 20
    assert memory.held == sum(map(len, memory.known))


def test_the_likeliest_ending_is_the_one_found_by_reading_everything_again(tiny):
    trunk = [0, 4, 5, 1]
    found = tiny.draw_endings(trunk, 2, 6, likeliest=1)
    assert found[0] == found[1]
    told = list(trunk)
    with torch.inference_mode():
        for _ in range(6):
            piece = int((tiny.states(torch.tensor([told]))[0, -1] @ tiny.embedding.T).argmax())
            if piece == EOS:
                break
            told.append(piece)
    assert found[0] == told[len(trunk) :]
    assert found[0]


def test_a_seed_draws_the_same_endings(tiny):
    assert tiny.draw_endings([0, 4, 1], 5, 8, seed=3) == tiny.draw_endings([0, 4, 1], 5, 8, seed=3)
    assert tiny.draw_endings([0, 4, 1], 5, 8, seed=3) != tiny.draw_endings([0, 4, 1], 5, 8, seed=4)


def test_half_the_bits_are_nearly_the_same(tiny):
    low = tiny.to("cpu", torch.bfloat16)
    assert low.matrices["qkv"].dtype == torch.bfloat16 and low.embedding.dtype == torch.float32
    assert tiny.to("cpu", torch.bfloat16, whole=True).embedding.dtype == torch.bfloat16
    with torch.inference_mode():
        whole, half = tiny.states(IDS), low.states(IDS)
    assert half.dtype == torch.float32
    assert torch.nn.functional.cosine_similarity(whole, half, dim=-1).min() > 0.99


def test_where_parts_of_a_matrix_lie(tiny):
    assert [tiny.rows_of(part)[1:] for part in ("q", "k", "v")] == [(0, 16), (16, 24), (24, 32)]
    assert tiny.rows_of("up") == ("gu", 24, 48)
    assert tiny.rows_of("gu") == ("gu", 0, 48)
    assert tiny.rows_of("down") == ("down", 0, 16)


def test_trees_of_one_branch_are_plain_texts(tiny):
    tree = TextTree.grow([0, 4, 5], [[6, 2]])
    with torch.inference_mode():
        assert torch.equal(tiny.states_of_trees([tree]), tiny.states(torch.tensor([tree.ids])))


def test_cores_are_used_and_given_back(monkeypatch):
    before = torch.get_num_threads()
    monkeypatch.setenv("SCENARIST_THREADS", str(before + 1))
    with all_cores():
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
    monkeypatch.delenv("SCENARIST_THREADS")
    with all_cores():
        assert torch.get_num_threads() == min(8, len(os.sched_getaffinity(0)))


@pytest.mark.parametrize("prefix", [[0, 4, 5], [0, 4, 5, 1], [0, 6]])
def test_greedy_words_are_those_of_reading_everything_again(tiny, prefix):
    """With kept keys and values, whatever the length of the beginning, until the end or the most that is asked for."""
    told = list(prefix)
    with torch.inference_mode():
        for _ in range(9):
            piece = int((tiny.states(torch.tensor([told]))[0, -1] @ tiny.embedding.T).argmax())
            if piece in (EOS, tiny.start):
                break
            told.append(piece)
    expected = told[len(prefix) :]
    assert tiny.continued(prefix, 9) == expected and len(expected) > 3
    assert tiny.continued(prefix, 2) == expected[:2] and tiny.continued(prefix, 0) == []


def test_layers_are_computed_again_on_the_way_back_only_where_that_is_wanted(make_llama, monkeypatch):
    tiny = make_llama(words=15)
    passes = []
    layer = tiny._layer
    monkeypatch.setattr(tiny, "_layer", lambda *given: (passes.append(given[1]), layer(*given))[1])
    vectors = tiny.embedding[IDS].requires_grad_()
    tiny.states(vectors).sum().backward()
    assert passes == [0, 1]
    plain, vectors.grad = vectors.grad, None
    tiny.again = True
    tiny.states(vectors).sum().backward()
    assert passes == [0, 1, 0, 1, 1, 0] and torch.allclose(plain, vectors.grad, atol=1e-5)
