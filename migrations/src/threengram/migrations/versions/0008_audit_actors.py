"""Who acted, in the audit log too, is one of the known kinds.

deploy: pre
"""

from alembic import op

from threengram.migrations.ddl import check_enum
from threengram.schema.enums import ActorKind

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Check the kind of actor like everywhere else."""
    op.execute(f"ALTER TABLE audit_log ADD CONSTRAINT audit_log_actor_kind_check {check_enum('actor_kind', ActorKind)}")
