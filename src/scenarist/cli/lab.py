"""`scenarist lab studies | serve | simulate | export | ranks | review | paper | admin`: people answer the same questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, help="Let people answer the questions that models face.", no_args_is_help=True)

StudyName = Annotated[
    str, typer.Argument(help="A study by name (see `scenarist lab studies`), or a study file (.toml).")
]
Db = Annotated[
    str, typer.Option("--db", help="Where answers are kept: a file (SQLite), or postgresql://USER@HOST/NAME.")
]
Corpus = Annotated[
    str, typer.Option(help="Take the items from this corpus or folder (texts:FOLDER) instead of the study's.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but what was asked for.")]


@app.command()
def studies(json: Json = False, quiet: Quiet = False) -> None:
    """The studies that come with the package."""
    from scenarist.cli.console import json_out
    from scenarist.lab.study import load_study, study_names

    rows = [load_study(name) for name in study_names()]
    if json:
        json_out(
            [
                {"study": row.name, "title": row.title, "kind": row.kind, "paper": row.paper, "version": row.version}
                for row in rows
            ]
        )
        return
    for row in rows:
        print(row.name if quiet else f"{row.name:<28} {row.title} ({row.paper or row.kind})")


@app.command(epilog="Example: scenarist lab serve fill-gap --corpus texts:stories --db lab.db")
def serve(
    names: Annotated[list[str], typer.Argument(help="Studies by name, or study files.")],
    db: Db = "lab.db",
    corpus: Corpus = "",
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for every one.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0: a free one.", min=0, max=65535)] = 8000,
    quiet: Quiet = False,
) -> None:
    """Serve studies to people until interrupted; the first start makes the items and freezes them."""
    from scenarist.lab.database.engine import shown_url
    from scenarist.lab.server import serve as serve_studies
    from scenarist.lab.study import load_study
    from scenarist.lab.web.ports import listening_port

    port = listening_port(host, port)
    plans = [load_study(name, corpus) for name in names]
    if not quiet:
        for plan in plans:
            print(f"{plan.title}: http://{host}:{port}/study/{plan.name}/  (version {plan.version})")
        shown = shown_url(db)
        print(
            f"Answers go to {shown}. The admin page: http://{host}:{port}/admin/ (first: scenarist lab admin --db {shown})"
        )
    serve_studies(plans, db, host, port)


@app.command(epilog="Example: scenarist lab simulate fill-gap --people 60 --kill 5 --db lab.db --json")
def simulate(
    study: StudyName,
    people: Annotated[int, typer.Option(help="How many take part, all at once.", min=1)] = 20,
    db: Db = "lab.db",
    kill: Annotated[int, typer.Option(help="Kill the server so often, at random moments.", min=0)] = 0,
    model: Annotated[str, typer.Option(help="A registered model that answers in people's place, e.g. mixture.")] = "",
    think: Annotated[
        str,
        typer.Option(help="Seconds between pages, e.g. 2,10. Default: such that all together open 50 pages a second."),
    ] = "",
    close: Annotated[int, typer.Option(help="Close so many browsers at random moments.", min=0)] = 0,
    corpus: Corpus = "",
    seed: Annotated[int, typer.Option(help="Seed of what people do.")] = 13,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let simulated people take part on a real server; exit code 1 where an answer was lost or doubled."""
    import msgspec

    from scenarist.cli.console import json_out
    from scenarist.errors import BadInput
    from scenarist.lab.simulate import PAGES_A_SECOND, Habits, simulate_study

    mean = people / PAGES_A_SECOND
    seconds = (mean / 3, mean * 5 / 3)
    if think:
        try:
            low, high = (float(part) for part in think.split(","))
        except ValueError as error:
            raise BadInput(f"--think {think!r}: expected two numbers, e.g. 2,10.") from error
        seconds = (low, high)
    run = simulate_study(study, people, db, kill, model, corpus, seed, Habits(seconds, closings=close))
    if json:
        promised = ("study", "people", "complete", "answers", "lost", "doubled", "kills", "p95_ms")
        values = msgspec.structs.asdict(run)
        json_out({name: values[name] for name in promised} | ({"closed": run.closed} if close else {}))
    else:
        print(
            f"{run.study}: {run.people} people, {run.complete} finished, {run.answers} answers stored, {run.lost} lost, "
            f"{run.doubled} doubled; {run.kills} kills, {run.closed} browsers closed; "
            f"95 % of {run.requests} requests within {run.p95_ms:.0f} ms; {run.seconds:.0f} s."
        )
    if not run.whole:
        raise typer.Exit(1)


@app.command(epilog="Example: scenarist lab export fill-gap --db lab.db -o answers")
def export(
    study: StudyName,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Folder for answers.jsonl, answers.csv, columns.json, an exam folder a condition (or items.jsonl) and, of segments, gold.",
        ),
    ],
    db: Db = "lab.db",
    quiet: Quiet = False,
) -> None:
    """Write the answers of a study: Predictions (JSONL), a table (CSV) with its columns described, an exam folder a condition (for
    `score` and `bench --answers`); gold segments in three formats."""
    from scenarist.lab.files import export_study

    written = export_study(study, db, out)
    if not quiet:
        print("\n".join(written))


