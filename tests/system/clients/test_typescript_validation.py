"""The TypeScript client checks every answer against the catalogue it has cached, and must like tomorrow's too."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.stack import RunningStack
from tests.system.nodejs import node
from threengram.gateway.tools import TOOLS

MODES = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


async def _validated(stack: RunningStack, directory: Path, mode: str, answers: str) -> dict[str, Any]:
    record = stack.record
    variables = {
        "MCP_URL": record["mcpUrl"],
        "MCP_TOKEN": record["token"],
        "MCP_MODE": mode,
        "MCP_ANSWERS": answers,
        "MCP_MARKER": f"validation-{uuid4().hex}",
    }
    finished = await node("validate.mjs", directory=directory, variables=variables)
    assert finished.code == 0, finished.errors
    seen: dict[str, Any] = json.loads(finished.output)
    return seen


@MODES
@pytest.mark.parametrize("answers", ["today", "tomorrow"])
async def test_the_client_accepts_the_answers_of_every_tool(
    stack: RunningStack, tmp_path: Path, mode: str, answers: str
) -> None:
    seen = await _validated(stack, tmp_path, mode, answers)
    assert seen == {"called": sorted(tool.name for tool in TOOLS), "refused": []}


@MODES
async def test_the_client_would_refuse_them_under_a_closed_catalogue(
    stack: RunningStack, tmp_path: Path, mode: str
) -> None:
    seen = await _validated(stack, tmp_path, mode, "closed")
    assert len(seen["refused"]) > 0
