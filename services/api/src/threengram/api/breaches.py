"""Whether a password is in a published list of stolen ones, without telling anybody the password.

The list is asked for all hashes that begin like this one's (k-anonymity): five of the forty digits of its SHA-1 leave
the process. https://haveibeenpwned.com/API/v3#SearchingPwnedPasswordsByRange
"""

import hashlib
from typing import Final

import httpx2

from threengram.core.errors import InvalidRequest
from threengram.runtime import http
from threengram.runtime.deadline import DeadlineExceeded, deadline
from threengram.runtime.failures import error_class
from threengram.runtime.logging import get_logger

TIMEOUT_S: Final = 0.8
MAX_ANSWER_BYTES: Final = 262_144
_PREFIX_CHARS: Final = 5
_MAX_CONNECTIONS: Final = 4
_log = get_logger(__name__)


class UnusableAnswer(Exception):
    """The list did not answer as it should."""


def client(base_url: str) -> httpx2.AsyncClient:
    """A client of the list; answers are padded, so that their length tells nothing either."""
    headers = {"add-padding": "true"}
    return http.client(
        base_url, timeout_s=TIMEOUT_S, max_connections=_MAX_CONNECTIONS, peer="breach_check", headers=headers
    )


class Breaches:
    """Asks the list; without one, or when it does not answer in time, every password passes."""

    def __init__(self, service: httpx2.AsyncClient | None = None) -> None:
        self._service = service

    async def require_unknown(self, password: str) -> None:
        """Raise `InvalidRequest` for a password that was stolen somewhere."""
        if self._service is None:
            return
        digest = hashlib.sha1(password.encode(errors="replace"), usedforsecurity=False).hexdigest().upper()
        try:
            async with deadline(TIMEOUT_S):
                lines = await self._lines(self._service, digest[:_PREFIX_CHARS])
        except (httpx2.HTTPError, DeadlineExceeded, UnusableAnswer) as error:
            _log.warning("breach_check_failed", error_class=error_class(error))
            return
        if any(_is_hit(line, digest[_PREFIX_CHARS:]) for line in lines):
            raise InvalidRequest("this password is in a public list of stolen ones", field="password")

    async def _lines(self, service: httpx2.AsyncClient, prefix: str) -> list[str]:
        body = bytearray()
        async with service.stream("GET", f"/range/{prefix}") as response:
            if response.status_code != 200:
                raise UnusableAnswer
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > MAX_ANSWER_BYTES:
                    raise UnusableAnswer
        return body.decode("ascii", errors="replace").splitlines()

    async def close(self) -> None:
        """Close the connections."""
        if self._service is not None:
            await self._service.aclose()


def _is_hit(line: str, suffix: str) -> bool:
    """Whether a line `SUFFIX:COUNT` is about this hash; padding has a count of 0."""
    found, _, count = line.strip().partition(":")
    return found.upper() == suffix and count != "0"
