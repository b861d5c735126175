"""Accounts: what a login, its limits and its sessions need.

deploy: pre
"""

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Nothing yet."""
