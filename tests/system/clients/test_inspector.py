"""The Inspector's own opinion about what the product publishes."""

import json
from pathlib import Path

import pytest

from tests.stack import RunningStack
from tests.system.nodejs import node
from threengram.gateway.tools import TOOLS


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_the_inspector_finds_nothing_unportable_in_the_tools(
    stack: RunningStack, era: str, tmp_path: Path
) -> None:
    record = stack.record
    finished = await node(
        "node_modules/.bin/mcp-inspector",
        "--cli",
        record["mcpUrl"],
        "--transport=http",
        "--header",
        f"Authorization: Bearer {record['token']}",
        "--method=tools/list",
        "--strict",
        f"--protocol-era={era}",
        "--format=json",
        directory=tmp_path,
    )
    assert finished.code == 0, finished.errors
    listed = json.loads(finished.output)["result"]["tools"]
    assert [tool["name"] for tool in listed] == [tool.name for tool in TOOLS]
