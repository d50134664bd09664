"""The two measures called recall, under one name: ``recall@50`` of a ranking, ``recall`` of labels."""

from __future__ import annotations

from typing import Any

from scenarist.contracts import Metric


def recall(k: int | None = None, **settings: Any) -> Metric:
    """With k the share of keys among the first k guesses; without, the share of key labels that were found.

    >>> recall(50).name, recall().name
    ('recall@50', 'recall')
    """
    if k is not None:
        from scenarist.metrics.ranking import Recall

        return Recall(k, **settings)
    from scenarist.metrics.labels import LabelRecall

    return LabelRecall(**settings)
