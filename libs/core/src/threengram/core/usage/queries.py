"""Statements on metered calls."""

from threengram.core.db.statement import tenant_statement

BEGIN_CALL = tenant_statement(
    "begin_metered_call",
    """
    INSERT INTO metered_calls AS m (tenant_id, operation, day, calls)
    SELECT %(tenant_id)s, %(operation)s, %(day)s, 1
    WHERE %(max_calls)s::bigint IS DISTINCT FROM 0 AND %(max_tokens)s::bigint IS DISTINCT FROM 0
    ON CONFLICT (tenant_id, operation, day) DO UPDATE SET calls = m.calls + 1
    WHERE (%(max_calls)s::bigint IS NULL OR m.calls < %(max_calls)s)
      AND (%(max_tokens)s::bigint IS NULL OR m.input_tokens + m.output_tokens < %(max_tokens)s)
    RETURNING calls
    """,
)
END_CALL = tenant_statement(
    "end_metered_call",
    """
    INSERT INTO metered_calls AS m (tenant_id, operation, day, input_tokens, output_tokens)
    VALUES (%(tenant_id)s, %(operation)s, %(day)s, %(input_tokens)s, %(output_tokens)s)
    ON CONFLICT (tenant_id, operation, day) DO UPDATE
    SET input_tokens = m.input_tokens + excluded.input_tokens, output_tokens = m.output_tokens + excluded.output_tokens
    """,
)
SPENT = tenant_statement(
    "spent",
    """
    SELECT operation, day, calls, input_tokens, output_tokens FROM metered_calls
    WHERE tenant_id = %(tenant_id)s AND day >= %(since)s ORDER BY day DESC, operation
    """,
)
