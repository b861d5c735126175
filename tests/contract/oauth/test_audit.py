"""What is on record of grants and keys: who, what, which, when; and no secret."""

import psycopg

from tests.conftest import Clock
from tests.contract.oauth.stack import Flow
from tests.contract.web.stack import Owner
from threengram.core.call import Core
from threengram.core.identity.api_keys import create_api_key, revoke_api_key
from threengram.core.oauth.grants import list_grants, revoke_grant
from threengram.schema.enums import OAuthScope


def on_record(owner_url: str, owner: Owner, kind: str) -> list[tuple[str, str, str]]:
    """Action, actor and subject of what a tenant's log holds of one kind, oldest first."""
    with psycopg.connect(owner_url) as connection:
        connection.execute("SELECT set_config('app.tenant_id', %s, false)", (str(owner.principal.tenant_id),))
        rows = connection.execute(
            "SELECT action, actor_kind, subject_id::text, details FROM audit_log WHERE action LIKE %s"
            " ORDER BY recorded_at, id",
            (f"{kind}.%",),
        ).fetchall()
    assert {str(details) for *_, details in rows} <= {"{}"}
    return [(action, actor, subject) for action, actor, subject, _ in rows]


async def test_the_life_of_a_grant_is_on_record(
    flow: Flow, core: Core, olga: Owner, clock: Clock, owner_url: str
) -> None:
    app = await flow.register()
    code = await flow.code(app)
    issued = (await flow.exchange(app, code)).json()
    (grant,) = await list_grants(core.database, olga.principal, now=clock())
    renewed = (await flow.refresh(app, issued["refresh_token"])).json()
    clock.advance(minutes=1)
    for _ in range(2):
        assert (await flow.refresh(app, issued["refresh_token"])).status_code == 400
        assert (await flow.exchange(app, code)).status_code == 400
        assert (await flow.revoke(app, renewed["refresh_token"])).status_code == 200
    again = await flow.tokens(app)
    await flow.revoke(app, again["refresh_token"])
    replayed = await flow.code(app)
    for _ in range(3):
        await flow.exchange(app, replayed)
    await revoke_grant(core.database, olga.principal, grant.id, now=clock())

    assert [(action, subject == str(grant.id)) for action, _, subject in on_record(owner_url, olga, "oauth")] == [
        ("oauth.consent", True),
        ("oauth.tokens_issued", True),
        ("oauth.refresh_replayed", True),
        ("oauth.consent", True),
        ("oauth.tokens_issued", True),
        ("oauth.given_up", True),
        ("oauth.consent", True),
        ("oauth.tokens_issued", True),
        ("oauth.code_replayed", True),
        ("oauth.revoke_grant", True),
    ]


async def test_keys_are_on_record_once_when_made_and_once_when_withdrawn(
    core: Core, olga: Owner, clock: Clock, owner_url: str
) -> None:
    scopes = [OAuthScope.MEMORY_READ]
    made = await create_api_key(core.database, olga.principal, name="a key", scopes=scopes, now=clock())
    for _ in range(2):
        await revoke_api_key(core.database, olga.principal, made.key.id, now=clock())

    actor, key_id = olga.principal.actor.value, str(made.key.id)
    assert on_record(owner_url, olga, "api_key") == [
        ("api_key.created", actor, key_id),
        ("api_key.revoked", actor, key_id),
    ]
