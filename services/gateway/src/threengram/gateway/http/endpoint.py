"""The MCP endpoint: one POST in, one JSON body out, both eras, no session and no stream."""

from collections.abc import Sequence
from typing import Any

import anyio
import orjson
from starlette.types import Receive, Scope, Send

from threengram.core.principal import Principal
from threengram.gateway.answers import WITHDRAWN, Answer, Answers, Checked
from threengram.gateway.auth import Challenge
from threengram.gateway.http.eras import BATCH_VERSIONS, Refusal, RoutingHeaders, carries_envelope, serves_notices
from threengram.gateway.http.messages import (
    INVALID_REQUEST,
    PARSE_ERROR,
    Malformed,
    Notice,
    lenient_tool_call,
    message_of,
)
from threengram.gateway.http.rate import RateLimit
from threengram.gateway.http.replies import Reply, rpc_error
from threengram.gateway.operations import count
from threengram.runtime import lenient_json
from threengram.runtime.body import BodyTooLarge, BodyTooSlow, ClientGone, read_body
from threengram.schema.bounds import MAX_BATCH_MESSAGES
from threengram.schema.errors import ErrorCode, Issue

MAX_CONCURRENT_IN_BATCH = 4
"""So that one batch takes few of the process's database connections."""

_ACCEPTED = Reply(202)
_UNSUPPORTED_TYPE = Reply(415, rpc_error(None, INVALID_REQUEST, "Content-Type must be application/json"))
_COMPRESSED = Reply(
    415, rpc_error(None, INVALID_REQUEST, "The body must not be compressed"), ((b"accept-encoding", b"identity"),)
)
_NOT_ACCEPTABLE = Reply(406, rpc_error(None, INVALID_REQUEST, "Accept must allow application/json"))
_TOO_SLOW = Reply(
    408, rpc_error(None, INVALID_REQUEST, "The body did not arrive in time"), ((b"connection", b"close"),)
)
_NO_JSON = Reply(400, rpc_error(None, PARSE_ERROR, "Parse error: the body is not valid JSON in UTF-8, or too deep"))
_UNSERVED = Reply(400, rpc_error(None, INVALID_REQUEST, "Unsupported protocol version"))
_NO_BATCH = Reply(400, rpc_error(None, INVALID_REQUEST, "Batches do not exist in this protocol version"))
_BATCH_SIZE = Reply(400, rpc_error(None, INVALID_REQUEST, f"A batch holds 1 to {MAX_BATCH_MESSAGES} messages"))
_NOT_IN_BATCH = "Not allowed in a batch"
_WHO_SENDS_JSON = ("application/json", "application/*", "*/*")


