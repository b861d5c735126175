"""Closed vocabularies. The database's CHECK constraints are generated from these classes."""

from threengram.schema.reading import Vocabulary


class MemoryType(Vocabulary):
    """What kind of atom a memory is."""

    DECISION = "decision"
    COMMITMENT = "commitment"
    BLOCKER = "blocker"
    FACT = "fact"
    PREFERENCE = "preference"
    PATTERN = "pattern"
    NOTE = "note"
    EVENT = "event"


class MemoryStatus(Vocabulary):
    """Whether a memory is in use. *Superseded* is no status: it is a closed validity plus an incoming edge."""

    ACTIVE = "active"
    ARCHIVED = "archived"


class EdgeType(Vocabulary):
    """How a newer memory (`from`) relates to an older one (`to`)."""

    SUPERSEDES = "supersedes"
    UPDATES = "updates"
    EXTENDS = "extends"
    DERIVES = "derives"


CLOSING_EDGES = frozenset({EdgeType.SUPERSEDES, EdgeType.UPDATES})
"""Edges whose target stops being valid."""


class EventKind(Vocabulary):
    """What happened to a memory."""

    CREATE = "create"
    REVISE = "revise"
    SUPERSEDE = "supersede"
    UNSUPERSEDE = "unsupersede"
    LINK = "link"
    UNLINK = "unlink"
    ADD_FACT = "add_fact"
    RESOLVE = "resolve"
    UNRESOLVE = "unresolve"
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"
    EXPIRE = "expire"
    IMPORT = "import"
    EMBED_FAILED = "embed_failed"


class ActorKind(Vocabulary):
    """Who caused a change."""

    USER_DASHBOARD = "user_dashboard"
    USER_API = "user_api"
    USER_MCP = "user_mcp"
    WORKER = "worker"
    IMPORTER = "importer"
    SYSTEM = "system"


class CommitmentStatus(Vocabulary):
    """Where a promise stands."""

    OPEN = "open"
    WAITING = "waiting"
    RESOLVED = "resolved"
    EXPIRED = "expired"


class ProposalStatus(Vocabulary):
    """Where a proposal stands; only `proposed` ones can be decided."""

    PROPOSED = "proposed"
    APPLIED = "applied"
    REJECTED = "rejected"


class RejectionReason(Vocabulary):
    """Why a proposal is rejected: somebody said no, took back a yes, or it had become pointless by itself."""

    DECLINED = "declined"
    UNDONE = "undone"
    SUPERSEDED = "superseded"
    NOT_LIVE = "not_live"
    ALREADY_RECORDED = "already_recorded"


class ProposalRule(Vocabulary):
    """By which rule consolidation proposed an edge; the only thing about a pair of texts that may be counted."""

    SAME_WORDS = "same_words"
    SAME_IN_OTHER_ORDER = "same_in_other_order"
    RETRACTED = "retracted"
    NEGATED = "negated"
    VALUE = "value"
    INSTANT = "instant"
    NAME = "name"
    WORDS = "words"
    REVISED = "revised"
    MORE_SAID = "more_said"
    SAME_SUBJECT = "same_subject"


REMEMBERED_REJECTIONS = (RejectionReason.DECLINED, RejectionReason.UNDONE)
"""Decisions of a person: what they were about is not proposed again. What retired by itself may be."""


class SessionSource(Vocabulary):
    """How an agent's run begins: anew, or where it left off."""

    STARTUP = "startup"
    RESUME = "resume"


class RetrievalMode(Vocabulary):
    """What a read without a scope means for a tenant."""

    OFF = "off"
    DEFAULT = "default"
    REQUIRE = "require"


class EmbeddedState(Vocabulary):
    """Whether a write can be found by meaning already."""

    DONE = "done"
    PENDING = "pending"
    OFF = "off"


class VectorCoverage(Vocabulary):
    """What became of the vector leg of one search."""

    USED = "used"
    UNAVAILABLE = "unavailable"
    OFF = "off"


class ModelState(Vocabulary):
    """The life of one generation of embeddings."""

    BUILDING = "building"
    ACTIVE = "active"
    RETIRED = "retired"


class AccountStatus(Vocabulary):
    """Whether a tenant or a user may be served."""

    ACTIVE = "active"
    UNVERIFIED = "unverified"
    SUSPENDED = "suspended"
    ERASED = "erased"


class TokenKind(Vocabulary):
    """Which OAuth token a row stands for."""

    ACCESS = "access"
    REFRESH = "refresh"


class ClientRegistration(Vocabulary):
    """How an OAuth client became known: it registered itself, or a metadata document describes it."""

    DYNAMIC = "dynamic"
    DOCUMENT = "document"


class ClientAuthMethod(Vocabulary):
    """How a client proves at the token endpoint who it is (RFC 7591, section 2)."""

    NONE = "none"
    CLIENT_SECRET_BASIC = "client_secret_basic"  # noqa: S105 - the name of a method
    CLIENT_SECRET_POST = "client_secret_post"  # noqa: S105 - the name of a method


class KeyState(Vocabulary):
    """The life of a public signing key: announced, signing, only verifying, withdrawn."""

    NEXT = "next"
    ACTIVE = "active"
    RETIRING = "retiring"
    RETIRED = "retired"


class JobState(Vocabulary):
    """The life of one background job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobOutcome(Vocabulary):
    """How one attempt at a job ended. `again`: it did its share and more is left; `skipped`: nothing could be done."""

    OK = "ok"
    AGAIN = "again"
    RETRY = "retry"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    RELEASED = "released"
    LOST_LEASE = "lost_lease"


class MeteredOperation(Vocabulary):
    """What calls of a paid provider are counted under."""

    EMBED = "embed"
    REFINE_PAIR = "refine_pair"
    EXTRACT_FACTS = "extract_facts"


class OAuthScope(Vocabulary):
    """What a credential may do. Neither memory scope implies the other."""

    MEMORY_READ = "memory:read"
    MEMORY_WRITE = "memory:write"
    ACCOUNT = "account"
