"""What a person has rejected or taken back, so that it is not proposed again. Other proposals are made anew."""

from collections.abc import Sequence
from uuid import UUID

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.imports import queries
from threengram.core.imports.holding import held, holding
from threengram.core.imports.ledger import NEW, SAME, Entry, Ledger, Plan, Verdict, skipped
from threengram.schema.import_records import ImportedEdgeProposal, ImportedFactProposal
from threengram.schema.imports import SkipReason

Proposal = ImportedEdgeProposal | ImportedFactProposal
_Key = tuple[object, ...]


async def planned(call: Call, tx: TenantTransaction, entries: Sequence[Entry[Proposal]], ledger: Ledger) -> Plan:
    """What becomes of each decision. One that was made here about the same pair or claim stands."""
    records = [entry.record for entry in entries]
    edges = [record for record in records if isinstance(record, ImportedEdgeProposal)]
    facts = [record for record in records if isinstance(record, ImportedFactProposal)]
    memory_ids = {memory_id for record in records for memory_id in _memories_of(record)}
    pairs = {"from_ids": [edge.from_id for edge in edges], "to_ids": [edge.to_id for edge in edges]}
    *_, memory_rows, found, standing_pairs, standing_claims = await tx.run(
        [
            *holding(memory_ids),
            Step(queries.FOUND_PROPOSALS, {"ids": [record.id for record in records]}),
            Step(queries.STANDING_PAIRS, pairs),
            Step(queries.STANDING_CLAIMS, {"memory_ids": [fact.memory_id for fact in facts]}),
        ]
    )
    memories = held(memory_rows, memory_ids, ledger)
    here = {row["id"]: row for row in found}
    standing: dict[_Key, UUID] = {_pair(row["from_id"], row["to_id"]): row["id"] for row in standing_pairs}
    standing |= {
        (row["memory_id"], row["subject"], row["predicate"], row["value"]): row["id"] for row in standing_claims
    }
    verdicts, new = [], []
    for record in records:
        row = here.get(record.id)
        if row is not None:
            verdict = _repeated(record, row)
        elif not memories.keys() >= _memories_of(record):
            verdict = skipped(SkipReason.REFERS_TO_MISSING)
        elif (other_id := standing.get(_key(record))) is not None:
            verdict = skipped(SkipReason.DUPLICATE, other_id)
        else:
            verdict = NEW
            here[record.id] = record.model_dump()
            standing[_key(record)] = record.id
            new.append(record)
        verdicts.append(verdict)
    return Plan(verdicts, _insertions(new, call))


def _repeated(record: Proposal, here: Row) -> Verdict:
    is_same = (here["status"], here["reason"]) == (record.status, record.reason)
    return SAME if is_same else skipped(SkipReason.CHANGED_HERE)


def _memories_of(record: Proposal) -> set[UUID]:
    return {record.from_id, record.to_id} if isinstance(record, ImportedEdgeProposal) else {record.memory_id}


def _key(record: Proposal) -> _Key:
    if isinstance(record, ImportedEdgeProposal):
        return _pair(record.from_id, record.to_id)
    return record.memory_id, record.subject, record.predicate, record.value


def _pair(one: UUID, other: UUID) -> _Key:
    return min(one, other), max(one, other)


def _insertions(new: Sequence[Proposal], call: Call) -> list[Step]:
    edges = [record for record in new if isinstance(record, ImportedEdgeProposal)]
    facts = [record for record in new if isinstance(record, ImportedFactProposal)]
    steps = []
    if edges:
        columns = {
            "from_ids": [edge.from_id for edge in edges],
            "to_ids": [edge.to_id for edge in edges],
            "edge_types": [str(edge.edge_type) for edge in edges],
            "similarities": [edge.similarity for edge in edges],
            "rules": [None if edge.proposal_rule is None else str(edge.proposal_rule) for edge in edges],
        }
        steps.append(Step(queries.IMPORT_EDGE_PROPOSALS, columns | _decided(edges, call)))
    if facts:
        columns = {
            "memory_ids": [fact.memory_id for fact in facts],
            "subjects": [fact.subject for fact in facts],
            "predicates": [fact.predicate for fact in facts],
            "values": [fact.value for fact in facts],
            "valid_froms": [fact.valid_from for fact in facts],
            "valid_tos": [fact.valid_to for fact in facts],
        }
        steps.append(Step(queries.IMPORT_FACT_PROPOSALS, columns | _decided(facts, call)))
    return steps


def _decided(records: Sequence[Proposal], call: Call) -> dict[str, object]:
    return {
        "ids": [record.id for record in records],
        "memory_types": [str(record.memory_type) for record in records],
        "confidences": [record.confidence for record in records],
        "reasons": [str(record.reason) for record in records],
        "decided_ats": [record.decided_at for record in records],
        "created_ats": [record.created_at for record in records],
        "at": call.now,
    }
