"""Rate limits that all replicas share: a sliding window counter in Redis, by the `limits` library.

When Redis can't answer, each rule says what happens: `local` counts in this process (credential routes), `open` lets
the call through and counts the failure (reads).
"""

import math
import time
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from limits import RateLimitItemPerSecond
from redis.exceptions import RedisError

from threengram.runtime.failures import error_class
from threengram.runtime.logging import get_logger
from threengram.runtime.metrics import RATELIMIT_DECISIONS, RATELIMIT_STORE_FAILURES
from threengram.runtime.windows import LocalWindows, SharedWindows, Window

# After a failure the shared counters are left alone for this long: an outage costs a timeout a second, not one a call.
_PAUSE_S: Final = 1.0
_log = get_logger(__name__)


@dataclass(frozen=True)
class Rule:
    """At most `calls` in any `per_s` seconds. `name` is a metric label and part of the counter's key."""

    name: str
    calls: int
    per_s: int
    fallback: Literal["open", "local"]

    def __post_init__(self) -> None:
        """Refuse a rule that could never let a call through."""
        if self.calls < 1 or self.per_s < 1:
            raise ValueError("a rule needs at least one call and one second")


@dataclass(frozen=True)
class Verdict:
    """Whether the call may go on, and what to tell the caller; `retry_after_s` is 0 when it may."""

    allowed: bool
    limit: int
    remaining: int
    reset_s: float
    retry_after_s: float

    @property
    def headers(self) -> dict[str, str]:
        """`ratelimit-limit`, `-remaining`, `-reset`, and `retry-after` on a refusal; whole seconds, rounded up."""
        headers = {
            "ratelimit-limit": str(self.limit),
            "ratelimit-remaining": str(self.remaining),
            "ratelimit-reset": str(math.ceil(self.reset_s)),
        }
        if not self.allowed:
            headers["retry-after"] = str(max(1, math.ceil(self.retry_after_s)))
        return headers


def _verdict(rule: Rule, allowed: bool, window: Window) -> Verdict:
    retry_after_s = 0.0 if allowed else max(0.001, window.free_in_s(rule.calls, rule.per_s))
    ends_in_s = window.current_ends_in_s or window.previous_ends_in_s
    return Verdict(
        allowed=allowed,
        limit=rule.calls,
        remaining=max(0, rule.calls - window.used(rule.per_s)) if allowed else 0,
        reset_s=max(ends_in_s, retry_after_s),
        retry_after_s=retry_after_s,
    )


class Limiter(Protocol):
    """Counts calls, as `RateLimiter` does."""

    async def hit(self, rule: Rule, key: str) -> Verdict:
        """Count one call of `key`, unless it is over the limit."""
        ...


class RateLimiter:
    """Call `start` before serving, `check` from readiness, `aclose` at the end."""

    def __init__(self, redis_url: str, *, timeout_s: float = 0.2, max_connections: int = 32) -> None:
        self._shared = SharedWindows(redis_url, timeout_s=timeout_s, max_connections=max_connections)
        self._local = LocalWindows()
        self._items: dict[Rule, RateLimitItemPerSecond] = {}
        self._paused_until = 0.0

    async def start(self) -> None:
        """Open the connection, so that the first calls are limited too.

        An unreachable server isn't an error here: readiness reports it, and rules fall back until it is there.
        """
        try:
            await self._shared.start()
        except (RedisError, OSError, TimeoutError) as error:
            self._pause(error)

    async def check(self) -> None:
        """Raises `redis.RedisError` or `OSError` while the shared counters can't be reached."""
        await self._shared.ping()
        self._paused_until = 0.0

    async def hit(self, rule: Rule, key: str) -> Verdict:
        """Count one call of `key`, unless it is over the limit. The key is hashed before it leaves the process."""
        item = self._item(rule)
        if time.monotonic() >= self._paused_until:
            try:
                allowed, window = await self._shared.hit(item, key)
            except (RedisError, OSError, TimeoutError) as error:
                self._pause(error)
            else:
                if allowed and rule.fallback == "local":
                    # Known here too, so that nobody gains a second allowance by making the shared counters late.
                    await self._local.hit(item, key)
                return self._decide(rule, allowed, window, "shared")
        RATELIMIT_STORE_FAILURES.labels(rule.name, rule.fallback).inc()
        if rule.fallback == "open":
            RATELIMIT_DECISIONS.labels(rule.name, "allowed", "none").inc()
            return Verdict(allowed=True, limit=rule.calls, remaining=rule.calls, reset_s=0.0, retry_after_s=0.0)
        allowed, window = await self._local.hit(item, key)
        return self._decide(rule, allowed, window, "local")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._shared.aclose()

    def _item(self, rule: Rule) -> RateLimitItemPerSecond:
        item = self._items.get(rule)
        if item is None:
            item = self._items[rule] = RateLimitItemPerSecond(rule.calls, rule.per_s, namespace=rule.name)
        return item

    def _pause(self, error: Exception) -> None:
        self._paused_until = time.monotonic() + _PAUSE_S
        _log.warning("rate_limit_store_failed", error_class=error_class(error))

    @staticmethod
    def _decide(rule: Rule, allowed: bool, window: Window, store: str) -> Verdict:
        RATELIMIT_DECISIONS.labels(rule.name, "allowed" if allowed else "refused", store).inc()
        return _verdict(rule, allowed, window)
