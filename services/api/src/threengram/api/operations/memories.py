"""Writing one memory, and reading memories by id."""

from threengram.api.operations.operation import Operation
from threengram.core.memories import get_memories, remember
from threengram.core.memories.read import get_memory
from threengram.schema.enums import OAuthScope
from threengram.schema.memories import (
    GetMemoriesInput,
    GetMemoriesOutput,
    GetMemoryInput,
    MemoryRead,
    RememberInput,
    RememberOutput,
)

REMEMBER = Operation(
    name="remember",
    method="POST",
    path="/memories",
    title="Store one memory",
    description=(
        "Append one memory with its facts and, for a commitment, its schedule. Nothing is merged or overwritten; the "
        "same content twice with one type, scope and project is refused, and the answer names the memory in the way."
    ),
    tag="memories",
    scope=OAuthScope.MEMORY_WRITE,
    input=RememberInput,
    output=RememberOutput,
    handler=remember,
    status=201,
    can_conflict=True,
)

GET_MEMORY = Operation(
    name="get_memory",
    method="GET",
    path="/memories/{id}",
    title="Read one memory",
    description="One memory with its whole content, archived and superseded ones included.",
    tag="memories",
    scope=OAuthScope.MEMORY_READ,
    input=GetMemoryInput,
    output=MemoryRead,
    handler=get_memory,
    is_tool=False,
    can_be_missing=True,
)

GET_MEMORIES = Operation(
    name="get_memories",
    method="POST",
    path="/memories/get",
    title="Read several memories",
    description=(
        "Up to 20 memories by id, newest first, their content bounded as asked and by the size of the whole answer. "
        "Ids that are unknown stand in `notFound`. A POST, since that many ids are too long for a URL."
    ),
    tag="memories",
    scope=OAuthScope.MEMORY_READ,
    input=GetMemoriesInput,
    output=GetMemoriesOutput,
    handler=get_memories,
)
