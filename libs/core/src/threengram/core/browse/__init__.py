"""What a person looks at: lists of memories, the names in use, the history of one memory.

The retrieval default does not narrow these reads: whoever manages memories has to see all of them.
"""

from threengram.core.browse.details import memory_details
from threengram.core.browse.facets import list_facets, names_in_use
from threengram.core.browse.history import history
from threengram.core.browse.listing import list_memories

__all__ = ["history", "list_facets", "list_memories", "memory_details", "names_in_use"]
