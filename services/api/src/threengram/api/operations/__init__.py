"""The whole surface on one screen. Those that MCP publishes too stand in the order of its tools."""

from threengram.api.operations.account import DELETE_ACCOUNT, EXPORT, IMPORT
from threengram.api.operations.browse import HISTORY, LIST_FACETS, LIST_MEMORIES, STATS
from threengram.api.operations.consolidation import GET_CONSOLIDATION, SWITCH_CONSOLIDATION
from threengram.api.operations.corrections import ARCHIVE, RESOLVE, REVISE, UNARCHIVE
from threengram.api.operations.environment import GET_VERSION, describing
from threengram.api.operations.facts import GET_FACTS
from threengram.api.operations.memories import GET_MEMORIES, GET_MEMORY, REMEMBER
from threengram.api.operations.operation import AnyOperation, DownloadOperation, Operation, UploadOperation
from threengram.api.operations.orientation import BRIEFING, HANDOFF
from threengram.api.operations.proposals import REVIEW_PROPOSALS, UNDO_PROPOSAL
from threengram.api.operations.scopes import CONFIGURE_SCOPE, LIST_SCOPES
from threengram.api.operations.search import SEARCH
from threengram.api.operations.sessions import CLOSE_SESSION, HEARTBEAT_SESSION, OPEN_SESSION, SESSION_EVENTS

PREFIX = "/api/v1"
"""In front of every path."""

OPERATIONS: tuple[AnyOperation, ...] = (
    REMEMBER,
    SEARCH,
    GET_FACTS,
    REVISE,
    RESOLVE,
    BRIEFING,
    HANDOFF,
    GET_MEMORIES,
    CONFIGURE_SCOPE,
    describing(lambda: [operation.name for operation in OPERATIONS if operation.is_tool]),
    REVIEW_PROPOSALS,
    LIST_MEMORIES,
    LIST_FACETS,
    GET_MEMORY,
    HISTORY,
    ARCHIVE,
    UNARCHIVE,
    UNDO_PROPOSAL,
    GET_CONSOLIDATION,
    SWITCH_CONSOLIDATION,
    LIST_SCOPES,
    OPEN_SESSION,
    HEARTBEAT_SESSION,
    CLOSE_SESSION,
    SESSION_EVENTS,
    STATS,
    GET_VERSION,
    EXPORT,
    IMPORT,
    DELETE_ACCOUNT,
)

__all__ = ["OPERATIONS", "PREFIX", "AnyOperation", "DownloadOperation", "Operation", "UploadOperation"]
