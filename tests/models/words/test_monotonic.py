"""The vectorised dynamic programme against brute-force enumeration of alignments."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest

torch = pytest.importorskip("torch")

from scenarist.models.words import monotonic as dp  # noqa: E402

pytestmark = pytest.mark.neural


def scores(seed: int, batch: int, words: int, positions: int) -> dp.AlignmentScores:
    maker = torch.Generator().manual_seed(seed)
    word = torch.randn(batch, words, positions, generator=maker, dtype=torch.float64) - 2.0
    shift = torch.randn(batch, words, positions, generator=maker, dtype=torch.float64)
    return dp.AlignmentScores(word, torch.nn.functional.logsigmoid(-shift), torch.nn.functional.logsigmoid(shift))


def enumerate_paths(
    scores: dp.AlignmentScores, row: int, positions: int, words: int, begin: int = 0
) -> dict[tuple[int, ...], float]:
    """Every monotonic path that ends at the last position, with its score, from the definition (eq. 2 and 4)."""
    found = {}
    for path in combinations_with_replacement(range(begin, positions), words):
        if path[-1] != positions - 1:
            continue
        total, at = 0.0, begin
        for j, i in enumerate(path):
            total += sum(float(scores.shift[row, j, k]) for k in range(at, i))
            total += float(scores.emit[row, j, i]) + float(scores.word[row, j, i])
            at = i
        found[path] = total
    return found


LENGTHS = torch.tensor([4, 2, 1, 3]), torch.tensor([5, 6, 3, 1])  # positions, words


@pytest.mark.parametrize("seed", range(4))
def test_forward_equals_enumeration_and_viterbi_is_its_maximum(seed: int) -> None:
    made = scores(seed, 4, 6, 4)
    positions, words = LENGTHS
    total = dp.log_likelihood(made, positions, words)
    best = dp.viterbi(made, positions, words)
    scored = dp.path_score(made, best, words)
    for row in range(4):
        paths = enumerate_paths(made, row, int(positions[row]), int(words[row]))
        assert float(total[row]) == pytest.approx(float(torch.tensor(list(paths.values())).logsumexp(0)), abs=1e-6)
        top = max(paths, key=lambda path: paths[path])
        assert tuple(best[row, : int(words[row])].tolist()) == top
        assert float(scored[row]) == pytest.approx(paths[top], abs=1e-9)
    assert bool((scored <= total + 1e-9).all())


@pytest.mark.parametrize("words", [2, 3])
def test_the_last_word_alone_may_be_at_the_end(words: int) -> None:
    """All but the last word are told by the first position: the last word's back pointer says so, whatever texts stand beside it."""
    stay = torch.full((2, 4, 3), -0.01, dtype=torch.float64)
    word = torch.full((2, 4, 3), -9.0, dtype=torch.float64)
    word[:, :, 0] = -1.0  # the first position tells every word well
    word[0, words - 1, 2] = -0.5
    made = dp.AlignmentScores(word, stay, torch.full_like(stay, -0.7))
    best = dp.viterbi(made, torch.tensor([3, 1]), torch.tensor([words, 4]))
    assert best[0, :words].tolist() == [0] * (words - 1) + [2]
    assert best[1].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(2))
def test_a_free_start_is_a_mean_over_starts(seed: int) -> None:
    made = scores(seed, 4, 6, 4)
    positions, words = LENGTHS
    total = dp.log_likelihood(made, positions, words, free=True)
    best = dp.viterbi(made, positions, words, free=True)
    scored = dp.path_score(made, best, words, free=True)
    for row in range(4):
        size = int(positions[row])
        starts = [enumerate_paths(made, row, size, int(words[row]), begin) for begin in range(size)]
        every = torch.tensor([level for paths in starts for level in paths.values()], dtype=torch.float64)
        assert float(total[row]) == pytest.approx(float(every.logsumexp(0) - torch.tensor(size).log()), abs=1e-6)
        assert float(scored[row]) == pytest.approx(float(every.max()), abs=1e-9)


@pytest.mark.parametrize("free", [False, True])
def test_gradient_is_checked_numerically(free: bool) -> None:
    made = scores(9, 4, 6, 4)
    positions, words = LENGTHS
    inputs = tuple(part.clone().requires_grad_() for part in made)

    def total(*parts: torch.Tensor) -> torch.Tensor:
        return dp.log_likelihood(dp.AlignmentScores(*parts), positions, words, free)

    assert torch.autograd.gradcheck(total, inputs)


def test_prefix_table_is_viterbi_of_the_prefix() -> None:
    made = scores(2, 1, 5, 3)
    table = dp.best_prefixes(made).table
    for words in range(1, 6):
        for last in range(3):
            paths = enumerate_paths(made, 0, last + 1, words)
            assert float(table[0, words - 1, last]) == pytest.approx(max(paths.values()), abs=1e-9)


def test_long_texts_stay_finite_in_single_precision() -> None:
    made = dp.AlignmentScores(*(part.float().clamp(min=-60) * 20 for part in scores(5, 2, 200, 25)))
    inputs = [part.clone().requires_grad_() for part in made]
    total = dp.log_likelihood(dp.AlignmentScores(*inputs), torch.tensor([25, 1]), torch.tensor([200, 7]))
    total.sum().backward()
    assert bool(torch.isfinite(total).all())
    assert all(bool(torch.isfinite(part.grad).all()) for part in inputs)
