"""The files of the signing keys: the one in use, and its successor while it is brought in."""

from pathlib import Path

from threengram.cli.files import write_private
from threengram.cli.secrets import SIGNING_KEY_FILE, new_signing_key

NEXT_KEY_FILE = "signing-key-next.pem"


class SigningKeyFiles:
    """In a directory of secrets that `load_or_create` has filled."""

    def __init__(self, directory: Path) -> None:
        self._current = directory / SIGNING_KEY_FILE
        self._next = directory / NEXT_KEY_FILE

    def all(self) -> str:
        """Every key that a service may have to sign with, in PEM form."""
        return "".join(file.read_text() for file in (self._current, self._next) if file.exists())

    def successor(self) -> str:
        """The next key, made once until it is promoted: a rotation that was cut short goes on with it."""
        if not self._next.exists():
            write_private(self._next, new_signing_key())
        return self._next.read_text()

    def promote(self) -> None:
        """The successor takes the place of the key in use."""
        self._next.replace(self._current)
