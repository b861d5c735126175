"""Consolidation as a worker would run it, on one tenant, and what it left."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from uuid import UUID

from tests.integration.core.writing import rows, write
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.consolidation.examine import DEFAULT_MAX_OPEN, Examined, examine
from threengram.core.consolidation.refinement import Refinement
from threengram.core.consolidation.switch import switch_consolidation
from threengram.schema.consolidation import ConsolidationOutput, SwitchConsolidationInput
from threengram.schema.enums import MemoryType

Proposed = tuple[str, str, str]
"""Content of the newer memory, content of the older one, type of the edge."""


async def run(
    core: Core, person: Person, *, max_open: int = DEFAULT_MAX_OPEN, refinement: Refinement | None = None
) -> Examined:
    """Everything that is new to the tenant, batch after batch; the sum of what was done."""
    total: Counter[str] = Counter()
    while True:
        done = await examine(
            core.database, person.principal, now=core.clock(), max_open=max_open, refinement=refinement
        )
        total.update({name: value for name, value in asdict(done).items() if name != "has_more"})
        if not done.has_more:
            return Examined(
                total["scanned"], total["pairs"], total["proposed"], total["claims"], total["calls"], total["dropped"]
            )


async def start_over(core: Core, person: Person) -> None:
    """Forget how far the tenant has been examined."""
    await rows(core, person, "UPDATE consolidation_progress SET examined_no = 0")


async def switched(core: Core, person: Person, *, enabled: bool) -> ConsolidationOutput:
    """Switch consolidation as a person does; where it stands then."""
    async with open_call(core, person.principal) as call:
        return await switch_consolidation(call, SwitchConsolidationInput(enabled=enabled))


async def proposed(core: Core, person: Person, *, status: str = "proposed") -> list[Proposed]:
    """The edges in this status, in the order of their texts."""
    found = await rows(
        core,
        person,
        "SELECT f.content AS newer, t.content AS older, p.edge_type FROM consolidation_proposals p"
        " JOIN memories f ON f.id = p.from_id JOIN memories t ON t.id = p.to_id WHERE p.status = %(status)s",
        status=status,
    )
    return sorted((row["newer"], row["older"], row["edge_type"]) for row in found)


async def claims(core: Core, person: Person, *, status: str = "proposed") -> list[tuple[str, str, str]]:
    """Subject, predicate and value of the facts in this status."""
    found = await rows(
        core, person, "SELECT subject, predicate, value FROM fact_proposals WHERE status = %(status)s", status=status
    )
    return sorted((row["subject"], row["predicate"], row["value"]) for row in found)


async def write_all(core: Core, person: Person, *contents: str, **fields: object) -> list[UUID]:
    """A fact for each content, one after the other, about one topic unless the fields say otherwise."""
    values = {"memory_type": MemoryType.FACT, "topic": "things", **fields}
    return [(await write(core, person, content=content, **values)).memory.id for content in contents]


async def texts(core: Core, person: Person) -> Sequence[tuple[object, ...]]:
    """Every memory with all that could change about it."""
    found = await rows(
        core, person, "SELECT id, memory_type, topic, content, scope, project, status, valid_to FROM memories"
    )
    return sorted(tuple(str(value) for value in row.values()) for row in found)
