"""What the command line asks of a lab's database: exports, ranks, the paper, the admin's access."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import select

from scenarist.corpora.adjudication import write_gold
from scenarist.errors import BadInput
from scenarist.lab.answered import given_answers, known_study, study_items
from scenarist.lab.database.engine import Database, open_database
from scenarist.lab.database.tables import ranks, studies
from scenarist.lab.export import described, predictions, table
from scenarist.lab.findings import ModelRank, model_ranks, rank_model
from scenarist.lab.paper import paper
from scenarist.lab.roster import OpenStudy, open_study
from scenarist.lab.study import parse_study
from scenarist.lab.yields.exam_parts import export_parts
from scenarist.metrics.recovery import answer_verb
from scenarist.noun import from_json, write_jsonl
from scenarist.question import Guess, Prediction, Segments, Where
from scenarist.store.home import write_whole
from scenarist.story import Story, replace


def stored_study(name: str, db: str) -> OpenStudy:
    """The latest version of a study in a database, as it was frozen."""
    database = open_existing(db)
    name = Path(name).stem
    return open_study(database, parse_study(known_study(database, name), f"{name} in {db}"))


def open_existing(db: str) -> Database:
    """A database that is there already; reading makes no new file."""
    if "://" not in db and not Path(db).is_file():
        raise BadInput(f"{db}: there is no such file. A study makes it: scenarist lab serve fill-gap --db {db}")
    return open_database(db)


def export_study(name: str, db: str, out: Path) -> tuple[str, ...]:
    """All files of a study; what was written, by name."""
    study = stored_study(name, db)
    write_whole(out / "answers.jsonl", predictions(study))
    write_whole(out / "answers.csv", table(study))
    write_whole(out / "columns.json", [described(study)])
    study.note("exported", "files")
    files = [str(out / file) for file in ("answers.jsonl", "answers.csv", "columns.json")]
    parts = export_parts(study, out)
    if not parts:
        items = study_items(study.database, study.study.name).values()
        write_whole(out / "items.jsonl", write_jsonl(items))
        parts = [str(out / "items.jsonl")]
    files += parts
    stories = gold_stories(study)
    if stories:
        files += [str(out / file) for file in write_gold(out, stories, ("webanno", "brat", "jsonl"))]
    return (*files, *write_ranks(study, out))


def write_ranks(study: OpenStudy, out: Path) -> list[str]:
    """What models answered to the items of a study, a file a condition and model; events are given as verbs, as the keys are."""
    models: dict[tuple[str, str], list[Prediction]] = defaultdict(list)
    with study.database.read() as connection:
        for row in connection.execute(select(ranks).where(ranks.c.version == study.version).order_by(ranks.c.item)):
            models[row.condition, row.model].append(verbs_of(from_json(row.body, Prediction)))
    files = []
    for (condition, model), listed in models.items():
        path = out / "models" / condition / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', model)}.jsonl"
        write_whole(path, write_jsonl(listed))
        files.append(str(path))
    return files


def verbs_of(prediction: Prediction) -> Prediction:
    """The main verbs of the guesses, each where it stands first."""
    guesses: dict[str, Guess] = {}
    for guess in prediction.guesses:
        if isinstance(guess.answer, str) and (verb := answer_verb(guess.answer)):
            guesses.setdefault(verb, Guess(verb, guess.logp, guess.why))
    return msgspec.structs.replace(prediction, guesses=tuple(guesses.values()))


def gold_stories(study: OpenStudy) -> list[Story]:
    """The stories of an adjudication with their gold segments; the last adjudicator who finished a story has the word."""
    if study.study.kind != "adjudicate":
        return []
    known = study_items(study.database, study.study.name)
    gold: dict[str, Story] = {}
    for given in given_answers(study.database, study.study.name):
        item = known.get(given.item)
        if item is not None and isinstance(item.question, Where) and isinstance(given.answer.answer, Segments):
            notes = tuple(note for note in item.question.story.notes if note[0] != "annotator")
            gold[given.item] = replace(
                item.question.story, segments=given.answer.answer.segments, notes=(*notes, ("annotator", "gold"))
            )
    return [gold[name] for name in sorted(gold)]


def rank_study(name: str, db: str, model: str) -> list[ModelRank]:
    """Let a model sit a study's gaps."""
    study = stored_study(name, db)
    rank_model(study, model)
    return [row for row in model_ranks(study) if row.model == model]


def review_study(name: str, db: str, approve: bool = False) -> dict[str, Any]:
    """What waits, and everybody's approval rate; ``approve``: first approve what nothing was noticed of."""
    from scenarist.lab.review.queue import approve_clean, review_queue

    study = stored_study(name, db)
    approved_now, _ = approve_clean(study) if approve else (0, 0)
    queue = review_queue(study)
    people = [
        {
            "person": row.session, "answers": row.answers, "approved": row.approved, "sent_back": row.sent_back, "rejected": row.rejected,
            "waiting": row.waiting, "rate": row.rate, "seconds": row.seconds, "flags": list(row.flags), "left_out": row.left_out,
        }
        for row in queue.people
    ]  # fmt: skip
    return {
        "study": study.study.name, "approved_now": approved_now, "answers": len(queue.submissions), "waiting": len(queue.waiting()),
        "refused_by_pages": queue.refused_count, "people": people,
    }  # fmt: skip


def study_paper(name: str, db: str) -> str:
    """The paper's part on a study."""
    return paper(stored_study(name, db))


def admin_access(db: str, password: str = "") -> str:
    """Set a password, or draw a token and give it back."""
    from scenarist.lab.web.admin import new_admin_token, set_password

    database = open_database(db)
    if password:
        set_password(database, password)
        return ""
    return new_admin_token(database)


def studies_in(db: str) -> list[str]:
    """The names of all studies in a database."""
    with open_existing(db).read() as connection:
        return sorted(set(connection.execute(select(studies.c.name)).scalars()))
