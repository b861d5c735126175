"""Checks the secrets of a Compose installation before anything starts; `generate` prints good ones instead.

A secret is refused when it is empty, short, of few different characters, a sample that everybody knows, used twice, or
would break the URL that it is put into. A value is never shown. Needs `cryptography` for `generate` only.
"""

import os
import re
import secrets
import sys
from collections.abc import Mapping

PASSWORDS = ("POSTGRES_PASSWORD", "OWNER_PASSWORD", "RUNTIME_PASSWORD", "VALKEY_PASSWORD")
KEYS = ("CURSOR_KEY", "SIGNING_KEY")
MIN_CHARS = 20
MIN_DISTINCT_CHARS = 10
GENERATED_BYTES = 32
SIGNING_KEY_BITS = 3072
SAMPLES = re.compile(r"change.?me|password|passw0rd|secret|example|sample|default|postgres|threengram|qwerty", re.I)
FIT_FOR_URLS = re.compile(r"[A-Za-z0-9_-]*")
PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.{400,}-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL)


def complaints(given: Mapping[str, str]) -> list[str]:
    """What is wrong with the secrets, a line each; nothing when they may be used."""
    found = [f"{name} {complaint}" for name in PASSWORDS for complaint in _weakness(given.get(name, ""))]
    found += [f"CURSOR_KEY {complaint}" for complaint in _weakness(given.get("CURSOR_KEY", ""), MIN_CHARS * 2)]
    signing_key = given.get("SIGNING_KEY", "")
    if not PEM.search(signing_key):
        found.append("SIGNING_KEY is empty" if not signing_key else "SIGNING_KEY is no private key in PEM form")
    values = [given[name] for name in (*PASSWORDS, *KEYS) if given.get(name)]
    if len(set(values)) < len(values):
        found.append("two secrets are the same")
    return found


def _weakness(value: str, min_chars: int = MIN_CHARS) -> list[str]:
    if not value:
        return ["is empty"]
    if SAMPLES.search(value):
        return ["is or holds a word that everybody tries"]
    if len(value) < min_chars:
        return [f"is shorter than {min_chars} characters"]
    if len(set(value)) < MIN_DISTINCT_CHARS:
        return [f"has fewer than {MIN_DISTINCT_CHARS} different characters"]
    if not FIT_FOR_URLS.fullmatch(value):
        return ["has characters other than letters, digits, - and _"]
    return []


def generate() -> str:
    """Every secret as a line of an environment file."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=SIGNING_KEY_BITS)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    # 64 hexadecimal digits: fit for a URL, and for base64url too, which is how a cursor key is read.
    lines = [f"{name}={secrets.token_hex(GENERATED_BYTES)}" for name in (*PASSWORDS, "CURSOR_KEY")]
    return "\n".join([*lines, 'SIGNING_KEY="' + pem.replace("\n", "\\n") + '"', ""])


def main(arguments: list[str], given: Mapping[str, str]) -> int:
    """The exit code: 1 when a secret is refused."""
    if arguments == ["generate"]:
        sys.stdout.write(generate())
        return 0
    found = complaints(given)
    if found:
        sys.stderr.write("".join(f"preflight: {line}\n" for line in found))
        sys.stderr.write(
            "preflight: docker compose run --rm --no-deps -T preflight generate >> .env appends good ones\n"
        )
        return 1
    sys.stdout.write("preflight: the secrets may be used\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))  # noqa: TID251 (this is the settings of the container)
