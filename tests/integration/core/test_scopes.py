"""`configure_scope`: one registry of names for each tenant, and memories that follow their scope."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import psycopg
import pytest

from tests.integration.core.registry import configure, contents, find, registered, rewrite, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.errors import Conflict, DuplicateMemory, LimitReached, NotFound
from threengram.schema.bounds import MAX_SCOPE_ALIASES, MAX_SCOPE_MAPPINGS, MAX_SCOPES


@pytest.fixture
def core(core: Core) -> Core:
    """Without an embedder: nothing here depends on vectors."""
    return Core(core.database, None, core.cursors, core.clock)


async def test_a_new_tenant_has_two_scopes(core: Core, alice: Person) -> None:
    listed = await configure(core, alice, "list")
    assert (listed["action"], listed["count"]) == ("list", 2)
    assert [sorted(scope) for scope in listed["scopes"]] == [["aliases", "createdAt", "id", "name", "projects"]] * 2
    assert await registered(core, alice) == {"personal": ([], []), "work": ([], [])}


async def test_a_created_scope_answers_to_its_aliases_in_writes_and_searches(core: Core, alice: Person) -> None:
    created = await configure(core, alice, "create", name="health", aliases=["gym", "body", "gym"])
    assert (created["action"], created["scope"]["aliases"]) == ("upserted", ["gym", "body"])
    written = await write(core, alice, "squat 98 kg", scope="gym")
    assert written.memory.scope == "health"
    for name in ("health", "gym", "body"):
        assert await contents(core, alice, scope=name) == ["squat 98 kg"]
        assert (await find(core, alice, query="squat", scope=name)).count == 1
    assert await contents(core, alice, scope="work") == []


async def test_an_alias_and_its_scope_are_one_place_for_duplicates(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_aliases", name="work", aliases=["job"])
    first = await write(core, alice, "the same", scope="work")
    with pytest.raises(DuplicateMemory) as refused:
        await write(core, alice, "the same", scope="job")
    assert refused.value.subject_id == str(first.memory.id)


async def test_a_taken_name_is_a_conflict_and_changes_nothing(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_aliases", name="work", aliases=["job"])
    before = await registered(core, alice)
    for action, fields in (
        ("create", {"name": "work"}),
        ("create", {"name": "job"}),
        ("create", {"name": "new", "aliases": ["job"]}),
        ("rename", {"name": "personal", "newName": "job"}),
        ("set_aliases", {"name": "personal", "aliases": ["work"]}),
    ):
        with pytest.raises(Conflict):
            await configure(core, alice, action, **fields)
    assert await registered(core, alice) == before


async def test_an_unknown_scope_is_not_found(core: Core, alice: Person) -> None:
    for action, fields, field in (
        ("rename", {"name": "none", "newName": "new"}, "name"),
        ("set_aliases", {"name": "none", "aliases": []}, "name"),
        ("delete", {"name": "none"}, "name"),
        ("set_mapping", {"project": "atlas", "scope": "none"}, "scope"),
        ("set_retrieval_default", {"mode": "default", "scope": "none"}, "scope"),
    ):
        with pytest.raises(NotFound) as refused:
            await configure(core, alice, action, **fields)
        assert refused.value.field == field


async def test_a_renamed_scope_keeps_its_memories_and_answers_to_both_names(core: Core, alice: Person) -> None:
    await write(core, alice, "one", scope="work", project="atlas")
    await write(core, alice, "other", scope="personal")
    renamed = await configure(core, alice, "rename", name="work", newName="office")
    assert (renamed["action"], renamed["scope"]["name"], renamed["scope"]["aliases"]) == (
        "upserted",
        "office",
        ["work"],
    )
    written = await write(core, alice, "two", scope="work")
    assert written.memory.scope == "office"
    for name in ("work", "office"):
        assert await contents(core, alice, scope=name) == ["one", "two"]
    assert {hit.scope for hit in (await find(core, alice, query="one two", scope="work")).hits} == {"office"}
    assert await contents(core, alice, scope="personal") == ["other"]


async def test_a_rename_can_be_taken_back(core: Core, alice: Person) -> None:
    await write(core, alice, "one", scope="work")
    for old, new in (("work", "office"), ("office", "work"), ("work", "work")):
        await configure(core, alice, "rename", name=old, newName=new)
    assert await registered(core, alice) == {"personal": ([], []), "work": (["office"], [])}
    assert await contents(core, alice, scope="office") == ["one"]


async def test_a_rename_carries_mappings_and_the_last_resort(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_mapping", project="atlas", scope="work")
    await configure(core, alice, "rename", name="work", newName="office")
    await configure(core, alice, "rename", name="personal", newName="me")
    assert await registered(core, alice) == {"me": (["personal"], []), "office": (["work"], ["atlas"])}
    assert (await write(core, alice, "a", project="atlas")).memory.scope == "office"
    assert (await write(core, alice, "b")).memory.scope == "me"


async def test_a_rename_that_would_file_the_same_twice_is_refused_as_a_whole(core: Core, alice: Person) -> None:
    kept = await write(core, alice, "the same", scope="work")
    there = await write(core, alice, "the same", scope="office")
    await write(core, alice, "another", scope="work")
    with pytest.raises(Conflict) as refused:
        await configure(core, alice, "rename", name="work", newName="office")
    assert refused.value.subject_id in {str(kept.memory.id), str(there.memory.id)}
    assert await registered(core, alice) == {"personal": ([], []), "work": ([], [])}
    assert await contents(core, alice, scope="work") == ["the same", "another"]


async def test_a_name_that_becomes_an_alias_brings_its_memories(core: Core, alice: Person) -> None:
    await write(core, alice, "misfiled", scope="wrok")
    await configure(core, alice, "set_aliases", name="work", aliases=["wrok"])
    await write(core, alice, "unregistered", scope="gym")
    await configure(core, alice, "create", name="health", aliases=["gym"])
    assert await contents(core, alice, scope="work") == ["misfiled"]
    await configure(core, alice, "set_aliases", name="work", aliases=[])
    assert await contents(core, alice, scope="work") == ["misfiled"]
    assert await contents(core, alice, scope="health") == ["unregistered"]


async def test_a_rename_into_a_full_list_of_aliases_is_refused(core: Core, alice: Person) -> None:
    aliases = [f"alias-{number}" for number in range(MAX_SCOPE_ALIASES)]
    await configure(core, alice, "set_aliases", name="work", aliases=aliases)
    with pytest.raises(LimitReached):
        await configure(core, alice, "rename", name="work", newName="office")
    await configure(core, alice, "rename", name="work", newName="alias-3")


async def test_a_mapping_files_the_writes_of_a_project_until_it_is_removed(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_aliases", name="work", aliases=["job"])
    mapped = await configure(core, alice, "set_mapping", project="Atlas", scope="job")
    assert mapped == {"action": "mapping_set", "mapping": {"project": "Atlas", "scope": "work"}}
    assert (await registered(core, alice))["work"] == (["job"], ["Atlas"])
    assert (await write(core, alice, "a", project="Atlas")).memory.scope == "work"
    assert (await write(core, alice, "b", project="Atlas", scope="personal")).memory.scope == "personal"
    moved = await configure(core, alice, "set_mapping", project="Atlas", scope="personal")
    assert moved["mapping"]["scope"] == "personal"
    for _ in range(2):
        removed = await configure(core, alice, "set_mapping", project="Atlas")
        assert removed["mapping"] == {"project": "Atlas", "scope": None}
    assert (await write(core, alice, "c", project="Atlas")).memory.scope == "personal"


async def test_a_deleted_scope_leaves_its_memories_and_takes_its_mappings(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_aliases", name="work", aliases=["job"])
    await configure(core, alice, "set_mapping", project="atlas", scope="work")
    await write(core, alice, "kept", scope="work")
    assert await configure(core, alice, "delete", name="job") == {"action": "deleted", "name": "work"}
    assert await registered(core, alice) == {"personal": ([], [])}
    assert await contents(core, alice, scope="work") == ["kept"]
    assert await contents(core, alice, scope="job") == []
    assert (await write(core, alice, "new", project="atlas")).memory.scope == "personal"


async def test_the_registry_of_a_tenant_is_its_own(core: Core, alice: Person, bob: Person) -> None:
    await write(core, bob, "bob's", scope="work")
    await configure(core, alice, "create", name="health", aliases=["gym"])
    await configure(core, alice, "set_mapping", project="atlas", scope="health")
    await configure(core, alice, "set_retrieval_default", mode="default", scope="health")
    await configure(core, alice, "rename", name="work", newName="office")
    await configure(core, alice, "delete", name="personal")
    assert await registered(core, bob) == {"personal": ([], []), "work": ([], [])}
    assert (await write(core, bob, "more", project="atlas")).memory.scope == "personal"
    assert await contents(core, bob, scope="office") == []
    assert await contents(core, bob, scope="work") == ["bob's"]
    assert (await find(core, bob, query="more")).applied_scope is None
    with pytest.raises(NotFound):
        await configure(core, bob, "delete", name="health")


async def test_every_change_is_noted_without_a_name(core: Core, alice: Person, owner_url: str) -> None:
    created = await configure(core, alice, "create", name="health")
    await configure(core, alice, "rename", name="health", newName="body")
    await configure(core, alice, "list")
    with psycopg.connect(owner_url) as owner:
        owner.execute("SELECT set_config('app.tenant_id', %s, true)", (str(alice.principal.tenant_id),))
        noted = owner.execute(
            "SELECT action, subject_id::text, actor_kind, details FROM audit_log ORDER BY recorded_at"
        ).fetchall()
    scope_id = created["scope"]["id"]
    assert noted == [("scope.create", scope_id, "user_mcp", {}), ("scope.rename", scope_id, "user_mcp", {})]


async def test_a_full_registry_takes_no_more(core: Core, alice: Person, owner_url: str) -> None:
    tenant = str(alice.principal.tenant_id)
    with psycopg.connect(owner_url) as owner:
        owner.execute("SELECT set_config('app.tenant_id', %s, true)", (tenant,))
        owner.execute(
            "INSERT INTO scopes (tenant_id, id, name, created_at)"
            " SELECT %s, gen_random_uuid(), 'scope-' || n, now() FROM generate_series(3, %s) n",
            (tenant, MAX_SCOPES),
        )
        owner.execute(
            "INSERT INTO scope_mappings (tenant_id, project, scope, created_at)"
            " SELECT %s, 'project-' || n, 'work', now() FROM generate_series(1, %s) n",
            (tenant, MAX_SCOPE_MAPPINGS),
        )
    for action, fields in (("create", {"name": "new"}), ("set_mapping", {"project": "new", "scope": "work"})):
        with pytest.raises(LimitReached):
            await configure(core, alice, action, **fields)
    await configure(core, alice, "delete", name="work")
    await configure(core, alice, "create", name="new")
    await configure(core, alice, "set_mapping", project="new", scope="new")


async def test_of_many_who_create_the_same_scope_one_succeeds(core: Core, alice: Person) -> None:
    attempts = [configure(core, alice, "create", name="new", aliases=[f"alias-{number}"]) for number in range(12)]
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict"] * 11 + ["dict"]
    assert len((await registered(core, alice))["new"][0]) == 1


async def test_a_search_finds_a_scope_by_both_names_whenever_it_is_renamed(core: Core, alice: Person) -> None:
    for number in range(20):
        await write(core, alice, f"apples {number}", scope="work")
    await configure(core, alice, "set_aliases", name="work", aliases=["office"])
    await configure(core, alice, "set_retrieval_default", mode="default", scope="office")

    async def look(**fields: object) -> None:
        found = await find(core, alice, limit=25, **fields)
        assert found.count == 20, fields
        assert len({hit.scope for hit in found.hits}) == 1

    await while_renamed(
        core,
        alice,
        [
            partial(look, query="apples", scope="work"),
            partial(look, query="apples", scope="office"),
            partial(look, query="apples"),
            partial(look, order="chronological", scope="work"),
            partial(look, order="chronological", scope="office", asOf={"validAt": "2027-01-01T00:00:00Z"}),
        ],
    )


async def test_ten_thousand_memories_follow_their_scope_in_one_transaction(
    core: Core, alice: Person, owner_url: str
) -> None:
    tenant = str(alice.principal.tenant_id)
    with psycopg.connect(owner_url) as owner:
        owner.execute("SELECT set_config('app.tenant_id', %s, true)", (tenant,))
        owner.execute(TEN_THOUSAND, {"tenant": tenant, "user": alice.principal.user_id})
    is_over = asyncio.Event()

    async def look(name: str) -> set[str]:
        seen = set()
        while not is_over.is_set():
            found = await find(core, alice, order="chronological", scope=name)
            labels = {hit.scope for hit in found.hits}
            assert (found.count, len(labels)) == (5, 1)
            seen |= labels
        return seen

    async def rename() -> None:
        await configure(core, alice, "rename", name="work", newName="office")
        await find(core, alice, order="chronological", scope="work")
        is_over.set()

    await configure(core, alice, "set_aliases", name="work", aliases=["office"])
    looking = asyncio.gather(look("work"), look("office"))
    await rename()
    assert set().union(*await looking) <= {"work", "office"}
    with psycopg.connect(owner_url) as owner:
        owner.execute("SELECT set_config('app.tenant_id', %s, true)", (tenant,))
        relabelled = owner.execute("SELECT scope, count(*), count(DISTINCT xmin::text) FROM memories GROUP BY scope")
        assert relabelled.fetchall() == [("office", 10_000, 1)]


TEN_THOUSAND = """
    INSERT INTO memories (tenant_id, id, memory_no, user_id, memory_type, topic, content, content_chars, content_hash,
                          scope, valid_from, recorded_at, touched_at)
    SELECT %(tenant)s, gen_random_uuid(), n, %(user)s, 'note', 'a topic', 'content ' || n, 13, sha256(n::text::bytea),
           'work', now(), now(), now()
    FROM generate_series(1, 10000) n
