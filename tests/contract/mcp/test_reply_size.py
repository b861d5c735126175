"""How large an answer can get, in bytes on the wire."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.contract.mcp.stack import Wire
from tests.people import Person
from threengram.schema.bounds import MAX_GET_CONTENT_CHARS, MAX_GET_TOTAL_BYTES, MAX_GET_TOTAL_CHARS

BODIES = MAX_GET_TOTAL_CHARS // MAX_GET_CONTENT_CHARS
ENVELOPE_BYTES = 1024
"""What the protocol adds around a tool's answer."""


@pytest.fixture
def owner(owner_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(owner_url) as connection:
        yield connection


@pytest.mark.parametrize("char", ["a", "漢", "😀", "\x01", '"', "\\", "\n"])
@pytest.mark.parametrize("era", ["modern", "2025-03-26"])
async def test_the_largest_read_stays_under_its_byte_ceiling(
    real: Wire, alice: Person, owner: psycopg.Connection, char: str, era: str
) -> None:
    ids = []
    for number in range(BODIES):
        written = await real.call(
            era,
            "remember",
            {"memoryType": "note", "topic": char * 200 + "x", "content": f"body {number}"},
            token=alice.token,
        )
        ids.append(written.json()["result"]["structuredContent"]["memory"]["id"])
    _grow(owner, alice, char * MAX_GET_CONTENT_CHARS)

    response = await real.call(
        era, "get_memories", {"ids": ids, "maxContentChars": MAX_GET_CONTENT_CHARS}, token=alice.token
    )

    memories = response.json()["result"]["structuredContent"]["memories"]
    assert len(memories) == BODIES
    assert len(response.content) <= MAX_GET_TOTAL_BYTES + ENVELOPE_BYTES
    assert all(memory["truncated"] == (len(memory["content"]) < MAX_GET_CONTENT_CHARS) for memory in memories)
    assert all(memory["contentLength"] == MAX_GET_CONTENT_CHARS for memory in memories)


def _grow(owner: psycopg.Connection, person: Person, body: str) -> None:
    """Give every memory of a tenant a body of imported size; only the owner's role can."""
    owner.execute("SELECT set_config('app.tenant_id', %s, true)", (str(person.principal.tenant_id),))
    owner.execute(
        "UPDATE memories SET content = %s, content_chars = %s WHERE tenant_id = %s",
        (body, len(body), person.principal.tenant_id),
    )
    owner.commit()
