"""The streaming benchmark itself, small: memory does not grow with the corpus."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "streaming.py"


@pytest.mark.slow
def test_memory_does_not_grow() -> None:
    command = [sys.executable, str(SCRIPT), "--megabytes", "10", "--formats", "mcscript,nyt-chains,gigaword", "--json"]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert result["ok"]
    for small, large in zip(result["rows"][::2], result["rows"][1::2], strict=True):
        assert large["megabytes"] >= 9 * small["megabytes"] / 2
        assert large["nouns"] > 3 * small["nouns"]
        assert large["peak_mb"] < small["peak_mb"] + 5
