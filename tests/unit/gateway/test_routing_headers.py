"""Headers that a client chooses become labels from closed sets."""

import pytest

from threengram.gateway.http.routing_headers import Labels, header_labels, labels_of

TOOLS = frozenset({"remember", "search"})


@pytest.mark.parametrize(
    ("method", "name", "labels"),
    [
        ("tools/call", "search", Labels("tools/call", "search")),
        ("tools/call", "no-such-tool", Labels("tools/call", "other")),
        ("tools/call", None, Labels("tools/call", "other")),
        ("tools/call", ["search"], Labels("tools/call", "other")),
        ("tools/list", "search", Labels("tools/list")),
        ("resources/read", "threengram://memory/1", Labels("resources/read")),
        ("my secret method", "search", Labels("other")),
        ("", None, Labels("other")),
        (None, None, Labels("other")),
    ],
)
def test_labels_are_closed(method: str | None, name: object, labels: Labels) -> None:
    assert labels_of(method, name, TOOLS) == labels


def test_labels_come_from_the_routing_headers() -> None:
    scope = {"headers": [(b"mcp-method", b"tools/call "), (b"mcp-name", b"search"), (b"x-other", b"\xff")]}

    assert header_labels(scope, TOOLS) == Labels("tools/call", "search")
