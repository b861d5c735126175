"""The telemetry allowlist, for every kind of value."""

import enum
import re
import uuid
from typing import Any

import pytest

from tests.requirements import ROOT
from threengram.runtime.fields import FIELDS, SPAN_NAMES, Refusal, admit
from threengram.runtime.metrics import SEARCH_LEGS

ID = uuid.UUID("0198c5e8-0000-7000-8000-000000000001")


class Outcome(enum.Enum):
    """A closed vocabulary."""

    OK = "ok"


@pytest.mark.parametrize(
    ("name", "value", "written"),
    [
        ("memory_id", ID, str(ID)),
        ("outcome", Outcome.OK, "ok"),
        ("route", "/api/v1/memories/{memory_id}", "/api/v1/memories/{memory_id}"),
        ("error_class", "redis.exceptions.ConnectionError", "redis.exceptions.ConnectionError"),
        ("content_chars", 12, 12),
        ("duration_ms", 1.5, 1.5),
        ("has_more", False, False),
        ("memory_ids", [ID], [str(ID)]),
        ("tool", None, None),
    ],
)
def test_declared_fields_keep_values_of_their_kind(name: str, value: object, written: Any) -> None:
    assert admit(name, value) == written


@pytest.mark.parametrize(
    ("name", "value", "refusal"),
    [
        ("content", "anything", Refusal.NAME),
        ("topic", "anything", Refusal.NAME),
        ("query", "anything", Refusal.NAME),
        ("email", "a@example.org", Refusal.NAME),
        ("token", "secret", Refusal.NAME),
        ("outcome", "a sentence of prose", Refusal.VALUE),
        ("user_id", "a@example.org", Refusal.VALUE),
        ("reason", "x" * 201, Refusal.VALUE),
        ("reason", "line\n", Refusal.VALUE),
        ("content_chars", "12", Refusal.VALUE),
        ("has_more", 1, Refusal.VALUE),
        ("memory_ids", ["some prose"], Refusal.VALUE),
        ("tool", {"name": "remember"}, Refusal.VALUE),
    ],
)
def test_undeclared_names_and_foreign_values_are_refused(name: str, value: object, refusal: Refusal) -> None:
    assert admit(name, value) is refusal


def test_nothing_is_allowed_that_no_code_says() -> None:
    paths = (path for part in ("libs", "services", "migrations") for path in (ROOT / part).rglob("*.py"))
    sources = "\n".join(path.read_text() for path in paths if path.name != "fields.py")
    spans = {*re.findall(r'"([a-z]+\.[a-z_]+)"', sources), *(f"search.{leg}" for leg in SEARCH_LEGS)}
    assert FIELDS.keys() - set(re.findall(r"\w+", sources)) == set()
    assert SPAN_NAMES - spans == set()
