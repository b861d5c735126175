"""`search`: the right memory first, whatever leg finds it, and an answer that says what it could see."""

import pytest

from tests.conftest import Clock
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.errors import InvalidCursor
from threengram.core.memories import remember
from threengram.core.search import search
from threengram.schema.enums import VectorCoverage
from threengram.schema.memories import RememberInput
from threengram.schema.search import SearchInput, SearchOutput


async def keep(core: Core, person: Person, *contents: str, **fields: object) -> list[str]:
    ids = []
    for content in contents:
        values = {"memory_type": "note", "topic": "a topic", "content": content, **fields}
        async with open_call(core, person.principal) as call:
            written = await remember(call, RememberInput.model_validate(values, strict=False))
        ids.append(str(written.memory.id))
    return ids


async def find(core: Core, person: Person, query: str | None = None, **fields: object) -> SearchOutput:
    request = SearchInput.model_validate({"query": query, **fields}, strict=False)
    async with open_call(core, person.principal) as call:
        return await search(call, request)


def ids_of(found: SearchOutput) -> list[str]:
    return [str(hit.id) for hit in found.hits]


async def test_the_memory_that_shares_rare_words_comes_first(core: Core, alice: Person) -> None:
    _, wanted, _ = await keep(
        core, alice, "We bought a red car.", "The deploy failed on rolsuper.", "Lunch with the team."
    )
    found = await find(core, alice, "rolsuper")
    assert ids_of(found)[0] == wanted
    assert found.coverage.vector is VectorCoverage.USED


async def test_without_an_embedder_a_memory_is_found_by_its_words(core: Core, alice: Person) -> None:
    lexical_only = Core(core.database, None, core.cursors, core.clock)
    (wanted, _) = await keep(lexical_only, alice, "Der Zug fährt um acht.", "Something else entirely.")
    found = await find(lexical_only, alice, "Zug")
    assert ids_of(found)[0] == wanted
    assert found.coverage.vector is VectorCoverage.OFF


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("会議は来週の火曜日に延期された", "火曜日"),
        ("项目预算已经批准", "预算"),
        ("회의는 다음 주로 연기되었습니다", "회의"),
        ("Le café est fermé le dimanche", "cafe"),
        ("Set rolsuper to false in libs/core/db.py", "libs/core/db.py"),
        ("Upgrade to v1.4.2 before Friday", "v1.4.2"),
    ],
)
async def test_words_of_any_language_are_found_by_keyword(core: Core, alice: Person, content: str, query: str) -> None:
    lexical_only = Core(core.database, None, core.cursors, core.clock)
    (wanted, *_) = await keep(lexical_only, alice, content, "An unrelated note about gardening.", "Ein anderer Satz.")
    assert ids_of(await find(lexical_only, alice, query))[0] == wanted


async def test_filters_keep_what_they_name(core: Core, alice: Person) -> None:
    (work,) = await keep(core, alice, "budget meeting", scope="work", project="atlas")
    await keep(core, alice, "budget at home")
    for narrowed in ({"scope": "work"}, {"project": "atlas"}):
        assert ids_of(await find(core, alice, "budget", **narrowed)) == [work]
    assert ids_of(await find(core, alice, "budget", memory_type="decision")) == []


async def test_a_walk_repeats_nothing_and_skips_nothing_while_others_write(
    core: Core, alice: Person, clock: Clock
) -> None:
    kept = await keep(core, alice, *(f"apples and pears, basket {number}" for number in range(23)))
    walked: list[str] = []
    page = await find(core, alice, "apples", limit=5)
    while True:
        walked += ids_of(page)
        await keep(core, alice, f"apples again {len(walked)}")
        if page.next_cursor is None:
            break
        page = await find(core, alice, "apples", limit=5, cursor=page.next_cursor)
    assert sorted(walked) == sorted(kept)


async def test_a_cursor_serves_only_its_own_query_and_tenant(core: Core, alice: Person, bob: Person) -> None:
    await keep(core, alice, *(f"apples {number}" for number in range(8)))
    cursor = (await find(core, alice, "apples")).next_cursor
    assert cursor is not None
    for person, query, fields in (
        (alice, "pears", {}),
        (alice, "apples", {"scope": "work"}),
        (alice, "apples", {"order": "chronological"}),
        (bob, "apples", {}),
    ):
        with pytest.raises(InvalidCursor):
            await find(core, person, query, cursor=cursor, **fields)
    for place in (0, len(cursor) // 2, len(cursor) - 2):
        other = "B" if cursor[place] != "B" else "C"
        with pytest.raises(InvalidCursor):
            await find(core, alice, "apples", cursor=cursor[:place] + other + cursor[place + 1 :])


async def test_chronological_order_lists_everything_once_newest_first(core: Core, alice: Person) -> None:
    kept = await keep(core, alice, *(f"entry {number}" for number in range(12)), scope="work")
    walked: list[str] = []
    cursor = None
    while True:
        page = await find(core, alice, order="chronological", scope="work", limit=5, cursor=cursor)
        walked += ids_of(page)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert walked == kept[::-1]


async def test_a_chronological_query_keeps_rows_with_all_its_terms(core: Core, alice: Person) -> None:
    both, _, _ = await keep(core, alice, "red apples", "green apples", "red cars")
    assert ids_of(await find(core, alice, "apple red", order="chronological")) == [both]
    assert ids_of(await find(core, alice, "apple violet", order="chronological")) == []


async def test_as_of_shows_what_was_known_and_valid_then(core: Core, alice: Person, clock: Clock) -> None:
    (early,) = await keep(core, alice, "the office is in Paris")
    clock.advance(days=2)
    (late,) = await keep(core, alice, "the office is in Rome")
    between = (clock.now.replace(day=3)).isoformat()
    assert set(ids_of(await find(core, alice, "office"))) == {early, late}
    for axis in ("as_known_at", "valid_at"):
        assert ids_of(await find(core, alice, "office", as_of={axis: between})) == [early]
    before = "2026-03-01T00:00:00Z"
    assert ids_of(await find(core, alice, "office", as_of={"as_known_at": before})) == []


async def test_nothing_of_another_tenant_is_found(core: Core, alice: Person, bob: Person) -> None:
    await keep(core, alice, "my secret garden", scope="work", project="p")
    for query, fields in (("secret garden", {}), (None, {"order": "chronological", "project": "p"})):
        found = await find(core, bob, query, **fields)
        assert found.hits == []


async def test_a_compact_page_has_no_bodies(core: Core, alice: Person) -> None:
    await keep(core, alice, "apples", "apples and pears")
    wire = (await find(core, alice, "apples", projection="compact")).wire()
    assert all("content" not in hit and "truncated" not in hit for hit in wire["hits"])
