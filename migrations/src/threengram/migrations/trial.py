"""What `helm test` runs: `python -m threengram.migrations.trial` uses an installation the way an agent does.

It remembers, searches, revises and briefs over MCP with a token of its own, as a user of its own whom nobody can log in
as. Each run adds two short memories to that user's tenant. One JSON line a step; the first failure ends it.
"""

import asyncio
import json
import secrets
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import psycopg
from pydantic import Field

from threengram.core.db.database import Database
from threengram.core.errors import Error
from threengram.core.identity import provision
from threengram.migrations import manage

EMAIL: Final = "helm-test@threengram.invalid"
TOKEN_LIFETIME: Final = timedelta(minutes=10)
PROTOCOL: Final = "2025-06-18"
SECTIONS: Final = ("recentDecisions",)


class Settings(manage.Settings):
    """`trial`: those of `manage`, and where the gateway is from here."""

    gateway_url: str = Field(description="Base URL under which the gateway is reached from inside.")
    timeout_s: float = Field(default=20, gt=0, description="Longest wait for one answer.")


class Failed(Exception):
    """The installation did not do what it promises; the message holds no text of a memory."""


@dataclass(frozen=True)
class Agent:
    """Calls tools of one gateway with one token."""

    url: str
    token: str
    timeout_s: float

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of the answer. Raises `Failed`."""
        message = {
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments},
        }  # fmt: skip
        request = urllib.request.Request(  # noqa: S310 (the URL is the installation's own)
            f"{self.url}/mcp",
            data=json.dumps(message).encode(),
            headers={
                "authorization": f"Bearer {self.token}",
                "content-type": "application/json",
                "accept": "application/json, text/event-stream",
                "mcp-protocol-version": PROTOCOL,
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=self.timeout_s) as response:  # noqa: S310
                result: dict[str, Any] = json.load(response).get("result", {})
        except urllib.error.HTTPError as error:
            raise Failed(f"{tool}: HTTP {error.code}") from error
        except OSError as error:
            raise Failed(f"{tool}: {type(error).__name__}") from error
        if result.get("isError", True) and "structuredContent" not in result:
            raise Failed(f"{tool}: {result.get('_meta', {}).get('code', 'no result')}")
        sys.stdout.write(json.dumps({"event": "step_done", "service": "trial", "tool": tool}) + "\n")
        content: dict[str, Any] = result["structuredContent"]
        return content


def use(agent: Agent) -> None:
    """Remember, search, revise, brief. Raises `Failed` at the first promise that is not kept."""
    mark = f"run-{secrets.token_hex(6)}"
    wrong = {"memoryType": "decision", "topic": f"Trial {mark}", "content": f"The {mark} came in by plane."}
    right = wrong | {"content": f"The {mark} came in by train."}
    old = agent.call("remember", **wrong)["memory"]["id"]
    if old not in _ids(agent.call("search", query=f"{mark} plane")):
        raise Failed("search: what was remembered is not found")
    new = agent.call("revise", predecessorId=old, **right)["memory"]["id"]
    ranked = [found for found in _ids(agent.call("search", query=f"{mark} train")) if found in {old, new}]
    if ranked[:1] != [new]:
        raise Failed("search: a correction does not come before what it corrects")
    briefing = agent.call("briefing", selector={"kind": "all"}, sections=list(SECTIONS))
    if new not in json.dumps(briefing):
        raise Failed("briefing: a decision of this moment is not in it")


def _ids(answer: dict[str, Any]) -> list[str]:
    return [hit["id"] for hit in answer["hits"]]


async def a_token(settings: Settings, now: datetime) -> str:
    """A token for the trial's own user, who is made if missing."""
    database = Database(settings.database_url.get_secret_value(), pool_min=1, pool_max=1)
    await database.open()
    try:
        if await provision.find_user(database, EMAIL) is None:
            await provision.create_tenant(database, email=EMAIL, name=EMAIL, now=now)
    finally:
        await database.close()
    return await manage.token(settings, EMAIL, TOKEN_LIFETIME, now)


def main() -> int:
    """Run the trial; the exit code."""
    settings = Settings.model_validate({})
    try:
        token = asyncio.run(a_token(settings, datetime.now(UTC)))
        use(Agent(settings.gateway_url.rstrip("/"), token, settings.timeout_s))
    except (Failed, Error, manage.Refused, ValueError, psycopg.OperationalError) as failure:
        reason = str(failure) if isinstance(failure, Failed) else type(failure).__name__
        sys.stdout.write(json.dumps({"event": "failed", "service": "trial", "reason": reason}) + "\n")
        return 1
    sys.stdout.write(json.dumps({"event": "passed", "service": "trial"}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
