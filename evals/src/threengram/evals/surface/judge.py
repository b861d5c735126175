"""A model chooses a tool for each utterance from the real names and descriptions: slower, dearer, nearer to an agent.

Over any API that speaks OpenAI's chat completions. It reports and gates nothing: the answers of a hosted model change
without anybody here changing anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
import orjson
from pydantic import BaseModel, ValidationError

from threengram.evals.surface.measure import Needs
from threengram.evals.surface.selection import Selection
from threengram.evals.surface.settings import JudgeSettings
from threengram.gateway.tools.tool import Tool

MAX_ANSWER_TOKENS = 32

_TASK = """\
You are an agent with the tools below. Given what you need, answer with the name of the one tool that you would call \
first: the bare name, nothing else.

"""


class _Message(BaseModel):
    content: str | None


class _Alternative(BaseModel):
    message: _Message


class _Completion(BaseModel):
    model: str
    choices: list[_Alternative]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the model chose for each need, None where it named no tool. `failures` counts calls without an answer."""

    chosen: tuple[str | None, ...]
    expected: tuple[str, ...]
    failures: int
    served_models: frozenset[str]

    @property
    def accuracy(self) -> float:
        """The share of needs whose tool was named, exactly; no answer is a wrong one."""
        return sum(map(str.__eq__, self.expected, (name or "" for name in self.chosen))) / len(self.expected)

    @property
    def unparseable(self) -> float:
        """The share of answers that are no tool's bare name."""
        answered = len(self.chosen) - self.failures
        return (self.chosen.count(None) - self.failures) / answered if answered else 0.0

    def agreement(self, by_meaning: Selection) -> float:
        """The share of needs for which the embedder chose the same."""
        pairs = zip(self.chosen, by_meaning.choices, strict=True)
        return sum(name == choice.chosen for name, choice in pairs) / len(self.chosen)


async def judge_by(settings: JudgeSettings, tools: Sequence[Tool[Any, Any]], needs: Needs) -> Judgement | None:
    """The judgement of the configured model; None when none is configured."""
    if settings.base_url is None:
        return None
    headers = {}
    if settings.api_key is not None:
        headers["authorization"] = f"Bearer {settings.api_key.get_secret_value()}"
    async with httpx2.AsyncClient(base_url=settings.base_url, headers=headers, timeout=settings.timeout_s) as http:
        return await judge(http, settings.model, tools, needs)


async def judge(http: httpx2.AsyncClient, model: str, tools: Sequence[Tool[Any, Any]], needs: Needs) -> Judgement:
    """Ask for every need, one after the other. `http` has the API's base URL, its key and its timeout."""
    listed = [{"name": tool.name, "description": tool.description} for tool in tools]
    names = {tool.name for tool in tools}
    system = _TASK + orjson.dumps(listed).decode()
    chosen: list[str | None] = []
    failures = 0
    served: set[str] = set()
    for _, text in needs:
        completion = await _asked(http, model, system, text)
        if completion is None:
            failures += 1
            chosen.append(None)
            continue
        served.add(completion.model)
        answer = (completion.choices[0].message.content or "").strip() if completion.choices else ""
        chosen.append(answer if answer in names else None)
    return Judgement(tuple(chosen), tuple(expected for expected, _ in needs), failures, frozenset(served))


async def _asked(http: httpx2.AsyncClient, model: str, system: str, text: str) -> _Completion | None:
    body = {
        "model": model,
        "temperature": 0,
        "max_tokens": MAX_ANSWER_TOKENS,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": text}],
    }
    try:
        response = await http.post("chat/completions", json=body)
        response.raise_for_status()
        return _Completion.model_validate_json(response.content)
    except (httpx2.HTTPError, ValidationError):
        return None
