"""Correcting, settling and putting away."""

from threengram.api.operations.operation import Operation
from threengram.core.commitments import resolve
from threengram.core.memories import archive, revise, unarchive
from threengram.schema.commitments import ResolveInput, ResolveOutput
from threengram.schema.enums import OAuthScope
from threengram.schema.revisions import ArchiveInput, ArchiveOutput, ReviseInput, ReviseOutput

REVISE = Operation(
    name="revise",
    method="POST",
    path="/memories/{predecessorId}/revise",
    title="Revise a memory",
    description=(
        "A successor takes the place of the memory in the path, which stays readable and ranks below it. Scope, "
        "project, tags and the schedule of a commitment are taken over where they are left out."
    ),
    tag="memories",
    scope=OAuthScope.MEMORY_WRITE,
    input=ReviseInput,
    output=ReviseOutput,
    handler=revise,
    status=201,
    can_be_missing=True,
    can_conflict=True,
)

RESOLVE = Operation(
    name="resolve",
    method="POST",
    path="/memories/{memoryId}/resolve",
    title="Move a commitment or blocker on",
    description="Done, waiting, given up, or open again. Repeating a status changes nothing.",
    tag="memories",
    scope=OAuthScope.MEMORY_WRITE,
    input=ResolveInput,
    output=ResolveOutput,
    handler=resolve,
    can_be_missing=True,
    can_conflict=True,
)

ARCHIVE = Operation(
    name="archive",
    method="POST",
    path="/memories/{memoryId}/archive",
    title="Archive a memory",
    description="Out of briefings and default searches, still readable. A blocker is resolved instead.",
    tag="memories",
    scope=OAuthScope.MEMORY_WRITE,
    input=ArchiveInput,
    output=ArchiveOutput,
    handler=archive,
    is_tool=False,
    can_be_missing=True,
    can_conflict=True,
)

UNARCHIVE = Operation(
    name="unarchive",
    method="POST",
    path="/memories/{memoryId}/unarchive",
    title="Bring an archived memory back",
    description="Refused while the same content is live with its type, scope and project.",
    tag="memories",
    scope=OAuthScope.MEMORY_WRITE,
    input=ArchiveInput,
    output=ArchiveOutput,
    handler=unarchive,
    is_tool=False,
    can_be_missing=True,
    can_conflict=True,
)
