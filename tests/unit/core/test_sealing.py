"""Texts that travel through an address: nobody reads them, nobody changes them, nobody else may use them."""

from uuid import uuid4

import pytest

from threengram.core.cursor import CursorSealer
from threengram.core.sealing import MAX_SEALED_CHARS, Sealer

CURSORS = CursorSealer(b"k" * 32)
SEALER = CURSORS.sealer("addresses")
TENANT = uuid4()


@pytest.mark.parametrize("payload", [b"", b"{}", "the ledger in Zürich".encode(), bytes(range(256)) * 8])
def test_what_was_sealed_is_opened_for_the_same_tenant_only(payload: bytes) -> None:
    sealed = SEALER.seal(TENANT, payload)
    assert SEALER.open(TENANT, sealed) == payload
    assert SEALER.open(uuid4(), sealed) is None
    assert Sealer(b"other" * 8, "addresses").open(TENANT, sealed) is None
    assert CURSORS.sealer("other").open(TENANT, sealed) is None


def test_the_same_text_is_never_sealed_the_same() -> None:
    assert SEALER.seal(TENANT, b"ledger") != SEALER.seal(TENANT, b"ledger")


def test_prose_of_the_longest_query_stays_short() -> None:
    prose = ("Which of the offices waits for a licence, and since when? " * 40)[:2000]
    assert len(SEALER.seal(TENANT, prose.encode())) < 400


@pytest.mark.parametrize("garbled", ["", "é", "....", "a.b.c.d.e", "e30....", "a" * (MAX_SEALED_CHARS + 1)])
def test_anything_else_opens_to_nothing(garbled: str) -> None:
    assert SEALER.open(TENANT, garbled) is None


def test_a_changed_character_opens_to_nothing() -> None:
    sealed = SEALER.seal(TENANT, b"ledger")
    for position in range(sealed.rindex(".") - 3, len(sealed), 5):
        changed = sealed[:position] + ("A" if sealed[position] != "A" else "B") + sealed[position + 1 :]
        assert SEALER.open(TENANT, changed) != b"ledger", position
