"""An answer of many records: read line by line, of a newer server too, and never taken for whole when it is cut off."""

import httpx2
import orjson
import pytest

from tests.unit.sdk.clients import BOTH, Call, Script, Time, refusal
from threengram.schema.export import ExportedMapping, ExportEnds, ExportRecord
from threengram.sdk import Conflict, Unreachable, UnreadableAnswer
from threengram.sdk.records import MAX_LINE_BYTES

CLIENTS = pytest.mark.parametrize("client", BOTH, ids=lambda client: client.__name__)
MAPPING = {"record": "scope_mapping", "project": "a\u2028b", "scope": "work", "createdAt": "2026-03-02T09:00:00Z",
           "colour": "green"}  # fmt: skip
DREAM = {"record": "dream", "about": "sheep"}
END = {"record": "end", "counts": {"scope_mapping": 1}}


def lines(*records: object) -> httpx2.Response:
    return httpx2.Response(200, content=b"".join(orjson.dumps(record) + b"\n" for record in records))


@CLIENTS
def test_records_of_known_and_unknown_kinds_come_one_by_one(client: Call) -> None:
    mapping, dream, end = client(Script(lines(MAPPING, DREAM, END)), Time())("export")
    assert isinstance(mapping, ExportedMapping)
    assert mapping.project == "a\u2028b"
    assert (type(dream), dream.record) == (ExportRecord, "dream")
    assert isinstance(end, ExportEnds)


@CLIENTS
@pytest.mark.parametrize("answer", [lines(MAPPING), lines(), httpx2.Response(200, content=orjson.dumps(END))])
def test_an_export_without_its_last_line_was_cut_off(client: Call, answer: httpx2.Response) -> None:
    with pytest.raises(Unreachable, match="cut off"):
        client(Script(answer), Time())("export")


@CLIENTS
def test_an_export_that_is_refused_is_an_error_like_any_other(client: Call) -> None:
    with pytest.raises(Conflict, match="words about conflict"):
        client(Script(refusal(409, "conflict")), Time())("export")
    with pytest.raises(Unreachable):
        client(Script(httpx2.ConnectError), Time())("export")


@CLIENTS
@pytest.mark.parametrize("content", [b"<html>\n", b'{"record": "end"}\n', b"x" * (MAX_LINE_BYTES + 1)])
def test_what_is_no_record_is_refused(client: Call, content: bytes) -> None:
    with pytest.raises(UnreadableAnswer):
        client(Script(httpx2.Response(200, content=content)), Time())("export")
