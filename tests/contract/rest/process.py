"""The service as a process of its own, with its real composition root and clock."""

import base64
import contextlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from tests.embedder import PATIENT
from tests.integration.runtime.processes import Service, listening, service
from tests.people import SIGNING_KEY, a_person, in_database
from threengram.core.db.database import Database
from threengram.core.identity.api_keys import create_api_key
from threengram.schema.enums import OAuthScope

EVERY_SCOPE = tuple(OAuthScope)


@contextlib.contextmanager
def api_process(directory: Path, **variables: str) -> Iterator[Service]:
    """A running `threengram.api`, not necessarily ready yet."""
    settings = {
        "cursor_key": base64.urlsafe_b64encode(b"k" * 32).decode(),
        "signing_key": SIGNING_KEY.as_pem(private=True).decode(),
        "instance": "api-0",
        **PATIENT,
        **variables,
    }
    argv = ("-m", "threengram.api")
    with listening() as listener, service(argv, "THREENGRAM_API_", directory, listener, **settings) as running:
        yield running


def new_key(database_url: str, scopes: Iterable[OAuthScope] = EVERY_SCOPE) -> str:
    """The text of a key of somebody new, good now."""

    async def make(database: Database) -> str:
        now = datetime.now(UTC)
        person = await a_person(database, now=now)
        return (await create_api_key(database, person.principal, name="k", scopes=scopes, now=now)).text

    return in_database(database_url, make)
