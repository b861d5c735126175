"""Are both locks in place? Read from the catalogue at boot and at every readiness check.

A service with a database refuses to be ready when its role could see past row security, when row security is off or
altered anywhere, or when a partition can be reached around its parent's policy.

While a release rolls out, the schema is newer than the code that still serves. What a newer schema adds beside what
this code knows is not an alteration: policies of other roles, and tables that say they have no tenant.
"""

from threengram.core.db import schema
from threengram.core.db.database import Database
from threengram.core.db.statement import Row, Statement

TENANT_RULE = "( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS \"nullif\")"

EXEMPT = frozenset({"oauth_clients", "signing_keys", "embedding_models", "alembic_version"})
"""Tables without a tenant: OAuth clients, public keys, model generations, the schema's version."""

NO_TENANT = "no tenant"
"""The comment on a table without a tenant, for code that is older than the table."""

NAMED_POLICIES = {
    ("api_keys", "resolver_reads", "SELECT", "tg_resolver", "true", None),
    ("users", "resolver_reads", "SELECT", "tg_resolver", "true", None),
    ("oauth_codes", "resolver_reads", "SELECT", "tg_resolver", "true", None),
    ("oauth_tokens", "resolver_reads", "SELECT", "tg_resolver", "true", None),
    ("user_sessions", "resolver_reads", "SELECT", "tg_resolver", "true", None),
    ("tenants", "sweeper_reads", "SELECT", "tg_sweeper", "true", None),
    ("embedding_jobs", "sweeper_reads", "SELECT", "tg_sweeper", "true", None),
    ("embedding_jobs", "sweeper_claims", "UPDATE", "tg_sweeper", "true", "true"),
    *(
        (table, name, command, "tg_sweeper", "true", None)
        for table in ("oauth_tokens", "oauth_codes", "oauth_families", "oauth_grants", "user_sessions", "metered_calls")
        for name, command in (("sweeper_reads", "SELECT"), ("sweeper_purges", "DELETE"))
    ),
    ("job_runs", "sweeper_runs", "ALL", "tg_sweeper", "true", "true"),
    ("tenants", "sweeper_reads", "SELECT", "tg_sweeper", "true", None),
    ("commitments", "sweeper_reads", "SELECT", "tg_sweeper", "true", None),
    ("memories", "sweeper_reads", "SELECT", "tg_sweeper", "true", None),
    ("tenant_counters", "sweeper_reads", "SELECT", "tg_sweeper", "true", None),
    ("consolidation_progress", "sweeper_reads", "SELECT", "tg_sweeper", "true", None),
    ("consolidation_waiting", "sweeper_reads", "SELECT", "tg_sweeper", "true", None),
}
"""(table, policy, command, role, using, check) beyond each table's `tenant_isolation`."""


class GuardViolation(Exception):
    """Isolation is not in force; `violations` names each reason by table or role."""

    def __init__(self, violations: list[str]) -> None:
        super().__init__("; ".join(violations))
        self.violations = violations


ROLE = Statement(
    "guard_role",
    """
    SELECT r.rolname, r.rolsuper, r.rolbypassrls,
           ARRAY(SELECT m.rolname FROM pg_roles m
                 WHERE m.oid <> r.oid AND pg_has_role(r.oid, m.oid, 'MEMBER')) AS memberships,
           ARRAY(SELECT c.relname FROM pg_class c
                 WHERE c.relnamespace = 'public'::regnamespace AND c.relowner = r.oid) AS owned
    FROM pg_roles r WHERE r.rolname = current_user
    """,
)
TABLES = Statement(
    "guard_tables",
    """
    SELECT c.relname, c.relispartition, c.relrowsecurity, c.relforcerowsecurity,
           has_table_privilege(c.oid, 'DELETE, TRUNCATE')
               OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE') AS reachable,
           has_table_privilege(c.oid, 'TRUNCATE') AS truncatable,
           obj_description(c.oid, 'pg_class') AS description
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
    """,
)
POLICIES = Statement(
    "guard_policies",
    """
    SELECT tablename, policyname, cmd, roles::text[] AS roles, qual, with_check, permissive
    FROM pg_policies WHERE schemaname = 'public'
    """,
)


async def check(database: Database) -> None:
    """Return when both locks are in place; raises `GuardViolation` with every reason otherwise.

    Raises `schema.SchemaBehind` for a database that the migrations of this code have not reached.
    """
    is_newer = await schema.check(database)
    async with database.system() as tx:
        role = (await tx.fetch(ROLE))[0]
        tables = await tx.fetch(TABLES)
        policies = await tx.fetch(POLICIES)
    exempt = EXEMPT | {table["relname"] for table in tables if is_newer and table["description"] == NO_TENANT}
    violations = [
        *role_violations(role),
        *_table_violations(tables, exempt),
        *_policy_violations(tables, policies, exempt, unknown_of_others=is_newer, role=role["rolname"]),
    ]
    if violations:
        database.observer.count("guard_violation")
        raise GuardViolation(sorted(violations))


def role_violations(role: Row) -> list[str]:
    """What makes a role unfit to serve: anything that lifts it above row security."""
    reasons = []
    if role["rolsuper"]:
        reasons.append("role is a superuser")
    if role["rolbypassrls"]:
        reasons.append("role bypasses row security")
    reasons += [f"role owns {name}" for name in role["owned"]]
    reasons += [f"role is a member of {name}" for name in role["memberships"]]
    return reasons


def _table_violations(tables: list[Row], exempt: frozenset[str]) -> list[str]:
    reasons = []
    if not tables:
        reasons.append("no tables")
    for table in tables:
        name = table["relname"]
        if table["truncatable"]:
            reasons.append(f"{name} can be truncated")
        if table["relispartition"]:
            if table["reachable"]:
                reasons.append(f"partition {name} is granted")
        elif name not in exempt:
            if not table["relrowsecurity"]:
                reasons.append(f"row security is off on {name}")
            if not table["relforcerowsecurity"]:
                reasons.append(f"row security is not forced on {name}")
    return reasons


def _policy_violations(
    tables: list[Row], policies: list[Row], exempt: frozenset[str], *, unknown_of_others: bool, role: str
) -> list[str]:
    expected = {
        (table["relname"], "tenant_isolation", "ALL", "public", rule, rule)
        for table in tables
        if not table["relispartition"] and table["relname"] not in exempt
        for rule in [f"({'id' if table['relname'] == 'tenants' else 'tenant_id'} = {TENANT_RULE})"]
    } | NAMED_POLICIES
    found = {
        (row["tablename"], row["policyname"], row["cmd"], ",".join(row["roles"]), row["qual"], row["with_check"])
        for row in policies
        if row["permissive"] == "PERMISSIVE"
    }
    tolerated = {policy for policy in found if unknown_of_others and not {"public", role} & {*policy[3].split(",")}}
    missing = [f"policy {policy[1]} on {policy[0]} is missing or altered" for policy in expected - found]
    surplus = [f"policy {policy[1]} on {policy[0]} is not expected" for policy in found - expected - tolerated]
    return missing + surplus
