"""Random histories on random clocks: every point of both axes is answered as a naive model answers it, for ever."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import LiteralString
from uuid import UUID

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import CURSOR_KEY
from tests.integration.core.writing import bring_back, correct, facts, find, put_away, read, rows, settle, write
from tests.people import Person, a_person
from tests.property.model import Claim, Life, Model, ModelMemory, Refused, known
from tests.settings import PropertySettings
from threengram.core.call import Core
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.errors import Error
from threengram.core.time import as_of
from threengram.schema.memories import Fact

START = datetime(2026, 3, 28, 20, tzinfo=UTC)
"""Hours before the clocks change in Europe, on purpose."""

WRITE_DEADLINE = timedelta(seconds=15)
MAX_INSTANTS = 48
SERIES = ("lift.kg", "run.km")
CONTENTS = ("alpha", "beta", "gamma", "delta")
TYPES = ("note", "blocker", "commitment", "decision")

STEPS = st.sampled_from(
    [timedelta(0), timedelta(0), timedelta(microseconds=1), timedelta(seconds=-2), timedelta(seconds=7),
     timedelta(minutes=61), timedelta(hours=26)]
)  # fmt: skip
OFFSETS = st.sampled_from([None, None, -30, -5, -1, 0, 1, 4, 40])
CLAIMS = st.lists(
    st.tuples(st.sampled_from(SERIES), OFFSETS, st.sampled_from([None, None, 0, 2, 50])),
    max_size=2,
    unique_by=lambda claim: claim[0],
)
OPERATIONS = st.tuples(
    st.sampled_from(["remember", "remember", "revise", "revise", "archive", "unarchive", "resolve", "reopen"]),
    STEPS,
    st.integers(0, 63),
    st.sampled_from(TYPES),
    st.sampled_from(CONTENTS),
    CLAIMS,
)
Operation = tuple[str, timedelta, int, str, str, list[tuple[str, int | None, int | None]]]
HISTORIES = st.lists(OPERATIONS, min_size=4, max_size=14)


_CANDIDATES: dict[str, Callable[[ModelMemory], bool]] = {
    "remember": lambda memory: True,
    "revise": lambda memory: memory.valid_to is None,
    "archive": lambda memory: memory.is_live and memory.memory_type != "blocker",
    "unarchive": lambda memory: memory.status == "archived" and memory.valid_to is None,
    "resolve": lambda memory: memory.is_live and (memory.memory_type == "blocker" or memory.commitment == "open"),
    "reopen": lambda memory: memory.status == "archived" or memory.commitment == "resolved",
}


@dataclass
class World:
    """The product and the model, side by side, on one clock."""

    core: Core
    person: Person
    model: Model
    now: datetime

    async def apply(self, operation: Operation) -> None:
        """One call on both; they have to agree on whether it succeeds and on what it writes."""
        verb, step, pick, memory_type, content, drawn = operation
        self.now += step
        claims = [self._claim(number, *claim) for number, claim in enumerate(drawn)]
        target = self._target(verb, pick)
        if verb != "remember" and target is None:
            return
        expected, refused, failure = None, None, None
        try:
            expected = self._in_model(verb, target, memory_type, content, claims)
        except Refused as error:
            refused = error.kind
        try:
            await self._in_product(verb, target, memory_type, content, claims, expected)
        except Error as error:
            failure = type(error).__name__
        assert failure == refused

    def _target(self, verb: str, pick: int) -> ModelMemory | None:
        """Any memory one time in four, else one on which the call has something to do."""
        favoured = [memory for memory in self.model.memories if pick % 4 == 0 or _CANDIDATES[verb](memory)]
        candidates = favoured or self.model.memories
        return candidates[pick // 4 % len(candidates)] if candidates else None

    def _claim(self, number: int, series: str, offset: int | None, length: int | None) -> Claim:
        start = None if offset is None else START + timedelta(hours=offset)
        end = None if start is None or length is None else start + timedelta(hours=length)
        return Claim(series, f"{len(self.model.facts)}.{number}", start, end)

    def _in_model(
        self, verb: str, target: ModelMemory | None, memory_type: str, content: str, claims: list[Claim]
    ) -> ModelMemory | None:
        if verb == "remember":
            return self.model.remember(self.now, memory_type, content, claims)
        assert target is not None
        match verb:
            case "revise":
                return self.model.revise(self.now, target, memory_type, content, claims)
            case "archive":
                self.model.archive(self.now, target)
            case "unarchive":
                self.model.unarchive(self.now, target)
            case _:
                self.model.resolve(self.now, target, "resolved" if verb == "resolve" else "open")
        return None

    async def _in_product(
        self,
        verb: str,
        target: ModelMemory | None,
        memory_type: str,
        content: str,
        claims: list[Claim],
        expected: ModelMemory | None,
    ) -> None:
        fields = {"memory_type": memory_type, "content": content, "facts": [_argument(claim) for claim in claims]}
        if verb == "remember":
            written = await write(self.core, self.person, **fields)
            self._identify(expected, written.memory.id, written.facts or [])
            return
        assert target is not None
        match verb:
            case "revise":
                revised = await correct(self.core, self.person, target.memory_id, **fields)
                self._identify(expected, revised.memory.id, revised.facts or [])
            case "archive":
                await put_away(self.core, self.person, target.memory_id)
            case "unarchive":
                await bring_back(self.core, self.person, target.memory_id)
            case _:
                wanted = "resolved" if verb == "resolve" else "open"
                await settle(self.core, self.person, target.memory_id, wanted)

    def _identify(self, memory: ModelMemory | None, memory_id: UUID, written: list[Fact]) -> None:
        assert memory is not None
        memory.memory_id = memory_id
        stated = [fact for fact in self.model.facts if fact.memory is memory]
        for fact, answer in zip(stated, written, strict=True):
            fact.fact_id = answer.id
            assert (answer.value, answer.valid_from, answer.valid_to) == (fact.value, fact.valid_from, fact.valid_to)
            assert answer.recorded_at == fact.versions[0].recorded_from


def _argument(claim: Claim) -> dict[str, object]:
    subject, _, predicate = claim.series.partition(".")
    return {"subject": subject, "predicate": predicate, "value": claim.value, "valid_from": claim.valid_from,
            "valid_to": claim.valid_to}  # fmt: skip


Pair = tuple[datetime, datetime]
Answers = dict[Pair, tuple[frozenset[UUID], frozenset[UUID]]]


async def answers(world: World, pairs: list[Pair]) -> Answers:
    """What holds at each (valid, known) pair by the product's own predicate, all pairs in one statement a kind."""
    found: dict[str, dict[Pair, set[UUID]]] = {}
    for table, key in (("memory_lifetimes", "memory_id"), ("fact_lifetimes", "fact_id")):
        held = found[table] = defaultdict(set)
        for row in await rows(world.core, world.person, _every_pair(table, key), valid=[pair[0] for pair in pairs],
                              known=[pair[1] for pair in pairs]):  # fmt: skip
            held[pairs[row["position"] - 1]].add(row["id"])
    memories, claims = found["memory_lifetimes"], found["fact_lifetimes"]
    return {pair: (frozenset(memories[pair]), frozenset(claims[pair])) for pair in pairs}


