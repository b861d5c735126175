"""Python clients of 3ngram's REST API.

    with Threengram("https://memory.example.org", api_key=key) as memory:
        memory.remember(memory_type=MemoryType.DECISION, topic="Database", content="We run PostgreSQL 18.")
        for hit in memory.search(query="which database do we use").hits:
            print(hit.topic, hit.score)

`AsyncThreengram` has the same methods, to be awaited. Arguments and answers are the models of `threengram.schema`; what
a caller constructs is here too.
"""

from threengram.schema.briefing import BriefingMode, BriefingSection, Selector, SelectorKind
from threengram.schema.browse import ListingStatus
from threengram.schema.enums import CommitmentStatus, EdgeType, MemoryStatus, MemoryType, ProposalStatus, RetrievalMode
from threengram.schema.errors import ErrorCode
from threengram.schema.facts import FactRange
from threengram.schema.memories import NewFact
from threengram.schema.revisions import EdgeIntent
from threengram.schema.search import AsOf, Projection, SearchOrder
from threengram.sdk.async_client import AsyncThreengram
from threengram.sdk.client import Threengram
from threengram.sdk.errors import (
    AccessDenied,
    ApiError,
    Conflict,
    DeadlineExceeded,
    DuplicateMemory,
    InsufficientScope,
    InvalidCursor,
    InvalidInput,
    InvalidTransition,
    LimitReached,
    NotFound,
    RateLimited,
    ServerError,
    ThreengramError,
    TimedOut,
    Unauthenticated,
    Unavailable,
    Unreachable,
    UnreadableAnswer,
    UnscopedRetrieval,
)
from threengram.sdk.retries import NO_RETRIES, Retries

__all__ = [
    "NO_RETRIES",
    "AccessDenied",
    "ApiError",
    "AsOf",
    "AsyncThreengram",
    "BriefingMode",
    "BriefingSection",
    "CommitmentStatus",
    "Conflict",
    "DeadlineExceeded",
    "DuplicateMemory",
    "EdgeIntent",
    "EdgeType",
    "ErrorCode",
    "FactRange",
    "InsufficientScope",
    "InvalidCursor",
    "InvalidInput",
    "InvalidTransition",
    "LimitReached",
    "ListingStatus",
    "MemoryStatus",
    "MemoryType",
    "NewFact",
    "NotFound",
    "Projection",
    "ProposalStatus",
    "RateLimited",
    "Retries",
    "RetrievalMode",
    "SearchOrder",
    "Selector",
    "SelectorKind",
    "ServerError",
    "Threengram",
    "ThreengramError",
    "TimedOut",
    "Unauthenticated",
    "Unavailable",
    "Unreachable",
    "UnreadableAnswer",
    "UnscopedRetrieval",
]
