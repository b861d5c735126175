"""The rate limits of `/api/v1`: of one credential, and of one user over all credentials, in any minute."""

from collections.abc import Mapping

from threengram.api.failures import Refused
from threengram.core.principal import Principal
from threengram.runtime.ratelimit import Limiter, Rule, Verdict
from threengram.schema.errors import ErrorCode


class RateLimits:
    """Counts against verified ids, never against anything that the client says."""

    def __init__(self, limiter: Limiter, *, key_calls_per_minute: int, user_calls_per_minute: int) -> None:
        self.limiter = limiter
        # Memory stays reachable when the counters are not; the limiter counts and reports it.
        self.key = Rule("api_key", key_calls_per_minute, 60, "open")
        self.user = Rule("api_user", user_calls_per_minute, 60, "open")

    async def charge(self, principal: Principal) -> Mapping[str, str]:
        """The `RateLimit-*` headers of the limit that is nearer; raises `Refused` (429) when one is reached."""
        tightest: Verdict | None = None
        for rule, subject in ((self.key, principal.credential_id), (self.user, principal.user_id)):
            verdict = await self.limiter.hit(rule, str(subject))
            if not verdict.allowed:
                raise too_many(verdict)
            if tightest is None or verdict.remaining < tightest.remaining:
                tightest = verdict
        return {} if tightest is None else tightest.headers


def too_many(verdict: Verdict) -> Refused:
    """The refusal of a call that is over a limit."""
    detail = "too many calls; try again after the seconds in Retry-After"
    return Refused(429, ErrorCode.RATE_LIMITED, detail, headers=verdict.headers, retryable=True)
