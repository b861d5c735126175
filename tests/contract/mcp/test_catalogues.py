"""The answers that are the same for everybody."""

import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from tests.contract.mcp.stack import LEGACY, Stack, Wire, wire

HOUR_MS = 3_600_000
ROOT = Path(__file__).parents[3]
PROGRAM = "tests.contract.mcp.print_catalogue_digest"
PUBLIC = ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list")


@pytest.mark.parametrize("method", PUBLIC)
async def test_modern_catalogues_may_be_cached_by_anybody_for_an_hour(mcp: Wire, method: str) -> None:
    result = (await mcp.modern(method)).json()["result"]

    assert (result["ttlMs"], result["cacheScope"], result["resultType"]) == (HOUR_MS, "public", "complete")


@pytest.mark.parametrize("version", LEGACY)
@pytest.mark.parametrize("method", PUBLIC[1:])
async def test_older_revisions_get_catalogues_without_hints(mcp: Wire, method: str, version: str) -> None:
    result = (await mcp.legacy(method, version=version)).json()["result"]

    assert not {"ttlMs", "cacheScope", "resultType", "_meta"} & set(result)


@pytest.mark.parametrize("method", PUBLIC)
async def test_catalogues_are_equal_to_the_byte_across_callers_and_replicas(stack: Stack, method: str) -> None:
    bodies = set()
    for _ in range(2):
        async with wire(stack.app()) as mcp:
            for token in ("both", "reader", "bare"):
                bodies.add((await mcp.modern(method, token=token)).content)

    assert len(bodies) == 1


def test_catalogues_are_equal_to_the_byte_across_restarts() -> None:
    command = [sys.executable, "-m", PROGRAM]
    runs = [subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, timeout=60).stdout for _ in range(2)]

    assert runs[0] == runs[1]


async def test_what_discover_says_is_what_is_served(mcp: Wire) -> None:
    result = (await mcp.modern("server/discover")).json()["result"]

    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["capabilities"] == {
        "completions": {},
        "prompts": {"listChanged": False},
        "resources": {"listChanged": False, "subscribe": False},
        "tools": {"listChanged": False},
    }
    assert result["instructions"]


async def test_a_cursor_that_nobody_issued_is_invalid(mcp: Wire) -> None:
    response = await mcp.modern("tools/list", {"cursor": "x"})

    assert (response.status_code, response.json()["error"]["code"]) == (200, -32602)


async def test_memories_are_not_listed_but_their_template_is(mcp: Wire) -> None:
    assert (await mcp.legacy("resources/list")).json()["result"]["resources"] == []
    (template,) = (await mcp.legacy("resources/templates/list")).json()["result"]["resourceTemplates"]
    assert template["uriTemplate"] == "threengram://memory/{id}"
    assert template["mimeType"] == "application/json"


async def test_the_catalogue_of_a_call_is_the_one_that_was_precomputed(mcp: Wire) -> None:
    response = await mcp.modern("tools/list")

    assert orjson.dumps(orjson.loads(response.content)["result"]) in response.content
