"""Single memories: append one, read a few in full, bound what is sent back."""

from threengram.core.memories.read import get_memories, get_memory, read_resource
from threengram.core.memories.remember import remember

__all__ = ["get_memories", "get_memory", "read_resource", "remember"]
