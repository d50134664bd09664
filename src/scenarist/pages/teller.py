"""JSON of the table `teller` -> HTML: recoverability by rationality as curves, with their numbers; and the one picture that is committed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.pages.layout import escape, page
from scenarist.pages.numbers import NumberForm
from scenarist.pages.people import (
    EDGE,
    HEIGHT,
    STYLE,
    WIDTH,
    figure,
    interval_text,
    paint,
    picture,
    round_top,
    scale_lines,
)

Line = Sequence[Sequence[float]]


def curve_lines(lines: Mapping[str, Line], what: str, words: str = "rationality of the teller (0: random)") -> str:
    """Curves with their intervals as bands, from (x, y, low, high) points."""
    xs = [point[0] for line in lines.values() for point in line]
    left, right = min(xs), max(xs)
    top = min(
        1.0, round_top(max(point[3] if point[3] is not None else point[1] for line in lines.values() for point in line))
    )

    def at(x: float, y: float) -> str:
        return f"{EDGE + (x - left) / max(right - left, 1e-9) * (WIDTH - 2 * EDGE):.1f} {HEIGHT - EDGE - y / top * (HEIGHT - 2 * EDGE):.1f}"

    parts = [scale_lines(0.0, top, lambda value: f"{100 * value:.0f} %")]
    for number, line in enumerate(lines.values()):
        band = [at(x, high) for x, _, _, high in line if high is not None] + [
            at(x, low) for x, _, low, _ in reversed(line) if low is not None
        ]
        if band:
            parts.append(f'<path d="M{"L".join(band)}Z" fill="{paint(number)}" fill-opacity=".15"/>')
        parts.append(
            f'<path d="M{"L".join(at(point[0], point[1]) for point in line)}" stroke="{paint(number)}" stroke-width="2.5" fill="none"/>'
        )
    for x in sorted(set(xs)):
        across = at(x, 0).split()[0]
        parts.append(f'<text x="{across}" y="{HEIGHT - EDGE + 18}" text-anchor="middle">{x:g}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(words)}</text>')
    return picture(parts, list(lines), what)


def claim_picture(form: Mapping[str, Any], budget: int = 2, listener: str = "rational") -> str:
    """The paper's claim in one picture: mentioned and unmentioned events at one budget."""
    lines = {kind: form["curves"][f"{kind}/budget-{budget}/{listener}"] for kind in ("mentioned", "unmentioned")}
    return curve_lines(lines, "recoverability of mentioned and unmentioned events by rationality")


def standalone(svg: str) -> str:
    """A picture as a file of its own."""
    style = "<style>text{font:12px sans-serif;fill:#333}.grid{stroke:#ddd}.axis{stroke:#777}</style><rect width='100%' height='100%' fill='#fff'/>"
    return svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(">", f">{style}", 1) + "\n"


def teller_page(form: Mapping[str, Any]) -> str:
    """The table `teller` as a page."""
    numbers = NumberForm(True, 1, ("rationality",))
    budgets = sorted({row["budget"] for row in form["rows"] if "budget" in row})
    body = [
        "<h1>The storyteller</h1><p class='lead'>A teller mentions some of what happened. Informative tellers make mentioned events harder, and unmentioned ones easier to recover.</p>"
    ]
    for listener in ("rational", "literal"):
        for kind in ("mentioned", "unmentioned"):
            lines = {
                f"budget {budget}": line
                for budget in budgets
                if (line := form["curves"].get(f"{kind}/budget-{budget}/{listener}"))
            }
            if lines:
                body.append(
                    figure(
                        curve_lines(lines, f"{kind}, {listener} listener"),
                        f"{kind.capitalize()} events, {listener} listener: recoverability by the teller's rationality, a curve a budget; bands 95 %.",
                    )
                )
    columns = (
        "recoverability/mentioned",
        "recoverability/unmentioned",
        "top1/mentioned",
        "top1/unmentioned",
        "rationality/cloze",
    )
    head = "".join(f"<th>{escape(column).replace('/', '<br>')}</th>" for column in columns)
    rows = "".join(
        f"<tr><td class='left'>{escape(row['model'])}</td>"
        + "".join(
            f"<td class='number'>{interval_text(numbers, row['scores'][column], column) if column in row['scores'] else ''}</td>"
            for column in columns
        )
        + "</tr>"
        for row in form["rows"]
    )
    body.append(
        f"<h2>Numbers</h2><div class='scroll'><table><thead><tr><th class='left'>teller, rationality, budget, listener</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    odd = "".join(
        f"<tr><td class='left'>{escape(row['scenario'])}</td><td class='left'>{escape(row['event'])}</td><td>{100 * row['before']:.0f} %</td>"
        + "".join(f"<td>{100 * value:.1f} %</td>" for value in row["after"].values())
        + "</tr>"
        for row in form["unusual"]
    )
    heads = "".join(f"<th>{escape(value)}</th>" for value in (form["unusual"][0]["after"] if form["unusual"] else {}))
    body.append(
        f"<h2>What mentioning the obvious says</h2><p>The chance that the person does it rarely, before and after the obvious is mentioned, by the teller's rationality.</p><div class='scroll'><table><thead><tr><th class='left'>script</th><th class='left'>mentioned</th><th>before</th>{heads}</tr></thead><tbody>{odd}</tbody></table></div>"
    )
    body.append(
        "".join(f"<p>{escape(remark)}</p>" for remark in form.get("remarks", ()))
        + f"<p class='sign'>{escape(form['signature'])}</p>"
    )
    return page("The storyteller", "".join(body), STYLE)
