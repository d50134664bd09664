"""Pretrained word models on a tiny random llama: exact word probabilities, marks, adapters, the readable transducer."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from scenarist.models.words.base import hidden_text  # noqa: E402
from scenarist.models.words.batches import Admissible, Network, PairRow, Query, Vocabulary, merge, read_logits  # noqa: E402
from scenarist.models.words.causal import CausalWords, tell_pieces  # noqa: E402
from scenarist.models.words.head import HeadReading, Lesson, WordHead, lesson_key  # noqa: E402
from scenarist.models.words.pieces import Marked, WordPieces, piece_row  # noqa: E402
from scenarist.models.words.pretrained import Tuning, redraw, tune  # noqa: E402
from scenarist.models.words.pretrained_transducer import PretrainedTransducer  # noqa: E402
from scenarist.networks.adapters import SINGLE, Lora, Setup  # noqa: E402
from scenarist.networks.llama import Llama  # noqa: E402
from scenarist.question import WordGap  # noqa: E402
from training.kidscook.measuring import measure, oracle  # noqa: E402

pytestmark = pytest.mark.neural
WORDS = Vocabulary(("#UNK#", "<PAD>", "<S>", "</S>", *"stir st pan pans oil pot water fry boil egg rice".split()))
WHITE = ["stir", "st", "pan", "pans", "oil", "pot", "water", "yuzu"]
ROWS = [
    PairRow(("fry", "egg"), ("oil", "pan", "egg"), ((0, 1), (1, 2))),
    PairRow(("boil", "rice"), ("water", "pot", "rice", "stir"), ((0, 2), (3, 4))),
]
QUERIES = [
    Query(("fry", "it"), ("take", "a"), 2, 3),
    Query(("fry", "it"), ("take", "a", "pan", "and"), 4, 5, ((2, 3),)),
    Query(("boil",), (), 0, 1),
]


class Bytes:
    """A tokenizer whose pieces are bytes."""

    def encode(self, text: str) -> list[int]:
        return list(text.encode())


def llama(seed: int = 0) -> object:
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=256, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, tie_word_embeddings=True,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.mul_(8)
    return model


def body(seed: int = 0, rank: int = 0) -> Marked:
    """The library's model as ours, with fresh adapters where there is a rank."""
    own = Llama.of_library(llama(seed))
    return Marked(own, like=ord("_"), adapter=Lora.fresh(own, rank, [seed], SINGLE) if rank else None)


def pieces() -> WordPieces:
    return WordPieces(Bytes(), 256)


def ask(network: Network, queries: list[Query]) -> torch.Tensor:
    """Logits over the vocabulary, (Q, V)."""
    return read_logits(network, *merge(queries), [], torch.arange(len(WORDS))).asked


def test_word_probabilities_are_exact_over_pieces() -> None:
    model = llama()
    ours = ask(CausalWords(body(), pieces(), WORDS, WHITE).logits, QUERIES)
    cut = pieces()
    for query, line in zip(QUERIES, ours, strict=True):
        for word in WHITE:
            ids = piece_row(PairRow(query.abstract, query.words), cut, marks=False).ids
            whole = [*ids, *cut(word)]
            with torch.no_grad():
                logp = model(torch.tensor([whole])).logits[0].log_softmax(-1)
            expected = sum(float(logp[at - 1, whole[at]]) for at in range(len(ids), len(whole)))
            assert float(line[WORDS.at.get(word, 0)]) == pytest.approx(expected, abs=1e-3), word


@pytest.mark.parametrize(
    ("prompt", "ends"), [([7, 3, 5, 8], False), ([7, 40, 41, 42, 40, 41], False), ([7, 40, 41, 42, 40, 41], True)]
)
def test_a_text_is_told_as_the_library_tells_it(prompt: list[int], ends: bool) -> None:
    model = llama()
    ids = torch.tensor([prompt])

    def generate(end: int) -> list[int]:
        told: list[int] = model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=24, num_beams=4, no_repeat_ngram_size=4,
            do_sample=False, length_penalty=1.0, eos_token_id=end, pad_token_id=end,
        )[0, len(prompt) :].tolist()  # fmt: skip
        return told

    end = next(piece for piece in generate(7) if len(generate(piece)) < 24) if ends else 7
    theirs = generate(end)
    assert (len(theirs) < 24) is ends
    network = CausalWords(body(), WordPieces(Bytes(), 256, start=end), WORDS, WHITE)
    with torch.no_grad():
        ours = tell_pieces(network, prompt, width=4, longest=24)
    assert list(ours) == theirs
    phrases = [ours[start : start + 4] for start in range(len(ours) - 3)]
    assert len(set(phrases)) == len(phrases)


