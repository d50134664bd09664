"""The store: an answer is kept once, revisions beside it; cells fill evenly; a full disk and a strange database are said."""

from __future__ import annotations

import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, select

from scenarist.errors import BadInput
from scenarist.lab.answered import given_answers, known_study
from scenarist.lab.database.engine import Database, NotKept, open_database
from scenarist.lab.database.tables import answers, metadata, sessions, settings, trials
from scenarist.lab.kinds.base import LabAnswer
from scenarist.lab.roster import Arrival, OpenStudy, open_study
from scenarist.lab.study import Study, parse_study


@pytest.fixture
def opened(database: Database, small: Study) -> OpenStudy:
    return open_study(database, small)


def somebody(opened: OpenStudy, name: str, trial_run: bool = False) -> Any:
    admission = opened.begin(Arrival(name, "link", f"entry {name}", f"token {name}", trial_run))
    with opened.database.read() as connection:
        return connection.execute(select(sessions).where(sessions.c.id == admission.session)).one()


def trial(opened: OpenStudy, session: Any, number: int = 1) -> Any:
    with opened.database.read() as connection:
        return connection.execute(select(trials).where(trials.c.session == session.id, trials.c.trial == number)).one()


def rows(opened: OpenStudy, session: Any) -> list[tuple[int, int, str]]:
    with opened.database.read() as connection:
        query = select(answers).where(answers.c.session == session.id).order_by(answers.c.trial, answers.c.attempt)
        return [(row.trial, row.attempt, row.body) for row in connection.execute(query)]


def test_the_migrations_make_the_tables_as_they_stand(database: Database) -> None:
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_sqlite_keeps_what_it_acknowledged(database: Database) -> None:
    with database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL


def test_the_same_answer_is_one_row_and_another_is_a_revision(opened: OpenStudy) -> None:
    session = somebody(opened, "a")
    page, first, second = trial(opened, session), LabAnswer("She left."), LabAnswer("He slept.")
    for attempt, answer in ((1, first), (1, first), (2, first), (1, second), (2, second), (1, first)):
        opened.keep(session, page, attempt, answer, {})
    assert [(row[1], answer in row[2]) for row, answer in zip(rows(opened, session), ("She left.", "He slept."), strict=True)] == [
        (1, True), (2, True),
    ]  # fmt: skip


def test_forty_requests_with_one_answer_are_one_row(opened: OpenStudy) -> None:
    session = somebody(opened, "a")
    page = trial(opened, session)
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda _: opened.keep(session, page, 1, LabAnswer("She left."), {}), range(40)))
    assert len(rows(opened, session)) == 1


def test_what_is_not_kept_is_said_and_leaves_nothing(database: Database) -> None:
    """A disk that is full: SQLite's own limit of pages stands for it."""
    with database.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    full = Database(database.url)
    with pytest.raises(NotKept, match="full"), full.write() as connection:
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        connection.execute(insert(settings).values(name="big", value="x" * 2_000_000))
    assert database.setting("big") is None
    full.close()


def test_cells_are_filled_evenly_without_tests_and_withdrawals(opened: OpenStudy) -> None:
    for number in range(6):
        somebody(opened, f"test {number}", trial_run=True)
    people = [somebody(opened, str(number)) for number in range(4)]
    assert sorted(person.condition for person in people) == ["caveman", "caveman", "full", "full"]
    for person in people:
        if person.condition == "full":
            opened.withdraw(person.id)
    assert {somebody(opened, f"late {number}").condition for number in range(2)} == {"full"}


def test_a_person_comes_once_and_a_lost_reply_changes_nothing(opened: OpenStudy) -> None:
    first = opened.begin(Arrival("p1", "prolific", "entry", "t1"))
    assert opened.begin(Arrival("p1", "prolific", "entry", "t2")).session == first.session
    assert opened.begin(Arrival("p1", "prolific", "other entry", "t3")).refusal == "known"


