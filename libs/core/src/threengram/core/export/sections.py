"""What is exported, table by table, in an order in which every record refers only to records before it."""

from dataclasses import dataclass
from typing import Final, LiteralString

from threengram.core.db.statement import Row, Statement
from threengram.core.export.queries import Keys, page_of, page_of_texts
from threengram.schema import export as records
from threengram.schema.export import ExportRecord, kind_of

_BY_ID: Final[Keys] = (("id", "uuid"),)
_DECIDED: Final = ("status", "reason", "decided_at", "created_at")


@dataclass(frozen=True, slots=True)
class Section:
    """One table: its `columns` are the fields of `record`, its rows are walked by `keys`.

    `selected` stands in a statement for columns that are not shown as they are; `size` is an expression of the
    characters of a row, where rows are too different to be bounded by their number.
    """

    record: type[ExportRecord]
    table: LiteralString
    columns: tuple[LiteralString, ...]
    keys: Keys = _BY_ID
    selected: tuple[tuple[LiteralString, LiteralString], ...] = ()
    size: LiteralString | None = None

    @property
    def kind(self) -> str:
        """What its records say they are."""
        return kind_of(self.record)

    def statement(self) -> Statement:
        """The statement that reads the next page."""
        expressions = dict(self.selected)
        columns = tuple(expressions.get(column, column) for column in self.columns)
        if self.size is None:
            return page_of(self.table, columns, self.keys)
        return page_of_texts(self.table, columns, self.keys, self.size)

    def after(self, row: Row | None) -> dict[str, object]:
        """The parameters of the page after a row, or of the first page."""
        return {"is_first": row is None} | {
            f"after_{name}": None if row is None else row[name] for name, _ in self.keys
        }


SECTIONS: Final[tuple[Section, ...]] = (
    Section(
        records.ExportedUser,
        "users",
        ("id", "email", "status", "created_at", "updated_at"),
        selected=(("email", "CASE WHEN id = %(user_id)s THEN email END AS email"),),
    ),
    Section(records.ExportedScope, "scopes", ("id", "name", "aliases", "created_at")),
    Section(records.ExportedMapping, "scope_mappings", ("project", "scope", "created_at"), (("project", "text"),)),
    Section(
        records.ExportedRetrievalPolicy,
        "retrieval_policies",
        ("mode", "scope", "updated_at"),
        (("updated_at", "timestamptz"),),
    ),
    Section(
        records.ExportedConsolidation,
        "consolidation_progress",
        ("is_enabled", "changed_at"),
        (("changed_at", "timestamptz"),),
    ),
    Section(
        records.ExportedSession,
        "agent_sessions",
        ("id", "agent", "session_key", "project", "scope", "opened_at", "last_seen_at", "closed_at",
         "activation_epoch"),
    ),
    Section(
        records.ExportedMemory,
        "memories",
        ("id", "user_id", "memory_type", "topic", "content", "scope", "project", "tags", "status", "valid_from",
         "valid_to", "recorded_at", "touched_at"),
        size="content_chars",
    ),
    Section(
        records.ExportedMemoryLifetime,
        "memory_lifetimes",
        ("memory_id", "version", "valid_from", "valid_to", "status", "recorded_from", "recorded_to"),
        (("memory_id", "uuid"), ("version", "integer")),
    ),
    Section(
        records.ExportedEdge,
        "memory_edges",
        ("id", "from_id", "to_id", "edge_type", "created_by", "recorded_at", "retracted_at"),
    ),
    Section(
        records.ExportedEvent,
        "memory_events",
        ("id", "memory_id", "event_kind", "actor_kind", "details", "session_run_id", "recorded_at"),
    ),
    Section(
        records.ExportedFact,
        "facts",
        ("id", "memory_id", "subject", "predicate", "value", "confidence", "status", "valid_from", "valid_to",
         "recorded_at", "changed_at"),
    ),
    Section(
        records.ExportedFactLifetime,
        "fact_lifetimes",
        ("fact_id", "version", "valid_from", "valid_to", "status", "recorded_from", "recorded_to"),
        (("fact_id", "uuid"), ("version", "integer")),
    ),
    Section(
        records.ExportedCommitment,
        "commitments",
        ("id", "memory_id", "status", "owner", "due_at", "recurrence", "recurs_from", "next_surfacing_at",
         "surfaced_at", "resolved_at", "recorded_at", "updated_at"),
    ),
    Section(
        records.ExportedOccurrence,
        "commitment_occurrences",
        ("commitment_id", "occurrence_no", "due_at", "status", "next_due_at", "recorded_at", "reopened_at"),
        (("commitment_id", "uuid"), ("occurrence_no", "integer")),
    ),
    Section(
        records.ExportedEdgeProposal,
        "consolidation_proposals",
        ("id", "from_id", "to_id", "edge_type", "memory_type", "similarity", "proposal_rule", "confidence",
         "rationale", "edge_id", "commitment_status", *_DECIDED),
    ),
    Section(
        records.ExportedFactProposal,
        "fact_proposals",
        ("id", "memory_id", "subject", "predicate", "value", "confidence", "valid_from", "valid_to", "memory_type",
         "rationale", "fact_id", *_DECIDED),
    ),
    Section(
        records.ExportedUsage,
        "metered_calls",
        ("operation", "day", "calls", "input_tokens", "output_tokens"),
        (("operation", "text"), ("day", "date")),
    ),
)  # fmt: skip
