"""Connected apps: one for each client however often it asks, taken back at once, and swept when all has ended."""

import asyncio

import psycopg
import pytest

from tests.conftest import Clock
from tests.contract.oauth.stack import API, CALLBACK, CHALLENGE, App, DocumentService, Flow, Server, error_of
from tests.contract.oauth.test_tokens import opens_mcp
from tests.contract.web.stack import Owner
from tests.people import Person
from threengram.core.call import Core
from threengram.core.errors import NotFound
from threengram.core.oauth.authorization import consent, destination_of, judged
from threengram.core.oauth.errors import CannotAuthorize
from threengram.core.oauth.grants import list_grants, revoke_grant
from threengram.core.oauth.purge import purge
from threengram.schema.oauth_requests import AuthorizationParameters


async def test_a_client_that_asks_again_and_again_is_one_app(flow: Flow, core: Core, olga: Owner, clock: Clock) -> None:
    app, other = await flow.register(client_name="One"), await flow.register(client_name="Two")
    await flow.tokens(app, "memory:read")
    clock.advance(minutes=5)
    await flow.tokens(other)
    clock.advance(minutes=5)
    await flow.tokens(app, resource=API, scope="account")
    first, second = await list_grants(core.database, olga.principal, now=clock())
    assert (first.client_name, second.client_name) == ("One", "Two")
    assert first.scopes == ("account", "memory:read")
    assert (first.metadata_host, first.redirect_hosts) == (None, ("app.example",))
    assert (first.last_used_at - first.created_at).total_seconds() > 599


async def test_the_host_that_vouches_for_an_app_is_known(
    described: DocumentService, described_flow: Flow, core: Core, olga: Owner, clock: Clock
) -> None:
    url = described.publish("/client.json", {"client_name": "App", "redirect_uris": [CALLBACK]})
    await described_flow.tokens(App(url))
    (grant,) = await list_grants(core.database, olga.principal, now=clock())
    assert grant.metadata_host == "app.example"


async def test_an_app_is_taken_back_at_once_with_all_that_it_has(
    flow: Flow, core: Core, olga: Owner, clock: Clock
) -> None:
    app, other = await flow.register(), await flow.register()
    held, kept = [await flow.tokens(app), await flow.tokens(app)], await flow.tokens(other)
    code = await flow.code(app)
    grants = await list_grants(core.database, olga.principal, now=clock())
    (grant_id,) = [grant.id for grant in grants if grant.created_at == min(one.created_at for one in grants)]
    for _ in range(2):
        await revoke_grant(core.database, olga.principal, grant_id, now=clock())
    for issued in held:
        assert await opens_mcp(core, issued["access_token"]) == 401
        assert error_of(await flow.refresh(app, issued["refresh_token"])) == (400, "invalid_grant")
    assert error_of(await flow.exchange(app, code)) == (400, "invalid_grant")
    assert await opens_mcp(core, kept["access_token"]) == 200
    assert len(await list_grants(core.database, olga.principal, now=clock())) == 1
    assert await opens_mcp(core, (await flow.tokens(app))["access_token"]) == 200


async def test_nobody_takes_back_what_is_anothers(
    flow: Flow, core: Core, olga: Owner, bob: Person, clock: Clock
) -> None:
    issued = await flow.tokens(await flow.register())
    (grant,) = await list_grants(core.database, olga.principal, now=clock())
    assert await list_grants(core.database, bob.principal, now=clock()) == []
    with pytest.raises(NotFound):
        await revoke_grant(core.database, bob.principal, grant.id, now=clock())
    assert await opens_mcp(core, issued["access_token"]) == 200


async def test_a_client_that_was_swept_before_the_click_leaves_no_grant(
    flow: Flow, server: Server, core: Core, olga: Owner, clock: Clock, owner_url: str
) -> None:
    app = await flow.register()
    parameters = AuthorizationParameters(
        client_id=app.client_id, response_type="code", code_challenge=CHALLENGE, code_challenge_method="S256"
    )
    asked = judged(server.rules, parameters, await destination_of(server.rules, parameters))
    with psycopg.connect(owner_url) as owner:
        owner.execute("DELETE FROM oauth_clients WHERE client_id = %s", (app.client_id,))
    with pytest.raises(CannotAuthorize):
        await consent(server.rules, olga.principal, asked, asked.scopes, clock())
    assert rows(owner_url, olga)["oauth_grants"] == 0


async def test_a_refresh_that_meets_a_revocation_leaves_nothing_alive(
    flow: Flow, core: Core, olga: Owner, clock: Clock
) -> None:
    app = await flow.register()
    issued = await flow.tokens(app)
    (grant,) = await list_grants(core.database, olga.principal, now=clock())
    revoking = asyncio.create_task(revoke_grant(core.database, olga.principal, grant.id, now=clock()))
    answers = await asyncio.gather(*(flow.refresh(app, issued["refresh_token"]) for _ in range(5)))
    await revoking
    for answer in answers:
        if answer.status_code == 200:
            assert await opens_mcp(core, answer.json()["access_token"]) == 401
    assert await list_grants(core.database, olga.principal, now=clock()) == []


async def test_what_has_ended_is_swept_and_what_has_not_stays(
    flow: Flow, core: Core, olga: Owner, clock: Clock, owner_url: str
) -> None:
    app, idle = await flow.register(), await flow.register()
    ended = await flow.tokens(app)
    await flow.code(app)
    clock.advance(days=31)
    await flow.browser.log_in(olga.email)
    living = await flow.tokens(app)
    clock.advance(days=1)
    await purge(core.database, clock())
    assert rows(owner_url, olga) == {"oauth_tokens": 2, "oauth_codes": 1, "oauth_families": 1, "oauth_grants": 1}
    assert (await flow.refresh(app, living["refresh_token"])).status_code == 200
    assert error_of(await flow.refresh(app, ended["refresh_token"])) == (400, "invalid_grant")
    assert not known(owner_url, idle)

    clock.advance(days=60)
    await purge(core.database, clock())
    assert set(rows(owner_url, olga).values()) == {0}
    assert not known(owner_url, app)


def rows(owner_url: str, owner: Owner) -> dict[str, int]:
    """How many rows of each kind a tenant has."""
    with psycopg.connect(owner_url) as connection:
        connection.execute("SELECT set_config('app.tenant_id', %s, false)", (str(owner.principal.tenant_id),))
        return {
            table: (connection.execute(f"SELECT count(*) FROM {table}").fetchone() or (-1,))[0]
            for table in ("oauth_tokens", "oauth_codes", "oauth_families", "oauth_grants")
        }


def known(owner_url: str, app: App) -> bool:
    """Whether a client still has a row."""
    with psycopg.connect(owner_url) as connection:
        query = "SELECT 1 FROM oauth_clients WHERE client_id = %s"
        return connection.execute(query, (app.client_id,)).fetchone() is not None
