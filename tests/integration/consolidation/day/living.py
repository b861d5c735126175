"""A day carried out: the verbs write it, the worker's own jobs run on their cadence, everything they propose is judged.

The clock is the test's and moves in quarters of an hour; vectors come from a real embedding service.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from tests.conftest import CURSOR_KEY, Clock
from tests.integration.consolidation.day.judging import Verdict, may_take_over, mixed, on_edge, on_fact
from tests.integration.consolidation.day.traffic import Act, Deed, Said
from tests.integration.core.planting import plant
from tests.integration.core.proposing import accept, listed, reject
from tests.integration.core.writing import correct, rows, settle, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.consolidation.claims import Claim
from threengram.core.cursor import CursorSealer
from threengram.core.embeddings.pending import embed_pending
from threengram.core.errors import Conflict, NotFound
from threengram.core.jobs.executor import Executor
from threengram.core.jobs.schedule import enqueue_due
from threengram.schema.enums import JobOutcome
from threengram.worker.connections import Connections
from threengram.worker.registry import registry
from threengram.worker.settings import CONSOLIDATE, MAINTENANCE

QUARTER_MIN = 15
AT_ONCE = 8
REVIEW_EVERY_QUARTERS = 12
LEASE_S = 60.0

_UNCHANGEABLE = (
    "SELECT count(*) AS count, md5(string_agg(id || memory_type || topic || content || scope || coalesce(project, ''),"
    " '' ORDER BY id)) AS digest FROM memories"
)
"""All memories with all of their columns but validity, which a person's yes may end."""


@dataclass
class Tenant:
    """One tenant of the day, what it does, and the memories that came of it by the place of their deed."""

    person: Person
    deeds: list[Deed]
    ids: dict[int, UUID] = field(default_factory=dict)
    said: dict[UUID, Said] = field(default_factory=dict)
    edges: dict[frozenset[UUID], Verdict] = field(default_factory=dict)
    facts: dict[UUID, Verdict] = field(default_factory=dict)
    claimed: dict[UUID, tuple[Said, Claim]] = field(default_factory=dict)


@dataclass
class Day:
    """Everything that the day needs and what it came to."""

    connections: Connections
    clock: Clock
    tenants: list[Tenant]
    source: random.Random
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def verdicts(self) -> list[Verdict]:
        """Of all proposals, tenant by tenant."""
        return [
            one
            for tenant in self.tenants
            for one in (*tenant.edges.values(), *tenant.facts.values(), *mixed(tenant.claimed.values()))
        ]


async def live(day: Day, *, quarters: int) -> None:
    """Carry out the day. Fails when a job changes a memory, fails itself, or proposes a pair twice or across scopes."""
    (embedder,) = await day.connections.embedders()
    core = Core(day.connections.database, embedder, CursorSealer(CURSOR_KEY), day.clock, 5.0, 5.0)
    jobs = registry(day.connections.settings)
    executor = Executor(core.database, jobs, day.connections, clock=day.clock, lease_s=LEASE_S)
    for quarter in range(quarters):
        minutes = range(quarter * QUARTER_MIN, (quarter + 1) * QUARTER_MIN)
        await asyncio.gather(*(_written(core, day, tenant, minutes) for tenant in day.tenants))
        day.clock.now += timedelta(minutes=QUARTER_MIN)
        before = [await rows(core, tenant.person, _UNCHANGEABLE) for tenant in day.tenants]
        while (await embed_pending(core.database, embedder, now=day.clock(), lease_s=LEASE_S)).is_full:
            pass
        await enqueue_due(core.database, jobs, now=day.clock())
        for queue in (CONSOLIDATE, MAINTENANCE):
            while (ended := await executor.run_next(queue)) is not None:
                assert ended.outcome in (JobOutcome.OK, JobOutcome.AGAIN), ended
                day.counts.update({f"{ended.run.kind} runs": 1})
        assert before == [await rows(core, tenant.person, _UNCHANGEABLE) for tenant in day.tenants]
        for tenant in day.tenants:
            await _judged(core, tenant)
        if quarter % REVIEW_EVERY_QUARTERS == REVIEW_EVERY_QUARTERS - 1:
            for tenant in day.tenants:
                await _reviewed(core, day, tenant)


async def _written(core: Core, day: Day, tenant: Tenant, minutes: range) -> None:
    due = [(place, deed) for place, deed in enumerate(tenant.deeds) if deed.minute in minutes]
    while due:
        minute = due[0][1].minute
        burst = [one for one in due if one[1].minute == minute][:AT_ONCE]
        due = due[len(burst) :]
        await asyncio.gather(*(_done(core, day, tenant, place, deed) for place, deed in burst))


async def _done(core: Core, day: Day, tenant: Tenant, place: int, deed: Deed) -> None:
    """One deed; what the product refuses (a live duplicate, a memory that is closed by now) is counted."""
    target = None if deed.of is None else tenant.ids.get(deed.of)
    if deed.of is not None and target is None:
        return
    try:
        written = await _act(core, day, tenant, deed, target)
    except (Conflict, NotFound) as error:
        day.counts.update({f"refused: {type(error).__name__}": 1})
        return
    day.counts.update({deed.act.value: 1})
    if written is not None and deed.said is not None:
        tenant.ids[place] = written
        tenant.said[written] = deed.said


