"""spaCy without torch: spaCy's tokenizer is all the default reader takes of it, and torch would double the time to start.

spaCy's own library imports torch wherever it is installed, only to know whether it is there. Where a program has loaded torch or
spaCy already, nothing is changed; and a pipeline that needs torch inside spaCy has to be loaded before.
"""

from __future__ import annotations

import sys
from importlib import import_module


def preload() -> None:
    """Import spaCy's English without torch."""
    if "torch" in sys.modules or "thinc.compat" in sys.modules:
        return
    sys.modules["torch"] = None  # type: ignore[assignment]  # an import of it now fails as if it were not installed
    try:
        import_module("spacy.lang.en")
    finally:
        del sys.modules["torch"]
