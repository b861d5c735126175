"""Every limit of the product, with its unit in the name. Text is counted in Unicode code points after NFC."""

MAX_CONTENT_CHARS = 2_000
MAX_TOPIC_CHARS = 256
MAX_PROJECT_CHARS = 256
MAX_SCOPE_CHARS = 64
MAX_TAGS = 32
MAX_TAG_CHARS = 64
MAX_OWNER_CHARS = 256
MAX_RECURRENCE_CHARS = 512

MAX_FACTS_PER_WRITE = 16
MAX_SUBJECT_CHARS = 256
MAX_PREDICATE_CHARS = 256
MAX_VALUE_CHARS = 2_000
DEFAULT_FACTS_LIMIT = 50
MAX_FACTS_LIMIT = 200

MAX_IMPORT_CONTENT_CHARS = 262_144
"""Imported bodies may be this long; they are searched, and read back in bounded pieces."""

MAX_IMPORT_LINE_BYTES = 4 * 1024 * 1024
"""More than the longest memory takes with every character escaped."""

MAX_IMPORT_SKIPS = 100
"""Skipped records that the report of an import names one by one; it counts them all."""

MAX_QUERY_CHARS = 2_000
DEFAULT_SEARCH_LIMIT = 5
MAX_SEARCH_LIMIT = 25
MAX_MEMORY_TYPES_FILTER = 8
MAX_EXCERPT_CHARS = 600
MAX_CURSOR_CHARS = 2_048

MAX_GET_IDS = 20
MIN_GET_CONTENT_CHARS = 600
DEFAULT_GET_CONTENT_CHARS = 10_000
MAX_GET_CONTENT_CHARS = 65_536
MAX_GET_TOTAL_CHARS = 262_144
MAX_GET_TOTAL_BYTES = 640 * 1024
"""UTF-8 bytes of a whole answer of `get_memories`, `briefing` or `handoff` as an MCP client receives it: structured
content and its text mirror."""

DEFAULT_BRIEF_LINES = 3
DEFAULT_FULL_LINES = 25
DEFAULT_HANDOFF_LINES = 25
MAX_SECTION_LIMIT = 100
MAX_GENERATED_FOR_CHARS = 256
STALE_AFTER_DAYS = 30
"""A decision, preference, blocker or fact that nobody has touched for longer may no longer hold."""

MAX_SCOPE_ALIASES = 16
MAX_SCOPES = 128
MAX_SCOPE_MAPPINGS = 512
"""Scopes and project mappings of one tenant: every call reads all of the aliases and mappings when it is admitted."""

DEFAULT_PROPOSALS_LIMIT = 25
MAX_PROPOSALS_LIMIT = 100
MAX_PROPOSAL_TOPIC_CHARS = 120
MAX_PROPOSALS_TOTAL_BYTES = MAX_GET_TOTAL_BYTES
"""UTF-8 bytes of one page of proposals on the wire; a page ends earlier rather than cutting a value."""

MAX_AGENT_CHARS = 64
MAX_SESSION_KEY_CHARS = 256
DEFAULT_SESSION_EVENTS = 50
MAX_SESSION_EVENTS = 100

DEFAULT_LISTED = 25
MAX_LISTED = 100
MAX_PROJECTS_FILTER = 16
MAX_FACET_VALUES = 100
MAX_LINEAGE_NODES = 25
MAX_LINEAGE_EDGES = 50
MAX_HISTORY_EVENTS = 50
MAX_HISTORY_VERSIONS = 50
MAX_DETAILED_FACTS = 100

MAX_BATCH_MESSAGES = 32
"""JSON-RPC messages in one batch of a 2025-03-26 client."""

CATALOGUE_TTL_MS = 3_600_000
MEMORY_RESOURCE_TTL_MS = 86_400_000

MAX_KEY_NAME_CHARS = 255
MAX_KEY_DAYS = 3_650
