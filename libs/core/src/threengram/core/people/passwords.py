"""Passwords: what is accepted, and hashing that neither blocks the event loop nor grows without bound.

Hashes are argon2id in the PHC string format with the parameters that OWASP's password storage cheat sheet lists first
among those of 19 MiB. Whatever else stands in the column, such as the mark of an erased account, matches nothing.
"""

import asyncio
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from argon2 import Parameters, PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

from threengram.core.errors import InvalidRequest, Unavailable

MIN_CHARS: Final = 12
MAX_BYTES: Final = 1024
PARAMETERS: Final = Parameters(
    type=Type.ID, version=ARGON2_VERSION, salt_len=16, hash_len=32, time_cost=2, memory_cost=19_456, parallelism=1
)
_MARK: Final = "$argon2id$"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Match:
    """Whether a password was right, and whether its hash is of other parameters than today's."""

    is_right: bool
    needs_rehash: bool = False


def require_acceptable(password: str, *, field: str = "password") -> None:
    """Raise `InvalidRequest` for a password that is too short or too long to be set."""
    encoded = _encoded(password)
    if encoded is None or len(unicodedata.normalize("NFC", password)) < MIN_CHARS:
        raise InvalidRequest(f"a password has at least {MIN_CHARS} characters", field=field)
    if len(encoded) > MAX_BYTES:
        raise InvalidRequest(f"a password has at most {MAX_BYTES} bytes", field=field)


class PasswordHashes:
    """Hashes in `threads` threads of its own, 19 MiB each; `max_waiting` more may wait, the next one is refused."""

    def __init__(self, *, threads: int = 2, max_waiting: int = 32, parameters: Parameters = PARAMETERS) -> None:
        self._hasher = PasswordHasher.from_parameters(parameters)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="password")
        self._room = threads + max_waiting
        # First in the queue, so that the first login of an unknown address waits no longer than another.
        self._of_nobody = self._pool.submit(self._hasher.hash, secrets.token_bytes(32))

    def close(self) -> None:
        """End the threads; what waits is given up."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def hash(self, password: str) -> str:
        """The PHC string of an acceptable password; raises `InvalidRequest` or `Unavailable`."""
        require_acceptable(password)
        return await self._run(partial(self._hasher.hash, _encoded(password) or b""))

    async def match(self, stored: str | None, password: str) -> Match:
        """Compare with what is stored. Without a hash to compare with, as long a time passes and nothing matches."""
        encoded = _encoded(password)
        if encoded is None or len(encoded) > MAX_BYTES:
            # No account has such a password, so this tells nothing about any.
            return Match(False)
        return await self._run(partial(self._match, stored, encoded))

    def _match(self, stored: str | None, encoded: bytes) -> Match:
        is_hash = stored is not None and stored.startswith(_MARK)
        phc = stored if stored is not None and is_hash else self._of_nobody.result()
        try:
            self._hasher.verify(phc, encoded)
        except InvalidHashError:
            return self._match(None, encoded)
        except VerificationError:
            return Match(False)
        return Match(is_hash, is_hash and self._hasher.check_needs_rehash(phc))

    async def _run(self, work: Callable[[], _T]) -> _T:
        if self._room == 0:
            raise Unavailable("too many passwords are being checked; try again")
        self._room -= 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._room += 1


def _encoded(password: str) -> bytes | None:
    """The bytes that are hashed: one spelling for texts that look the same (Unicode NFC)."""
    try:
        return unicodedata.normalize("NFC", password).encode()
    except UnicodeEncodeError:
        return None
