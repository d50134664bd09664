"""Alembic's way in: the connection comes from `Database.migrate`."""

from alembic import context

from scenarist.lab.database.tables import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True, transactional_ddl=False
)  # fmt: skip
context.run_migrations()
