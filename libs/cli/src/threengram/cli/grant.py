"""A token that somebody asks for."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from threengram.cli.errors import CannotRun
from threengram.schema.enums import OAuthScope

FIRST_USER = "me@localhost"
TOKEN_LIFETIME = timedelta(days=30)
TOKEN_SCOPES = (OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE)


@dataclass(frozen=True)
class Grant:
    """A token to be made: for whom, for what and for how long."""

    email: str = FIRST_USER
    scopes: tuple[OAuthScope, ...] = TOKEN_SCOPES
    lifetime: timedelta = TOKEN_LIFETIME
    creates_user: bool = False


def parse_scopes(names: Iterable[str]) -> tuple[OAuthScope, ...]:
    """Scopes by name, the default ones if none is given. Raises `CannotRun` for a name that is no scope."""
    try:
        return tuple(OAuthScope(name) for name in names) or TOKEN_SCOPES
    except ValueError:
        raise CannotRun(f"--scope: there are {', '.join(OAuthScope)}") from None
