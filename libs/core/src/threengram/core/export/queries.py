"""Statements of an export; those of its sections are put together here from their columns and keys."""

# ruff: noqa: S608 - every part is a LiteralString of this package; mypy holds them to it

from typing import LiteralString

from threengram.core.db.statement import Statement, tenant_statement

BEGIN = tenant_statement(
    "begin_export",
    """
    SELECT pg_try_advisory_xact_lock(hashtextextended(%(user_id)s::text, 11)) AS is_alone,
           set_config('idle_in_transaction_session_timeout', %(idle_ms)s, true),
           t.id AS account_id, t.name AS account_name, t.created_at AS account_created_at
    FROM tenants t WHERE t.id = %(tenant_id)s
    """,
)
"""The lock is the user's and ends with the transaction, which may idle for longer than others: a reader may be slow."""

Keys = tuple[tuple[LiteralString, LiteralString], ...]
"""The columns of a primary key after the tenant, each with its type."""


def page_of(table: LiteralString, columns: tuple[LiteralString, ...], keys: Keys) -> Statement:
    """The next `rows` rows after a key, in the order of their keys; the first ones where `is_first`."""
    sql: LiteralString = (
        "SELECT " + ", ".join(columns) + " FROM " + table + " WHERE tenant_id = %(tenant_id)s AND "
        + _after(keys) + " LIMIT %(rows)s"
    )  # fmt: skip
    return tenant_statement("exported_" + table, sql)


def page_of_texts(
    table: LiteralString, columns: tuple[LiteralString, ...], keys: Keys, size: LiteralString
) -> Statement:
    """The same of a table with texts of very different `size`: a page ends with the row that takes it over `chars`."""
    sql: LiteralString = (
        "SELECT " + ", ".join(columns) + " FROM (SELECT *, sum(" + size + ") OVER (ORDER BY "
        + ", ".join(name for name, _ in keys) + ") - " + size + " AS chars_before FROM " + table
        + " WHERE tenant_id = %(tenant_id)s AND " + _after(keys) + " LIMIT %(rows)s) page"
        + " WHERE chars_before < %(chars)s ORDER BY " + ", ".join(name for name, _ in keys)
    )  # fmt: skip
    return tenant_statement("exported_" + table, sql)


def _after(keys: Keys) -> LiteralString:
    names = ", ".join(name for name, _ in keys)
    bounds = ", ".join("%(after_" + name + ")s::" + kind for name, kind in keys)
    return "(%(is_first)s OR (" + names + ") > (" + bounds + ")) ORDER BY " + names
