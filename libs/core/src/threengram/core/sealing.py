"""Texts that travel through an address and back: only this installation reads them, and only for one tenant.

What a person asked a page for, words of a search included, is sealed before it becomes part of a URL, since URLs end up
in the logs of proxies and in histories of browsers. JWE (RFC 7516) with a direct key and AES-256-GCM, deflated first.
"""

import hmac
from typing import Final
from uuid import UUID

from joserfc import jwe
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

_HEADER: Final = {"alg": "dir", "enc": "A256GCM", "zip": "DEF"}
_ALGORITHMS: Final = ["dir", "A256GCM", "DEF"]
_TENANT_BYTES: Final = 16
MAX_SEALED_CHARS: Final = 16_384


class Sealer:
    """Seals and opens with a key that is derived from one that every replica has."""

    def __init__(self, key: bytes, purpose: str) -> None:
        # HKDF-Expand of one block (RFC 5869, section 2.3); the key is random, so there is nothing to extract.
        self._key = OctKey.import_key(hmac.digest(key, purpose.encode() + b"\x01", "sha256"))

    def seal(self, tenant_id: UUID, payload: bytes) -> str:
        """URL-safe text that tells nobody anything but its length."""
        return jwe.encrypt_compact(_HEADER, tenant_id.bytes + payload, self._key, algorithms=_ALGORITHMS)

    def open(self, tenant_id: UUID, sealed: str) -> bytes | None:
        """What was sealed for this tenant; None for anything else."""
        if len(sealed) > MAX_SEALED_CHARS or not sealed.isascii():
            return None
        try:
            opened = jwe.decrypt_compact(sealed, self._key, algorithms=_ALGORITHMS).plaintext
        except (JoseError, ValueError):
            return None
        if opened is None or opened[:_TENANT_BYTES] != tenant_id.bytes:
            return None
        return opened[_TENANT_BYTES:]
