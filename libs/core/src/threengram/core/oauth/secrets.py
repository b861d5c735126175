"""Codes, refresh tokens and client secrets: 256 random bits, of which only the SHA-256 is stored."""

import hashlib
import hmac
import secrets

_SECRET_BYTES = 32


def new_secret() -> str:
    """43 URL-safe characters."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def secret_hash(text: str) -> bytes:
    """What is stored; enough for a secret of that entropy."""
    return hashlib.sha256(text.encode()).digest()


def is_secret(text: str, stored_hash: bytes) -> bool:
    """Whether `text` is the secret, in constant time."""
    return hmac.compare_digest(secret_hash(text), stored_hash)
