"""The whole temporal suite passes wherever the machine thinks it is, and wherever the database session does."""

import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import sql

HERE = Path(__file__).parent
SUITE = (HERE, HERE.parents[1] / "property", HERE.parents[1] / "unit" / "core" / "commitments")
ZONES = ("America/New_York", "Asia/Tokyo", "Europe/Copenhagen", "Pacific/Apia")
TIMEOUT_S = 240.0


@pytest.fixture
def empty_database(owner_url: str, request: pytest.FixtureRequest) -> str:
    """A database of its own on the same server."""
    name = "zone_" + request.node.callspec.params["zone"].replace("/", "_").lower()
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
        owner.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return urlunsplit(urlsplit(owner_url)._replace(path=f"/{name}"))


@pytest.mark.parametrize("zone", ZONES)
def test_the_temporal_suite_passes_in_this_time_zone(zone: str, empty_database: str) -> None:
    environment = {
        "TZ": zone,
        "PGTZ": zone,
        "TEST_DATABASE_URL": empty_database,
        "TEST_PROPERTY_EXAMPLES": "5",
    }
    suite = [str(path) for path in SUITE]
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--ignore={__file__}", *suite],
        cwd=HERE.parents[2],
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout
