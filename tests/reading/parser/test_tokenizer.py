"""Reading does not load torch, and torch can be loaded afterwards."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
import scenarist
interpretation = scenarist.read("We went to a restaurant. We ordered pizza and ate it. Then we left.")
assert interpretation.story.events
assert "torch" not in sys.modules, "torch was loaded"
import torch
assert torch.ones(2).sum() == 2
"""


def test_a_story_is_read_without_torch() -> None:
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
