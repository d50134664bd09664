"""The same store on PostgreSQL, started for this test."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from scenarist.lab.answered import given_answers
from scenarist.lab.database.engine import open_database
from scenarist.lab.kinds.base import LabAnswer
from scenarist.lab.roster import Arrival, open_study
from scenarist.lab.simulate import simulate_study
from scenarist.lab.study import Study
from tests.lab.test_store import rows, somebody, trial


def test_kept_once_and_cells_even(postgres: str, small: Study) -> None:
    database = open_database(postgres)
    opened = open_study(database, small)
    session = somebody(opened, "a")
    page = trial(opened, session)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: opened.keep(session, page, 1, LabAnswer("She left."), {}), range(32)))
        admissions = list(
            pool.map(lambda number: opened.begin(Arrival(f"p{number}", "link", f"e{number}", f"t{number}")), range(15))
        )
    assert len(rows(opened, session)) == 1
    assert len({admission.session for admission in admissions}) == 15
    with database.read() as connection:
        assert set(opened.filled(connection).values()) == {8}
    assert len(list(given_answers(database, "small"))) == 1
    database.close()


def test_people_and_a_kill(postgres: str) -> None:
    run = simulate_study("fill-gap", people=3, db=postgres, kill=1)
    assert (run.complete, run.lost, run.doubled, run.kills) == (3, 0, 0, 1)
