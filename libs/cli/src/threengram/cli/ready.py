"""Whether a service says that it is ready."""

import httpx2

from threengram.cli.sockets import HOST

ANSWER_TIMEOUT_S = 2.0


class Readiness:
    """Asks admin ports; one client for all, closed with `async with`."""

    def __init__(self) -> None:
        # Keep-alive would tie a question to a process that is being replaced.
        limits = httpx2.Limits(max_keepalive_connections=0)
        self._client = httpx2.AsyncClient(timeout=ANSWER_TIMEOUT_S, limits=limits, trust_env=False)

    async def __aenter__(self) -> "Readiness":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def of(self, admin_port: int) -> bool:
        """True once `/readyz` on this port answers 200."""
        try:
            response = await self._client.get(f"http://{HOST}:{admin_port}/readyz")
        except httpx2.TransportError:
            return False
        return response.status_code == httpx2.codes.OK
