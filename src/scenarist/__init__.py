"""scenarist reads everyday stories, learns scripts, and examines script knowledge of models and of people."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    from scenarist.registry import index, load

    if name not in index("verb"):
        raise AttributeError(f"module 'scenarist' has no attribute {name!r}")
    return load(index("verb")[name])