def test_pruning_keeps_the_likely_words() -> None:
    exact = ask(CausalWords(body(), pieces(), WORDS, WHITE).logits, QUERIES)
    pruned = ask(CausalWords(body(), pieces(), WORDS, WHITE, prune=1e-12).logits, QUERIES)
    assert torch.allclose(exact, pruned, atol=1e-3)


def test_marks_say_how_many_words_are_missing_and_later_ones_are_not_seen() -> None:
    row = piece_row(ROWS[1], pieces())
    marks = [one - 256 + 1 for one in row.ids if one >= 256]
    assert marks == [2, 1]
    allowed = Admissible(WHITE, WORDS)
    network = WordHead(body(), pieces(), WORDS, allowed, HeadReading(dropout=0.0)).eval()
    first = Query(ROWS[1].abstract, (), 0, 2)
    later = Query(ROWS[1].abstract, ROWS[1].concrete[:3], 3, 4, ((0, 2),))
    alone, together = ask(network.logits, [first]), ask(network.logits, [first, later])
    assert torch.allclose(alone[0], together[0], atol=1e-4)
    other = ask(network.logits, [first._replace(stop=1)])
    assert not torch.allclose(alone[0], other[0], atol=1e-3)


@pytest.mark.parametrize("kind", [WordHead, PretrainedTransducer])
def test_remembered_beginnings_change_nothing(kind: type) -> None:
    network = kind(body(), pieces(), WORDS, Admissible(WHITE, WORDS), HeadReading(dropout=0.0)).eval()
    row = ROWS[1]
    queries = [
        Query(row.abstract, row.concrete[:place], start, stop, row.blanks[:which])
        for which, (start, stop) in enumerate(row.blanks) for place in range(start, stop)
    ]  # fmt: skip
    plain = ask(network.logits, queries)
    network.body.remember = 40
    one_by_one = torch.cat([ask(network.logits, [query]) for query in queries])
    assert torch.allclose(plain, one_by_one, atol=1e-3)
    assert torch.allclose(plain, ask(network.logits, queries), atol=1e-3)
    network.body.fold()
    network.body.remember = 60  # pieces: less than all the texts have
    others = [Query(one.abstract, (*one.words, "oil"), one.start, one.stop + 1, one.blanks) for one in queries]
    want = torch.cat([ask(network.logits, [query]) for query in others])
    network.body.memory = None
    stacked = torch.cat([ask(network.logits, [query]) for query in queries])
    assert torch.allclose(plain, stacked, atol=1e-3)
    assert 0 < network.body.memory.held <= 60
    assert torch.allclose(
        want, ask(network.logits, others), atol=1e-3
    )  # some read on, some from their beginning, in one batch


@pytest.mark.parametrize("kind", ["head", "transducer", "blind"])
def test_fine_tuning_learns_the_toy_blanks(kind: str) -> None:
    model = body(1, rank=4)
    allowed = Admissible(WHITE, WORDS)
    reading = HeadReading(dropout=0.0)
    if kind == "head":
        network = WordHead(model, pieces(), WORDS, allowed, reading)
    else:
        network = PretrainedTransducer(model, pieces(), WORDS, allowed, reading, sighted=kind == "transducer")
    tune(network, ROWS * 8, Tuning(epochs=20, size=8, rate=5e-3, seed=1))
    figures = measure(*oracle(network.logits, ROWS, allowed))
    assert figures["top5"] == 1.0
    if kind != "blind":  # whose first blank cannot know the abstract
        assert figures["match"] >= 0.75
    if kind != "head":
        path = network.align(ROWS)
        assert bool((path[:, 1:] >= path[:, :-1]).all())
        assert int(path[0, 3]) == 2  # the end is tied to the last word


def test_words_of_the_abstract_get_no_mass() -> None:
    allowed = Admissible(WHITE, WORDS, spare_abstract=True)
    logp = allowed.logp(torch.zeros(1, len(allowed.ids)), [("stir", "it")])
    assert float(logp[0, allowed.at["stir"]]) < -1e8
    assert float(logp.exp().sum()) == pytest.approx(1.0)


