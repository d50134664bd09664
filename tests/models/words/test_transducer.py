"""The transducer: its two degenerate cases, slot filling, both emissions, training on a toy parallel corpus."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from scenarist.models.words import monotonic  # noqa: E402
from scenarist.models.words.batches import PairRow, QueryPlace, Vocabulary, WordBatch, batch, read_logits  # noqa: E402
from scenarist.models.words.emissions import product_grid  # noqa: E402
from scenarist.models.words.in_domain import Recipe, asking, train_with_patience  # noqa: E402
from scenarist.models.words.recurrent import NetworkShape, WordLayer  # noqa: E402
from scenarist.models.words.seq2seq import LstmLm, Seq2seq  # noqa: E402
from scenarist.models.words.transducer import Transducer  # noqa: E402

pytestmark = pytest.mark.neural
WORDS = Vocabulary(("#UNK#", "<PAD>", "<S>", "</S>", *"boil fry egg rice pot pan water oil wait stir".split()))
SHAPE = NetworkShape(hidden=12, dropout=0.0, width=6)
ROWS = [
    PairRow(("boil", "rice"), ("water", "pot", "rice", "wait"), ((0, 2),)),
    PairRow(("fry", "egg"), ("oil", "pan", "egg"), ((0, 1),)),
    PairRow(("boil",), ("pot", "wait"), ()),
]


def network(seed: int = 0, **settings: Any) -> Transducer:
    torch.manual_seed(seed)
    return Transducer(WORDS, SHAPE, **settings).eval()


def test_all_emits_first_is_the_language_model() -> None:
    """A path that stays at position 0 (always ``<S>``) emits each word as a language model does."""
    ours, lm = network(emission="mlp"), LstmLm(WORDS, SHAPE).eval()
    lm.embed.load_state_dict(ours.embed.state_dict())
    lm.decoder.load_state_dict(ours.decoder.state_dict())
    part = batch(ROWS, WORDS)
    told, sizes = part.targets(WORDS.end)
    e, d = ours.both(part)
    assert torch.allclose(e[0, 0], e[1, 0])  # the same for every abstract
    with torch.no_grad():
        lm.head.hidden.weight.copy_(ours.emission.of_decoder.weight)
        lm.head.hidden.bias.copy_(ours.emission.of_encoder(e[0, 0]))
        lm.head.out.load_state_dict(ours.emission.out.state_dict())
    grid = ours.emission.grid(e, d, told)[:, :, 0]  # (B, n + 1)
    keep = torch.arange(told.shape[1]) < sizes[:, None]
    assert (-grid[keep].mean()).item() == pytest.approx(lm.loss(part).item(), abs=1e-6)


class EmittingSeq2seq(Seq2seq):
    """The encoder's last state is shown to the word layer at every step, and the decoder starts from zero."""

    def __init__(self) -> None:
        super().__init__(WORDS, SHAPE)
        self.head = WordLayer(2 * SHAPE.hidden, self.layer, len(WORDS))

    def states(self, batch: WordBatch) -> torch.Tensor:
        states, decoded = self.encode(batch)[0], self.decode(batch)
        end = states[torch.arange(len(states)), batch.positions - 1]  # (B, h)
        return torch.cat([end[:, None].expand(-1, decoded.shape[1], -1), decoded], -1)


def test_all_shifts_first_is_seq2seq() -> None:
    """A path that shifts to the last position before the first word emits as a seq2seq model does."""
    ours, other = network(emission="mlp"), EmittingSeq2seq().eval()
    for name in ("embed", "decoder", "encoder"):
        getattr(other, name).load_state_dict(getattr(ours, name).state_dict())
    with torch.no_grad():
        joint = torch.cat([ours.emission.of_encoder.weight, ours.emission.of_decoder.weight], 1)
        other.head.hidden.weight.copy_(joint)
        other.head.hidden.bias.copy_(ours.emission.of_encoder.bias)
        other.head.out.load_state_dict(ours.emission.out.state_dict())
    part = batch(ROWS, WORDS)
    told, sizes = part.targets(WORDS.end)
    e, d = ours.both(part)
    grid = ours.emission.grid(e, d, told)
    last = grid.gather(2, (part.positions - 1)[:, None, None].expand(-1, told.shape[1], 1))[..., 0]
    keep = torch.arange(told.shape[1]) < sizes[:, None]
    assert (-last[keep].mean()).item() == pytest.approx(other.loss(part).item(), abs=1e-6)


