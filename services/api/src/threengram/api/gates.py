"""One request through its gates, in one order for every route.

Credential, rate limits, body, scope, arguments; then the call, whose first round trip is admission; then the verb.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from threengram.api import arguments, failures
from threengram.api.auth import Authenticator
from threengram.api.exports import NDJSON, Exports
from threengram.api.failures import Refused
from threengram.api.imports import Imports
from threengram.api.operations import AnyOperation, DownloadOperation, Operation, UploadOperation
from threengram.api.rate import RateLimits
from threengram.core.call import OpenCall
from threengram.core.errors import Error, InsufficientScope, NotFound
from threengram.core.principal import Principal
from threengram.runtime.body import ClientGone
from threengram.runtime.deadline import DeadlineExceeded, deadline
from threengram.runtime.logging import get_logger
from threengram.schema.base import Input
from threengram.schema.errors import ErrorCode, issues_of
from threengram.schema.imports import ImportInput

_CHALLENGE = "www-authenticate"
_NO_STORE = {"cache-control": "no-store"}
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one request."""

    max_body_bytes: int = 1_048_576
    request_timeout_s: float = 14.0


class Gates:
    """Serves operations for any number of callers at once; holds nothing of any of them."""

    def __init__(
        self,
        authenticator: Authenticator,
        rates: RateLimits,
        open_call: OpenCall,
        limits: Limits,
        exports: Exports,
        imports: Imports,
        metadata_url: str | None = None,
    ) -> None:
        self._metadata_url = metadata_url
        self._authenticator = authenticator
        self._rates = rates
        self._open_call = open_call
        self._limits = limits
        self._exports = exports
        self._imports = imports

    async def serve(self, operation: AnyOperation, request: Request) -> Response:
        """The answer; every foreseen failure is one too."""
        rate_headers: Mapping[str, str] = {}
        try:
            principal = await self._authenticator.principal(request.headers)
            rate_headers = await self._rates.charge(principal)
            response = await self._admitted(operation, request, principal)
        except (Refused, Error, DeadlineExceeded) as error:
            response = self._failed(error)
        except ClientGone:
            return Response(status_code=400)
        response.headers.update(rate_headers)
        return response

    def _failed(self, error: Refused | Error | DeadlineExceeded) -> Response:
        response = failures.of_foreseen(error)
        if self._metadata_url is not None and _CHALLENGE in response.headers:
            # Where a client learns how to get a token (RFC 9728, section 5.1).
            response.headers[_CHALLENGE] += f', resource_metadata="{self._metadata_url}"'
        return response

    async def _admitted(self, operation: AnyOperation, request: Request, principal: Principal) -> Response:
        body = await self._body(operation, request)
        if operation.scope is not None and operation.scope not in principal.scopes:
            raise InsufficientScope(operation.scope)
        try:
            given = self._arguments(operation, request, body)
        except ValidationError as error:
            issues = issues_of(error)
            if any(issue.path in request.path_params for issue in issues):
                # A malformed id names nothing, as an unknown one does.
                raise NotFound("memory", "") from None
            return failures.of_issues(issues)
        if isinstance(operation, DownloadOperation):
            return self._exports.download(principal, self._failed)
        if isinstance(operation, UploadOperation):
            return await self._taken(principal, given, request)
        try:
            content = await self._run(operation, principal, given)
        except ValidationError as error:
            _log.exception("output_refused", error, verb=operation.name, correlation_id=failures.correlation_id())
            return failures.of_fault(ErrorCode.INVALID_OUTPUT)
        return Response(content, operation.status, _NO_STORE, "application/json")

    async def _taken(self, principal: Principal, given: Input, request: Request) -> Response:
        arguments.require(NDJSON, request)
        report = await self._imports.take(principal, ImportInput.model_validate(given), request)
        return Response(orjson.dumps(report.wire()), 200, _NO_STORE, "application/json")

    async def _body(self, operation: AnyOperation, request: Request) -> bytes:
        if not operation.has_body or not _sends_a_body(request):
            return b""
        arguments.require("application/json", request)
        return await arguments.body_of(
            request, max_bytes=self._limits.max_body_bytes, timeout_s=self._limits.request_timeout_s
        )

    def _arguments(self, operation: AnyOperation, request: Request, body: bytes) -> Input:
        model: type[Input] = operation.input
        if operation.has_body:
            return arguments.from_body(model, body, request)
        return arguments.from_url(model, request)

    async def _run(self, operation: Operation[Any, Any], principal: Principal, given: Input) -> bytes:
        async with deadline(self._limits.request_timeout_s), self._open_call(principal) as call:
            found = await operation.handler(call, given)
            # Within the call, so that what a verb left to it to commit is undone by an answer that can't be told.
            return orjson.dumps(operation.output.model_validate(found).wire())


def _sends_a_body(request: Request) -> bool:
    """Whether there is a body at all (RFC 9112, section 6.3)."""
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
