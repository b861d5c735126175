"""Tool calls whose arguments the fast parser refuses: they are owed an answer under their own id."""

from typing import Any

import orjson

from threengram.runtime import odd_json


def tool_call(body: bytes) -> dict[str, Any] | None:
    """The message, when it is a tool call in which nothing but the arguments is odd; else None."""
    try:
        message = odd_json.decoded(body)
        if message["method"] != "tools/call":
            return None
        orjson.dumps({**message, "params": {**message["params"], "arguments": None}})
    except (ValueError, TypeError, KeyError):
        return None
    return dict(message)
