"""The secrets of one data directory, made once and kept."""

import json
import secrets
from dataclasses import dataclass, fields
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from threengram.cli.errors import CannotRun
from threengram.cli.files import write_private

SECRET_BYTES = 32
SIGNING_KEY_BITS = 2048
SIGNING_KEY_FILE = "signing-key.pem"


@dataclass(frozen=True, repr=False)
class Secrets:
    """Passwords and keys as URL-safe text; `signing_key_pem` is the RSA key (PKCS #8) that signs access tokens."""

    postgres_password: str
    owner_password: str
    runtime_password: str
    valkey_password: str
    cursor_key: str
    signing_key_pem: str


def load_or_create(directory: Path) -> Secrets:
    """The secrets in `directory`. A name that an older data directory lacks is added; nothing is ever replaced."""
    file = directory / "secrets.json"
    key_file = directory / SIGNING_KEY_FILE
    names = [field.name for field in fields(Secrets) if field.name != "signing_key_pem"]
    known = _read(file) if file.exists() else {}
    complete = {name: known.get(name) or secrets.token_urlsafe(SECRET_BYTES) for name in names}
    if complete != known:
        write_private(file, json.dumps(known | complete, indent=2).encode() + b"\n")
    if not key_file.exists():
        write_private(key_file, new_signing_key())
    return Secrets(**complete, signing_key_pem=key_file.read_text())


def load(directory: Path) -> Secrets:
    """The secrets of a data directory that `threengram up` has used before."""
    if not (directory / "secrets.json").exists():
        raise CannotRun(f"there are no secrets in {directory}; run `threengram up` first, or give another --data-dir")
    return load_or_create(directory)


def _read(file: Path) -> dict[str, str]:
    try:
        content = json.loads(file.read_bytes())
    except (ValueError, PermissionError) as error:
        raise CannotRun(f"can't read {file}: {type(error).__name__}") from error
    return {str(name): str(value) for name, value in content.items()}


def new_signing_key() -> bytes:
    """A fresh RSA key in PEM form."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=SIGNING_KEY_BITS)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