def test_quota_and_closed_cells_turn_people_away(database: Database, small: Study) -> None:
    opened = open_study(database, parse_study(small.text.replace("[draw]", "[people]\nquota = 1\n\n[draw]")))
    assert [opened.begin(Arrival(name, "link", name, name)).refusal for name in "abc"] == ["", "", "full"]
    roomy = open_study(database, parse_study(small.text.replace('"small"', '"roomy"')))
    roomy.close_cell("full", True)
    assert {somebody(roomy, f"r{number}").condition for number in range(3)} == {"caveman"}
    roomy.close_cell("caveman", True)
    assert roomy.begin(Arrival("z", "link", "z", "z")).refusal == "full"
    with pytest.raises(BadInput, match="no condition 'cavemen'"):
        roomy.close_cell("cavemen", True)


def test_who_was_away_gives_up_the_place_and_the_rule_for_coming_back(database: Database, small: Study) -> None:
    for rule, away, state in (
        ("never", 7200, "gone"),
        ("day", 7200, "active"),
        ("day", 200_000, "gone"),
        ("always", 200_000, "active"),
    ):
        text = small.text.replace('"small"', f'"{rule}{away}"').replace(
            "[draw]", f'[people]\nresume = "{rule}"\n\n[draw]'
        )
        opened = open_study(database, parse_study(text))
        session = somebody(opened, f"{rule}{away}")
        with database.write() as connection:
            connection.execute(sessions.update().where(sessions.c.id == session.id).values(seen=session.seen - away))
        assert opened.seen(SimpleNamespace(id=session.id, state="active", seen=session.seen - away, resumed=0)) == state  # type: ignore[arg-type]


def test_a_pool_shares_texts_so_that_every_pair_has_as_many(database: Database, bundled: Any) -> None:
    opened = open_study(database, bundled("mark-scenarios"))
    people: dict[str, set[str]] = {}
    for number in range(4):
        session = somebody(opened, str(number))
        with database.read() as connection:
            query = select(trials.c.item).where(trials.c.session == session.id, trials.c.phase == "trial")
            people[session.id] = set(connection.execute(query).scalars())
    names = list(people)
    pairs = [len(people[a] & people[b]) for number, a in enumerate(names) for b in names[:number]]
    assert pairs == [3] * 6
    assert set.union(*people.values()) == {item.id for item in opened.sets["all"]}


def test_shared_items_are_leased_and_given_back(database: Database, bundled: Any) -> None:
    text = bundled("mark-scenarios").text.replace("people = 2\npool = 4", "people = 1\nnumber = 4\nmore = false")
    opened = open_study(database, parse_study(text))
    drawn: list[set[str]] = []
    for number in range(5):
        session = somebody(opened, str(number))
        with database.read() as connection:
            query = select(trials.c.item).where(trials.c.session == session.id, trials.c.phase == "trial")
            drawn.append(set(connection.execute(query).scalars()))
    assert [len(items) for items in drawn] == [4, 4, 4, 4, 2]  # eighteen texts, one person each
    assert len(set.union(*drawn)) == 18


def trial_items(database: Database, session: str) -> list[str]:
    with database.read() as connection:
        query = select(trials.c.item).where(trials.c.session == session, trials.c.phase == "trial")
        return list(connection.execute(query.order_by(trials.c.trial)).scalars())


@pytest.mark.parametrize(("more", "left"), [("false", 2), ("true", 4)])
def test_who_was_away_too_long_does_not_repeat_what_others_did_meanwhile(
    database: Database, bundled: Any, more: str, left: int
) -> None:
    """Four of six texts were leased; four went to somebody else who is active, so that two are free."""
    text = bundled("mark-scenarios").text.replace("people = 2\npool = 4", f"people = 1\nnumber = 4\nmore = {more}")
    opened = open_study(database, parse_study(text.replace('corpus = "toy"', 'corpus = "toy"\nlimit = 6')))
    away = somebody(opened, "away")
    leased = trial_items(database, away.id)
    with database.write() as connection:
        connection.execute(sessions.update().where(sessions.c.id == away.id).values(seen=away.seen - 7200))
    other = somebody(opened, "other")
    taken = trial_items(database, other.id)
    assert len(leased) == len(taken) == 4
    with database.read() as connection:
        returning = connection.execute(select(sessions).where(sessions.c.id == away.id)).one()
    assert opened.seen(returning) == "active"
    kept = trial_items(database, away.id)
    assert len(set(kept)) == len(kept) == left, (
        "what others have is exchanged for what nobody has, else dropped where nothing is given twice"
    )
    assert len(set(kept) - set(taken)) == 2


