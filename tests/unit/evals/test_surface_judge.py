"""A model as judge, over HTTP, with an API that says what the test wants."""

from collections.abc import Mapping
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.contract.mcp.stack import served
from threengram.evals.surface import report
from threengram.evals.surface.judge import Judgement, judge, judge_by
from threengram.evals.surface.selection import Choice, Selection
from threengram.evals.surface.settings import JudgeSettings
from threengram.gateway.tools import TOOLS

NEEDS = [
    ("search", "find it"),
    ("search", "find more"),
    ("revise", "mend it"),
    ("revise", "fail"),
    ("revise", "garble"),
]
BY_MEANING = Selection(tuple(Choice(text, tool, "search", 0.1) for tool, text in NEEDS), 0.1)
SAID = {"find it": " search\n", "find more": "I would use search.", "mend it": "resolve"}


class Api:
    """Chat completions that answer by a table and keep what they were asked."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.app = Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    async def _complete(self, request: Request) -> Response:
        body = await request.json()
        self.asked.append(body)
        self.authorizations.append(request.headers.get("authorization"))
        text = body["messages"][-1]["content"]
        if text == "fail":
            return JSONResponse({"error": {"message": "overloaded"}}, 503)
        if text == "garble":
            return PlainTextResponse("<html>")
        choices = [{"index": 0, "message": {"role": "assistant", "content": SAID[text]}, "finish_reason": "stop"}]
        return JSONResponse({"id": "1", "model": "small-model-2026", "choices": choices})


async def _judged(api: Api) -> Judgement:
    transport = httpx2.ASGITransport(app=api.app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://judge.test/v1") as http:
        return await judge(http, "small-model", TOOLS, NEEDS)


async def test_only_a_bare_name_is_an_answer_and_a_failed_call_is_none() -> None:
    judgement = await _judged(Api())

    assert judgement.chosen == ("search", None, "resolve", None, None)
    assert judgement.accuracy == pytest.approx(1 / 5)
    assert judgement.failures == 2
    assert judgement.unparseable == pytest.approx(1 / 3)
    assert judgement.agreement(BY_MEANING) == pytest.approx(1 / 5)
    assert judgement.served_models == {"small-model-2026"}


async def test_the_model_sees_names_and_descriptions_and_is_asked_for_the_likeliest_answer() -> None:
    api = Api()
    await _judged(api)
    body = api.asked[0]

    assert (body["model"], body["temperature"], body["max_tokens"]) == ("small-model", 0, 32)
    system, user = (message["content"] for message in body["messages"])
    assert user == "find it"
    assert all(f'"name":"{tool.name}"' in system for tool in TOOLS)


async def test_a_configured_api_is_asked_with_its_key() -> None:
    api = Api()
    async with served(api.app) as url:
        settings = JudgeSettings(base_url=f"{url}/v1", api_key=SecretStr("k"), model="m", timeout_s=5)
        judgement = await judge_by(settings, TOOLS, NEEDS[:1])

    assert judgement is not None
    assert judgement.accuracy == 1.0
    assert api.authorizations == ["Bearer k"]


async def test_an_api_that_is_not_there_is_a_failed_call() -> None:
    settings = JudgeSettings(base_url="http://127.0.0.1:9/v1", timeout_s=5)
    judgement = await judge_by(settings, TOOLS, NEEDS[:1])

    assert judgement is not None
    assert (judgement.failures, judgement.accuracy, judgement.unparseable) == (1, 0.0, 0.0)


async def test_no_model_judges_unless_one_is_configured() -> None:
    assert JudgeSettings().base_url is None
    assert await judge_by(JudgeSettings(), TOOLS, NEEDS) is None


async def test_the_report_lists_what_the_model_chose_wrong() -> None:
    text = report.judged(await _judged(Api()), BY_MEANING)

    assert "accuracy 0.2000" in text
    assert "  search -> no tool  find more" in text
    assert "  revise -> resolve  mend it" in text