def _every_pair(table: LiteralString, key: LiteralString) -> LiteralString:
    held = f"{as_of.known('l')} AND {as_of.valid('l')}"
    held = held.replace("%(known_at)s", "p.known").replace("%(valid_at)s", "p.valid")
    return (
        f"SELECT p.position, l.{key} AS id FROM unnest(%(valid)s::timestamptz[], %(known)s::timestamptz[])"
        f" WITH ORDINALITY AS p (valid, known, position) JOIN {table} l ON {held}"
    )


def pairs_of(world: World) -> list[Pair]:
    """Every combination of instants at which an answer may change, and of those just before."""
    instants = sorted(world.model.instants())
    kept = instants[:: len(instants) // MAX_INSTANTS + 1]
    around = [point for instant in kept for point in (instant - timedelta(microseconds=1), instant)]
    return [(valid, known) for valid in around for known in around]


def check_answers(world: World, found: Answers) -> None:
    for (valid_at, known_at), (memories, claims) in found.items():
        assert memories == world.model.memories_at(valid_at, known_at)
        assert claims == world.model.facts_at(valid_at, known_at)


async def check_verbs(world: World, pairs: list[Pair]) -> None:
    """The same through the public verbs, at a few pairs: the listing of memories, the point read of facts."""
    for valid_at, known_at in pairs[:: len(pairs) // 3 + 1]:
        point = {"valid_at": valid_at, "as_known_at": known_at}
        listed = await find(world.core, world.person, order="chronological", as_of=point, limit=25)
        assert {hit.id for hit in listed.hits} == world.model.memories_at(valid_at, known_at)
        page = await facts(world.core, world.person, as_of=point, limit=200)
        assert {fact.id for fact in page.facts} == world.model.facts_at(valid_at, known_at)
    present = await facts(world.core, world.person, limit=200)
    assert {fact.id for fact in present.facts} == {fact.fact_id for fact in world.model.facts if fact.covers(world.now)}


async def check_nothing_is_lost(world: World) -> None:
    """Texts, versions without gap or overlap, one acyclic chain of successors."""
    for memory in world.model.memories:
        stored = await read(world.core, world.person, memory.memory_id)
        assert (stored.content, stored.status, stored.valid_to) == (memory.content, memory.status, memory.valid_to)
        successor = stored.superseded_by.id if stored.superseded_by else None
        assert successor == (memory.successor.memory_id if memory.successor else None)
        seen = {memory.memory_id}
        while memory.successor is not None:
            memory = memory.successor
            assert memory.memory_id not in seen
            seen.add(memory.memory_id)
    for table in ("memory_lifetimes", "fact_lifetimes"):
        gaps = await rows(world.core, world.person, _GAPS[table])
        assert gaps == []


_GAPS: dict[str, LiteralString] = {
    table: f"""
    SELECT a.{key} FROM {table} a LEFT JOIN {table} b ON b.{key} = a.{key} AND b.version = a.version + 1
    WHERE a.recorded_to IS DISTINCT FROM b.recorded_from"""
    for table, key in (("memory_lifetimes", "memory_id"), ("fact_lifetimes", "fact_id"))
}


def check_generations(world: World) -> None:
    """At no instant of the record do two generations of a series overlap."""
    by_series: dict[str, list[Life]] = defaultdict(list)
    for fact in world.model.facts:
        by_series[fact.series].append(fact)
    for known_at in {version.recorded_from for fact in world.model.facts for version in fact.versions}:
        for generations in by_series.values():
            versions = [version for life in generations if (version := known(life, known_at)) is not None]
            spans = sorted(
                (version.valid_from, version.valid_to)
                for version in versions
                if version.valid_to is None or version.valid_to > version.valid_from
            ) if versions else []  # fmt: skip
            assert all(end is not None and end <= start for (_, end), (start, _) in pairwise(spans))


@settings(
    max_examples=PropertySettings().test_property_examples,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(first=HISTORIES, second=HISTORIES)
async def test_every_point_in_time_is_answered_as_the_model_answers_it(
    database: Database, first: list[Operation], second: list[Operation]
) -> None:
    person = await a_person(database, now=START)
    world = World(Core(database, None, CursorSealer(CURSOR_KEY), lambda: world.now), person, Model(), START)
    for operation in first:
        await world.apply(operation)
    pairs = pairs_of(world)
    early = await answers(world, pairs)
    check_answers(world, early)
    final = [pair for pair in pairs if pair[1] < world.now - WRITE_DEADLINE]
    for operation in second:
        await world.apply(operation)
    late = await answers(world, pairs_of(world))
    check_answers(world, late)
    again = await answers(world, final)
    assert again == {pair: early[pair] for pair in final}
    await check_verbs(world, list(late))
    await check_nothing_is_lost(world)
    check_generations(world)