def test_a_started_study_is_frozen_and_a_change_is_a_version_beside_it(database: Database, small: Study) -> None:
    first = open_study(database, small)
    before = [item.id for item in first.sets["full"]]
    assert [item.id for item in open_study(database, parse_study(small.text)).sets["full"]] == before
    changed = open_study(database, parse_study(small.text.replace("documents = 3", "documents = 4")))
    assert changed.version != first.version and len(changed.sets["full"]) > len(before)
    assert changed.codes != first.codes


def test_a_database_of_another_version_or_of_something_else_is_refused(tmp_path: Any) -> None:
    later = open_database(str(tmp_path / "later.db"))
    with later.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num='9999'")
    with pytest.raises(BadInput, match="9999"):
        open_database(str(tmp_path / "later.db"))
    with sqlite3.connect(tmp_path / "photos.db") as other:
        other.execute("CREATE TABLE photos (id INTEGER)")
    with pytest.raises(BadInput, match="something else"):
        open_database(str(tmp_path / "photos.db"))
    (tmp_path / "text.db").write_text("no database " * 100)
    with pytest.raises(BadInput, match="not a database"):
        open_database(str(tmp_path / "text.db"))
    with pytest.raises(BadInput, match="does not exist"):
        open_database(str(tmp_path / "nowhere" / "lab.db"))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://ann:secret@host/lab", "not a database of the lab. Expected a file"),
        ("postgresql://ann:secret@127.0.0.1:1/lab", "onnection"),
    ],
)
def test_a_database_that_cannot_be_is_named_without_its_password(url: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as raised:
        open_database(url)
    assert "ann:***@" in str(raised.value) and "secret" not in str(raised.value)


def test_a_study_that_is_not_there_is_named_with_what_to_type(database: Database, small: Study) -> None:
    open_study(database, small)
    with pytest.raises(
        BadInput,
        match=r"has no study 'write-story'. It has: small. Run it there first: scenarist lab serve write-story --db ",
    ):
        known_study(database, "write-story")


def test_a_database_of_an_earlier_version_is_brought_up_with_its_answers(tmp_path: Any, small: Study) -> None:
    path = str(tmp_path / "lab.db")
    earlier = open_database(path)
    opened = open_study(earlier, small)
    session = somebody(opened, "a")
    opened.keep(session, trial(opened, session), 1, LabAnswer("She left."), {})
    with earlier.write() as connection:
        connection.exec_driver_sql("DROP TABLE reviews")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num='0001'")
    earlier.close()
    later = open_database(path)
    with later.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    assert [given.answer.answer for given in given_answers(later, "small")] == ["She left."]
    later.close()


def test_answers_stream_with_their_last_revision(opened: OpenStudy) -> None:
    session = somebody(opened, "a")
    for attempt, text in enumerate(("She left.", "He slept."), start=1):
        opened.keep(session, trial(opened, session), attempt, LabAnswer(text), {"seconds": 2.0})
    given = list(given_answers(opened.database, "small"))
    assert [answer.answer.answer for answer in given] == ["He slept."]
    assert len(list(given_answers(opened.database, "small", revisions=True))) == 2
    assert given[0].version == opened.version and given[0].flags == {"seconds": 2.0}


def test_draws_are_one_gap_a_document(opened: OpenStudy) -> None:
    with opened.database.read() as connection:
        names, _ = opened.drawn(connection, "full", random.Random(3))
    families = [opened.items["full", name].group for name in names]
    assert len(families) == len(set(families)) == 3
