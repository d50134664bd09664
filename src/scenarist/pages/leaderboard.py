"""Stored results of all tables -> a static site: one page for each table, a card for each corpus, an index."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.pages.layout import escape, page
from scenarist.pages.report import table_page

ROLES = {"published": "published", "baseline": "baselines", "ours": "ours", "human": "people"}
READ = (
    "Contamination: SmolLM2 was trained on web text and MiniLM on web pairs; what of a public corpus they have read is not known. A row that "
    "stands on them says so by its name, and the row without premise, where the exam has one, is the figure to hold it against."
)


def site(boards: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """File name -> page."""
    pages: dict[str, str] = {}
    lines = []
    for board in boards:
        table, forms = board["table"], board["forms"]
        if not forms:
            lines.append(
                f"<tr><td>{escape(table.name)}</td><td class='left'>{escape(table.title)}</td><td class='left'><small>not run here: "
                f"<code>scenarist bench {escape(table.name)} --json</code></small></td></tr>"
            )
            continue
        links = []
        for form in forms:
            name = re.sub(r"[^\w.-]+", "-", f"{table.name}-{form.get('split', 'dev')}") + ".html"
            while name in pages:
                name = f"{name.removesuffix('.html')}-x.html"
            note = "\n".join(
                filter(
                    None, [table.note, *(card_text(card) for card in board["cards"]), READ if board["cards"] else ""]
                )
            )
            whole = {"tests": [], "signature": "", **form, "rows": [plain_row(row) for row in form["rows"]]}
            parts = {
                "json": whole, "title": table.title, "paper": table.paper, "items": {}, "rows": [], "numbers": board["numbers"], "note": note,
            }  # fmt: skip
            pages[name] = table_page(parts)
            count = sum(bool(row.get("recorded")) for row in form["rows"])
            kinds = [text for role, text in ROLES.items() if any(row.get("role") == role for row in form["rows"])]
            links.append(
                f'<a href="{name}">{escape(form.get("split", "dev"))}</a>: {len(form["rows"])} rows ({", ".join(kinds)}'
                + (f"; {count} recorded" if count else "")
                + ")"
            )
        lines.append(
            f"<tr><td>{escape(table.name)}</td><td class='left'>{escape(table.title)}</td><td class='left'>{'<br>'.join(links)}</td></tr>"
        )
    body = (
        "<h1>scenarist: all tables</h1><p class='lead'>Published rows beside ours, with intervals, paired tests and signatures; rows marked * "
        "are answers that were made before and kept.</p><div class='scroll'><table><thead><tr><th>table</th><th class='left'>what it measures</th>"
        f"<th class='left'>results</th></tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )
    pages["index.html"] = page("scenarist: all tables", body)
    return pages


def card_text(card: Any) -> str:
    """What is said of a corpus."""
    traps = " ".join(card.traps)
    return f"{card.title}: {card.what}. {card.citation} Licence: {card.licence}. Known artefacts: {traps or 'none written down'}"


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
