"""What a key may do, for every operation: reading and writing do not imply each other."""

from typing import Any

import pytest

from tests.contract.rest.stack import Rest, a_key
from tests.people import Person
from threengram.api.operations import OPERATIONS, AnyOperation
from threengram.core.call import Core
from threengram.schema.enums import OAuthScope

READ, WRITE = OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE
UNKNOWN = "0190d3a8-7c2e-7000-8000-000000000000"
BY_ACTION = {"configure_scope", "review_proposals"}
"""What these need depends on the action; the matrix over MCP goes through all of them, on the same verbs."""

EACH = pytest.mark.parametrize("operation", OPERATIONS, ids=[operation.name for operation in OPERATIONS])


@EACH
@pytest.mark.parametrize("granted", [(READ,), (WRITE,)], ids=["read", "write"])
async def test_a_key_does_what_its_scopes_say_and_nothing_else(
    core: Core, rest: Rest, alice: Person, operation: AnyOperation, granted: tuple[OAuthScope, ...]
) -> None:
    caller = rest.with_key(await a_key(core, alice, granted))
    path = operation.path
    for name in ("id", "memoryId", "predecessorId", "proposalId"):
        path = path.replace(f"{{{name}}}", UNKNOWN)
    given: dict[str, Any] = {"json": {"action": "list"} if operation.name in BY_ACTION else {}}
    answer = await caller.send(operation.method, path, **(given if operation.has_body else {}))
    needed = READ if operation.name in BY_ACTION else operation.scope
    is_denied = needed is not None and needed not in granted
    assert (answer.status_code == 403) is is_denied
    if is_denied:
        assert answer.json()["error"] == "insufficient_scope"
