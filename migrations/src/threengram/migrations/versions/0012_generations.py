"""Embedding model generations: building, progress, switching.

deploy: pre
"""

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Nothing yet."""
