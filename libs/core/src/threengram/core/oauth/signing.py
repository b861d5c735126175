"""The private keys of this process, and which of them signs now (RFC 7517).

A rotation publishes the new key, gives it to every replica, and only then makes it the active one; what the old one has
signed stays verifiable until it has expired. So at no moment does a verifier meet a key that it can't find.
"""

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from joserfc.jwk import RSAKey

from threengram.core.db.database import Database
from threengram.core.errors import Unavailable
from threengram.core.identity.tokens import ALGORITHM
from threengram.core.oauth import queries
from threengram.schema.enums import KeyState

MAX_AGE_S = 30.0
_PEM = re.compile(r"-----BEGIN [A-Z ]+-----.+?-----END [A-Z ]+-----", re.DOTALL)
_SIGNS = (KeyState.ACTIVE, KeyState.RETIRING)


class NoSigningKey(Unavailable):
    """None of this process's keys is published as one that signs."""


def private_keys(pem: str) -> list[RSAKey]:
    """The RSA keys in a PEM text, each under its thumbprint (RFC 7638). Raises `ValueError` when there is none."""
    keys = [_named(block) for block in _PEM.findall(pem)]
    if not keys:
        raise ValueError("there is no private key in PEM form")
    return keys


def _named(pem: str) -> RSAKey:
    return RSAKey.import_key(pem, {"kid": RSAKey.import_key(pem).thumbprint()})


class SigningKeys:
    """The states of the published keys, read again when they are older than `MAX_AGE_S`."""

    def __init__(
        self, database: Database, keys: Sequence[RSAKey], *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._own = {str(key.kid): key for key in keys}
        self._monotonic = monotonic
        self._published: list[tuple[str, KeyState, dict[str, Any]]] = []
        self._read_at: float | None = None
        self._lock = asyncio.Lock()

    async def signing_key(self) -> RSAKey:
        """The active key; during a rotation the retiring one, while this process does not hold its successor."""
        published = await self._current()
        for wanted in _SIGNS:
            for kid, state, _jwk in published:
                if state is wanted and kid in self._own:
                    return self._own[kid]
        raise NoSigningKey("no key of this service is published for signing")

    async def key_set(self) -> dict[str, Any]:
        """Every published public key, the next one included, as a JWK set of the members that a verifier needs."""
        return {
            "keys": [
                {"kty": jwk["kty"], "kid": kid, "alg": ALGORITHM, "use": "sig", "n": jwk["n"], "e": jwk["e"]}
                for kid, _state, jwk in await self._current()
            ]
        }

    async def check(self) -> None:
        """Return when tokens can be signed; raises `Unavailable` otherwise."""
        await self.signing_key()

    async def _current(self) -> list[tuple[str, KeyState, dict[str, Any]]]:
        if self._is_old():
            async with self._lock:
                if self._is_old():
                    await self._read()
        return self._published

    def _is_old(self) -> bool:
        return self._read_at is None or self._monotonic() - self._read_at > MAX_AGE_S

    async def _read(self) -> None:
        async with self._database.system() as tx:
            rows = await tx.fetch_last(queries.PUBLISHED_KEYS)
        self._published = [(row["kid"], KeyState(row["state"]), row["public_jwk"]) for row in rows]
        self._read_at = self._monotonic()
