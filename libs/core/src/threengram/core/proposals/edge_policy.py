"""Pure: which edges may be proposed or accepted between two memories, by their types."""

from threengram.schema.enums import EdgeType, MemoryType

SUPERSEDES, UPDATES = EdgeType.SUPERSEDES, EdgeType.UPDATES
EXTENDS, DERIVES = EdgeType.EXTENDS, EdgeType.DERIVES

PROPOSABLE = {
    MemoryType.FACT: (SUPERSEDES, UPDATES, EXTENDS, DERIVES),
    MemoryType.PREFERENCE: (SUPERSEDES, UPDATES),
    MemoryType.DECISION: (SUPERSEDES, UPDATES, EXTENDS, DERIVES),
    MemoryType.COMMITMENT: (SUPERSEDES, UPDATES, EXTENDS),
    MemoryType.BLOCKER: (SUPERSEDES, UPDATES, EXTENDS),
    MemoryType.PATTERN: (SUPERSEDES, UPDATES, EXTENDS, DERIVES),
    MemoryType.NOTE: (SUPERSEDES, UPDATES, EXTENDS, DERIVES),
    MemoryType.EVENT: (EXTENDS,),
}
"""What happened stays true: an event can be added to, and is never taken over."""


def allowed_edges(newer: MemoryType, older: MemoryType) -> list[EdgeType]:
    """What both types admit, in a fixed order; empty when nothing connects them."""
    return [edge for edge in PROPOSABLE[newer] if edge in PROPOSABLE[older]]
