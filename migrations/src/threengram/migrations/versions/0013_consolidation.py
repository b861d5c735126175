"""Consolidation: watermarks, settled pairs, budgets.

deploy: pre
"""

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Nothing yet."""
