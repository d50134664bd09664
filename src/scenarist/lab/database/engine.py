"""URL -> Database: SQLite in one file by default, PostgreSQL by URL; one way to read, one way to write.

SQLite: WAL, ``synchronous=FULL`` (an acknowledged answer outlives a power cut; NORMAL would not promise it), ``BEGIN IMMEDIATE`` for every
write (a transaction that begins with a read and then writes fails at once when another writes, whatever the busy timeout). Writers of
this process queue at a lock instead of polling. Nothing is parsed or rendered inside a transaction.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, select
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from scenarist.errors import BadInput, Missing, ScenaristError
from scenarist.lab.database.tables import settings

BUSY_SECONDS = 10
CONNECTIONS = 45
"""A few more than the threads of the server (anyio gives 40)."""
BATCH = 500
DEFAULT = "lab.db"


class NotKept(ScenaristError):
    """The database did not take it: a full disk, a server that is gone. Nothing was stored, and the person is told so."""

    code = 3


def database_url(text: str) -> str:
    """A path or a URL as SQLAlchemy writes it.

    >>> database_url("lab.db"), database_url("postgres://u@h/lab")
    ('sqlite:///lab.db', 'postgresql+psycopg://u@h/lab')
    """
    if re.match(r"^[a-z][a-z0-9+]*://", text):
        return re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", text)
    return f"sqlite:///{text}"


def shown_url(text: str) -> str:
    """A database as it may be printed: a file as it was named, a URL without its password.

    >>> shown_url("lab.db"), shown_url("postgresql://u:secret@h/lab")
    ('lab.db', 'postgresql://u:***@h/lab')
    """
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", text.removeprefix("sqlite:///").replace("+psycopg://", "://"))


class Database:
    """The rows of a lab."""

    def __init__(self, url: str) -> None:
        self.url = database_url(url)
        self.name = shown_url(self.url)
        self.sqlite = self.url.startswith("sqlite")
        if not self.sqlite and not self.url.startswith("postgresql"):
            raise BadInput(
                f"{self.name}: not a database of the lab. Expected a file (lab.db), or postgresql://USER@HOST/NAME."
            )
        self.lock = threading.Lock()
        self.engine = self.connect()
        self.reader = self.engine.execution_options(isolation_level="AUTOCOMMIT")

    def connect(self) -> Engine:
        """The engine; a path that cannot be, or a server that does not answer, is named."""
        try:
            if not self.sqlite:
                return create_engine(self.url, pool_size=CONNECTIONS, max_overflow=10, pool_pre_ping=True)
            path = self.url.removeprefix("sqlite:///")
            if path and not Path(path).parent.is_dir():
                raise BadInput(f"{path}: the folder {Path(path).parent} does not exist; make it first.")
            engine = create_engine(
                self.url,
                pool_size=CONNECTIONS,
                max_overflow=10,
                connect_args={"timeout": BUSY_SECONDS, "isolation_level": None, "check_same_thread": False},
            )
            event.listen(engine, "connect", prepare_sqlite)
            return engine
        except (ArgumentError, NoSuchModuleError) as error:
            raise BadInput(
                f"{self.name}: not a database. Expected a file (lab.db), or postgresql://USER@HOST/NAME."
            ) from error
        except ModuleNotFoundError as error:
            raise Missing("PostgreSQL needs psycopg. Install it with: pip install 'scenarist[web]'") from error

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection to read from."""
        with self.reader.connect() as connection:
            yield connection

    @contextmanager
    def stream(self) -> Iterator[Connection]:
        """A connection to read many rows from, a batch at a time (PostgreSQL keeps a cursor open in a transaction only)."""
        with (self.reader if self.sqlite else self.engine).connect() as connection:
            yield connection.execution_options(yield_per=BATCH)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes; all of it is kept, or nothing and NotKept is raised."""
        try:
            if not self.sqlite:
                with self.engine.begin() as connection:
                    yield connection
                return
            with self.lock, self.reader.connect() as connection:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.exec_driver_sql("COMMIT")
                except BaseException:
                    if connection.connection.dbapi_connection.in_transaction:  # type: ignore[union-attr]
                        connection.exec_driver_sql("ROLLBACK")
                    raise
        except DBAPIError as error:
            if "unique" in str(error.orig).lower() or "duplicate key" in str(error.orig).lower():
                raise
            raise NotKept(f"the database did not take it: {error.orig}") from error

    def lock_study(self, connection: Connection, name: str) -> None:
        """Nobody else assigns people of this study until the transaction ends (SQLite has one writer anyway)."""
        if not self.sqlite:
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext(%s))", (name,))

    def migrate(self) -> None:
        """Bring the tables to this version; a database of another kind or of a later version is refused."""
        from alembic import command
        from alembic.config import Config
        from alembic.script import ScriptDirectory

        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        try:
            with self.reader.connect() as connection:
                names = set(inspect(connection).get_table_names())
                if "alembic_version" in names:
                    version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
                    if version is not None and version not in known:
                        raise BadInput(
                            f"{self.name}: its tables are of version {version}, which this scenarist does not know "
                            f"({', '.join(sorted(known))}). Use the scenarist that wrote it, or another file."
                        )
                elif names:
                    raise BadInput(
                        f"{self.name}: a database of something else (tables {', '.join(sorted(names)[:3])}); give another file."
                    )
            with self.write() as connection:
                config.attributes["connection"] = connection
                self.lock_study(connection, "migrations")
                command.upgrade(config, "head")
        except SQLAlchemyError as error:
            raise BadInput(f"{self.name}: {getattr(error, 'orig', None) or error}") from error

    def setting(self, name: str) -> str | None:
        """A setting of the lab."""
        with self.read() as connection:
            value: str | None = connection.execute(
                select(settings.c.value).where(settings.c.name == name)
            ).scalar_one_or_none()
            return value

    def set(self, name: str, value: str) -> None:
        """Write a setting."""
        with self.write() as connection:
            connection.execute(settings.delete().where(settings.c.name == name))
            connection.execute(insert(settings).values(name=name, value=value))

    def secret(self) -> str:
        """The key that signs links and forms; drawn once."""
        known = self.setting("secret")
        if known is None:
            with self.write() as connection:
                row = connection.execute(
                    select(settings.c.value).where(settings.c.name == "secret")
                ).scalar_one_or_none()
                known = row or secrets.token_urlsafe(32)
                if row is None:
                    connection.execute(insert(settings).values(name="secret", value=known))
        return known

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()


def prepare_sqlite(connection: Any, record: Any) -> None:
    """What every connection to SQLite begins with."""
    cursor = connection.cursor()
    for line in (f"busy_timeout={BUSY_SECONDS * 1000}", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()


def open_database(url: str = DEFAULT) -> Database:
    """A database with all tables in place."""
    database = Database(url)
    database.migrate()
    return database
