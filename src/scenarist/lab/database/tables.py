"""The tables of a lab: studies and their items, sessions and their trials, answers, and what the admin keeps.

An answer is known by (session, trial, attempt), all three given by the server; a row is written once and never changed. The first schema
is `migrations/versions/0001_first.py`; a change here needs a further migration (a test compares the two).
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

settings = Table(
    "settings", metadata, Column("name", String(80), primary_key=True), Column("value", Text, nullable=False)
)
"""Keys of the server: its secret, the admin's password."""

studies = Table(
    "studies", metadata,
    Column("version", String(40), primary_key=True),
    Column("name", String(80), nullable=False),
    Column("number", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("codes", Text, nullable=False),
    Column("closed", Text, nullable=False),
    Column("began", Float, nullable=False),
)  # fmt: skip
"""A version of a study: the file's text as it was when the first person came."""

items = Table(
    "items", metadata,
    Column("version", String(40), ForeignKey("studies.version"), primary_key=True),
    Column("condition", String(80), primary_key=True),
    Column("item", String(200), primary_key=True),
    Column("family", String(200), nullable=False),
    Column("place", Integer, nullable=False),
    Column("body", Text, nullable=False),
)  # fmt: skip
"""What is asked, with its key; `family` is the document, `body` the Item as JSON."""

sessions = Table(
    "sessions", metadata,
    Column("id", String(40), primary_key=True),
    Column("study", String(80), nullable=False),
    Column("version", String(40), ForeignKey("studies.version"), nullable=False),
    Column("external", String(200), nullable=False),
    Column("source", String(40), nullable=False),
    Column("condition", String(80), nullable=False),
    Column("state", String(20), nullable=False),
    Column("trial_run", Boolean, nullable=False),
    Column("entry", String(64), nullable=False, unique=True),
    Column("began", Float, nullable=False),
    Column("seen", Float, nullable=False),
    Column("ended", Float),
    Column("resumed", Integer, nullable=False),
    Column("note", Text, nullable=False),
    UniqueConstraint("study", "external", name="one_person_once"),
    Index("sessions_by_state", "version", "state"),
)  # fmt: skip
"""A person in a study. `external` is the platform's id, `entry` the hash of the cookie that opened it, `trial_run` a preview or a test."""

tokens = Table(
    "tokens", metadata,
    Column("hash", String(64), primary_key=True),
    Column("session", String(40), ForeignKey("sessions.id"), nullable=False, index=True),
    Column("began", Float, nullable=False),
)  # fmt: skip
"""Who may speak for a session: the hash of a cookie."""

trials = Table(
    "trials", metadata,
    Column("session", String(40), ForeignKey("sessions.id"), primary_key=True),
    Column("trial", Integer, primary_key=True),
    Column("phase", String(20), nullable=False),
    Column("kind", String(40), nullable=False),
    Column("item", String(200), nullable=False),
    Column("done", Boolean, nullable=False),
    Index("trials_by_item", "item"),
)  # fmt: skip
"""The pages of a session in order, and whether each has an answer."""

answers = Table(
    "answers", metadata,
    Column("session", String(40), ForeignKey("sessions.id"), primary_key=True),
    Column("trial", Integer, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("version", String(40), nullable=False),
    Column("body", Text, nullable=False),
    Column("kept", Float, nullable=False),
    Column("flags", Text, nullable=False),
)  # fmt: skip
"""Every answer, revisions too. `flags`: seconds, pastes, time away; never keys."""

refusals = Table(
    "refusals", metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("session", String(40), ForeignKey("sessions.id"), nullable=False, index=True),
    Column("trial", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("complaint", Text, nullable=False),
    Column("kept", Float, nullable=False),
)  # fmt: skip
"""What was sent and not accepted, and why."""

ranks = Table(
    "ranks", metadata,
    Column("version", String(40), primary_key=True),
    Column("condition", String(80), primary_key=True),
    Column("item", String(200), primary_key=True),
    Column("model", String(120), primary_key=True),
    Column("body", Text, nullable=False),
)  # fmt: skip
"""What models answer to the same items: Predictions as JSON."""

admins = Table(
    "admins", metadata,
    Column("hash", String(64), primary_key=True),
    Column("csrf", String(64), nullable=False),
    Column("ends", Float, nullable=False),
)  # fmt: skip
"""Sessions of the admin."""

reviews = Table(
    "reviews", metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("session", String(40), ForeignKey("sessions.id"), nullable=False, index=True),
    Column("trial", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("verdict", String(20), nullable=False),
    Column("feedback", Text, nullable=False),
    Column("kept", Float, nullable=False),
)  # fmt: skip
"""What a reviewer decided of an answer: the last row of an attempt counts. Trial -1 speaks of all answers of a person."""

events = Table(
    "events", metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("study", String(80), nullable=False),
    Column("what", String(40), nullable=False),
    Column("note", Text, nullable=False),
    Column("kept", Float, nullable=False),
)  # fmt: skip
"""What happened without a session: somebody refused, somebody withdrew, data were deleted or exported."""
