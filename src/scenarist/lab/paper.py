"""A study in the database -> the methods paragraph, tables and exclusions of a paper, from what was frozen and stored."""

from __future__ import annotations

from collections import Counter
from statistics import median

from scenarist.lab.answered import given_answers
from scenarist.lab.findings import StudyFigure, agreement, cells, happenings, model_ranks
from scenarist.lab.kinds import page_kind
from scenarist.lab.review.attention import attention_counts
from scenarist.lab.review.crowd import crowd_tables
from scenarist.lab.review.verdicts import LEFT_OUT, PERSON, verdicts
from scenarist.lab.roster import OpenStudy

PASTED = 20
"""Characters pasted into one answer from which on it is listed as a flag."""


def paper(study: OpenStudy) -> str:
    """Markdown: participants, materials, procedure, figures, flags."""
    plan = study.study
    counted = cells(study)
    complete = sum(cell.states.get("complete", 0) for cell in counted)
    other = Counter({state: count for cell in counted for state, count in cell.states.items() if state != "complete"})
    what = happenings(study.database, plan.name)
    items = {name for _, name in study.items}
    families = {item.group or item.id for item in study.items.values()}
    lines = [
        f"# {plan.title}",
        "",
        f"Study `{plan.name}`, version `{study.version}`" + (f", after {plan.paper}." if plan.paper else "."),
        "",
    ]
    lines += ["## Participants", ""]
    left = ", ".join(f"{count} {state}" for state, count in sorted(other.items()) if count) or "nobody else began"
    lines.append(
        f"{complete} people finished the study ({left}). {what.get('refused', 0)} did not consent, {what.get('withdrawn', 0)} withdrew and "
        "had their answers deleted, and are in no figure below."
    )
    if plan.people.fee:
        lines[-1] += (
            f" Each was paid {plan.people.fee:.2f} {plan.people.pay or 'dollars'}: {plan.people.hourly:g} an hour, and {plan.people.slower:g} "
            f"times the {plan.people.own_minutes:g} minutes that the experimenters took."
        )
    if len(plan.conditions) > 1:
        split = ", ".join(f"{cell.condition}: {cell.states.get('complete', 0)}" for cell in counted)
        lines += ["", f"Conditions were assigned between people, to the least filled cell ({split})."]
    lines += ["", "## Materials", ""]
    shown = page_kind(plan.kind)
    lines.append(
        f"{len(items)} items of {len(families)} documents"
        + (f" of the corpus `{plan.source.corpus}`" if plan.source.corpus else "")
        + f", made by `{plan.source.make}` (seed {plan.seed}). Each person saw "
        + (f"{plan.draw.number}" if plan.draw.number else "all")
        + (f", at most {plan.draw.a_family} of a document" if plan.draw.a_family else "")
        + (f"; an item went to others when {plan.draw.people} people had it" if plan.draw.people else "")
        + f". A page shows {'; '.join(shown.inputs.values()) or 'the item'}; people gave {'; '.join(shown.outputs.values())}."
    )
    lines += ["", "## Procedure", ""]
    phases = Counter(step.phase for step in plan.steps if step.kind != "trials")
    steps = (
        ", ".join(f"{count} {phase} page{'s' if count > 1 else ''}" for phase, count in phases.items())
        or "no further pages"
    )
    lines.append(
        f"After consent: {steps}, then the items in random order. Answers were stored one by one before the next page was shown; changed "
        f"answers are kept as revisions and the last one counts. {what['answers not accepted']} answers were sent back with a message."
    )
    lines += [
        "",
        "## Results so far",
        "",
        "| condition | measure | value | 95 % interval | n |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [figure_row(figure) for figure in agreement(study)] or ["| | nothing yet | | | |"]
    for crowd in crowd_tables(study):
        lines += ["", f"{crowd.caption}:", "", *crowd_head(crowd.printed)]
        lines += [
            f"| {row.name} | {row.value} |" + (f" {row.published} |" if crowd.printed else "") for row in crowd.rows
        ]
    listed = model_ranks(study)
    if listed:
        lines += [
            "",
            "| condition | model | median rank of the removed event | of people's answers | among the first ten |",
            "| --- | --- | --- | --- | --- |",
        ]
        lines += [
            f"| {r.condition} | {r.model} | {r.original:g} | {r.people:g} | {r.recalled:.1%} of {r.items} |"
            for r in listed
        ]
    lines += ["", "## Exclusions and flags", "", *flag_lines(study)]
    return "\n".join(lines) + "\n"


def crowd_head(printed: bool) -> list[str]:
    """The head of a table of the collection; a column for the paper where it prints something."""
    return ["| | here | in the paper |", "| --- | --- | --- |"] if printed else ["| | here |", "| --- | --- |"]


def figure_row(figure: StudyFigure) -> str:
    """A line of the table."""
    return f"| {figure.condition} | {figure.name} | {figure.value:.3f} | {figure.low:.3f} to {figure.high:.3f} | {figure.n} |"


def flag_lines(study: OpenStudy) -> list[str]:
    """What was noticed and not acted on: an analysis that excludes says so, and gives both figures."""
    pasted = away = count = 0
    times: list[float] = []
    for given in given_answers(study.database, study.study.name):
        count += 1
        pasted += given.flags.get("pasted", 0) >= PASTED
        away += given.flags.get("away", 0) > 0
        times.append(given.flags.get("seconds", 0.0))
    if not count:
        return ["No answers yet."]
    known = verdicts(study.database, study.study.name)
    reasons = [entry.feedback for (_, trial), entry in known.items() if trial == PERSON and entry.verdict == LEFT_OUT]
    decided = Counter(entry.verdict for (_, trial), entry in known.items() if trial != PERSON)
    reviewed = (
        ", ".join(f"{number} {verdict}" for verdict, number in sorted(decided.items())) or "no answer was decided of"
    )
    attention = [entry for entry in attention_counts(study).values() if entry.asked]
    missed = [entry for entry in attention if entry.missed]
    asked = (
        f" {sum(entry.missed for entry in missed)} of {sum(entry.asked for entry in attention)} attention questions were missed, by "
        f"{len(missed)} of {len(attention)} people."
        if attention
        else ""
    )
    return [
        f"By the reviewer: {reviewed}; {len(reasons)} people left out{': ' if reasons else ''}{'; '.join(reasons)}.",
        "",
        f"Nobody was excluded by the lab. Of {count} answers, {pasted} have {PASTED} or more pasted characters and {away} were given with the "
        f"window hidden for a time; the median page took {median(times):.1f} s. Keys were not recorded.{asked}",
    ]
