"""Where the API is, who asks, and for how long: what both clients are made with."""

import ipaddress
import platform
import time
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Final, Self

import httpx2

from threengram.sdk.errors import ThreengramError, TimedOut, Unreachable, UnreadableAnswer
from threengram.sdk.operations import Operations
from threengram.sdk.request import PREFIX
from threengram.sdk.retries import Retries

Token = str | Callable[[], str]
USER_AGENT: Final = f"threengram-sdk/{version('threengram-sdk')} python/{platform.python_version()}"
DEFAULT_TIMEOUT_S: Final = 30.0
CONNECT_TIMEOUT_S: Final = 5.0
LIMITS: Final = httpx2.Limits(max_connections=100, keepalive_expiry=30.0)
"""Idle connections are closed before the server does it, which might be in the middle of the next request (75 s)."""

NOT_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
"""Failures before the first byte of a request."""


@dataclass(frozen=True)
class Connection:
    """The credential is an API key or an access token; a function is asked for the token before every attempt."""

    base_url: str
    api_key: str | None = field(repr=False)
    token: Token | None = field(repr=False)
    timeout_s: float
    retries: Retries = field(repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    def __post_init__(self) -> None:
        if not _is_plain(self.base_url):
            raise ValueError("base_url has to be http(s)://host[:port][/path], without credentials or a query")
        if (self.api_key is None) == (self.token is None):
            raise ValueError("give an api_key or a token")
        if not callable(self.token):
            _ = self.headers
        if self.timeout_s <= 0:
            raise ValueError("timeout_s has to be positive")

    def url(self, path: str) -> str:
        """The whole URL of a path."""
        return self.base_url.rstrip("/").removesuffix(PREFIX) + path

    @property
    def headers(self) -> Mapping[str, str]:
        """Of one attempt. Raises `ValueError` for a credential that no header can hold."""
        shared = {"user-agent": USER_AGENT, "accept": "application/json"}
        if self.api_key is not None:
            return {**shared, "x-api-key": _credential("api_key", self.api_key)}
        token = self.token() if callable(self.token) else self.token or ""
        return {**shared, "authorization": f"Bearer {_credential('token', token)}"}

    @property
    def trusts_environment(self) -> bool:
        """Whether proxies of the environment may be used: not for this machine, which they could not reach."""
        host = httpx2.URL(self.base_url).host
        try:
            return not ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host != "localhost"


def _is_plain(base_url: str) -> bool:
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL:
        return False
    return url.scheme in ("http", "https") and bool(url.host) and not (url.query or url.fragment or url.userinfo)


def _credential(name: str, text: str) -> str:
    """`text`, which an error of the HTTP client would show if it had to refuse it."""
    if not text.isascii() or not text.isprintable() or not text or " " in text:
        raise ValueError(f"the {name} has characters that no credential has")
    return text


class Connected(Operations):
    """A client, but for the sending."""

    _connection: Connection

    def within(self, timeout_s: float) -> Self:
        """The same client, sharing its connections, with another timeout for each call."""
        other = copy(self)
        other._connection = replace(self._connection, timeout_s=timeout_s)
        return other

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._connection.base_url!r})"


class Attempts:
    """The attempts at one request, within the time that it may take in all."""

    def __init__(self, connection: Connection, *, is_read: bool) -> None:
        self._connection = connection
        self._is_read = is_read
        self._ends_at = connection.clock() + connection.timeout_s
        self._failed = 0

    @property
    def timeout_s(self) -> float:
        """What is left for the next attempt."""
        return max(0.001, self._ends_at - self._connection.clock())

    def wait_s(self, error: ThreengramError) -> float:
        """How long to wait before the next attempt; raises `error` when there is to be none."""
        self._failed += 1
        left_s = self._ends_at - self._connection.clock()
        wait_s = self._connection.retries.wait_s(error, is_read=self._is_read, failed=self._failed, left_s=left_s)
        if wait_s is None:
            raise error
        return wait_s


def bounds_of(timeout_s: float) -> httpx2.Timeout:
    """Of the steps of one attempt: a host that can't be reached leaves time for another."""
    return httpx2.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S))


def no_answer(error: httpx2.RequestError) -> ThreengramError:
    """What an attempt without a response means. The cause's own words stay out, for they may name anything."""
    if isinstance(error, httpx2.DecodingError):
        return UnreadableAnswer("the answer can't be decompressed")
    kind = TimedOut if isinstance(error, httpx2.TimeoutException) else Unreachable
    return kind(f"no answer from the API: {type(error).__name__}", was_sent=not isinstance(error, NOT_SENT))
