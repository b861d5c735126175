"""The counters behind the rate limiter: one window pair a key, shared through Redis or local to this process."""

import hashlib
import math
import secrets
from dataclasses import dataclass
from typing import Final

from limits import RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage
from limits.aio.storage.redis.bridge import RedisBridge
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError

# The library decides in one round trip and says what is left in a second; this runs both of its scripts in one. The
# second takes the window's length as its only argument.
_TAKE_AND_READ: Final = f"""
local function take()
{RedisBridge.SCRIPT_ACQUIRE_SLIDING_WINDOW.decode()}
end
local function read()
local ARGV = {{ARGV[2]}}
{RedisBridge.SCRIPT_SLIDING_WINDOW.decode()}
end
local taken = take()
return {{taken and 1 or 0, read()}}
"""
_KEY_PREFIX: Final = "threengram:limit"
# Keys share a bucket once there are more of them than buckets, which limits more, never less.
_LOCAL_BUCKETS: Final = 2048


@dataclass(frozen=True)
class Window:
    """A sliding window counter: calls of the window before, weighted by what is left of it, plus calls of this one."""

    previous_count: int
    previous_ends_in_s: float
    current_count: int
    current_ends_in_s: float

    def used(self, per_s: int) -> int:
        """Calls that count right now."""
        return math.floor(self.previous_count * self.previous_ends_in_s / per_s) + self.current_count

    def free_in_s(self, calls: int, per_s: int) -> float:
        """Seconds until one more call fits under `calls`, if no other comes; 0 when one fits now."""
        if self.used(per_s) < calls:
            return 0.0
        if self.current_count < calls:
            return self.previous_ends_in_s - per_s * (calls - self.current_count) / self.previous_count
        # This window alone is full: it has to become the previous one and then weigh less than `calls`.
        return self.current_ends_in_s + per_s * (1 - calls / self.current_count)


def _window(counters: tuple[int, float, int, float], per_s: int) -> Window:
    """`limits` keeps the current counter for two windows, so its expiry lies one window behind its end."""
    previous, previous_ttl_s, current, current_ttl_s = counters
    return Window(previous, previous_ttl_s, current, max(0.0, current_ttl_s - per_s) if current else 0.0)


class SharedWindows:
    """Windows in Redis or Valkey, counted by the Lua scripts of `limits`."""

    def __init__(self, redis_url: str, *, timeout_s: float, max_connections: int) -> None:
        self._pool = BlockingConnectionPool.from_url(
            redis_url,
            max_connections=max_connections,
            timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            socket_timeout=timeout_s,
            # One immediate second try: a pooled connection may have died with a restarted server.
            retry=Retry(NoBackoff(), 1),
        )
        self._redis = Redis(connection_pool=self._pool)
        self._sha = hashlib.sha1(_TAKE_AND_READ.encode(), usedforsecurity=False).hexdigest()

    async def start(self) -> None:
        """Connect and load the script. Raises `redis.RedisError` or `OSError`."""
        await self._redis.script_load(_TAKE_AND_READ)

    async def ping(self) -> None:
        """Raises `redis.RedisError` or `OSError` when the server doesn't answer."""
        await self._redis.ping()

    async def hit(self, item: RateLimitItemPerSecond, key: str) -> tuple[bool, Window]:
        """Take one call if it fits; whether it did, and the window afterwards.

        Raises `redis.RedisError` or `OSError` within about twice the timeout.
        """
        try:
            return await self._hit(item, key)
        except NoScriptError:
            # The server restarted or its script cache was flushed.
            await self.start()
            return await self._hit(item, key)

    async def _hit(self, item: RateLimitItemPerSecond, key: str) -> tuple[bool, Window]:
        name = item.key_for(hashlib.blake2b(key.encode(), digest_size=16).hexdigest())
        # The braces keep both counters on one node of a cluster.
        current_key = f"{_KEY_PREFIX}:{{{name}}}"
        previous_key = f"{current_key}/-1"
        per_s = item.get_expiry()
        taken, raw = await self._redis.evalsha(self._sha, 2, previous_key, current_key, item.amount, per_s, 1)
        previous, previous_ttl_ms, current, current_ttl_ms = (max(0, int(value or 0)) for value in raw)
        return bool(taken), _window((previous, previous_ttl_ms / 1000, current, current_ttl_ms / 1000), per_s)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._pool.disconnect()


class LocalWindows:
    """Windows of this process only, in a fixed number of buckets chosen by a keyed hash."""

    def __init__(self) -> None:
        self._storage = MemoryStorage()
        self._strategy = SlidingWindowCounterRateLimiter(self._storage)
        self._secret = secrets.token_bytes(16)

    async def hit(self, item: RateLimitItemPerSecond, key: str) -> tuple[bool, Window]:
        """Take one call if it fits; whether it did, and the window afterwards."""
        digest = hashlib.blake2b(key.encode(), digest_size=8, key=self._secret).digest()
        bucket = str(int.from_bytes(digest) % _LOCAL_BUCKETS)
        allowed = await self._strategy.hit(item, bucket)
        counters = await self._storage.get_sliding_window(item.key_for(bucket), item.get_expiry())
        return allowed, _window(counters, item.get_expiry())
