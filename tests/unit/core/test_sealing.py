"""What an address carries is read by this installation, for one tenant and one purpose."""

from threengram.core.ids import new_id
from threengram.core.sealing import Sealer

KEY = bytes(range(32))


def test_what_was_sealed_is_opened_for_its_tenant_and_its_purpose_alone() -> None:
    tenant_id, sealer = new_id(), Sealer(KEY, "one")
    sealed = sealer.seal(tenant_id, b"words")
    assert Sealer(KEY, "one").open(tenant_id, sealed) == b"words"
    assert sealer.open(new_id(), sealed) is None
    assert Sealer(KEY, "another").open(tenant_id, sealed) is None
    assert Sealer(KEY[::-1], "one").open(tenant_id, sealed) is None


def test_what_was_changed_or_cut_anywhere_is_not_opened() -> None:
    tenant_id, sealer = new_id(), Sealer(KEY, "one")
    sealed = sealer.seal(tenant_id, b"words")
    for at, character in enumerate(sealed[:-1]):
        # The last character of a part has bits that say nothing (RFC 4648, section 3.5).
        if sealed[at + 1] != ".":
            assert sealer.open(tenant_id, sealed[:at] + ("B" if character == "A" else "A") + sealed[at + 1 :]) is None
        assert sealer.open(tenant_id, sealed[:at]) is None
