"""What an import leaves in the file, and why: every kind of record stands here or is read."""

from collections.abc import Mapping
from typing import Final

_HISTORY: Final = "What the other installation knew, and when. This one's knowledge begins with the import."

LEFT_OUT: Final[Mapping[str, str]] = {
    "user": "Nobody gets a login by a file; what is imported belongs to whoever imports it.",
    "agent_session": "A run of an agent elsewhere.",
    "memory_lifetime": _HISTORY,
    "memory_event": _HISTORY,
    "fact_lifetime": _HISTORY,
    "metered_usage": "What was paid for elsewhere.",
}
"""The reason, by kind. Of proposals, only those come in that a person rejected or took back."""