async def _act(core: Core, day: Day, tenant: Tenant, deed: Deed, target: UUID | None) -> UUID | None:
    if deed.said is None:
        await settle(core, tenant.person, target)
        return None
    said = deed.said
    if deed.act is Act.IMPORT:
        return await plant(core, tenant.person, said.content, topic=said.topic)
    fields: dict[str, object] = {"memory_type": said.memory_type, "topic": said.topic, "content": said.content}
    if deed.act is Act.REVISE:
        return (await correct(core, tenant.person, target, **fields)).memory.id
    if said.recurs:
        fields |= {"due_at": (day.clock.now + timedelta(minutes=40)).isoformat(), "recurrence": "FREQ=DAILY"}
    answer = await write(core, tenant.person, scope=said.scope, project=said.project, **fields)
    return answer.memory.id


async def _judged(core: Core, tenant: Tenant) -> None:
    """Every proposal that is new, beside the truth."""
    edges = await rows(
        core,
        tenant.person,
        "SELECT p.id, p.from_id, p.to_id, p.edge_type, p.proposal_rule, f.memory_no > t.memory_no AS is_forward"
        " FROM consolidation_proposals p JOIN memories f ON f.id = p.from_id JOIN memories t ON t.id = p.to_id",
    )
    pairs = [frozenset((row["from_id"], row["to_id"])) for row in edges]
    assert len(pairs) == len(set(pairs)), "a pair is proposed twice"
    for pair, row in zip(pairs, edges, strict=True):
        assert row["is_forward"], "an older memory would take over"
        newer, older = tenant.said[row["from_id"]], tenant.said[row["to_id"]]
        assert (newer.scope, newer.project) == (older.scope, older.project)
        tenant.edges.setdefault(pair, on_edge(newer, older, row["edge_type"], row["proposal_rule"]))
    facts = await rows(core, tenant.person, "SELECT id, memory_id, subject, predicate, value FROM fact_proposals")
    for row in facts:
        claim = Claim(row["subject"], row["predicate"], row["value"], 0.5)
        said = tenant.said[row["memory_id"]]
        tenant.facts.setdefault(row["id"], on_fact(said, claim))
        tenant.claimed.setdefault(row["id"], (said, claim))


async def _reviewed(core: Core, day: Day, tenant: Tenant) -> None:
    """A person looks at a page of proposals: yes to some that are right, no to some, the others wait."""
    page = await listed(core, tenant.person, limit=30)
    for proposal in page.proposals:
        newer, older = tenant.said[proposal.from_id], tenant.said[proposal.to_id]
        await _decided(core, day, tenant, proposal.id, is_right=may_take_over(newer, older))
    for fact in page.fact_proposals or ():
        await _decided(core, day, tenant, fact.id, is_right=not tenant.facts[fact.id].is_harmful)


async def _decided(core: Core, day: Day, tenant: Tenant, proposal_id: UUID, *, is_right: bool) -> None:
    chance = day.source.random()
    if chance > 0.7:
        return
    decide, word = (accept, "accepted") if is_right and chance < 0.5 else (reject, "rejected")
    try:
        await decide(core, tenant.person, proposal_id)
    except (Conflict, NotFound) as error:
        word = f"undecidable: {type(error).__name__}"
    day.counts.update({word: 1})


def report(day: Day, path: Path) -> str:
    """Write all proposals for a person to read; a summary of a few lines."""
    verdicts = day.verdicts
    kinds = Counter((one.kind, one.is_harmful) for one in verdicts)
    memories = sum(len(tenant.said) for tenant in day.tenants)
    found = sum(_is_found(tenant, newer, older) for tenant in day.tenants for newer, older in _wanted(tenant))
    wanted = sum(len(_wanted(tenant)) for tenant in day.tenants)
    lines = [
        f"{len(day.tenants)} tenants, {memories} memories; {dict(sorted(day.counts.items()))}",
        f"proposals { ({f'{kind} harmful' if bad else kind: count for (kind, bad), count in sorted(kinds.items())}) }",
        f"of {wanted} memories with a newer value or the same one told later, {found} were proposed for replacement",
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    body = [f"{'HARMFUL ' if one.is_harmful else ''}{one.kind}: {one.text[:400]}" for one in verdicts]
    path.write_text("\n".join([*lines, "", *sorted(set(body))]) + "\n")
    return "\n".join(lines)


def _wanted(tenant: Tenant) -> Sequence[tuple[UUID, UUID]]:
    """Each memory with the next one that may take over from it, as far as the tenant did not revise it."""
    ids = list(tenant.said)
    revised = {tenant.ids[deed.of] for deed in tenant.deeds if deed.act is Act.REVISE and deed.of in tenant.ids}
    found = []
    for place, older in enumerate(ids):
        newer = next((one for one in ids[place + 1 :] if may_take_over(tenant.said[one], tenant.said[older])), None)
        if newer is not None and older not in revised and tenant.said[older].memory_type != "event":
            found.append((newer, older))
    return found


def _is_found(tenant: Tenant, _newer: UUID, older: UUID) -> bool:
    """Whether anything was proposed that would close the older one."""
    return any(older in pair and one.kind == "supersedes" for pair, one in tenant.edges.items())
