"""train, dev and test: one rule for every room (HOUSE.md, "Splits").

A corpus's own validation file is its dev. Where it has none, dev is the tenth of the training file whose text has
``sha1(text) % 10 == 1``, and train is the rest. The NYT chains are split by day: 26 to 28 July are dev. ``all`` is the
whole training file, dev included: for statistics, never for training.
"""

from __future__ import annotations

import re
from hashlib import sha1
from typing import Literal, TypeAlias, get_args

from scenarist.registry import suggest

Split: TypeAlias = Literal["train", "dev", "test", "all"]
SPLITS: tuple[str, ...] = get_args(Split)
DEV_DAYS = frozenset({"19940726", "19940727", "19940728"})


def named(split: str) -> str:
    """The split itself, or an error that names the nearest one."""
    if split not in SPLITS:
        raise suggest(split, list(SPLITS), "split")
    return split


def is_dev(text: str) -> bool:
    """Does this text of a training file without a validation file belong to dev?

    >>> [is_dev(text) for text in ("Ann baked a cake.", "Cem mowed the lawn 9 times.")]
    [False, True]
    """
    return int(sha1(text.encode("utf-8")).hexdigest(), 16) % 10 == 1


def keeps(split: str, text: str) -> bool:
    """Does a text of a training file without a validation file belong to the split?"""
    if split in ("all", "test"):  # test has a file of its own, all of it
        return True
    return is_dev(text) == (split == "dev")


def keeps_day(split: str, document: str) -> bool:
    """The same for the NYT chains, by the day in the document's name.

    >>> keeps_day("dev", "NYT_ENG_19940727.0012"), keeps_day("train", "NYT_ENG_19940701.0001")
    (True, True)
    """
    if split in ("all", "test"):
        return True
    found = re.search(r"_(\d{8})\.", document)
    return (found is not None and found[1] in DEV_DAYS) == (split == "dev")
