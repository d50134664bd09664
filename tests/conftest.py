"""What all tests share: where corpora are, and the rule that a test whose corpus is not there is skipped by name.

``@pytest.mark.data("gum", "litbank")`` names the corpora a test needs (``"gum:test"`` a split of it); without a name it needs any search
path at all. Where ``SCENARIST_DATA`` is not set, ``../shared/data`` beside the repository is taken, if it exists.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_configure(config: pytest.Config) -> None:
    if not os.environ.get("SCENARIST_DATA") and SHARED.is_dir():
        os.environ["SCENARIST_DATA"] = str(SHARED)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("data"):
        from scenarist.corpora import finding, listing, manifest

        if not finding.roots():
            pytest.skip("no corpora: SCENARIST_DATA is not set")
        for wanted in marker.args:
            name, _, split = wanted.partition(":")
            there = listing.at_hand(manifest.entry(name))
            if not there or (split and split not in there):
                pytest.skip(f"the corpus {wanted} is not on SCENARIST_DATA")


@pytest.fixture
def data_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty search path of one folder, for tests that write their own corpora."""
    monkeypatch.setenv("SCENARIST_DATA", str(tmp_path))
    return tmp_path
