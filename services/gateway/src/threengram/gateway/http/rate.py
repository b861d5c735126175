"""The rate limit of `/mcp`: calls of a user in any minute, whichever replica they reach."""

from starlette.types import ASGIApp, Receive, Scope, Send

from threengram.core.principal import Principal
from threengram.gateway.http.replies import Reply, plain_error
from threengram.gateway.operations import count
from threengram.runtime.ratelimit import Limiter, Rule

_BODY = plain_error("rate_limited", "Too many calls; try again after the seconds in Retry-After.")


class RateLimit:
    """Counts against the verified user, never against anything that the client says."""

    def __init__(self, limiter: Limiter, calls_per_minute: int) -> None:
        self._limiter = limiter
        # Memory stays reachable when the counters are not; the limiter counts and reports it.
        self._rule = Rule("mcp_user", calls_per_minute, 60, "open")

    async def charge(self, scope: Scope, principal: Principal, calls: int) -> Reply | None:
        """The refusal when these calls are too many. Either way the answer carries the `RateLimit-*` headers."""
        key = str(principal.user_id)
        for _ in range(calls):
            verdict = await self._limiter.hit(self._rule, key)
            headers = [(name.encode(), value.encode()) for name, value in verdict.headers.items()]
            fresh = {name for name, _ in headers}
            extra = scope["state"]["response_headers"]
            extra[:] = [(name, value) for name, value in extra if name not in fresh] + headers
            if not verdict.allowed:
                count(scope["state"]["labels"], "rate_limited")
                return Reply(429, _BODY)
        return None


class RateLimitGate:
    """Charges one call for each HTTP request, before its body is read."""

    def __init__(self, app: ASGIApp, rate: RateLimit) -> None:
        self._app = app
        self._rate = rate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        refusal = await self._rate.charge(scope, scope["state"]["principal"], 1)
        if refusal is not None:
            await refusal.send(send)
            return
        await self._app(scope, receive, send)
