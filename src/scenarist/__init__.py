"""scenarist reads everyday stories, learns scripts, and examines script knowledge of models and of people."""

__version__ = "0.1.0"
