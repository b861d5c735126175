"""The database of a running stack, and whoever a request is about."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from threengram.cli.errors import CannotRun
from threengram.core.db.database import Database
from threengram.core.errors import Error
from threengram.core.identity import provision
from threengram.core.principal import Principal


@asynccontextmanager
async def opened(runtime_url: str) -> AsyncIterator[Database]:
    """The database as its runtime role, on one connection; an error of the domain leaves as `CannotRun`."""
    async with Database(runtime_url, pool_min=1, pool_max=1) as database:
        try:
            yield database
        except Error as error:
            raise CannotRun(str(error), exit_code=1) from error


async def user_of(database: Database, email: str) -> Principal:
    """The user with that address, in the form in which addresses are stored; raises `CannotRun`."""
    user = await provision.find_user(database, email)
    if user is None:
        raise CannotRun("there is no such user; `threengram user list` names them")
    return user
