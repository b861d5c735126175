"""The retrieval default in force: what a search without a scope sees, and what is never asked for it."""

import asyncio

import pytest

from tests.conftest import Clock
from tests.integration.core.registry import configure, contents, find, registered, write
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.embeddings.embedder import DocumentVectors, QueryVector, Vector
from threengram.core.environment import describe_environment
from threengram.core.errors import InvalidCursor, UnscopedRetrieval
from threengram.schema.enums import RetrievalMode
from threengram.schema.environment import RetrievalScopePolicy

A_VECTOR: Vector = [384**-0.5] * 384


class RecordingEmbedder:
    """A model that notes what it is sent, and answers a query only when it is let go on."""

    model_name = "hash-384"
    dimensions = 384

    def __init__(self, *, is_metered: bool) -> None:
        self.is_metered = is_metered
        self.sent: list[str] = []
        self.cancelled: list[str] = []
        self.goes_on = asyncio.Event()

    def look_again(self) -> None:
        """It speaks for one model."""

    def speaking_for(self, model_name: str, dimensions: int) -> "RecordingEmbedder":
        return self

    async def embed_query(self, query: str, *, timeout_s: float) -> QueryVector:
        self.sent.append(query)
        try:
            await self.goes_on.wait()
        except asyncio.CancelledError:
            self.cancelled.append(query)
            raise
        return QueryVector(self.model_name, A_VECTOR)

    async def embed_document(
        self, topic: str, content: str, *, timeout_s: float, first_window_only: bool, priority: str
    ) -> DocumentVectors:
        return DocumentVectors(self.model_name, [A_VECTOR], 1, 0)


async def policy(core: Core, person: Person) -> RetrievalScopePolicy:
    async with open_call(core, person.principal) as call:
        return (await describe_environment(call, tools=[], version="1")).retrieval_scope_policy


@pytest.fixture
async def shelves(core: Core, alice: Person) -> None:
    await write(core, alice, "apples at work", scope="work", project="atlas")
    await write(core, alice, "apples at home", scope="personal")


@pytest.mark.usefixtures("shelves")
async def test_off_narrows_nothing(core: Core, alice: Person) -> None:
    set_off = await configure(core, alice, "set_retrieval_default", mode="off", scope=None)
    assert set_off == {"action": "retrieval_default_set", "policy": {"mode": "off", "scope": None}}
    found = await find(core, alice, query="apples")
    assert (found.count, found.wire().get("appliedScope")) == (2, None)


@pytest.mark.usefixtures("shelves")
async def test_a_default_narrows_a_search_without_a_scope_and_says_so(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_aliases", name="work", aliases=["job"])
    answer = await configure(core, alice, "set_retrieval_default", mode="default", scope="job")
    assert answer["policy"] == {"mode": "default", "scope": "work"}
    for asked in ({"query": "apples"}, {"order": "chronological", "memoryType": "note"}):
        found = await find(core, alice, **asked)
        assert ([hit.scope for hit in found.hits], found.applied_scope) == (["work"], "work")
        found = await find(core, alice, scope="personal", **asked)
        assert ([hit.scope for hit in found.hits], found.applied_scope) == (["personal"], None)


@pytest.mark.usefixtures("shelves")
async def test_require_refuses_a_search_without_a_scope_and_names_those_there_are(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_retrieval_default", mode="require")
    for asked in (
        {"query": "apples"},
        {"query": "apples", "project": "atlas"},
        {"order": "chronological", "project": "atlas"},
    ):
        with pytest.raises(UnscopedRetrieval) as refused:
            await find(core, alice, **asked)
        assert refused.value.field == "scope"
        assert str(refused.value).endswith("registered scopes: personal, work")
    assert (await find(core, alice, query="apples", scope="work")).count == 1
    assert await contents(core, alice, scope="personal") == ["apples at home"]


async def test_nothing_is_sent_to_a_metered_model_for_a_refused_search(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_retrieval_default", mode="require")
    metered = RecordingEmbedder(is_metered=True)
    paying = Core(core.database, metered, core.cursors, core.clock)
    with pytest.raises(UnscopedRetrieval):
        await find(paying, alice, query="apples")
    assert metered.sent == []
    metered.goes_on.set()
    await find(paying, alice, query="apples", scope="work")
    assert metered.sent == ["apples"]


async def test_the_embedding_of_a_refused_search_is_cancelled(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_retrieval_default", mode="require")
    local = RecordingEmbedder(is_metered=False)
    with pytest.raises(UnscopedRetrieval):
        await find(Core(core.database, local, core.cursors, core.clock), alice, query="apples")
    assert local.sent == local.cancelled == ["apples"]


async def test_the_default_follows_the_renaming_of_its_scope(core: Core, alice: Person) -> None:
    await write(core, alice, "apples", scope="work")
    await configure(core, alice, "set_retrieval_default", mode="default", scope="work")
    await configure(core, alice, "rename", name="work", newName="office")
    assert await policy(core, alice) == RetrievalScopePolicy(mode=RetrievalMode.DEFAULT, scope="office")
    found = await find(core, alice, query="apples")
    assert (found.count, found.applied_scope) == (1, "office")


async def test_a_deleted_default_leaves_searches_refused_not_open(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_retrieval_default", mode="default", scope="work")
    await configure(core, alice, "delete", name="personal")
    assert await policy(core, alice) == RetrievalScopePolicy(mode=RetrievalMode.DEFAULT, scope="work")
    await configure(core, alice, "delete", name="work")
    assert await policy(core, alice) == RetrievalScopePolicy(mode=RetrievalMode.REQUIRE, scope=None)
    with pytest.raises(UnscopedRetrieval, match="none registered"):
        await find(core, alice, query="apples")


async def test_a_default_and_the_deletion_of_its_scope_leave_no_dangling_policy(core: Core, alice: Person) -> None:
    for number in range(8):
        name = f"scope-{number}"
        await configure(core, alice, "create", name=name)
        await asyncio.gather(
            configure(core, alice, "set_retrieval_default", mode="default", scope=name),
            configure(core, alice, "delete", name=name),
            return_exceptions=True,
        )
        standing = await policy(core, alice)
        assert standing.scope is None or standing.scope in await registered(core, alice)


@pytest.mark.parametrize("asked", [{"query": "apples"}, {"order": "chronological", "memoryType": "note"}])
async def test_a_later_page_never_shows_more_than_the_policy_of_the_first(
    core: Core, alice: Person, clock: Clock, asked: dict[str, object]
) -> None:
    for number in range(8):
        await write(core, alice, f"apples {number}", scope="work")
        await write(core, alice, f"apples {number}", scope="personal")

    async def next_page(cursor: str | None, **fields: object) -> set[str]:
        return {hit.scope for hit in (await find(core, alice, **asked, **fields, cursor=cursor)).hits}

    await configure(core, alice, "set_retrieval_default", mode="default", scope="work")
    first = await find(core, alice, **asked)
    assert await next_page(first.next_cursor) == {"work"}
    for fields in ({"mode": "off"}, {"mode": "default", "scope": "personal"}):
        await configure(core, alice, "set_retrieval_default", **fields)
        with pytest.raises(InvalidCursor):
            await next_page(first.next_cursor)
    everything = await find(core, alice, **asked, scope="personal")
    await configure(core, alice, "set_retrieval_default", mode="require")
    with pytest.raises(UnscopedRetrieval):
        await next_page(everything.next_cursor)
    assert await next_page(everything.next_cursor, scope="personal") == {"personal"}
