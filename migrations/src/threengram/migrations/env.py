"""How Alembic reaches the database: the connection is handed in by `run.upgrade`, one transaction a migration."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=None, transaction_per_migration=True)
with context.begin_transaction():
    context.run_migrations()
