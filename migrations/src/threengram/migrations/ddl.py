"""The two pieces of DDL that every migration repeats: enum checks and the tenant policy."""

from enum import StrEnum

from alembic import op

TENANT_SETTING = "(SELECT NULLIF(current_setting('app.tenant_id', true), '')::uuid)"
"""The bound tenant, or NULL. The sub-select makes it one init plan instead of a call per row."""


def check_enum(column: str, values: type[StrEnum]) -> str:
    """A CHECK clause that admits exactly the members of `values`."""
    return f"CHECK ({column} IN ({', '.join(repr(str(value)) for value in values)}))"


def isolate(table: str, *, column: str = "tenant_id") -> None:
    """Force row security on `table`, for its owner too, with the one policy `tenant_isolation`."""
    rule = f"{column} = {TENANT_SETTING}"
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant_isolation ON {table} FOR ALL TO PUBLIC USING ({rule}) WITH CHECK ({rule})")
