"""What stands around the pages: the links above them, the page where a text is pasted, a message, and the headers of a careful site."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from urllib.parse import quote

from scenarist.pages.layout import escape, page

LINKS = (("/", "Read a story"), ("/scripts", "Scripts"), ("/results/", "Results"))
EXAMPLE = (
    "On Saturday I wanted to surprise my grandmother. I mixed flour, sugar and eggs in a big bowl. I poured the batter into a pan and put it "
    "into the oven. My brother and I played cards for half an hour. When the cake had cooled, I spread chocolate on it. Grandma came at four "
    "and laughed."
)
"""A story of ours, in the box until somebody pastes another."""

BAR = """
nav.site{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;align-items:baseline;max-width:68rem;margin:0 auto;padding:.8rem clamp(1rem,4vw,2.5rem) 0;
font:600 .95rem/1.6 var(--sans)}
nav.site strong{font-family:var(--serif);margin-right:.6rem}
nav.site a{text-decoration:none}nav.site a[aria-current]{color:var(--ink);border-bottom:2px solid var(--accent)}
@media print{nav.site{display:none}}
"""
FORM = """
textarea,input[type=text]{width:100%;font:1.05rem/1.6 var(--serif);color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.6rem .8rem}
textarea{min-height:14rem;resize:vertical}
label{display:block;margin:.9rem 0 .3rem;font-weight:600}
button.go{margin-top:1rem;padding:.5rem 1.4rem;border-radius:.5rem;background:var(--accent);color:var(--paper);font-weight:600}
button.go[disabled]{opacity:.6}
"""
WAIT = """
const form=document.querySelector('form'),go=document.querySelector('button.go');
form.addEventListener('submit',()=>{go.disabled=true;go.textContent='Reading …'});
addEventListener('pageshow',()=>{go.disabled=false;go.textContent='Read it'});
"""


def form_page(most: int, studies: Sequence[tuple[str, str]] = ()) -> str:
    """Where a text is pasted; ``studies``: (name, title) of those of the lab."""
    listed = "".join(f'<li><a href="/study/{quote(name)}/">{escape(title)}</a></li>' for name, title in studies)
    body = (
        "<h1>What does a story leave unsaid?</h1><p class='lead'>Paste a short everyday story in English: which activities it tells, "
        "who does what, and what goes without saying.</p>"
        '<form method="post" action="/read"><label for="title">Title <small>(may be empty)</small></label>'
        '<input type="text" id="title" name="title" maxlength="200" autocomplete="off">'
        f'<label for="text">Story</label><textarea id="text" name="text" maxlength="{most}" required>{escape(EXAMPLE)}</textarea>'
        '<button class="go">Read it</button></form>'
        '<p class="soft">It is read on this machine and not kept. The first text takes some seconds more.</p>'
        + (f"<h2>Studies that people can take part in</h2><ul>{listed}</ul>" if listed else "")
    )
    return page("scenarist", body, FORM, WAIT)


def message_page(title: str, text: str) -> str:
    """What could not be done, and a way back."""
    return page(title, f'<h1>{escape(title)}</h1><p>{escape(text)}</p><p><a href="/">Back to the start</a></p>')


def with_links(drawn: str, here: str, lab: bool = False) -> str:
    """A page of `pages/` with the links of the site above it; ``here``: the link that is open."""
    links = [*LINKS, *([("/admin/", "Lab")] if lab else [])]
    items = "".join(
        f'<a href="{address}"{" aria-current=page" if address == here else ""}>{name}</a>' for address, name in links
    )
    bar = f'<nav class="site" aria-label="site"><strong>scenarist</strong>{items}</nav>'
    return drawn.replace("</style></head>", f"{BAR}</style></head>", 1).replace("<body>", f"<body>{bar}", 1)


def headers(drawn: str) -> dict[str, str]:
    """The headers of a page: only the scripts that it came with may run, and nothing may be fetched from elsewhere.

    >>> headers("<p>no script</p>")["content-security-policy"].split("; ")[1]
    "script-src 'none'"
    """
    scripts = re.findall(r"<script>(.*?)</script>", drawn, re.DOTALL)
    hashes = [f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts]
    policy = (
        "default-src 'none'", f"script-src {' '.join(hashes) or chr(39) + 'none' + chr(39)}", "style-src 'unsafe-inline'", "img-src data:",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    )  # fmt: skip
    return {
        "content-security-policy": "; ".join(policy),
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cache-control": "no-store",
    }
