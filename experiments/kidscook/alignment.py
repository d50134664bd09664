"""Alignments of networks with settings of the paper's code: the table `kidscook-alignment-code` (Bisk et al. 2019, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.kidscook.models import TARGETS
from scenarist.bench.analyses.kidscook_alignment import Rows, alignment_table
from scenarist.bench.sheet import Analysis

ROWS: Rows = {
    "seq2seq-attention-words": (TARGETS["seq2seq-attention"], {"variant": "words"}),
    "transducer-words": (TARGETS["transducer"], {"variant": "words"}),
    "transducer-words-mlp": (TARGETS["transducer"], {"variant": "words-mlp"}),
    "transducer-param-words-mlp": (TARGETS["transducer-param"], {"variant": "words-mlp"}),
    "transducer-code": (TARGETS["transducer"], {"variant": "code"}),
    "transducer-param-code": (TARGETS["transducer-param"], {"variant": "code"}),
}


def table(split: str = "dev", seed: int = 13, limit: int | None = None, only: Sequence[str] = ()) -> Analysis:  # noqa: ARG001
    """The rows of `kidscook-alignment-code`."""
    return alignment_table("kidscook-alignment-code", ROWS, split, limit, only)
