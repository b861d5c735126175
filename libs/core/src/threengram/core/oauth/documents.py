"""The seam to whoever fetches client metadata documents; core itself fetches nothing."""

from typing import Protocol

from threengram.schema.oauth import ResolveResponse


class Documents(Protocol):
    """Resolves client identifiers that are URLs."""

    async def resolve(self, client_id: str) -> ResolveResponse:
        """The document. Raises `UnknownClient` when it is refused, `ClientUnavailable` when it may be there later."""
        ...
