"""The supervisor's part of a change of model: it serves one more, or one fewer, and says who owns the database."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx2

from threengram.cli.errors import CannotRun
from threengram.cli.served import ServedModel, ServedModels

ASK_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class ModelRequests:
    """Answers for the embedder of one stack; `roll` replaces its processes without refusing a call."""

    served: ServedModels
    owner_url: str = field(repr=False)
    embedder_url: str
    roll: Callable[[], Awaitable[object]]

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a `models` request of the control socket; raises `CannotRun` for what can't be done."""
        match request:
            case {"action": "owner"}:
                return {"ownerUrl": self.owner_url}
            case {"action": "serve", "name": str(name), "declaration": dict(declaration)}:
                return await self._serve(name, declaration)
            case {"action": "unserve", "name": str(name)}:
                return await self._unserve(name)
            case _:
                raise CannotRun("unknown models request")

    async def _serve(self, name: str, declaration: dict[str, Any]) -> dict[str, Any]:
        before = self.served.all()
        # The width is known to whoever loads the model, and the name of a directory's too.
        self.served.add(ServedModel(name, 0, declaration))
        try:
            await self.roll()
            cards = await self._cards()
        except CannotRun as error:
            self.served.replace(before)
            raise CannotRun(f"the embedder does not take {name}, and serves what it did: {error}") from error
        # Names are those of the declarations, in their order, apart from a directory's own.
        found = ServedModel(cards[-1]["id"], cards[-1]["dimensions"], declaration)
        self.served.replace([*(one for one in before if one.name not in {name, found.name}), found])
        return {"name": found.name, "dimensions": found.dimensions}

    async def _unserve(self, name: str) -> dict[str, Any]:
        if all(one.name != name for one in self.served.all()):
            return {"isServed": False}
        self.served.remove(name)
        await self.roll()
        return {"isServed": False}

    async def _cards(self) -> list[dict[str, Any]]:
        def ask() -> list[dict[str, Any]]:
            answer = httpx2.get(f"{self.embedder_url}/v1/models", timeout=ASK_TIMEOUT_S, trust_env=False)
            cards: list[dict[str, Any]] = answer.raise_for_status().json()["data"]
            return cards

        try:
            return await asyncio.to_thread(ask)
        except httpx2.HTTPError as error:
            raise CannotRun(f"the embedder does not say what it serves: {type(error).__name__}") from error
