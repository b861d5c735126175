"""Ids of rows: UUID version 7 (RFC 9562), so that new rows land at the end of their indexes."""

from uuid import UUID

from uuid_utils.compat import uuid7


def new_id() -> UUID:
    """A fresh id, ordered by time of creation."""
    return uuid7()
