"""What a simulation says of a study: a lost and a doubled answer are seen, and the command ends with code 1."""

from __future__ import annotations

import time
from typing import Any

import pytest
from sqlalchemy import insert

from scenarist.cli.main import run
from scenarist.lab import simulate
from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import answers
from scenarist.lab.kinds.base import LabAnswer
from scenarist.lab.roster import OpenStudy, open_study
from scenarist.lab.simulate import Habits, SentForm, SimulatedPerson, StoredRows, compare
from scenarist.lab.study import Study
from scenarist.noun import to_json
from tests.lab.conftest import SMALL
from tests.lab.test_store import somebody, trial


@pytest.fixture
def opened(database: Database, small: Study) -> OpenStudy:
    return open_study(database, small)


def sent(number: int, text: str, acknowledged: bool = True, attempt: str = "1") -> SentForm:
    return SentForm(number, (("answer", text), ("attempt", attempt)), acknowledged)


def test_what_is_lost_and_what_is_doubled_is_seen(opened: OpenStudy) -> None:
    session = somebody(opened, "sim-r-0")
    person = SimulatedPerson("sim-r-0", 0, "small", Habits((0, 0)), "1", None)
    number = trial(opened, session).trial
    opened.keep(session, trial(opened, session), 1, LabAnswer("She left."), {})
    person.sent = [sent(number, "She left."), sent(number, "She left."), sent(number, "a phrase")]
    assert compare(opened, [person], "r") == StoredRows(0, 1, 0, 0)
    person.sent.append(sent(number + 1, "He stayed.", acknowledged=False))
    assert compare(opened, [person], "r").lost == 0, "nobody said that it was kept"
    person.sent.append(sent(number + 1, "He stayed."))
    assert compare(opened, [person], "r").lost == 1
    person.sent.append(sent(number, "They slept.", attempt="2"))
    assert compare(opened, [person], "r").lost == 2
    with opened.database.write() as connection:
        for attempt in (2, 3):
            row = {
                "session": session.id,
                "trial": number,
                "attempt": attempt,
                "version": opened.version,
                "flags": "{}",
                "kept": time.time(),
            }
            connection.execute(insert(answers).values(row | {"body": to_json(LabAnswer("They slept.")).decode()}))
    found = compare(opened, [person], "r")
    assert (found.lost, found.doubled) == (1, 1)


def test_the_promise_and_the_exit_code(tmp_path: Any, monkeypatch: Any, capsys: Any) -> None:
    import json

    study, real = tmp_path / "small.toml", simulate.compare
    study.write_text(SMALL)
    line = ["lab", "simulate", str(study), "--people", "2", "--db", str(tmp_path / "lab.db"), "--json"]
    assert run(line) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == ["study", "people", "complete", "answers", "lost", "doubled", "kills", "p95_ms"]
    assert (printed["complete"], printed["lost"], printed["doubled"]) == (2, 0, 0)
    monkeypatch.setattr(simulate, "compare", lambda *given: real(*given)._replace(lost=1))
    assert run(line) == 1


def test_the_fewest_pages_a_person_has(opened: OpenStudy, database: Database, bundled: Any) -> None:
    assert opened.fewest_pages() == 4, "a notice, and one gap of each of three documents"
    assert open_study(database, bundled("mark-scenarios")).fewest_pages() == 2 + 9, (
        "eighteen texts, two people each, a pool of four"
    )
