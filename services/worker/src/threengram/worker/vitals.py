"""The database's own figures as series of beat, so that they exist once and whoever runs the server."""

import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from threengram.core.db.vitals import Vitals, vitals
from threengram.core.errors import Unavailable
from threengram.runtime.failures import error_class
from threengram.runtime.logging import get_logger
from threengram.runtime.metrics import KEY_STATES
from threengram.worker.connections import Connections
from threengram.worker.loop import BackgroundLoop

INTERVAL_S: Final = 5.0
_COUNTERS: Final = {
    "commits": "Transactions committed.",
    "rollbacks": "Transactions rolled back.",
    "deadlocks": "Deadlocks.",
    "temp_bytes": "Bytes written to temporary files.",
    "blocks_hit": "Blocks found in shared buffers.",
    "blocks_read": "Blocks read from disk or the system's cache.",
    "archive_failures": "Failed attempts to archive a segment of the write-ahead log.",
}
_GAUGES: Final = {
    "sessions": "Sessions on the database.",
    "max_sessions": "Most sessions that the server allows.",
    "transaction_id_age": "Transactions since the oldest unfrozen row; the server stops before 2^31.",
    "migrations": "Migrations that hold their lock.",
}
_log = get_logger(__name__)


class VitalsCollector(Collector):
    """Reads the database every `INTERVAL_S` when asked to `refresh`; without a fresh reading it has no series."""

    def __init__(self, background: BackgroundLoop, connections: Connections) -> None:
        self._background = background
        self._connections = connections
        self._reading: Future[None] | None = None
        self._next_at = 0.0
        self._found: Vitals | None = None

    def refresh(self) -> None:
        """Begin a reading if one is due. Returns at once."""
        now = time.monotonic()
        if now >= self._next_at and (self._reading is None or self._reading.done()):
            self._next_at = now + INTERVAL_S
            self._reading = self._background.submit(self._read())

    def collect(self) -> Iterator[Metric]:
        """The series of the last reading."""
        found = self._found
        if found is None:
            return
        for name, says in _COUNTERS.items():
            yield CounterMetricFamily(f"threengram_db_{name}", says, value=getattr(found, name))
        for name, says in _GAUGES.items():
            yield GaugeMetricFamily(f"threengram_db_{name}", says, value=getattr(found, name))
        if found.archive_age_s is not None:
            says = "Time since a segment of the write-ahead log was archived."
            yield GaugeMetricFamily("threengram_db_archive_age_seconds", says, value=found.archive_age_s)
        yield _signing_keys(found)
        yield from _tables(found)

    async def _read(self) -> None:
        try:
            self._found = await vitals(self._connections.database)
        except Unavailable as error:
            self._found = None
            _log.warning("vitals_unknown", error_class=error_class(error))


def _signing_keys(found: Vitals) -> Metric:
    family = GaugeMetricFamily("threengram_signing_keys", "Published signing keys.", labels=["state"])
    for state in sorted(KEY_STATES):
        family.add_metric([state], found.keys.get(state, 0))
    return family


def _tables(found: Vitals) -> Iterator[Metric]:
    sizes = GaugeMetricFamily("threengram_db_table_bytes", "Size of a table with its indexes.", labels=["table"])
    rows = GaugeMetricFamily("threengram_db_table_rows", "Rows of a table, estimated.", labels=["table"])
    for name, table in found.tables.items():
        sizes.add_metric([name], table.bytes)
        rows.add_metric([name], table.rows)
    yield from (sizes, rows)
