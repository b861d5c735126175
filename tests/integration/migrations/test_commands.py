"""The programs of the migration and index Jobs, as processes, with what their settings say and nothing else."""

import json
import secrets
import subprocess
import sys

import psycopg

from tests.integration.migrations.conftest import ROLE
from tests.servers import as_role

TIMEOUT_S = 60


def run(owner_url: str, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {"OWNER_URL": owner_url, "WAIT_S": "30", **settings}
    return subprocess.run(
        [sys.executable, "-P", "-m", "threengram.migrations", *arguments],
        env={f"THREENGRAM_MIGRATIONS_{name}": value for name, value in environment.items()},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def test_the_two_jobs_may_start_at_the_same_time_and_run_again(empty_database: str) -> None:
    password = secrets.token_urlsafe()
    index = subprocess.Popen(
        [sys.executable, "-P", "-m", "threengram.migrations", "index"],
        env={"THREENGRAM_MIGRATIONS_OWNER_URL": empty_database, "THREENGRAM_MIGRATIONS_WAIT_S": "30"},
        stdout=subprocess.PIPE,
    )
    done = run(empty_database, "upgrade", "--phase", "pre", RUNTIME_PASSWORD=password)
    assert done.returncode == 0, done.stderr
    output, _ = index.communicate(timeout=TIMEOUT_S)
    assert (index.returncode, json.loads(output)["event"]) == (0, "index_ready")
    again = run(empty_database, "upgrade", "--phase", "pre", RUNTIME_PASSWORD=password)
    assert json.loads(again.stdout) == json.loads(done.stdout)
    other = run(empty_database, "index", MODEL_NAME="another-model")
    assert json.loads(other.stdout)["models"] == ["all-MiniLM-L6-v2-dynamic-int8"]
    assert password not in done.stdout + done.stderr + again.stdout
    with psycopg.connect(as_role(empty_database, ROLE, password)) as runtime:
        assert runtime.execute("SELECT name, state FROM embedding_models").fetchall() == [
            ("all-MiniLM-L6-v2-dynamic-int8", "active")
        ]


def test_a_database_that_does_not_come_up_is_one_line_and_a_failed_job(empty_database: str) -> None:
    wrong = as_role(empty_database, "threengram_owner", "not-the-password")
    done = run(wrong, "upgrade", WAIT_S="0.1")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "event": "refused",
        "service": "migrations",
        "reason": "the database does not let its owner in",
    }
    assert done.stderr == ""
