"""Text of a caller inside text for a model, where it can be read and cannot speak."""

import json
import re
from collections.abc import Mapping
from typing import Any

import orjson

_MIN_FENCE = 3
_BACKTICKS = re.compile("`+")


def fenced(data: Mapping[str, Any]) -> str:
    """`data` as one line of JSON between fences that nothing in it can close.

    What does not show on a screen is written as an escape: line separators, which could start a line, and invisible
    characters, which could say something that a person who looks at the prompt does not see.
    """
    text = orjson.dumps(data).decode()
    text = "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(_MIN_FENCE, longest + 1)
    return f"{fence}json\n{text}\n{fence}"
