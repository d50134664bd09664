"""title, body -> one self-contained HTML page: the frame all our pages share (type, colour, dark mode, print, phone)."""

from __future__ import annotations

import html
import json
from typing import Any

HUES = (212, 28, 152, 330, 268, 48, 184, 4, 96, 292, 228, 128)
"""Hues of entities, segments and series, in the order they are given out; neighbours differ strongly."""

STYLE = """
:root{color-scheme:light dark;--paper:#fdfcf9;--ink:#1f2328;--soft:#5d6570;--line:#e2ddd3;--card:#fff;--accent:#0b5cad;
--good:#1a7f4b;--bad:#b3261e;--band-l:88%;--band-s:70%;--tint-l:38%;
--sans:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
--serif:"Iowan Old Style","Palatino Linotype",Palatino,Georgia,"Noto Serif",serif;--mono:ui-monospace,Menlo,Consolas,monospace}
@media (prefers-color-scheme:dark){:root{--paper:#16181c;--ink:#e8e6e1;--soft:#9aa3ad;--line:#33373e;--card:#1e2126;
--accent:#7db8f5;--good:#5cc794;--bad:#ff8a80;--band-l:24%;--band-s:38%;--tint-l:72%}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 var(--sans)}
main{max-width:68rem;margin:0 auto;padding:1.5rem clamp(1rem,4vw,2.5rem) 4rem}
h1{font:600 1.6rem/1.25 var(--serif);margin:.5rem 0 .25rem}
h2{font:600 1.15rem/1.3 var(--serif);margin:2rem 0 .5rem}
p.lead,.soft{color:var(--soft)}
a{color:var(--accent)}
code,.sign{font:.82rem/1.5 var(--mono);overflow-wrap:anywhere}
.sign{color:var(--soft)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%}
th,td{padding:.4rem .6rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
th:first-child,td:first-child,th.left,td.left{text-align:left}
thead th{font-weight:600;border-bottom:2px solid var(--line)}
small{color:var(--soft)}
button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}
button.row{color:var(--accent);text-align:left}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem;margin:.6rem 0}
.good{color:var(--good)}.bad{color:var(--bad)}
.pill{display:inline-block;border:1px solid var(--line);border-radius:1rem;padding:0 .6rem;font-size:.85rem}
@media print{button{color:inherit}.noprint{display:none}}
"""


def escape(text: object) -> str:
    """Text made inert for HTML."""
    return html.escape(str(text), quote=True)


def embed(value: Any) -> str:
    """A value as JSON inside a script element, where nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return (
        text.replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def framed(page: str, height: int = 480) -> str:
    """A whole page inside a notebook cell: its style and script stay inside the frame, the notebook's own outside."""
    return (
        f'<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:0;border-radius:.5rem" '
        f'srcdoc="{escape(page)}"></iframe>'
    )


def page(title: str, body: str, style: str = "", script: str = "", data: Any = None) -> str:
    """A whole page. ``data`` is embedded as JSON and read by the script as ``DATA``."""
    scripts = ""
    if data is not None:
        scripts += f'<script type="application/json" id="data">{embed(data)}</script>'
        script = 'const DATA=JSON.parse(document.getElementById("data").textContent);\n' + script
    if script:
        scripts += f"<script>{script}</script>"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="generator" content="scenarist">'
        f"<title>{escape(title)}</title><style>{STYLE}{style}</style></head>"
        f"<body><main>{body}</main>{scripts}</body></html>\n"
    )
