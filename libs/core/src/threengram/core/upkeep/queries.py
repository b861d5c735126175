"""Statements of the purge, all through functions of the sweeper."""

from threengram.core.db.statement import Statement

SWEEP_SESSIONS = Statement("sweep_sessions", "SELECT sweep_user_sessions(%(before)s, %(limit)s) AS total")
SWEEP_RUNS = Statement("sweep_runs", "SELECT sweep_job_runs(%(ended_before)s, %(failed_before)s, %(limit)s) AS total")
SWEEP_METERED_CALLS = Statement("sweep_metered", "SELECT sweep_metered_calls(%(before)s, %(limit)s) AS total")
