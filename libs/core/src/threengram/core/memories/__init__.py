"""Memories: append one, revise one, put one away, read a few in full, bound what is sent back."""

from threengram.core.memories.archive import archive, unarchive
from threengram.core.memories.read import get_memories, get_memory, read_resource
from threengram.core.memories.remember import remember
from threengram.core.memories.revise import revise

__all__ = ["archive", "get_memories", "get_memory", "read_resource", "remember", "revise", "unarchive"]
