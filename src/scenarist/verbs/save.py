"""A page -> a file that is written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from scenarist.errors import BadInput


def save_page(path: str | Path, html: str) -> Path:
    """Write a page, as the functions of `scenarist.pages` give it; nothing is left half-written."""
    from scenarist.store.home import write_whole

    path = Path(path)
    if path.is_dir():
        raise BadInput(f"{path} is a folder; expected the name of a file to write, e.g. {path}/page.html")
    write_whole(path, [html.encode("utf-8", "replace")])
    return path