"""


async def test_a_walk_goes_on_over_a_rename(core: Core, alice: Person) -> None:
    for number in range(12):
        await write(core, alice, f"apples {number}", scope="work")
    for asked in ({"query": "apples"}, {"order": "chronological"}):
        first = await find(core, alice, scope="work", limit=6, **asked)
        await configure(core, alice, "rename", name="work", newName="office")
        second = await find(core, alice, scope="work", limit=6, cursor=first.next_cursor, **asked)
        await configure(core, alice, "rename", name="office", newName="work")
        assert len({hit.id for hit in (*first.hits, *second.hits)}) == 12


async def test_what_is_written_while_a_scope_is_renamed_ends_up_in_it(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_mapping", project="atlas", scope="work")
    texts = (f"apples {number}" for number in itertools.count())

    async def keep(**fields: object) -> None:
        written = await write(core, alice, next(texts), **fields)
        assert written.memory.scope in {"work", "office"}

    kept = await while_renamed(
        core, alice, [partial(keep, scope="work"), partial(keep, scope="office"), partial(keep, project="atlas")]
    )
    walked, cursor = 0, None
    while True:
        page = await find(core, alice, order="chronological", scope="office", limit=25, **cursor_argument(cursor))
        walked, cursor = walked + page.count, page.next_cursor
        assert {hit.scope for hit in page.hits} <= {"work"}
        if cursor is None:
            break
    assert walked == sum(kept)


async def test_revisions_and_renamings_never_wait_for_each_other_in_a_circle(core: Core, alice: Person) -> None:
    heads = [(await write(core, alice, f"content {number}", scope="work")).memory.id for number in range(4)]

    async def correct(chain: int) -> None:
        heads[chain] = (await rewrite(core, alice, heads[chain], f"after {heads[chain]}")).memory.id

    await while_renamed(core, alice, [partial(correct, chain) for chain in range(len(heads))])
    live = await find(core, alice, order="chronological", scope="work", limit=25)
    assert len([hit for hit in live.hits if not hit.superseded]) == len(heads)


async def while_renamed(
    core: Core, person: Person, steps: Sequence[Callable[[], Awaitable[None]]], *, times: int = 25, often: int = 10
) -> list[int]:
    """Take each step again and again while a scope is renamed there and back; how often each of them was taken.

    The renaming ends after so many times, and not before every step was taken so often.
    """
    taken = [0] * len(steps)
    is_over = False

    async def rename() -> None:
        nonlocal is_over
        renamed = 0
        while renamed < times or min(taken) < often:
            await configure(core, person, "rename", name="work", newName="office")
            await configure(core, person, "rename", name="office", newName="work")
            renamed += 1
        is_over = True

    async def take(number: int) -> None:
        while not is_over:
            await steps[number]()
            taken[number] += 1

    async with asyncio.TaskGroup() as group:
        group.create_task(rename())
        for number in range(len(steps)):
            group.create_task(take(number))
    return taken


def cursor_argument(cursor: str | None) -> dict[str, str]:
    return {} if cursor is None else {"cursor": cursor}
