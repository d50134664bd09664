"""The claims of Chambers (2017) under each reading of eq. 4, on the toy chains."""

from __future__ import annotations

from typing import Any

import pytest

from experiments.eventcloze import claims
from scenarist.bench.analyses import eventcloze
from scenarist.registry import make


def test_claims_about_pmi_are_tested_under_each_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def toy(kind: str, name: str, **settings: Any) -> Any:
        return make(kind, "toy", kind="chains", **settings) if kind == "corpus" else make(kind, name, **settings)

    monkeypatch.setattr(eventcloze, "make", toy)
    monkeypatch.setattr(claims, "VARIANTS", {})
    found = claims.table(limit=8)
    names = [row.model for row in found.rows]
    for preset in eventcloze.PRESETS:
        for reading in claims.READINGS:
            mine = [name for name in names if name.endswith(f"; {reading}), {preset}")]
            assert [name.partition(" (")[2].partition(";")[0] for name in mine] == [
                "unigram - pmi", "pmi-cutoff - pmi", "bigram - pmi-cutoff"
            ]  # fmt: skip
    signatures = [figure.signature for row in found.rows for figure in row.scores.values()]
    assert len(set(signatures)) == len(signatures) == len(set(names))
    values = {row.model: row.more["values"] for row in found.rows}
    plain = values["raw PMI is far below unigram (unigram - pmi), lm-cloze"]
    printed = values["raw PMI is far below unigram (unigram - pmi; an unseen pair impossible, as printed), lm-cloze"]
    assert plain[0] == printed[0]  # the same unigram model
