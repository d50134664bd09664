"""JSON of the table `agreement` -> HTML: Tables 2 and 3 of Wanzare et al. (2019) as the paper prints them, Figure 1, and label by label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.pages.layout import escape, page
from scenarist.pages.numbers import NumberForm
from scenarist.pages.people import STYLE, figure, interval_text, paint

KINDS = {
    "identical": "identical labels", "at-least-one": "at least one label in common", "different": "different labels",
    "single": "one annotator only", "none": "nobody",
}  # fmt: skip
NUMBERS = NumberForm(False, 2)


def kinds_picture(shares: Mapping[str, float]) -> str:
    """Figure 1: the five kinds of sentences as one bar."""
    parts, x = [], 0.0
    for number, (name, label) in enumerate(KINDS.items()):
        width = 600 * shares.get(name, 0.0)
        parts.append(
            f'<rect x="{20 + x:.1f}" y="20" width="{max(width, 0.5):.1f}" height="40" fill="{paint(number)}"><title>{escape(label)}: {100 * shares.get(name, 0.0):.1f} %</title></rect>'
        )
        parts.append(
            f'<rect x="20" y="{80 + 22 * number}" width="12" height="12" fill="{paint(number)}"/><text x="40" y="{91 + 22 * number}">{escape(label)}: {100 * shares.get(name, 0.0):.1f} %</text>'
        )
        x += width
    return f'<svg viewBox="0 0 640 200" role="img" aria-label="kinds of sentences">{"".join(parts)}</svg>'


def square(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], title: str) -> str:
    """Annotators against annotators, one number below the other in each cell."""
    pairs = {tuple(row["model"].split(" and ", 1)): row["scores"] for row in rows if " and " in row["model"]}
    people = sorted({name for pair in pairs for name in pair})
    head = "".join(f"<th>{escape(name)}</th>" for name in people[1:])
    body = ""
    for first in people[:-1]:
        cells = ""
        for second in people[1:]:
            scores = pairs.get((first, second))
            cells += f"<td class='number'>{'<br>'.join(f'{escape(column)} {interval_text(NUMBERS, scores[key], key)}' for column in columns if (key := f'{column}/annotators') in scores) if scores else ''}</td>"
        body += f"<tr><td class='left'>{escape(first)}</td>{cells}</tr>"
    return f"<h2>{escape(title)}</h2><div class='scroll'><table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def agreement_page(form: Mapping[str, Any]) -> str:
    """The table `agreement` as a page."""
    ours = [row for row in form["rows"] if row["role"] != "published"]
    whole: Mapping[str, Any] = next((row["scores"] for row in ours if row["model"] == "all pairs"), {})
    shares = {name.partition("/")[2]: cell["value"] for name, cell in whole.items() if name.startswith("share/")}
    overall = "".join(
        f"<li>{escape(name)}: {interval_text(NUMBERS, cell, name)}</li>"
        for name, cell in whole.items()
        if not name.startswith("share/")
    )
    labels = "".join(
        f"<tr><td class='left'>{escape(name)}</td><td class='number'>{interval_text(NUMBERS, cell, 'alpha/label')}</td></tr>"
        for name, cell in form.get("labels", {}).items()
    )
    body = [
        "<h1>Agreement of annotators</h1>",
        square(ours, ("kappa", "raw_agreement"), "Table 2: kappa and raw agreement, sentence by sentence"),
        square(ours, ("span_agreement",), "Table 3: agreement on the extent of segments"),
        square(
            ours,
            ("alpha", "f1"),
            "Krippendorff's alpha, and F1 of one annotator against the other (the ceiling of a model)",
        ),
        "<h2>Figure 1</h2>"
        + figure(kinds_picture(shares), "Sentences by how two annotators labelled them, all pairs."),
        f"<h2>All pairs</h2><ul>{overall}</ul>",
    ]
    if labels:
        body.append(
            f"<h2>Label by label</h2><div class='scroll'><table><thead><tr><th class='left'>label</th><th>alpha</th></tr></thead><tbody>{labels}</tbody></table></div>"
        )
    body.append(
        "".join(f"<p>{escape(remark)}</p>" for remark in form.get("remarks", ()))
        + f"<p class='sign'>{escape(form['signature'])}</p>"
    )
    return page("Agreement of annotators", "".join(body), STYLE)
