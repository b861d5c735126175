-- Roles, owners of the cross-tenant functions, named policies and every grant. Idempotent: run after each migration.
--
-- The runtime role logs in for the services: no superuser, no BYPASSRLS, owns nothing. `tg_resolver` and `tg_sweeper`
-- cannot log in; each owns the definer functions of its kind and sees across tenants only the columns granted here.
-- `tg_eraser` cannot log in either and sees one tenant at a time.
-- The name and password of the runtime role arrive in the settings `threengram.runtime_role` and
-- `threengram.runtime_password` of this session, the phase of the rollout in `threengram.phase`. In the phase `pre`
-- nothing is taken from anybody: the code of the former release goes on with what it was given.

DO $$
DECLARE
    runtime text := current_setting('threengram.runtime_role');
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = runtime) THEN
        EXECUTE format('CREATE ROLE %I LOGIN', runtime);
    END IF;
    -- A role that somebody else made and manages (an operator, a database service) has its attributes from there.
    IF pg_has_role(current_user, runtime, 'MEMBER WITH ADMIN OPTION') THEN
        IF current_setting('threengram.runtime_password', true) <> '' THEN
            -- With its login: two roles take turns when a password changes, and this one may have been retired before.
            EXECUTE format('ALTER ROLE %I LOGIN PASSWORD %L', runtime, current_setting('threengram.runtime_password'));
        END IF;
        -- Instants arrive in UTC, so that the services need not convert them one by one.
        EXECUTE format('ALTER ROLE %I SET TimeZone = %L', runtime, 'UTC');
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tg_resolver') THEN
        CREATE ROLE tg_resolver NOLOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tg_sweeper') THEN
        CREATE ROLE tg_sweeper NOLOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tg_eraser') THEN
        CREATE ROLE tg_eraser NOLOGIN;
    END IF;
    -- Handing a function over needs SET; without INHERIT the migrator does not see through the policies below.
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        EXECUTE format('GRANT tg_resolver, tg_sweeper, tg_eraser TO %I WITH INHERIT FALSE, SET TRUE', current_user);
    END IF;
END $$;

-- A policy by name that sees every row. One that stands as it should is left alone: to replace it locks its table, and the
-- tables of a serving database are locked in another order by those who write.
CREATE FUNCTION pg_temp.permit(policy text, relation text, command text, to_role text, checks boolean DEFAULT false)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM pg_policies p
        WHERE p.schemaname = 'public' AND p.tablename = relation AND p.policyname = policy AND p.permissive = 'PERMISSIVE'
          AND p.cmd = command AND p.roles = ARRAY[to_role]::name[] AND p.qual = 'true'
          AND p.with_check IS NOT DISTINCT FROM CASE WHEN checks THEN 'true' END
    ) THEN
        RETURN;
    END IF;
    EXECUTE format('DROP POLICY IF EXISTS %I ON %I', policy, relation);
    EXECUTE format('CREATE POLICY %I ON %I FOR %s TO %I USING (true) %s', policy, relation, command, to_role,
        CASE WHEN checks THEN 'WITH CHECK (true)' ELSE '' END);
END $$;

-- Row security as every migration leaves it, put back where somebody took it away.
DO $$
DECLARE
    found record;
    rule text;
