"""An embedder that is late, in every way there is: neither a write nor a search waits for it."""

from collections.abc import AsyncIterator

import anyio
import pytest
from starlette.types import Receive, Scope, Send

from tests.integration.core.writing import write
from tests.people import Person
from tests.stand_ins import StandIn, sent
from threengram.core.call import Core, open_call
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.search.search import search
from threengram.schema.enums import EmbeddedState, VectorCoverage
from threengram.schema.search import SearchInput

DEADLINE_S = 0.2
ENOUGH_S = 20.0
"""Far beyond the deadline, far below what the slow one would take."""


class Slow(StandIn):
    """Answers never, or byte by byte for half a minute."""

    def __init__(self, *, drips: bool) -> None:
        super().__init__()
        self._drips = drips

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        await sent(receive)
        left = False
        if self._drips:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(600):
            if self._drips:
                await send({"type": "http.response.body", "body": b" ", "more_body": True})
            with anyio.move_on_after(0.05):
                left = (await receive())["type"] == "http.disconnect"
            if left:
                return


@pytest.fixture(params=[False, True], ids=["silent", "dripping"])
async def slow(request: pytest.FixtureRequest, core: Core) -> AsyncIterator[Core]:
    with Slow(drips=request.param) as server:
        embedder = HttpEmbedder(server.url, model_name="slow", dimensions=384)
        yield Core(core.database, embedder, core.cursors, core.clock, DEADLINE_S, DEADLINE_S)
        await embedder.close()


async def test_a_write_goes_on_without_its_vector(slow: Core, alice: Person) -> None:
    with anyio.fail_after(ENOUGH_S):
        written = await write(slow, alice)
    assert written.embedded is EmbeddedState.PENDING


async def test_a_search_goes_on_by_words(slow: Core, core: Core, alice: Person) -> None:
    await write(core, alice, content="the quetzal nests in March")
    with anyio.fail_after(ENOUGH_S):
        async with open_call(slow, alice.principal) as call:
            found = await search(call, SearchInput(query="quetzal nests"))
    assert [hit.content for hit in found.hits] == ["the quetzal nests in March"]
    assert found.coverage.vector is not VectorCoverage.USED
