"""OAuth clients, grants, codes and token families.

deploy: pre
"""

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Nothing yet."""
