"""Results come in order, whatever the number of processes."""

from __future__ import annotations

from scenarist.parallel import in_order, workers


def square(number: int) -> int:
    return number * number


def test_results_come_in_order_whatever_the_processes() -> None:
    alone = list(in_order(square, range(40), None))
    with workers(2) as pool:
        assert list(in_order(square, range(40), pool, 2)) == alone == [number * number for number in range(40)]
