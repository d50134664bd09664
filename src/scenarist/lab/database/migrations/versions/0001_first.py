"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "admins",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("csrf", sa.String(64), nullable=False),
        sa.Column("ends", sa.Float(), nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("study", sa.String(80), nullable=False),
        sa.Column("what", sa.String(40), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("kept", sa.Float(), nullable=False),
    )
    op.create_table(
        "ranks",
        sa.Column("version", sa.String(40), primary_key=True),
        sa.Column("condition", sa.String(80), primary_key=True),
        sa.Column("item", sa.String(200), primary_key=True),
        sa.Column("model", sa.String(120), primary_key=True),
        sa.Column("body", sa.Text(), nullable=False),
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.String(80), primary_key=True),
        sa.Column("value", sa.Text(), nullable=False),
    )
    op.create_table(
        "studies",
        sa.Column("version", sa.String(40), primary_key=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("codes", sa.Text(), nullable=False),
        sa.Column("closed", sa.Text(), nullable=False),
        sa.Column("began", sa.Float(), nullable=False),
    )
    op.create_table(
        "items",
        sa.Column("version", sa.String(40), sa.ForeignKey("studies.version"), primary_key=True),
        sa.Column("condition", sa.String(80), primary_key=True),
        sa.Column("item", sa.String(200), primary_key=True),
        sa.Column("family", sa.String(200), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("study", sa.String(80), nullable=False),
        sa.Column("version", sa.String(40), sa.ForeignKey("studies.version"), nullable=False),
        sa.Column("external", sa.String(200), nullable=False),
        sa.Column("source", sa.String(40), nullable=False),
        sa.Column("condition", sa.String(80), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("trial_run", sa.Boolean(), nullable=False),
        sa.Column("entry", sa.String(64), nullable=False, unique=True),
        sa.Column("began", sa.Float(), nullable=False),
        sa.Column("seen", sa.Float(), nullable=False),
        sa.Column("ended", sa.Float(), nullable=True),
        sa.Column("resumed", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.UniqueConstraint("study", "external", name="one_person_once"),
    )
    op.create_index("sessions_by_state", "sessions", ["version", "state"])
    op.create_table(
        "answers",
        sa.Column("session", sa.String(40), sa.ForeignKey("sessions.id"), primary_key=True),
        sa.Column("trial", sa.Integer(), primary_key=True),
        sa.Column("attempt", sa.Integer(), primary_key=True),
        sa.Column("version", sa.String(40), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("kept", sa.Float(), nullable=False),
        sa.Column("flags", sa.Text(), nullable=False),
    )
    op.create_table(
        "refusals",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("session", sa.String(40), sa.ForeignKey("sessions.id"), nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("complaint", sa.Text(), nullable=False),
        sa.Column("kept", sa.Float(), nullable=False),
    )
    op.create_index("ix_refusals_session", "refusals", ["session"])
    op.create_table(
        "tokens",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("session", sa.String(40), sa.ForeignKey("sessions.id"), nullable=False),
        sa.Column("began", sa.Float(), nullable=False),
    )
    op.create_index("ix_tokens_session", "tokens", ["session"])
    op.create_table(
        "trials",
        sa.Column("session", sa.String(40), sa.ForeignKey("sessions.id"), primary_key=True),
        sa.Column("trial", sa.Integer(), primary_key=True),
        sa.Column("phase", sa.String(20), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("item", sa.String(200), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
    )
    op.create_index("trials_by_item", "trials", ["item"])


def downgrade() -> None:
    """Drop all tables."""
    for name in (
        "trials",
        "tokens",
        "refusals",
        "answers",
        "sessions",
        "items",
        "studies",
        "settings",
        "ranks",
        "events",
        "admins",
    ):
        op.drop_table(name)
