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
        response = await self._ask(admin_port)
        return response is not None and response.status_code == httpx2.codes.OK

    async def why_not(self, admin_port: int) -> str:
        """The failing checks by name, or that nobody answers."""
        response = await self._ask(admin_port)
        if response is None:
            return f"nothing answers on admin port {admin_port}"
        try:
            report = response.json()
        except ValueError:
            return f"/readyz answers {response.status_code}"
        failing = [f"{name} ({error})" for name, error in report.get("failing", {}).items()]
        return f"failing: {', '.join(failing)}" if failing else str(report.get("status", response.status_code))

    async def _ask(self, admin_port: int) -> httpx2.Response | None:
        try:
            return await self._client.get(f"http://{HOST}:{admin_port}/readyz")
        except httpx2.TransportError:
            return None
