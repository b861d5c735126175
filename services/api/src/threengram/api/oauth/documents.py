"""Client metadata documents by way of the `cimd` service: this process fetches no URL that a stranger chose."""

from typing import Final

import httpx2
from pydantic import ValidationError

from threengram.core.oauth.errors import ClientUnavailable, UnknownClient
from threengram.runtime import http
from threengram.runtime.deadline import DeadlineExceeded, deadline
from threengram.schema.oauth import ResolveError, ResolveRequest, ResolveResponse

TIMEOUT_S: Final = 11.0
"""A little more than the service takes at most, so that it gets to say why."""

_MAX_CONNECTIONS: Final = 64
_PATH: Final = "/v1/resolve"


def client(base_url: str) -> httpx2.AsyncClient:
    """A client of the service."""
    return http.client(base_url, timeout_s=TIMEOUT_S, max_connections=_MAX_CONNECTIONS, peer="cimd")


class ServiceDocuments:
    """Asks the service; without one, no client is known by a document."""

    def __init__(self, service: httpx2.AsyncClient | None) -> None:
        self._service = service

    async def resolve(self, client_id: str) -> ResolveResponse:
        """The document. Raises `UnknownClient` when it is refused, `ClientUnavailable` when it may be there later."""
        if self._service is None:
            raise UnknownClient("documents_off")
        asked = ResolveRequest(client_id=client_id).model_dump_json()
        try:
            async with deadline(TIMEOUT_S):
                response = await self._service.post(_PATH, content=asked, headers={"content-type": "application/json"})
        except (httpx2.HTTPError, DeadlineExceeded) as error:
            raise ClientUnavailable("service_unreachable") from error
        try:
            if response.status_code != 200:
                raise _refused(ResolveError.model_validate_json(response.content))
            found = ResolveResponse.model_validate_json(response.content)
        except ValidationError as error:
            raise ClientUnavailable("service_misunderstood") from error
        if found.document.client_id != client_id:
            raise ClientUnavailable("service_misunderstood")
        return found

    async def close(self) -> None:
        """Close the connections."""
        if self._service is not None:
            await self._service.aclose()


def _refused(error: ResolveError) -> UnknownClient | ClientUnavailable:
    return ClientUnavailable(error.error) if error.error.is_retryable else UnknownClient(error.error)
