"""Statements on the registry of scopes, on the mappings of projects, on the retrieval policy."""

from typing import LiteralString

from threengram.core.db.statement import tenant_statement

CANONICAL: LiteralString = """coalesce(
    (SELECT a.name FROM scopes a WHERE a.tenant_id = %(tenant_id)s AND %(scope)s = ANY (a.aliases)), %(scope)s)"""
"""An SQL expression: the name behind the alias `scope` in the snapshot of the statement, else `scope` as it is."""

FILING = tenant_statement(
    "hold_scopes",
    "SELECT pg_advisory_xact_lock_shared(hashtextextended(%(tenant_id)s::text, 5))",
    keeps_plan=True,
)
"""Keeps the registry as it is until the commit.

A step of its own before the statement that inserts a memory, whose snapshot then holds every renaming committed so far,
and before the first memory that the transaction updates: a renaming that waits for such a row must not be waited for.
"""
CHANGING = tenant_statement("lock_scopes", "SELECT pg_advisory_xact_lock(hashtextextended(%(tenant_id)s::text, 5))")
"""Lets one change of the registry in at a time, and no filing meanwhile."""

REGISTERED = tenant_statement(
    "registered_scopes",
    """
    SELECT s.id, s.name, s.aliases, s.created_at,
           ARRAY(SELECT m.project FROM scope_mappings m
                 WHERE m.tenant_id = %(tenant_id)s AND m.scope = s.name ORDER BY m.project) AS projects
    FROM scopes s WHERE s.tenant_id = %(tenant_id)s ORDER BY s.name
    """,
)
SCOPE_NAMES = tenant_statement("scope_names", "SELECT name FROM scopes WHERE tenant_id = %(tenant_id)s ORDER BY name")
INSERT_SCOPE = tenant_statement(
    "insert_scope",
    """
    INSERT INTO scopes (tenant_id, id, name, aliases, created_at)
    VALUES (%(tenant_id)s, %(id)s, %(name)s, %(aliases)s, %(created_at)s)
    """,
)
UPDATE_SCOPE = tenant_statement(
    "update_scope",
    "UPDATE scopes SET name = %(name)s, aliases = %(aliases)s WHERE tenant_id = %(tenant_id)s AND id = %(id)s",
)
DELETE_SCOPE = tenant_statement("delete_scope", "DELETE FROM scopes WHERE tenant_id = %(tenant_id)s AND id = %(id)s")
RELABEL_MEMORIES = tenant_statement(
    "relabel_memories",
    "UPDATE memories SET scope = %(name)s WHERE tenant_id = %(tenant_id)s AND scope = ANY (%(labels)s)",
)
RELABELLED_DUPLICATE = tenant_statement(
    "relabelled_duplicate",
    """
    SELECT min(m.id::text) AS id FROM memories m
    WHERE m.tenant_id = %(tenant_id)s AND (m.scope = %(name)s OR m.scope = ANY (%(labels)s))
      AND m.valid_to IS NULL AND m.status = 'active'
    GROUP BY m.content_hash, m.memory_type, m.project HAVING count(*) > 1
    ORDER BY 1 LIMIT 1
    """,
)
MOVE_MAPPINGS = tenant_statement(
    "move_mappings",
    "UPDATE scope_mappings SET scope = %(name)s WHERE tenant_id = %(tenant_id)s AND scope = %(old_name)s",
)
DELETE_MAPPINGS = tenant_statement(
    "delete_mappings", "DELETE FROM scope_mappings WHERE tenant_id = %(tenant_id)s AND scope = %(name)s"
)
MAP_PROJECT = tenant_statement(
    "map_project",
    """
    INSERT INTO scope_mappings (tenant_id, project, scope, created_at)
    VALUES (%(tenant_id)s, %(project)s, %(name)s, %(now)s)
    ON CONFLICT (tenant_id, project) DO UPDATE SET scope = excluded.scope
    """,
)
UNMAP_PROJECT = tenant_statement(
    "unmap_project", "DELETE FROM scope_mappings WHERE tenant_id = %(tenant_id)s AND project = %(project)s"
)
SET_POLICY = tenant_statement(
    "set_retrieval_policy",
    """
    INSERT INTO retrieval_policies (tenant_id, mode, scope, updated_at)
    VALUES (%(tenant_id)s, %(mode)s, %(name)s, %(now)s)
    ON CONFLICT (tenant_id) DO UPDATE
    SET mode = excluded.mode, scope = excluded.scope, updated_at = excluded.updated_at
    """,
)
MOVE_POLICY = tenant_statement(
    "move_retrieval_policy",
    """
    UPDATE retrieval_policies SET scope = %(name)s, updated_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND scope = %(old_name)s
    """,
)
CLOSE_POLICY = tenant_statement(
    "close_retrieval_policy",
    """
    UPDATE retrieval_policies SET mode = 'require', scope = NULL, updated_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND scope = %(name)s
    """,
)