def test_redrawn_blanks_are_eligible() -> None:
    import random

    allowed = Admissible(WHITE, WORDS)
    row = PairRow(("stir",), ("oil", "pan", "the", "stir", "pot", "egg"), ((4, 5),))
    for seed in range(5):
        assert set(redraw(row, allowed, random.Random(seed)).blanks) <= {(0, 2), (4, 5)}


def head(**reading: object) -> WordHead:
    torch.manual_seed(3)
    return WordHead(body(), pieces(), WORDS, Admissible(WHITE, WORDS), HeadReading(**reading))  # type: ignore[arg-type]


def test_what_changed_in_all_matrices_is_kept_as_adapters() -> None:
    from training.kidscook.networks import FullMatrices

    own = Llama.of_library(llama())
    ids = torch.tensor([[0, 5, 8, 70]])
    whole = FullMatrices(own, 40, Setup(2.0)).eval()
    with torch.no_grad():
        assert torch.allclose(own.states(ids, adapter=whole), own.states(ids), atol=1e-5)
        for weight in whole.parameters():
            weight += 0.05 * torch.randn_like(weight)
        changed = own.states(ids, adapter=whole)
        assert not torch.allclose(changed, own.states(ids), atol=1e-2)
        assert torch.allclose(own.states(ids, adapter=Lora.of(whole.named(), 2.0)), changed, atol=1e-3)


def test_two_readings_agree_without_dropout_and_not_with_it() -> None:
    for dropout, least in ((0.0, 0.0), (0.5, 1e-3)):
        plain, twice = head(dropout=dropout).train(), head(dropout=dropout, agree=5.0).train()
        torch.manual_seed(1)
        one = float(plain.loss([*ROWS, *ROWS]))
        torch.manual_seed(1)
        assert float(twice.loss(ROWS)) - one >= least
        if not dropout:
            assert float(twice.loss(ROWS)) == pytest.approx(one, abs=1e-4)


def test_own_words_are_read_but_the_key_is_learned() -> None:
    network = head().eval()
    own = ROWS[0]._replace(fed=("water", "pot", "egg"))
    assert piece_row(own, pieces()).ids != piece_row(ROWS[0], pieces()).ids
    assert [part.tolist() for part in network.targets([own])] == [part.tolist() for part in network.targets([ROWS[0]])]


def test_a_lesson_moves_the_target_from_the_word_to_what_the_teacher_says() -> None:
    network = head(dropout=0.0, aside=0.0, taught=0.25)
    network.train()
    row = ROWS[0]  # two blanks of one word, oil and pan
    plain = network.loss([row])
    keys = torch.tensor([[network.admissible.key(word)] for word in ("oil", "pan")])
    network.lessons = {lesson_key(row): Lesson(keys, torch.ones(2, 1))}  # a teacher that says the word itself
    assert float(network.loss([row])) == pytest.approx(float(plain), abs=1e-5)
    other = torch.tensor([[network.admissible.key(word)] for word in ("stir", "stir")])
    network.lessons = {lesson_key(row): Lesson(other, torch.ones(2, 1))}
    swayed = network.loss([row])
    network.lessons = {}
    stirred = network.loss([row._replace(concrete=("stir", "stir", "egg"), fed=row.concrete)])
    assert float(swayed) == pytest.approx(0.75 * float(plain) + 0.25 * float(stirred), abs=1e-4)


def test_a_smoothed_loss_leaves_ruled_out_words_alone() -> None:
    assert float(head(smooth=0.1).eval().loss(ROWS)) < 1e4


def test_the_text_after_a_blank_is_read_where_it_is_shown() -> None:
    gap = WordGap(("fry", "egg"), ("oil", "in"), 1, 2, suffix=("with", "____"), blanks=((0, 1),))
    assert hidden_text(gap) == ("____", "in", "____", "with", "____")
    network = head().eval()
    shown = [
        Query(("fry", "egg"), ("oil", "in"), 2, 3, ((0, 1),), template)
        for template in ((), hidden_text(gap), ("____",))
    ]
    logits = ask(network.logits, shown)
    assert not torch.allclose(logits[0], logits[1]) and not torch.allclose(logits[1], logits[2])


def test_an_average_of_weights_is_kept_where_asked() -> None:
    ends = []
    for average in (0.0, 0.99):
        network = tune(head(), ROWS * 4, Tuning(epochs=2, size=2, average=average, rate=1e-2))
        ends.append(network.head.bias.detach().clone())
    assert not torch.allclose(*ends)
