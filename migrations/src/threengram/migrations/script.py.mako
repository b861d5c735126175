"""${message}.

deploy: pre
"""

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """Say what the schema has afterwards."""
    ${upgrades if upgrades else 'op.execute("")'}
