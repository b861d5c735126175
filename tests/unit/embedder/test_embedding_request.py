"""The wire contract: what a request may be."""

import pytest
from pydantic import ValidationError

from threengram.embedder.errors import InvalidInput
from threengram.embedder.intake import parse
from threengram.schema.embedding import EmbeddingPriority, EmbeddingRequest, EncodingFormat, WindowMode


def test_a_plain_request_has_the_defaults_of_openai() -> None:
    assert parse(b'{"model":"m","input":"text"}') == EmbeddingRequest(
        model="m",
        input="text",
        encoding_format=EncodingFormat.FLOAT,
        priority=EmbeddingPriority.WRITE,
        windows=WindowMode.NONE,
    )


def test_texts_are_paired_with_their_contexts() -> None:
    request = parse(b'{"model":"m","input":["a","b"],"contexts":["x",""]}')
    assert list(request.texts()) == [("x", "a"), ("", "b")]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"model":"m"}',
        b'{"model":"m","input":"a"',
        b'{"model":"m","input":""}',
        b'{"model":"m","input":[]}',
        b'{"model":"m","input":["a",""]}',
        b'{"model":"m","input":[1,2]}',
        b'{"model":"m","input":[[1,2]]}',
        b'{"model":"m","input":null}',
        b'{"model":"m","input":"a\\u0000"}',
        b'{"model":"m","input":"a\\ud800"}',
        b'{"model":"m","input":"a\xff"}',
        b'{"model":"m","input":"a","contexts":["\\u0000"]}',
        b'{"model":"m","input":"a","contexts":["x","y"]}',
        b'{"model":"m","input":"a","encoding_format":"int8"}',
        b'{"model":"m","input":"a","priority":"urgent"}',
        b'{"model":"m","input":"a","windows":"some"}',
        b'{"model":"m","input":"a","dimensions":"384"}',
        b'{"model":"m","input":"a","deadline_ms":0}',
        b'{"model":"m","input":"a","unknown":1}',
        b'{"model":"m","input":[' + b",".join([b'"a"'] * 65) + b"]}",
    ],
)
def test_what_is_not_a_request_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidInput):
        parse(body)


def test_a_refusal_names_the_field_and_not_the_text() -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse(b'{"model":"m","input":"secret words","priority":"secret words"}')
    assert "priority" in refusal.value.message
    assert "secret" not in refusal.value.message


def test_a_validation_error_does_not_print_the_text() -> None:
    with pytest.raises(ValidationError) as error:
        EmbeddingRequest(model="m", input="secret\0words")
    assert "secret" not in str(error.value)
