"""Stored results of all tables -> a static site: one page for each table, a card for each corpus, an index."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.errors import BadInput
from scenarist.pages.layout import escape, page
from scenarist.pages.numbers import NumberForm
from scenarist.pages.report import table_page
from scenarist.registry import make

ROLES = {"published": "published", "baseline": "baselines", "ours": "ours", "human": "people"}
READ = "What language models have read of it is not known."


def site(boards: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """File name -> page."""
    pages: dict[str, str] = {}
    lines = []
    for board in boards:
        table, forms = board["table"], board["forms"]
        if not forms:
            lines.append(
                f"<tr><td>{escape(table.name)}</td><td class='left'>{escape(table.title)}</td><td></td><td class='left'><small>not run here: "
                f"<code>scenarist bench {escape(table.name)} --json</code></small></td></tr>"
            )
            continue
        links = []
        for form in forms:
            name = re.sub(r"[^\w.-]+", "-", f"{table.name}-{form.get('split', 'dev')}") + ".html"
            while name in pages:
                name = f"{name.removesuffix('.html')}-x.html"
            whole = {"tests": [], "signature": "", **form, "rows": [plain_row(row) for row in form["rows"]]}
            parts = {
                "json": whole, "title": table.title, "paper": table.paper, "items": {}, "rows": [], "numbers": board["numbers"], "note": table.note,
                "cards": [card_lines(card) for card in board["cards"]], "home": "index.html",
            }  # fmt: skip
            pages[name] = table_page(parts)
            count = sum(bool(row.get("recorded")) for row in form["rows"])
            kinds = [text for role, text in ROLES.items() if any(row.get("role") == role for row in form["rows"])]
            links.append(
                f'<a href="{name}">{escape(form.get("split", "dev"))}</a>: {len(form["rows"])} rows ({", ".join(kinds)}'
                + (f"; {count} recorded" if count else "")
                + ")"
            )
        best = best_figures(forms[0], board["numbers"])
        lines.append(
            f"<tr><td>{escape(table.name)}</td><td class='left'>{escape(table.title)}</td><td class='left'>{best}</td>"
            f"<td class='left'>{'<br>'.join(links)}</td></tr>"
        )
    body = (
        "<h1>scenarist: all tables</h1><p class='lead'>Published rows beside ours, with intervals, paired tests and signatures; rows marked * "
        "are answers that were made before and kept.</p><div class='scroll'><table><thead><tr><th>table</th><th class='left'>what it measures</th>"
        f"<th class='left'>best</th><th class='left'>results</th></tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )
    pages["index.html"] = page("scenarist: all tables", body)
    return pages


def card_lines(card: Any) -> list[tuple[str, str]]:
    """What is said of a corpus, a head and a text each."""
    return [
        ("corpus", f"{card.title}: {card.what}"),
        ("paper", card.citation),
        ("licence", card.licence),
        ("known artefacts", " ".join(card.traps) or "none written down"),
        ("contamination", card.contamination or READ),
    ]


def best_figures(form: Mapping[str, Any], numbers: NumberForm) -> str:
    """The best row of each role in the column that most rows stand in, where more is better or less is."""
    columns = Counter(
        column
        for row in form["rows"]
        for column, figure in row.get("scores", {}).items()
        if isinstance(figure, dict) and figure.get("value") is not None and not column.endswith("-test")
    )
    for column, _ in columns.most_common():
        name = column.partition("/")[0]
        try:
            way = 1 if getattr(make("metric", name), "higher", True) else -1
        except (BadInput, TypeError):
            continue
        lines = []
        for role, text in ROLES.items():
            rows = [
                (row["scores"][column]["value"], row["model"])
                for row in form["rows"]
                if row.get("role") == role and (row.get("scores", {}).get(column) or {}).get("value") is not None
            ]
            if rows:
                value, model = max(rows, key=lambda pair: way * pair[0])
                lines.append(f"{text}: <b>{escape(numbers.text(value, column))}</b> <small>{escape(model)}</small>")
        return f"<small>{escape(column)}</small><br>" + "<br>".join(lines)
    return ""


def plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row in the form that pages take, whatever older results left out."""
    scores = {
        column: {"value": None, **figure}
        for column, figure in row.get("scores", {}).items()
        if isinstance(figure, dict)
    }
    for figure in scores.values():
        if figure.get("seeds") and "seed_sd" not in figure:
            figure.pop("seeds")
    return {"role": "", "made_by": "", **row, "scores": scores}