@app.command(epilog="Example: scenarist lab ranks fill-gap --model mixture --db lab.db")
def ranks(
    study: StudyName,
    model: Annotated[str, typer.Option(help="A registered model, e.g. mixture.")] = "mixture",
    db: Db = "lab.db",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let a model answer the same gaps as people; the admin page shows its ranks beside their answers."""
    from scenarist.cli.console import json_out
    from scenarist.lab.files import rank_study

    rows = rank_study(study, db, model)
    if json:
        json_out([row._asdict() for row in rows])
        return
    for row in rows:
        print(
            f"{row.condition:<14} {row.model:<20} median rank {row.original:g} (removed), {row.people:g} (people's), "
            f"first ten {row.recalled:.1%} of {row.items}"
        )


@app.command(epilog="Example: scenarist lab review write-story --db lab.db --approve-clean")
def review(
    study: StudyName,
    db: Db = "lab.db",
    approve_clean: Annotated[
        bool, typer.Option("--approve-clean", help="Approve every waiting answer of which nothing was noticed.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What waits for a reviewer, and approval rates by person; deciding one by one is done on the admin page."""
    from scenarist.cli.console import json_out
    from scenarist.lab.files import review_study

    state = review_study(study, db, approve_clean)
    if json:
        json_out(state)
        return
    if approve_clean and not quiet:
        print(f"Approved: {state['approved_now']}. Left for a person to look at: {state['waiting']}.")
    for row in state["people"]:
        rate = "" if row["rate"] is None else f", {row['rate']:.0%} approved"
        notes = "".join(f" {flag}" for flag in row["flags"]) + (
            f" Left out: {row['left_out']}" if row["left_out"] else ""
        )
        print(
            f"{row['person'][:8]}  {row['answers']} answers, {row['waiting']} waiting{rate}, {row['seconds']:.1f} s a page.{notes}"
        )


@app.command(epilog="Example: scenarist lab paper fill-gap --db lab.db")
def paper(study: StudyName, db: Db = "lab.db", quiet: Quiet = False) -> None:
    """Write the methods paragraph, the tables and the exclusions of a study from its frozen version."""
    from scenarist.lab.files import study_paper

    print(study_paper(study, db), end="")


@app.command(epilog="Example: scenarist lab admin --db lab.db")
def admin(
    db: Db = "lab.db",
    password: Annotated[
        bool, typer.Option("--password", help="Ask for a password instead of drawing a token.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Say how one logs in to the admin page: a new token, or a password that is asked for."""
    from scenarist.lab.files import admin_access

    given = (
        typer.prompt("Password (ten characters or more)", hide_input=True, confirmation_prompt=True) if password else ""
    )
    token = admin_access(db, given)
    print(token if token else "The password is set.")


@app.command(epilog="Example: scenarist lab power --people 48 --effect 0.065 --wanted 0.8")
def power(
    people: Annotated[int | None, typer.Option(help="People in all.", min=2)] = None,
    tasks: Annotated[int | None, typer.Option(help="Tasks (gaps).", min=2)] = None,
    answers: Annotated[int | None, typer.Option(help="Tasks that a person answers.", min=1)] = None,
    conditions: Annotated[int | None, typer.Option(help="Conditions between people.", min=2)] = None,
    base: Annotated[float | None, typer.Option(help="Chance of recovery in the other conditions.")] = None,
    effect: Annotated[float | None, typer.Option(help="How much likelier it is in the one condition.")] = None,
    wanted: Annotated[float, typer.Option(help="Power that is wanted.")] = 0.8,
    pilot: Annotated[
        str, typer.Option(help="Folder that `lab export` wrote: the design and the effect of that study are the start.")
    ] = "",
    simulations: Annotated[int, typer.Option(help="Simulated studies a design.", min=20)] = 400,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.")] = 13,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """How many people and tasks a study of gaps needs, by simulation; without options the design of Bennett's study."""
    from scenarist.cli.console import json_out
    from scenarist.lab.planning import MOST, plan_study

    given = {
        "people": people, "tasks": tasks, "answers": answers, "conditions": conditions, "base": base, "effect": effect,
    }  # fmt: skip
    plan = plan_study(
        {name: value for name, value in given.items() if value is not None}, wanted, pilot, simulations, seed
    )
    if json:
        json_out(plan.form())
        return
    design, point, needed = plan.design, plan.power, plan.needed
    print(
        f"{design.people} people, {design.tasks} tasks, {design.answers} a person, {design.conditions} conditions; recovery "
        f"{design.base:.1%}, in one condition {design.base + design.effect:.1%}."
    )
    print(
        f"Power {point.power:.2f} ({point.low:.2f} to {point.high:.2f}, {point.simulations} simulated studies, alpha 0.05)."
    )
    print(
        f"For power {wanted:g}: {needed.design.people} people (power {needed.power:.2f})."
        if needed
        else f"For power {wanted:g}: more than {MOST:,} people."
    )
    for entry in plan.resolution:
        print(
            f"Agreement with {entry.answers} answers a task: {entry.value:.3f}, standard error {entry.error:.3f} ({entry.tasks} tasks)."
        )