BEGIN
    FOR found IN
        SELECT c.relname AS name, c.relrowsecurity AS secured, c.relforcerowsecurity AS forced, a.attname AS tenant
        FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
            AND a.attname = CASE WHEN c.relname = 'tenants' THEN 'id' ELSE 'tenant_id' END
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    LOOP
        IF NOT found.secured THEN
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', found.name);
        END IF;
        IF NOT found.forced THEN
            EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', found.name);
        END IF;
        rule := format(
            '(%I = ( SELECT (NULLIF(current_setting(''app.tenant_id''::text, true), ''''::text))::uuid AS "nullif"))',
            found.tenant);
        IF NOT EXISTS (
            SELECT FROM pg_policies p
            WHERE p.schemaname = 'public' AND p.tablename = found.name AND p.policyname = 'tenant_isolation'
              AND p.permissive = 'PERMISSIVE' AND p.cmd = 'ALL' AND p.roles = '{public}' AND p.qual = rule
              AND p.with_check = rule
        ) THEN
            EXECUTE format('DROP POLICY IF EXISTS tenant_isolation ON %I', found.name);
            EXECUTE format('CREATE POLICY tenant_isolation ON %I FOR ALL TO PUBLIC USING %s WITH CHECK %s',
                found.name, rule, rule);
        END IF;
    END LOOP;
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC;
DO $$
BEGIN
    IF current_setting('threengram.phase') <> 'pre' THEN
        REVOKE ALL ON ALL TABLES IN SCHEMA public FROM tg_resolver, tg_sweeper, tg_eraser;
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA public FROM %I', current_setting('threengram.runtime_role'));
        -- A temporary table comes before all others of its name, for everybody whom a pooler gives the session later.
        IF pg_has_role(current_user, (SELECT datdba FROM pg_database WHERE datname = current_database()), 'USAGE') THEN
            EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO %I', current_database(), current_user);
            EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
        END IF;
    END IF;
END $$;
GRANT USAGE ON SCHEMA public TO tg_resolver, tg_sweeper, tg_eraser;

-- Owners of the definer functions. CREATE on the schema is needed for the hand-over only.
GRANT CREATE ON SCHEMA public TO tg_resolver, tg_sweeper, tg_eraser;
DO $$
DECLARE
    definer record;
BEGIN
    FOR definer IN
        SELECT p.oid::regprocedure::text AS signature, pg_get_userbyid(p.proowner) AS owner,
               CASE WHEN p.proname LIKE 'auth\_%' THEN 'tg_resolver'
                    WHEN p.proname LIKE 'erase\_%' THEN 'tg_eraser' ELSE 'tg_sweeper' END AS wanted
        FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef
    LOOP
        IF definer.owner <> definer.wanted THEN
            EXECUTE format('ALTER FUNCTION %s OWNER TO %I', definer.signature, definer.wanted);
        END IF;
        EXECUTE format('SET LOCAL ROLE %I', definer.wanted);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', definer.signature);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', definer.signature,
            current_setting('threengram.runtime_role'));
        RESET ROLE;
    END LOOP;
END $$;
REVOKE CREATE ON SCHEMA public FROM tg_resolver, tg_sweeper, tg_eraser;

-- What the two roles may see across tenants: a policy by name, and columns.
SELECT pg_temp.permit('resolver_reads', 'api_keys', 'SELECT', 'tg_resolver');
GRANT SELECT (tenant_id, user_id, id, key_hash, scopes, expires_at, revoked_at) ON api_keys TO tg_resolver;
SELECT pg_temp.permit('resolver_reads', 'users', 'SELECT', 'tg_resolver');
GRANT SELECT (tenant_id, id, email, status) ON users TO tg_resolver;
SELECT pg_temp.permit('resolver_reads', 'user_sessions', 'SELECT', 'tg_resolver');
GRANT SELECT (tenant_id, user_id, id, token_hash, revoked_at) ON user_sessions TO tg_resolver;

SELECT pg_temp.permit('resolver_reads', 'oauth_codes', 'SELECT', 'tg_resolver');
GRANT SELECT (tenant_id, id, family_id, code_hash) ON oauth_codes TO tg_resolver;
SELECT pg_temp.permit('resolver_reads', 'oauth_tokens', 'SELECT', 'tg_resolver');
GRANT SELECT (tenant_id, id, family_id, kind, token_hash) ON oauth_tokens TO tg_resolver;

-- What has ended is taken away: credentials are no memory.
DO $$
DECLARE
    swept text;
BEGIN
    FOREACH swept IN ARRAY ARRAY['oauth_tokens', 'oauth_codes', 'oauth_families', 'oauth_grants'] LOOP
        PERFORM pg_temp.permit('sweeper_reads', swept, 'SELECT', 'tg_sweeper');
        PERFORM pg_temp.permit('sweeper_purges', swept, 'DELETE', 'tg_sweeper');
        EXECUTE format('GRANT DELETE ON %I TO tg_sweeper', swept);
    END LOOP;
END $$;
GRANT SELECT (tenant_id, id, family_id, kind, issued_at, expires_at, revoked_at) ON oauth_tokens TO tg_sweeper;
GRANT SELECT (tenant_id, id, family_id, expires_at) ON oauth_codes TO tg_sweeper;
GRANT SELECT (tenant_id, id, grant_id, created_at) ON oauth_families TO tg_sweeper;
GRANT SELECT (tenant_id, id, client_id, last_used_at) ON oauth_grants TO tg_sweeper;
-- FOR UPDATE asks for a column that may be updated; nothing updates it.
GRANT SELECT (client_id, created_at, last_used_at), UPDATE (last_used_at), DELETE ON oauth_clients TO tg_sweeper;
GRANT SELECT (kid, state, created_at, changed_at), UPDATE (state, changed_at) ON signing_keys TO tg_sweeper;

SELECT pg_temp.permit('sweeper_reads', 'tenants', 'SELECT', 'tg_sweeper');
GRANT SELECT (id, status) ON tenants TO tg_sweeper;

SELECT pg_temp.permit('sweeper_reads', 'embedding_jobs', 'SELECT', 'tg_sweeper');
SELECT pg_temp.permit('sweeper_claims', 'embedding_jobs', 'UPDATE', 'tg_sweeper', checks => true);
GRANT SELECT ON embedding_jobs TO tg_sweeper;
GRANT UPDATE (lease_until, lease_token, attempts) ON embedding_jobs TO tg_sweeper;
SELECT pg_temp.permit('sweeper_runs', 'job_runs', 'ALL', 'tg_sweeper', checks => true);
GRANT SELECT, INSERT, UPDATE, DELETE ON job_runs TO tg_sweeper;
SELECT pg_temp.permit('sweeper_reads', 'tenants', 'SELECT', 'tg_sweeper');
GRANT SELECT (id, status) ON tenants TO tg_sweeper;
SELECT pg_temp.permit('sweeper_reads', 'commitments', 'SELECT', 'tg_sweeper');
GRANT SELECT (tenant_id, memory_id, status, due_at, next_surfacing_at) ON commitments TO tg_sweeper;
SELECT pg_temp.permit('sweeper_reads', 'memories', 'SELECT', 'tg_sweeper');
GRANT SELECT (tenant_id, id, status, valid_to) ON memories TO tg_sweeper;
SELECT pg_temp.permit('sweeper_reads', 'tenant_counters', 'SELECT', 'tg_sweeper');
GRANT SELECT ON tenant_counters TO tg_sweeper;
SELECT pg_temp.permit('sweeper_reads', 'consolidation_progress', 'SELECT', 'tg_sweeper');
GRANT SELECT ON consolidation_progress TO tg_sweeper;
SELECT pg_temp.permit('sweeper_reads', 'consolidation_waiting', 'SELECT', 'tg_sweeper');
GRANT SELECT ON consolidation_waiting TO tg_sweeper;
GRANT SELECT (id, state) ON embedding_models TO tg_sweeper;

SELECT pg_temp.permit('sweeper_reads', 'user_sessions', 'SELECT', 'tg_sweeper');
SELECT pg_temp.permit('sweeper_purges', 'user_sessions', 'DELETE', 'tg_sweeper');
GRANT SELECT (tenant_id, id, expires_at, revoked_at), DELETE ON user_sessions TO tg_sweeper;

SELECT pg_temp.permit('sweeper_reads', 'metered_calls', 'SELECT', 'tg_sweeper');
SELECT pg_temp.permit('sweeper_purges', 'metered_calls', 'DELETE', 'tg_sweeper');
GRANT SELECT (tenant_id, operation, day), DELETE ON metered_calls TO tg_sweeper;

-- The eraser has no policy by name: it sees the rows of the bound tenant, and of those only what it may overwrite.
GRANT SELECT (id, status), UPDATE (name) ON tenants TO tg_eraser;
GRANT SELECT (tenant_id, id), UPDATE (topic, content, content_chars, content_hash, scope, project, tags) ON memories TO tg_eraser;
GRANT SELECT (tenant_id, id), UPDATE (details) ON memory_events TO tg_eraser;
GRANT SELECT (tenant_id, id), UPDATE (subject, predicate, value, confidence) ON facts TO tg_eraser;
GRANT SELECT (tenant_id, id), UPDATE (owner, recurrence, recurs_from) ON commitments TO tg_eraser;
GRANT SELECT (tenant_id, id), UPDATE (rationale) ON consolidation_proposals TO tg_eraser;
GRANT SELECT (tenant_id, id), UPDATE (subject, predicate, value, rationale, confidence) ON fact_proposals TO tg_eraser;
GRANT SELECT (tenant_id, id), UPDATE (agent, session_key, project, scope) ON agent_sessions TO tg_eraser;
GRANT SELECT (tenant_id, id), UPDATE (details) ON audit_log TO tg_eraser;
GRANT SELECT (tenant_id, id), UPDATE (email, password_hash) ON users TO tg_eraser;
GRANT SELECT (tenant_id, id), DELETE ON oauth_tokens, oauth_codes, oauth_families, oauth_grants, user_sessions, api_keys TO tg_eraser;

-- The runtime role, table by table. Append-only tables have neither UPDATE nor DELETE.
DO $$
DECLARE
    runtime text := current_setting('threengram.runtime_role');
    granted record;
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', runtime);
    FOR granted IN
        SELECT * FROM (VALUES
            ('tenants',            'SELECT, INSERT, UPDATE (status)'),
            ('tenant_counters',    'SELECT, INSERT, UPDATE (memory_count)'),
            ('users',              'SELECT, INSERT, UPDATE (status, password_hash, updated_at)'),
            ('user_sessions',      'SELECT, INSERT, UPDATE (last_seen_at, revoked_at), DELETE'),
            ('api_keys',           'SELECT, INSERT, UPDATE (last_used_at, revoked_at)'),
            ('oauth_tokens',       'SELECT, INSERT, UPDATE (revoked_at, replaced_at)'),
            ('oauth_clients',      'SELECT, INSERT, UPDATE (name, redirect_uris, grant_types, document_fetched_at, document_expires_at, may_serve_stale, last_used_at)'),
            ('oauth_grants',       'SELECT, INSERT, UPDATE (scopes, last_used_at, revoked_at)'),
            ('oauth_families',     'SELECT, INSERT, UPDATE (revoked_at)'),
            ('oauth_codes',        'SELECT, INSERT, UPDATE (used_at)'),
            ('signing_keys',       'SELECT'),
            ('audit_log',          'SELECT, INSERT'),
            ('memories',           'SELECT, INSERT, UPDATE (scope, status, valid_to, touched_at)'),
            ('memory_lifetimes',   'SELECT, INSERT, UPDATE (recorded_to)'),
            ('memory_edges',       'SELECT, INSERT, UPDATE (retracted_at)'),
            ('memory_events',      'SELECT, INSERT'),
            ('facts',              'SELECT, INSERT, UPDATE (status, valid_to, changed_at)'),
            ('fact_lifetimes',     'SELECT, INSERT, UPDATE (recorded_to)'),
            ('commitments',        'SELECT, INSERT, UPDATE (memory_id, status, owner, due_at, recurrence, recurs_from, next_surfacing_at, surfaced_at, resolved_at, updated_at)'),
            ('commitment_occurrences', 'SELECT, INSERT, UPDATE (reopened_at)'),
            ('consolidation_progress', 'SELECT, INSERT, UPDATE (is_enabled, examined_no, changed_at)'),
            ('consolidation_waiting', 'SELECT, INSERT, DELETE'),
            ('consolidation_proposals', 'SELECT, INSERT, UPDATE (status, reason, edge_type, edge_id, commitment_status, decided_at)'),
            ('fact_proposals',     'SELECT, INSERT, UPDATE (status, reason, fact_id, decided_at)'),
            ('scopes',             'SELECT, INSERT, UPDATE (name, aliases), DELETE'),
            ('scope_mappings',     'SELECT, INSERT, UPDATE (scope), DELETE'),
            ('retrieval_policies', 'SELECT, INSERT, UPDATE (mode, scope, updated_at)'),
            ('agent_sessions',     'SELECT, INSERT, UPDATE (last_seen_at, closed_at, activation_epoch, project, scope)'),
            ('memory_terms',       'SELECT, INSERT, DELETE'),
            ('term_stats',         'SELECT, INSERT, UPDATE (df), DELETE'),
            ('embedding_models',   'SELECT'),
            ('memory_embeddings',  'SELECT, INSERT, DELETE'),
            ('embedding_jobs',     'SELECT, INSERT, UPDATE (attempts, next_attempt_at, lease_until, lease_token, error_class), DELETE'),
            ('job_runs',           'SELECT'),
            ('metered_calls',      'SELECT, INSERT, UPDATE (calls, input_tokens, output_tokens)'),
            ('alembic_version',    'SELECT')
        ) AS list (relation, privileges)
    LOOP
        EXECUTE format('GRANT %s ON %I TO %I', granted.privileges, granted.relation, runtime);
    END LOOP;
END $$;
