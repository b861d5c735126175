"""A chat gateway that answers as it is told."""

import json
from collections.abc import Callable
from typing import Any

from starlette.types import Receive, Scope, Send

from tests.stand_ins import StandIn, answer, drip, headers_of, sent

Answer = Callable[[dict[str, Any]], tuple[int, str]]
"""From a request to a status and the body of the answer."""


class Chat(StandIn):
    """Serves while the block runs, and knows what it was asked. Unless `drips_every_s` is zero, byte by byte."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: Answer = lambda _request: (500, "")
        self.asked: list[dict[str, Any]] = []
        self.credentials: list[str | None] = []
        self.drips_every_s = 0.0

    def says(self, **answers: object) -> None:
        """Answer each question by the name of its schema."""
        self.answer = lambda request: (200, completion(answers[request["response_format"]["json_schema"]["name"]]))

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = await sent(receive)
        self.asked.append(request)
        self.credentials.append(headers_of(scope).get("authorization"))
        status, body = self.answer(request)
        if self.drips_every_s:
            await drip(receive, send, status, body.encode(), every_s=self.drips_every_s)
        else:
            await answer(send, status, body.encode())


def completion(answer: object) -> str:
    """A chat completion whose message is this JSON."""
    message = {"role": "assistant", "content": json.dumps(answer)}
    return json.dumps({"choices": [{"message": message}], "usage": {"prompt_tokens": 90, "completion_tokens": 10}})
