"""What `helm test` runs: `python -m threengram.migrations.trial` uses an installation the way an agent does.

It registers as a client, has a user of its own whom nobody can log in as allow it what it asks for, gets a token of
`api`, and remembers, searches, revises and briefs over MCP. It never holds the signing key. Each run adds two short
memories to that user's tenant, and takes back what was allowed. One JSON line a step; the first failure ends it.
"""

import asyncio
import json
import secrets
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

import psycopg
from authlib.oauth2.rfc6749.errors import OAuth2Error
from authlib.oauth2.rfc7636.challenge import create_s256_code_challenge
from pydantic import Field

from threengram.core.db.database import Database
from threengram.core.errors import Error
from threengram.core.identity import provision
from threengram.core.oauth.authorization import consent, destination_of, judged
from threengram.core.oauth.errors import CannotAuthorize, UnknownClient
from threengram.core.oauth.grants import list_grants, revoke_grant
from threengram.core.oauth.metadata import REGISTER_PATH, TOKEN_PATH
from threengram.core.oauth.resources import MCP_PATH, ProtectedResources
from threengram.core.oauth.server import AuthorizationServer
from threengram.core.oauth.signing import SigningKeys
from threengram.core.principal import Principal
from threengram.core.time.clock import system_clock
from threengram.migrations import manage
from threengram.schema.oauth import ResolveResponse
from threengram.schema.oauth_requests import AuthorizationParameters

EMAIL: Final = "helm-test@threengram.invalid"
PROTOCOL: Final = "2025-06-18"
SECTIONS: Final = ("recentDecisions",)
REDIRECT_URI: Final = "http://127.0.0.1/callback"
FORM: Final = "application/x-www-form-urlencoded"
VERIFIER_BYTES: Final = 32


class Settings(manage.Settings):
    """`trial`: those of `manage`, and where the services are from here."""

    gateway_url: str = Field(description="Base URL under which the gateway is reached from inside.")
    api_url: str = Field(description="Base URL under which `api` is reached from inside.")
    timeout_s: float = Field(default=20, gt=0, description="Longest wait for one answer.")


class Failed(Exception):
    """The installation did not do what it promises; the message holds no text of a memory."""


def post(step: str, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float) -> dict[str, Any]:
    """The JSON object that answers a POST; a line says that the step is done. Raises `Failed`."""
    request = urllib.request.Request(url, data=body, headers=dict(headers))  # noqa: S310 (the installation's own)
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as response:  # noqa: S310
            answer: dict[str, Any] = json.load(response)
    except urllib.error.HTTPError as error:
        raise Failed(f"{step}: HTTP {error.code}") from error
    except OSError as error:
        raise Failed(f"{step}: {type(error).__name__}") from error
    sys.stdout.write(json.dumps({"event": "step_done", "service": "trial", "step": step}) + "\n")
    return answer


class Client:
    """A public client of `api`, with PKCE."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.api_url.rstrip("/")
        self._timeout_s = settings.timeout_s
        self._verifier = secrets.token_urlsafe(VERIFIER_BYTES)
        self._id = ""

    def register(self) -> None:
        """Become known. Raises `Failed`."""
        body = {
            "client_name": "helm test",
            "redirect_uris": [REDIRECT_URI],
            "grant_types": ["authorization_code"],
            "token_endpoint_auth_method": "none",
        }
        answer = self._post("register", REGISTER_PATH, json.dumps(body), "application/json")
        self._id = str(answer["client_id"])

    def request(self) -> AuthorizationParameters:
        """What a browser would bring along."""
        challenge = create_s256_code_challenge(self._verifier)  # type: ignore[no-untyped-call]
        return AuthorizationParameters(
            client_id=self._id, response_type="code", code_challenge=challenge, code_challenge_method="S256"
        )

    def token(self, code: str) -> str:
        """The access token for a code. Raises `Failed`."""
        form = {"grant_type": "authorization_code", "client_id": self._id, "code": code,
                "code_verifier": self._verifier, "redirect_uri": REDIRECT_URI}  # fmt: skip
        return str(self._post("token", TOKEN_PATH, urlencode(form), FORM)["access_token"])

    def _post(self, step: str, path: str, body: str, content_type: str) -> dict[str, Any]:
        headers = {"content-type": content_type}
        return post(step, self._url + path, body.encode(), headers, timeout_s=self._timeout_s)


class Agent:
    """Calls tools of the gateway with one token."""

    def __init__(self, settings: Settings, token: str) -> None:
        self._url = settings.gateway_url.rstrip("/") + MCP_PATH
        self._timeout_s = settings.timeout_s
        self._headers = {
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": PROTOCOL,
        }

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of the answer. Raises `Failed`."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments}}  # fmt: skip
        answer = post(tool, self._url, json.dumps(message).encode(), self._headers, timeout_s=self._timeout_s)
        result: dict[str, Any] = answer.get("result", {})
        if "structuredContent" not in result:
            raise Failed(f"{tool}: {result.get('_meta', {}).get('code', 'no result')}")
        content: dict[str, Any] = result["structuredContent"]
        return content


class _NoDocuments:
    async def resolve(self, _client_id: str) -> ResolveResponse:
        raise UnknownClient("documents_off")


class Owner:
    """The trial's own user, at the place of the pages that a person would click on."""

    def __init__(self, settings: Settings, database: Database, principal: Principal) -> None:
        self._principal = principal
        self._server = AuthorizationServer(
            database=database,
            issuer=settings.issuer_url,
            resources=ProtectedResources(public_url=settings.public_url, issuer=settings.issuer_url),
            documents=_NoDocuments(),
            keys=SigningKeys(database, ()),
            clock=system_clock,
        )

    async def allow(self, parameters: AuthorizationParameters, now: datetime) -> str:
        """The code for a client that is allowed what it asks for."""
        request = judged(self._server, parameters, await destination_of(self._server, parameters))
        answer = await consent(self._server, self._principal, request, request.scopes, now)
        return parse_qs(urlsplit(answer).query)["code"][0]

    async def take_back(self, now: datetime) -> None:
        """Withdraw all that this user ever allowed."""
        for grant in await list_grants(self._server.database, self._principal, now=now):
            await revoke_grant(self._server.database, self._principal, grant.id, now=now)


@asynccontextmanager
async def owner_of(settings: Settings) -> AsyncIterator[Owner]:
    """The user, made if missing."""
    async with Database(settings.database_url.get_secret_value(), pool_min=1, pool_max=1) as database:
        principal = await provision.find_user(database, EMAIL)
        if principal is None:
            principal = await provision.create_tenant(database, email=EMAIL, name=EMAIL, now=system_clock())
        yield Owner(settings, database, principal)


async def run(settings: Settings) -> None:
    """The trial. Raises `Failed` at the first promise that is not kept."""
    client = Client(settings)
    await asyncio.to_thread(client.register)
    async with owner_of(settings) as owner:
        try:
            code = await owner.allow(client.request(), system_clock())
            token = await asyncio.to_thread(client.token, code)
            await asyncio.to_thread(use, Agent(settings, token))
        finally:
            await owner.take_back(system_clock())


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


def main() -> int:
    """Run the trial; the exit code."""
    settings = Settings.model_validate({})
    try:
        asyncio.run(run(settings))
    except (Failed, Error, OAuth2Error, CannotAuthorize, ValueError, psycopg.OperationalError) as failure:
        reason = str(failure) if isinstance(failure, Failed) else type(failure).__name__
        sys.stdout.write(json.dumps({"event": "failed", "service": "trial", "reason": reason}) + "\n")
        return 1
    sys.stdout.write(json.dumps({"event": "passed", "service": "trial"}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
