"""Where an operator made the database and manages its roles, as CloudNativePG does, migrations make do with less."""

import re
import secrets

import psycopg
import pytest
from psycopg import sql

from tests.servers import as_role
from threengram.cli.embedded_postgres import OWNER as FIRST_OWNER
from threengram.cli.embedded_postgres import EmbeddedPostgres
from threengram.core.db import guard
from threengram.core.db.database import Database
from threengram.migrations.run import HOME, retire, upgrade

OWNER, RUNTIME = "operated_owner", "operated_runtime"


@pytest.fixture
def operated(server: EmbeddedPostgres) -> tuple[str, str]:
    """URLs of owner and runtime role in a database that a superuser made for them."""
    passwords = {role: secrets.token_urlsafe() for role in (OWNER, RUNTIME)}
    with psycopg.connect(server.superuser_url, autocommit=True) as superuser:
        for role, attributes in ((OWNER, "LOGIN CREATEROLE"), (RUNTIME, "LOGIN")):
            create = sql.SQL("CREATE ROLE {} " + attributes + " PASSWORD {}")
            superuser.execute(create.format(sql.Identifier(role), sql.Literal(passwords[role])))
        superuser.execute(f"CREATE DATABASE operated OWNER {OWNER}")
    with psycopg.connect(server.superuser_url.rpartition("/")[0] + "/operated", autocommit=True) as superuser:
        superuser.execute("CREATE EXTENSION IF NOT EXISTS vector")
        # Roles belong to a server, so the owners of two databases on it share these.
        for role in re.findall(r"CREATE ROLE (tg_\w+)", (HOME / "roles.sql").read_text()):
            if superuser.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
                superuser.execute(f"CREATE ROLE {role} NOLOGIN".encode())
            for owner in (OWNER, FIRST_OWNER):
                superuser.execute(f"GRANT {role} TO {owner} WITH ADMIN TRUE, INHERIT FALSE, SET FALSE".encode())
    base = server.owner_url.rpartition("/")[0] + "/operated"
    return as_role(base, OWNER, passwords[OWNER]), as_role(base, RUNTIME, passwords[RUNTIME])


async def test_the_schema_comes_without_a_word_about_roles_that_somebody_else_manages(
    operated: tuple[str, str],
) -> None:
    owner_url, runtime_url = operated
    for _ in range(2):
        upgrade(owner_url, runtime_password="", runtime_role=RUNTIME)
    async with Database(runtime_url) as database:
        await guard.check(database)
        retire(owner_url, [RUNTIME])
    with psycopg.connect(runtime_url) as runtime, pytest.raises(psycopg.errors.UndefinedTable):
        runtime.execute("SELECT FROM signing_keys")
