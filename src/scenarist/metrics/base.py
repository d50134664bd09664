"""Sums of counts -> value, for any shape of array: the last step of every metric, written once.

A ratio whose denominator is zero (an empty bootstrap replicate, a label nobody used) is ``empty``, without a warning.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.contracts import Totals


def divide(above: npt.ArrayLike, below: npt.ArrayLike, empty: float = 0.0) -> npt.NDArray[Any]:
    """``above / below``, and ``empty`` where ``below`` is zero.

    >>> divide([1.0, 1.0], [2.0, 0.0]).tolist()
    [0.5, 0.0]
    """
    top, bottom = np.broadcast_arrays(np.asarray(above, dtype=float), np.asarray(below, dtype=float))
    out = np.full(top.shape, empty, dtype=float)
    np.divide(top, bottom, out=out, where=bottom != 0)
    return out


def count(totals: Totals, name: str) -> npt.NDArray[Any]:
    """A sum by name; a name that no item brought is zero in the shape of the others."""
    if name in totals:
        return np.asarray(totals[name], dtype=float)
    shape = next((np.shape(total) for total in totals.values()), ())
    return np.zeros(shape)
