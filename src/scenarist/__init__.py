"""scenarist reads everyday stories, learns scripts, and examines script knowledge of models and of people."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """The verbs, loaded when they are asked for: ``scenarist.read(text)``."""
    if name.startswith("_"):
        raise AttributeError(name)
    from scenarist import verbs

    return getattr(verbs, name)
