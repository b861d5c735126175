"""Statements on commitments and the occurrences behind them."""

from threengram.core.db.statement import Statement, tenant_statement

INSERT_COMMITMENT = tenant_statement(
    "insert_commitment",
    """
    INSERT INTO commitments (tenant_id, id, memory_id, owner, due_at, recurrence, recurs_from, next_surfacing_at,
                             recorded_at, updated_at)
    VALUES (%(tenant_id)s, %(commitment_id)s, %(memory_id)s, %(owner)s, %(due_at)s, %(recurrence)s,
            CASE WHEN %(recurrence)s::text IS NOT NULL THEN %(due_at)s::timestamptz END, %(due_at)s, %(at)s, %(at)s)
    """,
    keeps_plan=True,
)
OBLIGATIONS = tenant_statement(
    "obligations",
    """
    SELECT c.id, c.memory_id, c.status, c.due_at, c.recurrence, c.recurs_from, c.next_surfacing_at, c.updated_at,
           o.occurrence_no, o.due_at AS last_due_at, o.status AS last_status, o.next_due_at AS last_next_due_at,
           o.recorded_at AS last_recorded_at
    FROM commitments c
    LEFT JOIN LATERAL (
        SELECT * FROM commitment_occurrences o
        WHERE o.tenant_id = %(tenant_id)s AND o.commitment_id = c.id AND o.reopened_at IS NULL
        ORDER BY o.occurrence_no DESC LIMIT 1
    ) o ON true
    WHERE c.tenant_id = %(tenant_id)s AND c.memory_id = ANY(%(memory_ids)s::uuid[])
    """,
)
CARRY_COMMITMENT = tenant_statement(
    "carry_commitment",
    """
    UPDATE commitments
    SET memory_id = %(successor_id)s,
        owner = coalesce(%(owner)s, owner),
        due_at = coalesce(%(due_at)s, due_at),
        recurrence = coalesce(%(recurrence)s, recurrence),
        recurs_from = CASE WHEN %(is_rescheduled)s THEN coalesce(%(due_at)s, due_at) ELSE recurs_from END,
        next_surfacing_at = CASE WHEN %(due_at)s::timestamptz IS NULL THEN next_surfacing_at ELSE %(due_at)s END,
        updated_at = %(at)s
    WHERE tenant_id = %(tenant_id)s AND id = %(commitment_id)s
    """,
)
CHANGE_STATUS = tenant_statement(
    "change_commitment_status",
    """
    UPDATE commitments
    SET status = %(status)s, updated_at = %(at)s,
        resolved_at = CASE WHEN %(status)s = 'resolved' THEN %(at)s::timestamptz END,
        next_surfacing_at = CASE WHEN %(status)s IN ('open', 'waiting') THEN coalesce(next_surfacing_at, due_at) END
    WHERE tenant_id = %(tenant_id)s AND id = %(commitment_id)s
    """,
)
MOVE_DUE = tenant_statement(
    "move_due",
    """
    UPDATE commitments
    SET status = 'open', due_at = %(due_at)s, next_surfacing_at = %(due_at)s, resolved_at = NULL, updated_at = %(at)s
    WHERE tenant_id = %(tenant_id)s AND id = %(commitment_id)s
    """,
)
INSERT_OCCURRENCE = tenant_statement(
    "insert_occurrence",
    """
    INSERT INTO commitment_occurrences (tenant_id, commitment_id, occurrence_no, due_at, status, next_due_at,
                                        recorded_at)
    SELECT %(tenant_id)s, %(commitment_id)s, coalesce(max(occurrence_no), 0) + 1, %(due_at)s, %(status)s,
           %(next_due_at)s, %(at)s
    FROM commitment_occurrences WHERE tenant_id = %(tenant_id)s AND commitment_id = %(commitment_id)s
    """,
)
REOPEN_OCCURRENCE = tenant_statement(
    "reopen_occurrence",
    """
    UPDATE commitment_occurrences SET reopened_at = %(at)s
    WHERE tenant_id = %(tenant_id)s AND commitment_id = %(commitment_id)s AND occurrence_no = %(number)s
    """,
)
DUE_MEMORIES = tenant_statement(
    "due_memories",
    """
    SELECT m.id
    FROM commitments c
    JOIN memories m ON m.tenant_id = c.tenant_id AND m.id = c.memory_id
    WHERE c.tenant_id = %(tenant_id)s AND c.status IN ('open', 'waiting') AND c.due_at <= %(now)s
      AND (c.due_at < %(expired_before)s OR coalesce(c.next_surfacing_at, c.due_at) <= %(now)s)
      AND m.status = 'active' AND m.valid_to IS NULL
    ORDER BY c.due_at, c.id LIMIT %(limit)s
    """,
)
LOCK_LIVE = tenant_statement(
    "lock_live_memories",
    """
    SELECT id FROM memories
    WHERE tenant_id = %(tenant_id)s AND id = ANY(%(memory_ids)s::uuid[]) AND status = 'active' AND valid_to IS NULL
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    """,
)
SURFACE = tenant_statement(
    "surface_commitment",
    """
    UPDATE commitments SET surfaced_at = %(at)s, next_surfacing_at = %(next_surfacing_at)s
    WHERE tenant_id = %(tenant_id)s AND id = %(commitment_id)s AND status IN ('open', 'waiting')
    """,
)
TENANTS_WITH_DUE = Statement(
    "tenants_with_due_commitments",
    """
    SELECT tenant_id
    FROM sweep_tenants_with_due_commitments(%(now)s, %(expired_before)s, %(after)s, %(limit)s)
    """,
)
