"""What the schema itself promises, read from the catalogue of a migrated database."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import LiteralString

import psycopg
import pytest

from threengram.core.db.guard import EXEMPT
from threengram.schema import enums

FOUND_WITHOUT_A_TENANT = {
    "users_email_key", "user_sessions_token_hash_key", "api_keys_key_hash_key", "oauth_tokens_token_hash_key",
    "oauth_codes_code_hash_key",
}  # fmt: skip
"""How a person or a credential is found before it is known whose it is."""

QUEUES = {
    "embedding_jobs_due",
    "embedding_jobs_age",
    "embedding_jobs_leased",
    "job_runs_pkey",
    "job_runs_waiting",
    "job_runs_failed",
    "job_runs_finished",
}
"""Work of all tenants, claimed by the sweeper."""

OF_A_CLIENT = {"oauth_grants_client"}
"""Whether anybody at all still has to do with a client."""

ACROSS_TENANTS = {
    "auth_resolve_api_key": "tg_resolver",
    "auth_session_by_hash": "tg_resolver",
    "auth_user_by_email": "tg_resolver",
    "auth_resolve_code": "tg_resolver",
    "auth_resolve_refresh_token": "tg_resolver",
    "sweep_oauth_tokens": "tg_sweeper",
    "sweep_oauth_codes": "tg_sweeper",
    "sweep_oauth_families": "tg_sweeper",
    "sweep_oauth_grants": "tg_sweeper",
    "sweep_oauth_clients": "tg_sweeper",
    "sweep_signing_keys": "tg_sweeper",
    "sweep_claim_embedding_jobs": "tg_sweeper",
    "sweep_embedding_backlog": "tg_sweeper",
    "sweep_enqueue_jobs": "tg_sweeper",
    "sweep_claim_job": "tg_sweeper",
    "sweep_job_heartbeat": "tg_sweeper",
    "sweep_end_attempt": "tg_sweeper",
    "sweep_cancel_job": "tg_sweeper",
    "sweep_retry_job": "tg_sweeper",
    "sweep_jobs": "tg_sweeper",
    "sweep_job_figures": "tg_sweeper",
    "sweep_embedding_leases": "tg_sweeper",
    "sweep_active_tenants": "tg_sweeper",
    "sweep_tenants_with_due_commitments": "tg_sweeper",
    "sweep_tenants_to_consolidate": "tg_sweeper",
    "sweep_job_runs": "tg_sweeper",
    "sweep_user_sessions": "tg_sweeper",
    "sweep_metered_calls": "tg_sweeper",
    "erase_rows": "tg_eraser",
}
"""Every function that may do more than the runtime role, and its owner. A new one is added here on purpose."""

PARTITIONS = 16


@pytest.fixture
def owner(owner_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(owner_url, autocommit=True) as connection:
        yield connection


def tenant_tables(owner: psycopg.Connection) -> set[str]:
    found = owner.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
        " AND NOT relispartition"
    ).fetchall()
    return {str(name) for (name,) in found} - EXEMPT


def test_the_tenant_leads_every_key_and_index(owner: psycopg.Connection) -> None:
    tables = tenant_tables(owner)
    assert len(tables) > 20
    found = owner.execute(
        "SELECT t.relname, i.relname, pg_get_indexdef(x.indexrelid, 1, true), a.amname FROM pg_index x"
        " JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid JOIN pg_am a ON a.oid = i.relam"
        " WHERE t.relnamespace = 'public'::regnamespace AND NOT t.relispartition"
    ).fetchall()
    leading = {name: first for table, name, first, method in found if table in tables and method == "btree"}
    assert leading.pop("tenants_pkey") == "id"
    elsewhere = {name for name, first in leading.items() if first != "tenant_id"}
    assert elsewhere == FOUND_WITHOUT_A_TENANT | QUEUES | OF_A_CLIENT


def test_references_within_a_tenant_carry_the_tenant(owner: psycopg.Connection) -> None:
    found = owner.execute(
        "SELECT conrelid::regclass::text, confrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE contype = 'f' AND connamespace = 'public'::regnamespace"
    ).fetchall()
    inside = [definition for _, target, definition in found if target in tenant_tables(owner) - {"tenants"}]
    assert len(inside) > 10
    assert [
        text for text in inside if not re.match(r"FOREIGN KEY \(tenant_id, \w+\) REFERENCES .*\(tenant_id,", text)
    ] == []


def test_functions_with_more_rights_belong_to_roles_that_cannot_log_in(owner: psycopg.Connection) -> None:
    found = owner.execute(
        "SELECT p.proname, r.rolname, r.rolcanlogin OR r.rolsuper OR r.rolbypassrls, p.proconfig,"
        " has_function_privilege('public', p.oid, 'EXECUTE')"
        " FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner"
        " WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef"
    ).fetchall()
    assert {name: role for name, role, *_ in found} == ACROSS_TENANTS
    for name, _, is_powerful, settings, is_public in found:
        assert (is_powerful, is_public) == (False, False), name
        assert settings == ["search_path=pg_catalog, public, pg_temp"], name


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TEMPORARY TABLE users (LIKE public.users)",
        "CREATE TABLE public.users_of_mine (id uuid)",
        "CREATE SCHEMA mine",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        *(f"SET ROLE {role}" for role in ("tg_resolver", "tg_sweeper", "tg_eraser")),
        "SET session_replication_role = 'replica'",
        "COPY users TO PROGRAM 'cat'",
        "SELECT * FROM pg_statistic",
        "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
    ],
)
def test_the_runtime_role_puts_nothing_in_the_way_of_others(database_url: str, statement: LiteralString) -> None:
    with psycopg.connect(database_url) as runtime, pytest.raises(psycopg.errors.InsufficientPrivilege):
        runtime.execute(statement)


def test_statistics_tell_the_runtime_role_nothing_about_rows(database_url: str, owner: psycopg.Connection) -> None:
    owner.execute("ANALYZE users, memories")
    with psycopg.connect(database_url) as runtime:
        known = runtime.execute("SELECT tablename, attname FROM pg_stats WHERE schemaname = 'public'").fetchall()
    assert {table for table, _ in known} <= EXEMPT
    refused = pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level")
    with psycopg.connect(database_url, options="-c row_security=off") as runtime, refused:
        runtime.execute("SELECT 1 FROM memories")


def test_vectors_are_partitioned_by_tenant_with_one_attached_index_per_model(owner: psycopg.Connection) -> None:
    (key,) = owner.execute("SELECT pg_get_partkeydef('memory_embeddings'::regclass)").fetchone() or ("",)
    (partitions,) = owner.execute(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'memory_embeddings'::regclass"
    ).fetchone() or (0,)
    indexes = owner.execute(
        "SELECT pg_get_indexdef(x.indexrelid), x.indisvalid,"
        " (SELECT count(*) FROM pg_inherits h WHERE h.inhparent = x.indexrelid)"
        " FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am a ON a.oid = i.relam"
        " WHERE x.indrelid = 'memory_embeddings'::regclass AND a.amname = 'hnsw'"
    ).fetchall()
    models = owner.execute("SELECT id, dimensions FROM embedding_models").fetchall()
    assert (key, partitions) == ("HASH (tenant_id)", PARTITIONS)
    assert len(indexes) == len(models) == 1
    ((definition, is_valid, attached),) = indexes
    ((model_id, dimensions),) = models
    assert (is_valid, attached) == (True, PARTITIONS)
    assert f"halfvec({dimensions})" in definition
    assert f"WHERE (model_id = {model_id})" in definition


def checked_values(owner: psycopg.Connection) -> dict[tuple[str, str], set[str]]:
    """The values that each column of closed vocabulary admits."""
    found = owner.execute(
        "SELECT c.conrelid::regclass::text, a.attname, pg_get_constraintdef(c.oid) FROM pg_constraint c"
        " JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]"
        " WHERE c.contype = 'c' AND cardinality(c.conkey) = 1 AND c.connamespace = 'public'::regnamespace"
    ).fetchall()
    return {
        (table, column): set(re.findall(r"'([a-z_]+)'::text", definition))
        for table, column, definition in found
        if "ANY (ARRAY[" in definition
    }


VOCABULARIES: dict[tuple[str, str], type[StrEnum]] = {
    ("tenants", "status"): enums.AccountStatus,
    ("users", "status"): enums.AccountStatus,
    ("oauth_tokens", "kind"): enums.TokenKind,
    ("oauth_clients", "registration"): enums.ClientRegistration,
    ("oauth_clients", "auth_method"): enums.ClientAuthMethod,
    ("signing_keys", "state"): enums.KeyState,
    ("audit_log", "actor_kind"): enums.ActorKind,
    ("memories", "memory_type"): enums.MemoryType,
    ("memories", "status"): enums.MemoryStatus,
    ("memory_lifetimes", "status"): enums.MemoryStatus,
    ("memory_edges", "edge_type"): enums.EdgeType,
    ("memory_edges", "created_by"): enums.ActorKind,
    ("memory_events", "event_kind"): enums.EventKind,
    ("memory_events", "actor_kind"): enums.ActorKind,
    ("facts", "status"): enums.MemoryStatus,
    ("fact_lifetimes", "status"): enums.MemoryStatus,
    ("commitments", "status"): enums.CommitmentStatus,
    ("commitment_occurrences", "status"): enums.CommitmentStatus,
    ("consolidation_proposals", "edge_type"): enums.EdgeType,
    ("consolidation_proposals", "proposal_rule"): enums.ProposalRule,
    ("consolidation_proposals", "memory_type"): enums.MemoryType,
    ("consolidation_proposals", "status"): enums.ProposalStatus,
    ("consolidation_proposals", "reason"): enums.RejectionReason,
    ("fact_proposals", "memory_type"): enums.MemoryType,
    ("fact_proposals", "status"): enums.ProposalStatus,
    ("fact_proposals", "reason"): enums.RejectionReason,
    ("retrieval_policies", "mode"): enums.RetrievalMode,
    ("embedding_models", "state"): enums.ModelState,
    ("job_runs", "state"): enums.JobState,
    ("job_runs", "outcome"): enums.JobOutcome,
    ("metered_calls", "operation"): enums.MeteredOperation,
}


def test_a_column_admits_exactly_the_members_of_its_enum(owner: psycopg.Connection) -> None:
    admitted = checked_values(owner)
    assert admitted == {place: set(vocabulary) for place, vocabulary in VOCABULARIES.items()}


def test_what_supersedes_a_memory_is_found_by_an_index_on_its_target(owner: psycopg.Connection) -> None:
    found = owner.execute("SELECT indexdef FROM pg_indexes WHERE tablename = 'memory_edges'").fetchall()
    assert [text for (text,) in found if "(tenant_id, to_id" in text]
