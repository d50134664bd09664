"""scenarist reads everyday stories, learns scripts, and examines script knowledge of models and of people."""

__version__ = "0.1.0"


VERBS = ("read", "read_all", "events", "events_all", "show", "exam", "score")
"""What ``scenarist.NAME`` finds in ``scenarist.verbs``, loaded when it is asked for."""


def __getattr__(name: str) -> object:
    if name not in VERBS:
        raise AttributeError(f"module 'scenarist' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module("scenarist.verbs"), name)
