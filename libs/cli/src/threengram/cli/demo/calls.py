"""Reading the results of tool calls."""

from typing import Any

from threengram.cli.errors import CannotRun


def content(result: Any) -> dict[str, Any]:
    """The structured content of a success; raises `CannotRun` with what the server said otherwise."""
    if result.is_error or result.structured_content is None:
        raise CannotRun(f"the server refused a call: {result.content[0].text}")
    structured: dict[str, Any] = result.structured_content
    return structured
