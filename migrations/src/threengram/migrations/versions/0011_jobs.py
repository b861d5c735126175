"""The queue of job runs: leases, cancellation, dead letters, schedules.

deploy: pre
"""

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Nothing yet."""