class McpEndpoint:
    """Serves `/mcp` for callers that the gates before it have let through."""

    def __init__(
        self, answers: Answers, challenge: Challenge, rate: RateLimit, *, max_body_bytes: int, body_timeout_s: float
    ) -> None:
        self._answers = answers
        self._challenge = challenge
        self._rate = rate
        self._max_body_bytes = max_body_bytes
        self._body_timeout_s = body_timeout_s
        self._too_large = Reply(
            413,
            rpc_error(None, INVALID_REQUEST, f"The body is larger than {max_body_bytes} bytes"),
            ((b"connection", b"close"),),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        try:
            reply = _unreadable(scope) or await self._reply(scope, receive)
        except ClientGone:
            return
        await reply.send(send)

    async def _reply(self, scope: Scope, receive: Receive) -> Reply:
        try:
            body = await read_body(receive, max_bytes=self._max_body_bytes, timeout_s=self._body_timeout_s)
        except BodyTooLarge:
            return self._too_large
        except BodyTooSlow:
            return _TOO_SLOW
        try:
            decoded = orjson.loads(body)
        except orjson.JSONDecodeError:
            decoded = lenient_tool_call(body)
            if decoded is None:
                return _NO_JSON
        repeated = lenient_json.repeated_of(body, decoded)
        if repeated is not None:
            return _ambiguous(repeated)
        if isinstance(decoded, list):
            return await self._batch(decoded, scope)
        return await self._single(decoded, scope)

    async def _single(self, decoded: object, scope: Scope) -> Reply:
        message = message_of(decoded)
        if isinstance(message, Malformed):
            return Reply(400, message.reply())
        headers = RoutingHeaders(scope)
        if isinstance(message, Notice):
            return _ACCEPTED if serves_notices(headers) else _UNSERVED
        checked = self._answers.check(message, headers, scope)
        if isinstance(checked, Refusal):
            return Reply(checked.status, checked.body)
        principal: Principal = scope["state"]["principal"]
        denial = self._denial([checked], principal)
        if denial is not None:
            return denial
        answer = await self._answers.run(checked, principal, scope)
        return self._challenge.invalid if answer is WITHDRAWN else Reply(answer.status, answer.body)

    async def _batch(self, decoded: Sequence[object], scope: Scope) -> Reply:
        headers = RoutingHeaders(scope)
        if headers.version not in BATCH_VERSIONS:
            return _NO_BATCH
        if not 1 <= len(decoded) <= MAX_BATCH_MESSAGES:
            return _BATCH_SIZE
        principal: Principal = scope["state"]["principal"]
        refusal = await self._rate.charge(scope, principal, len(decoded) - 1)
        if refusal is not None:
            return refusal
        steps = [step for body in decoded if (step := self._step(body, headers, scope)) is not None]
        denial = self._denial([step for step in steps if isinstance(step, Checked)], principal)
        if denial is not None:
            return denial
        answers = await self._run(steps, principal, scope)
        if WITHDRAWN in answers:
            return self._challenge.invalid
        if not answers:
            return _ACCEPTED
        return Reply(200, orjson.dumps([orjson.Fragment(answer.body) for answer in answers]))

    def _step(self, body: object, headers: RoutingHeaders, scope: Scope) -> Checked | Answer | None:
        """What to do about one message of a batch: run it, answer it as it is, or nothing."""
        message = message_of(body)
        if isinstance(message, Notice):
            return None
        if isinstance(message, Malformed):
            return Answer(400, message.reply())
        if message.method == "initialize" or carries_envelope(message.params):
            return Answer(400, rpc_error(message.id, INVALID_REQUEST, _NOT_IN_BATCH))
        checked = self._answers.check(message, headers, scope)
        return Answer(checked.status, checked.body) if isinstance(checked, Refusal) else checked

    async def _run(self, steps: Sequence[Checked | Answer], principal: Principal, scope: Scope) -> list[Answer]:
        """The answers in the order of the messages."""
        answers: list[Any] = list(steps)
        limiter = anyio.CapacityLimiter(MAX_CONCURRENT_IN_BATCH)

        async def run(index: int, checked: Checked) -> None:
            async with limiter:
                answers[index] = await self._answers.run(checked, principal, scope)

        async with anyio.create_task_group() as group:
            for index, step in enumerate(steps):
                if isinstance(step, Checked):
                    group.start_soon(run, index, step)
        return answers

    def _denial(self, steps: Sequence[Checked], principal: Principal) -> Reply | None:
        """The step-up answer when any message needs a scope that the token lacks; nothing has run by then."""
        for step in steps:
            if step.scopes and step.scopes.isdisjoint(principal.scopes):
                count(step.labels, "denied")
                return self._challenge.insufficient(principal.scopes, step.scopes)
        return None


def _ambiguous(repeated: Issue) -> Reply:
    """The answer to a body that says one thing to this parser and may say another to the next one."""
    data = {"code": ErrorCode.INVALID_INPUT, "field": repeated.path}
    return Reply(400, rpc_error(None, INVALID_REQUEST, f"{repeated.path}: {repeated.message}", data))


def _unreadable(scope: Scope) -> Reply | None:
    content_type = accept = b""
    encoding = b"identity"
    for name, value in scope["headers"]:
        if name == b"content-type":
            content_type = value
        elif name == b"content-encoding":
            encoding = value.strip().lower()
        elif name == b"accept":
            accept += b"," + value
    if content_type.partition(b";")[0].strip().lower() != b"application/json":
        return _UNSUPPORTED_TYPE
    if encoding != b"identity":
        return _COMPRESSED
    offered = accept.decode("latin-1").lower()
    if offered.strip(", ") and not any(media_type in offered for media_type in _WHO_SENDS_JSON):
        return _NOT_ACCEPTABLE
    return None
