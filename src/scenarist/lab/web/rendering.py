"""Templates -> HTML: Jinja2 with autoescape; what a page kind shows of an item is rendered once and kept."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from scenarist.lab.kinds import page_kind

TEMPLATES = Path(__file__).parents[1] / "templates"
STATIC = Path(__file__).parents[1] / "static"
environment = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, auto_reload=False
)  # fmt: skip


def prose(text: str) -> Markup:
    """Plain text as paragraphs: ``*word*`` leans, ``**word**`` is bold, lines that begin with ``- `` are a list.

    >>> prose("a <b>\\nc *d*")
    Markup('<p>a &lt;b&gt;</p>\\n<p>c <em>d</em></p>')
    """
    blocks: list[str] = []
    for line in text.strip().splitlines():
        if not line.strip():
            continue
        inline = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", str(escape(line.strip().removeprefix("- "))))
        inline = re.sub(r"\*(.+?)\*", r"<em>\1</em>", inline)
        if line.lstrip().startswith("- "):
            if blocks and blocks[-1].endswith("</ul>"):
                blocks[-1] = blocks[-1].removesuffix("</ul>") + f"<li>{inline}</li></ul>"
            else:
                blocks.append(f"<ul><li>{inline}</li></ul>")
        else:
            blocks.append(f"<p>{inline}</p>")
    return Markup("\n".join(blocks))


environment.filters["prose"] = prose


@lru_cache(maxsize=64)
def kind_template(name: str) -> Template:
    """The template of a page kind."""
    return environment.from_string(page_kind(name).template)


def kind_body(name: str, shown: dict[str, Any], value: dict[str, Any], problem: str, text: str = "") -> Markup:
    """What a page kind puts into the form."""
    values = {"answer": "", **value}
    return Markup(kind_template(name).render(shown | {"value": values, "problem": problem, "text": text}))


def respond(template: str, status: int = 200, headers: dict[str, str] | None = None, **values: Any) -> HTMLResponse:
    """A page."""
    return HTMLResponse(environment.get_template(template).render(values), status, headers)
