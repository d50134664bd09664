"""What reviewers decide."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of reviews."""
    op.create_table(
        "reviews",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("session", sa.String(40), sa.ForeignKey("sessions.id"), nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(20), nullable=False),
        sa.Column("feedback", sa.Text(), nullable=False),
        sa.Column("kept", sa.Float(), nullable=False),
    )
    op.create_index("ix_reviews_session", "reviews", ["session"])


def downgrade() -> None:
    """Take it away."""
    op.drop_index("ix_reviews_session", "reviews")
    op.drop_table("reviews")
