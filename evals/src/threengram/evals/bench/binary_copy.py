"""PostgreSQL's binary COPY format for the wide and the numerous rows, laid out by NumPy in one go.

Every column is a length (int32) and its value in network byte order; see "Binary Format" in the reference of COPY.
"""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray

HEADER = b"PGCOPY\n\xff\r\n\0" + b"\0" * 8
TRAILER = b"\xff\xff"
CHUNK_ROWS = 20_000

_UUID = np.dtype("V16")


def postings(owner: psycopg.Connection, tenant_id: UUID, rows: Sequence[tuple[int, int, int]]) -> None:
    """Rows of `memory_terms`: term, memory number, weight."""
    term, number, weight = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    columns = [_repeated(tenant_id, len(rows)), term.astype(">i8"), number.astype(">i4"), weight.astype(">i2")]
    _copy(owner, "COPY memory_terms (tenant_id, term, memory_no, weight) FROM STDIN (FORMAT binary)", columns)


def frequencies(owner: psycopg.Connection, tenant_id: UUID, rows: Sequence[tuple[int, int]]) -> None:
    """Rows of `term_stats`: term, document frequency."""
    term, frequency = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    columns = [_repeated(tenant_id, len(rows)), term.astype(">i8"), frequency.astype(">i4")]
    _copy(owner, "COPY term_stats (tenant_id, term, df) FROM STDIN (FORMAT binary)", columns)


def embeddings(
    owner: psycopg.Connection,
    tenant_id: UUID,
    memory_ids: Sequence[UUID],
    vectors: NDArray[np.float32],
    model_id: int,
) -> None:
    """Rows of `memory_embeddings`, one window each. A halfvec is its width, two unused bytes and float16 values."""
    count, width = vectors.shape
    halves = np.zeros(count, dtype=[("width", ">i2"), ("unused", ">i2"), ("values", ">f2", width)])
    halves["width"], halves["values"] = width, vectors
    columns = [
        _repeated(tenant_id, count),
        np.frombuffer(b"".join(memory_id.bytes for memory_id in memory_ids), dtype=_UUID),
        np.full(count, model_id, dtype=">i2"),
        np.zeros(count, dtype=">i2"),
        np.ones(count, dtype=">i2"),
        np.zeros(count, dtype=">i2"),
        halves,
    ]
    _copy(
        owner,
        "COPY memory_embeddings (tenant_id, memory_id, model_id, window_no, window_count, omitted_windows, embedding)"
        " FROM STDIN (FORMAT binary)",
        columns,
    )


def _repeated(value: UUID, count: int) -> NDArray[np.void]:
    return np.frombuffer(value.bytes * count, dtype=_UUID)


def _copy(owner: psycopg.Connection, statement: str, columns: Sequence[NDArray[np.generic]]) -> None:
    count = len(columns[0])
    layout: list[tuple[str, object]] = [("fields", ">i2")]
    for index, column in enumerate(columns):
        layout += [(f"length{index}", ">i4"), (f"value{index}", column.dtype)]
    table = np.zeros(count, dtype=layout)
    table["fields"] = len(columns)
    for index, column in enumerate(columns):
        table[f"length{index}"], table[f"value{index}"] = column.dtype.itemsize, column
    with owner.cursor() as cursor, cursor.copy(statement) as copy:
        copy.write(HEADER)
        for start in range(0, count, CHUNK_ROWS):
            copy.write(table[start : start + CHUNK_ROWS].tobytes())
        copy.write(TRAILER)
