"""The gateway with the tools, prompts and resources that the public conformance suite asks for by name.

Everything else is the product: gates, endpoint, eras, dispatcher, admission, database, rate limits. The suite can send
no token, so `Authorised` adds one.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import mcp_types as t
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.people import AUDIENCE, ISSUER
from tests.system.conformance.tools import PNG, TOOLS, BlocksDispatcher
from threengram.core.call import Core, open_call
from threengram.core.identity.keys import PublishedKeys
from threengram.core.identity.tokens import AccessTokenVerifier
from threengram.gateway.build import Collaborators, Limits, build_app, build_server_of
from threengram.gateway.dispatch import Dispatcher
from threengram.runtime.ratelimit import RateLimiter

LIMITS = Limits(calls_per_minute=100_000)
ARGUMENTS = [t.PromptArgument(name=name, description=name, required=True) for name in ("arg1", "arg2")]
RESOURCE_URI = t.PromptArgument(name="resourceUri", description="What to embed.", required=True)
PROMPTS = [
    t.Prompt(name="test_simple_prompt", description="One message."),
    t.Prompt(name="test_prompt_with_arguments", description="A message with two values.", arguments=ARGUMENTS),
    t.Prompt(name="test_prompt_with_embedded_resource", description="A resource.", arguments=[RESOURCE_URI]),
    t.Prompt(name="test_prompt_with_image", description="An image and a request."),
]
RESOURCES = [
    t.Resource(uri="test://static-text", name="static-text", mime_type="text/plain"),
    t.Resource(uri="test://static-binary", name="static-binary", mime_type="image/png"),
]
TEMPLATE = t.ResourceTemplate(uri_template="test://template/{id}/data", name="data", mime_type="application/json")


class Authorised:
    """Adds a token to requests without one."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and all(name != b"authorization" for name, _ in scope["headers"]):
            scope = {**scope, "headers": [*scope["headers"], self._header]}
        await self._app(scope, receive, send)


def fixture_app(core: Core, limiter: RateLimiter, token: str, *, origins: tuple[str, ...]) -> ASGIApp:
    """The application for one caller."""
    collaborators = Collaborators(
        tools=TOOLS,
        verifier=AccessTokenVerifier(issuer=ISSUER, audience=AUDIENCE, keys=PublishedKeys(core.database)),
        limiter=limiter,
        open_call=partial(open_call, core),
        clock=core.clock,
    )
    public_url = AUDIENCE.removesuffix("/mcp")
    app = build_app(
        collaborators,
        public_url=public_url,
        issuer_url=ISSUER,
        allowed_origins=origins,
        limits=LIMITS,
        compose=_composed,
    )
    return Authorised(app, token)


def _composed(collaborators: Collaborators, limits: Limits) -> tuple[Server[Any], Dispatcher]:
    server, _ = build_server_of(collaborators, limits)
    read_memory = server.get_request_handler("resources/read")
    assert read_memory is not None
    paged = t.PaginatedRequestParams
    server.add_request_handler("prompts/list", paged, _answering(t.ListPromptsResult(prompts=PROMPTS)))
    server.add_request_handler("prompts/get", t.GetPromptRequestParams, _get_prompt)
    server.add_request_handler("resources/list", paged, _answering(t.ListResourcesResult(resources=RESOURCES)))
    templates = t.ListResourceTemplatesResult(resource_templates=[TEMPLATE])
    server.add_request_handler("resources/templates/list", paged, _answering(templates))
    server.add_request_handler("resources/read", t.ReadResourceRequestParams, _reading(read_memory.handler))
    server.add_request_handler("completion/complete", t.CompleteRequestParams, _complete)
    return server, BlocksDispatcher(TOOLS, collaborators.open_call, limits.request_timeout_s)


def _answering(result: t.Result) -> Callable[[Any, Any], Awaitable[Any]]:
    async def answer(_ctx: Any, _params: Any) -> t.Result:
        return result

    return answer


def _reading(otherwise: Callable[[Any, Any], Awaitable[Any]]) -> Callable[[Any, Any], Awaitable[Any]]:
    """Fixture resources, and whatever the product says about every other URI."""

    async def read(ctx: Any, params: t.ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        if uri == "test://static-text":
            return _text_resource(uri, "text/plain", "This is the content of the static text resource.")
        if uri == "test://static-binary":
            blob = t.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
            return t.ReadResourceResult(contents=[blob])
        if uri.startswith("test://template/") and uri.endswith("/data"):
            number = uri.split("/")[3]
            text = f'{{"id":"{number}","templateTest":true,"data":"Data for ID: {number}"}}'
            return _text_resource(uri, "application/json", text)
        return await otherwise(ctx, params)

    return read


def _text_resource(uri: str, mime_type: str, text: str) -> t.ReadResourceResult:
    return t.ReadResourceResult(contents=[t.TextResourceContents(uri=uri, mime_type=mime_type, text=text)])


async def _get_prompt(_ctx: Any, params: t.GetPromptRequestParams) -> t.GetPromptResult:
    given = params.arguments or {}
    match params.name:
        case "test_simple_prompt":
            blocks: list[t.ContentBlock] = [t.TextContent(text="This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            text = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
            blocks = [t.TextContent(text=text)]
        case "test_prompt_with_embedded_resource":
            words = "Embedded resource content for testing."
            resource = t.TextResourceContents(uri=given["resourceUri"], mime_type="text/plain", text=words)
            blocks = [
                t.EmbeddedResource(resource=resource),
                t.TextContent(text="Please process the embedded resource above."),
            ]
        case "test_prompt_with_image":
            image = t.ImageContent(data=PNG, mime_type="image/png")
            blocks = [image, t.TextContent(text="Please analyze the image above.")]
        case _:
            raise MCPError(code=t.INVALID_PARAMS, message="Unknown prompt")
    return t.GetPromptResult(messages=[t.PromptMessage(role="user", content=block) for block in blocks])


async def _complete(_ctx: Any, _params: t.CompleteRequestParams) -> t.CompleteResult:
    return t.CompleteResult(completion=t.Completion(values=["paris", "park", "party"], total=3, has_more=False))