def test_a_transducer_forced_to_a_case_has_its_likelihood() -> None:
    """With shift near 1 the marginal likelihood is that of the one path that shifts first."""
    ours = network(emission="product")
    part = batch(ROWS[:1], WORDS)
    told, sizes = part.targets(WORDS.end)
    e, d = ours.both(part)
    word = ours.emission.grid(e, d, told)
    sure = torch.full_like(word, -1e-6)
    never = torch.full_like(word, -40.0)
    never[:, :, -1] = -1e-6  # emits only from the last position
    total = monotonic.log_likelihood(monotonic.AlignmentScores(word, never, sure), part.positions, sizes)
    assert total.item() == pytest.approx(word[0, :, -1].sum().item(), abs=1e-3)


def test_product_grid_is_the_softmax_of_the_sum() -> None:
    torch.manual_seed(1)
    a, b, told = torch.randn(2, 3, 9) * 3, torch.randn(2, 5, 9) * 3, torch.randint(0, 9, (2, 5))
    slow = (a[:, None] + b[:, :, None]).log_softmax(-1)
    expected = slow.gather(-1, told[:, :, None, None].expand(-1, -1, 3, 1))[..., 0]
    assert torch.allclose(product_grid(a, b, told), expected, atol=1e-5)


def test_the_grid_of_the_papers_emission_is_its_softmax_with_its_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made part by part, and made again for the gradient: the same as all at once."""
    from scenarist.models.words import emissions

    monkeypatch.setattr(emissions, "ROWS", 7)
    ours = network(emission="mlp").emission
    torch.manual_seed(2)
    e, d, told = torch.randn(2, 3, 12), torch.randn(2, 5, 12), torch.randint(0, len(WORDS), (2, 5))
    weigh = torch.randn(2, 5, 3)
    gradients = []
    for whole in (True, False):
        ours.zero_grad()
        if whole:
            logits = ours.at(e[:, None].expand(-1, 5, -1, -1), d[:, :, None].expand(-1, -1, 3, -1)).log_softmax(-1)
            grid = logits.gather(-1, told[:, :, None, None].expand(-1, -1, 3, 1))[..., 0]
        else:
            grid = ours.grid(e, d, told)
        (grid * weigh).sum().backward()
        gradients.append([grid.detach(), *[part.grad.clone() for part in ours.parameters()]])
    assert len(gradients[0]) == 6
    assert all(torch.allclose(one, two, atol=1e-5) for one, two in zip(*gradients, strict=True))


def test_mixed_words_are_a_mean_over_positions() -> None:
    ours = network(seed=4)
    part = batch(ROWS, WORDS)
    e, d = ours.both(part)
    rows, here = torch.tensor([0, 2, 1]), torch.randn(3, e.shape[1]).log_softmax(-1)
    fast = ours.emission.mixed(e, d[rows, 1], rows, here)
    logits = ours.emission.at(e[rows], d[rows, 1][:, None].expand(-1, e.shape[1], -1))
    assert torch.allclose(fast, (here[..., None] + logits.log_softmax(-1)).logsumexp(1), atol=1e-5)


@pytest.mark.parametrize("emission", ["mlp", "product"])
@pytest.mark.parametrize("transitions", ["fixed", "parameterised"])
@pytest.mark.parametrize("start", ["first", "free"])
def test_viterbi_loss_is_never_below_the_marginal(emission: str, transitions: str, start: str) -> None:
    ours = network(emission=emission, transitions=transitions, start=start)
    part = batch(ROWS, WORDS)
    assert ours.loss(part, hard=True).item() >= ours.loss(part).item() - 1e-6


def test_padding_changes_nothing() -> None:
    ours = network(transitions="parameterised")
    alone = [ours.loss(batch([row], WORDS)).item() * (len(row.concrete) + 1) for row in ROWS]
    words = sum(len(row.concrete) + 1 for row in ROWS)
    assert ours.loss(batch(ROWS, WORDS)).item() == pytest.approx(sum(alone) / words, abs=1e-5)


def test_fixed_slots_share_the_alignment_of_the_word_before() -> None:
    ours = network()
    row = PairRow(("boil", "rice"), ("water", "pot", "rice", "wait"))
    part = batch([row], WORDS)
    e, d = ours.both(part)
    places, starts = torch.tensor([2, 3, 0]), torch.tensor([2, 2, 0])
    at = ours.place(e, d, part, torch.zeros(3, dtype=torch.long), places, starts)
    scores = ours.scores(e, d[:, :4], part.words)
    assert int(at[0]) == int(at[1]) == int(monotonic.best_prefixes(scores).table[0, 1].argmax())
    assert int(at[2]) == 1  # nothing before it: the first word of the abstract


def test_as_printed_there_are_no_marks_and_the_last_word_is_told_from_the_last() -> None:
    """All monotonic paths from the first abstract word to the last, the last concrete word tied, lengths of the pair."""
    ours = network(emission="mlp", printed=True)
    ours.set_ratio(1, 9)
    row = ROWS[0]
    part = batch([row], WORDS)
    seen = ours.seen(part)
    assert seen.abstract.tolist() == [WORDS.ids(row.abstract)]
    e, d = ours.whole(seen)
    word = ours.emission.grid(e, d, seen.words)[0]  # (n, m), no place for </S>
    n, m = word.shape
    assert (n, m) == (4, 2)
    shift = math.log(m / (m + n))
    total, best = [], []
    for path in itertools.combinations_with_replacement(range(m), n):
        if path[-1] == m - 1:
            score = sum(word[j, i].item() for j, i in enumerate(path)) + (m - 1) * shift + n * math.log(n / (m + n))
            total.append(score)
            best.append((score, path))
    expected = float(torch.tensor(total).logsumexp(0))
    assert -ours.loss(part).item() * n == pytest.approx(expected, abs=1e-4)
    assert ours.align(part)[0].tolist() == [at + 1 for at in max(best)[1]]  # 0 stays <S>, which nothing is told from
    assert -ours.loss(part, hard=True).item() * n == pytest.approx(max(best)[0], abs=1e-4)


def test_as_printed_the_lengths_of_all_pairs_are_taken_while_a_text_is_filled() -> None:
    ours = network(emission="mlp", printed=True)
    ours.set_ratio(1, 9)
    seen = ours.seen(batch(ROWS[:1], WORDS))
    e, d = ours.both(seen)
    assert ours.scores(e, d[:, :-1], seen.words).shift.exp().unique().tolist() == pytest.approx([0.1])
    assert ours.scores(e, d[:, :-1], seen.words, seen).shift.exp().unique().tolist() == pytest.approx([2 / 6])
    zero = torch.zeros(1, dtype=torch.long)
    assert int(ours.place(e, d, seen, zero, zero, zero)) == 0  # the first word of the abstract


def test_as_printed_padding_changes_nothing() -> None:
    ours = network(transitions="parameterised", emission="mlp", printed=True)
    for hard in (False, True):
        alone = [ours.loss(batch([row], WORDS), hard).item() * len(row.concrete) for row in ROWS]
        words = sum(len(row.concrete) for row in ROWS)
        assert ours.loss(batch(ROWS, WORDS), hard).item() == pytest.approx(sum(alone) / words, abs=1e-5)


def test_parameterised_slots_advance_while_shifting_is_likelier() -> None:
    ours = network(transitions="parameterised")
    part = batch([ROWS[0]], WORDS)
    with torch.no_grad():
        ours.move.weight.zero_()
        ours.move.bias.fill_(3.0)
    e, d = ours.both(part)
    zero = torch.zeros(1, dtype=torch.long)
    assert int(ours.place(e, d, part, zero, zero, zero)) == 2  # as far as the abstract goes
    with torch.no_grad():
        ours.move.bias.fill_(-3.0)
    assert int(ours.place(e, d, part, zero, zero, zero)) == 0


def test_marginal_slots_are_the_models_own_next_word_distribution() -> None:
    """ln p(text and word) - ln p(text) by the forward variable equals the distribution that fills a slot."""
    ours = network(seed=3, transitions="parameterised")
    words = ("water", "pot")
    part = batch([PairRow(("boil", "rice"), words)], WORDS)
    zero = torch.zeros(1, dtype=torch.long)
    slot = ours.logits(part, zero, zero + 2, zero + 2)[0]
    assert slot.logsumexp(0).item() == pytest.approx(0.0, abs=1e-5)
    e, d = ours.both(part)

    def forward(told: tuple[str, ...]) -> torch.Tensor:
        """The summed probability of a prefix, wherever it ends."""
        ids = torch.tensor([WORDS.ids(told)])
        scores = ours.scores(e, d[:, : len(told)], ids)
        ends = [monotonic.log_likelihood(scores, torch.tensor([at]), torch.tensor([len(told)])) for at in (1, 2, 3)]
        return torch.stack(ends).logsumexp(0)

    rice = forward((*words, "rice")).item() - forward(words).item()
    all_words = (
        torch.stack([forward((*words, word)) for word in WORDS.words]).logsumexp(0).item() - forward(words).item()
    )
    # a prefix may also shift past the end without emitting, so the sum over words is below 1 and is what normalises
    assert slot[WORDS.at["rice"]].item() == pytest.approx(rice - all_words, abs=1e-4)


def test_an_abstract_read_in_both_directions_is_known_from_its_first_word() -> None:
    torch.manual_seed(0)
    for both in (False, True):
        ours = Transducer(WORDS, SHAPE._replace(both=both)).eval()
        e, _ = ours.both(batch([PairRow(("boil", "rice"), ("pot",)), PairRow(("boil", "egg"), ("pot",))], WORDS))
        assert torch.allclose(e[0, 1], e[1, 1]) is not both
        assert e.shape == (2, 3, SHAPE.hidden)


def test_training_learns_which_tool_an_abstract_calls_for() -> None:
    rows = [ROWS[0], ROWS[1]] * 12
    ours = network(seed=2)
    ours.slots = "viterbi"
    trained = train_with_patience(ours, rows, rows[:2], Recipe(epochs=14, marginal=8, size=8, rate=2e-2, seed=1))
    path = trained.align(batch(ROWS[:2], WORDS))
    assert path.shape == (2, 5)
    assert bool((path[:, 1:] >= path[:, :-1]).all())
    tools = ["pot", "pan", "water", "oil"]
    columns = torch.tensor(WORDS.ids(tools))
    places = [QueryPlace(0, 0, 0), QueryPlace(0, 1, 0), QueryPlace(1, 0, 0)]  # the blanks, their words told as they go
    said = read_logits(asking(trained, WORDS), ROWS[:2], places, [], columns).asked.argmax(1)
    assert [tools[word] for word in said.tolist()] == ["water", "pot", "oil"]


def test_the_next_word_of_a_telling_is_the_one_that_fills_a_slot() -> None:
    ours = network(seed=5, transitions="parameterised")
    texts = [("water", "pot"), ("oil",), ()]
    together = ours.next_words(("boil", "rice"), texts)
    for text, line in zip(texts, together, strict=True):
        part = batch([PairRow(("boil", "rice"), text)], WORDS)
        place = torch.tensor([len(text)])
        slot = ours.logits(part, torch.zeros(1, dtype=torch.long), place, place)[0]
        assert torch.allclose(line, slot, atol=1e-5)
